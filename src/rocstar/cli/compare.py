"""``rocstar compare``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rocstar.cli.errors import DIFFERENT, say
from rocstar.cli.files import deliver, read, source_name
from rocstar.cli.options import (
    Drop,
    Fast,
    Group,
    Jobs,
    Json,
    Level,
    MaxMemory,
    Method,
    Model,
    Quiet,
    Reports,
    Seed,
    Time,
    Weight,
    existing,
    within,
)
from rocstar.cli.process import cores
from rocstar.cli.session import session
from rocstar.cli.vocabulary import summary_in_options

# 2 − √2, rounded down: the divergence of samples that can be separated without error.
LARGEST_DIVERGENCE = 0.585


def compare(
    old: Annotated[
        str,
        typer.Argument(
            callback=existing, metavar="OLD", help="First sample: a table, as for audit."
        ),
    ],
    new: Annotated[str, typer.Argument(callback=existing, metavar="NEW", help="Second sample.")],
    more: Annotated[
        list[str] | None,
        typer.Argument(callback=existing, metavar="MORE", help="Further samples."),
    ] = None,
    drop: Drop = None,
    weight: Weight = None,
    group: Group = None,
    time: Time = None,
    fail_above: Annotated[
        float | None,
        typer.Option(
            callback=within(0.0, LARGEST_DIVERGENCE),
            metavar="D",
            help=f"Exit with {DIFFERENT} if the lower bound of the ROC divergence is above D; "
            f"0 to {LARGEST_DIVERGENCE}.",
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
    """Do samples differ, by how much, and in which columns?"""
    with session(quiet) as (stages, tell):
        from rocstar.tables.column_names import require_column

        sources = [old, new, *(more or [])]
        names = tuple(map(source_name, sources))
        if len(set(names)) < len(names):
            names = tuple(sources)
        with stages("read"):
            samples = [read(source, max_memory) for source in sources]
            for left_out in drop or []:
                if not any(left_out in sample for sample in samples[1:]):
                    require_column(samples[0], left_out, names[0])
            samples = [sample.drop(columns=drop or [], errors="ignore") for sample in samples]
            roles: dict[str, Any] = {}
            for role, column in (("sample_weight", weight), ("groups", group), ("time", time)):
                if column is not None:
                    for sample, name in zip(samples, names, strict=True):
                        require_column(sample, column, name)
                    roles[role] = tuple(sample.pop(column) for sample in samples)
        from rocstar.audits.compare import compare as compare_tables

        found = compare_tables(
            *samples,
            **roles,
            model=model,
            level=level,
            method=method,
            n_jobs=jobs or cores(),
            random_state=seed,
            fast=fast,
            names=names,
            progress=stages.progress,
        )
    deliver(summary_in_options(found.summary()), output, json, tell)
    if fail_above is not None and found.divergence.low > fail_above:
        # Also with --quiet: it explains the exit code.
        say(f"The ROC divergence is at least {found.divergence.low:.4f}, above {fail_above:g}.")
        raise typer.Exit(DIFFERENT)
