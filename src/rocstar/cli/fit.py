"""``rocstar fit``."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from rocstar.cli.files import prepared, read, source_name
from rocstar.cli.options import (
    Drop,
    File,
    Jobs,
    MaxMemory,
    Model,
    Positive,
    Quiet,
    Seed,
    Target,
    Weight,
    writable,
)
from rocstar.cli.process import threads
from rocstar.cli.session import session
from rocstar.cli.vocabulary import in_options


def fit(
    file: File,
    target: Target,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            callback=writable(".skops"),
            metavar="FILE",
            help="Model file to write: .skops.",
        ),
    ],
    positive: Positive = None,
    drop: Drop = None,
    weight: Weight = None,
    model: Model = "auto",
    seed: Seed = 0,
    quiet: Quiet = False,
    max_memory: MaxMemory = None,
    jobs: Jobs = None,
) -> None:
    """Fit a model of the likelihood ratio, or of 3 to 50 classes, to a table and save it."""
    with session(quiet) as (stages, tell):
        from rocstar.report.words import remark
        from rocstar.tables.model import TableModel
        from rocstar.tables.model_files import save

        with stages("read"):
            frame = read(file, max_memory)
        with stages("columns"):
            table = prepared(
                frame,
                source_name(file),
                target=target,
                positive=positive,
                drop=drop or [],
                weight=weight,
            )
        with stages("fit"):
            n_jobs = threads(jobs, table.X.size)
            unfitted = TableModel(model, n_jobs=n_jobs, random_state=seed)
            fitted = unfitted.fit_table(table)
        save(fitted, output)
    for seen in table.warnings:
        # This command has no --group.
        text = re.sub(r",? or [a-z ]+--group[^.]*", "", in_options(seen.text))
        tell(remark(seen.severity, text))
    tell(f"Fitted to {len(table.y):,} rows; wrote {output}.")
