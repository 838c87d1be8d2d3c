"""``rocstar compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from rocstar.cli.errors import DIFFERENT, say
from rocstar.cli.files import deliver, read, source_name
from rocstar.cli.options import (
    Drop,
    Fast,
    Jobs,
    Json,
    Level,
    MaxMemory,
    Method,
    Model,
    Quiet,
    Reports,
    Seed,
)
from rocstar.cli.process import cores
from rocstar.cli.session import session


def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="First sample: a table, as for audit.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Second sample.")],
    drop: Drop = None,
    fail_above: Annotated[
        float | None,
        typer.Option(
            metavar="D", help="Exit with 3 if the lower bound of the ROC divergence is above D."
        ),
    ] = None,
    model: Model = "auto",
    fast: Fast = False,
    level: Level = 0.95,
    method: Method = "dirichlet",
    seed: Seed = 0,
    quiet: Quiet = False,
    output: Reports = None,
    json: Json = False,
    max_memory: MaxMemory = None,
    jobs: Jobs = None,
) -> None:
    """Do two samples differ, by how much, and in which columns?"""
    with session(quiet) as (stages, tell):
        from rocstar.audits.compare import compare as compare_tables
        from rocstar.tables.roles import require_column

        names = source_name(old), source_name(new)
        if names[0] == names[1]:
            names = old, new
        with stages("read"):
            samples = [read(source, max_memory) for source in (old, new)]
            for column in drop or []:
                if column not in samples[1]:
                    require_column(samples[0], column, names[0])
            samples = [sample.drop(columns=drop or [], errors="ignore") for sample in samples]
        found = compare_tables(
            *samples,
            model=model,
            level=level,
            method=method,
            n_jobs=jobs or cores(),
            random_state=seed,
            fast=fast,
            names=names,
            progress=stages.progress,
        )
    deliver(found, output, json, tell)
    if fail_above is not None and found.divergence.low > fail_above:
        # Also with --quiet: it explains the exit code.
        say(f"The ROC divergence is at least {found.divergence.low:.4f}, above {fail_above:g}.")
        raise typer.Exit(DIFFERENT)
