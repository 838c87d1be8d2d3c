"""``rocstar compare``."""

from __future__ import annotations

from collections import Counter
from math import floor, sqrt
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
)
from rocstar.cli.process import threads
from rocstar.cli.session import session
from rocstar.cli.vocabulary import summary_in_options


def largest_divergence(n: int) -> float:
    """n − √n, rounded down: the divergence of samples that can be separated without error."""
    return floor(1000 * (n - sqrt(n))) / 1000


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
            metavar="D",
            help=f"Exit with {DIFFERENT} if the lower bound of the ROC divergence is above D; "
            f"0 to {largest_divergence(2)}, or to {largest_divergence(3)} for three samples.",
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
    sources = [old, new, *(more or [])]
    most = largest_divergence(len(sources))
    if fail_above is not None and not 0 <= fail_above <= most:
        raise ValueError(f"--fail-above must lie between 0 and {most:g}; got {fail_above:g}.")
    with session(quiet) as (stages, tell):
        from rocstar.tables.column_names import require_column

        names = sample_names(sources)
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
            n_jobs=threads(jobs, sum(sample.size for sample in samples)),
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


def sample_names(sources: list[str]) -> tuple[str, ...]:
    """What the report calls the files: their names, or paths, or these numbered."""
    names = list(map(source_name, sources))
    if len(set(names)) < len(names):
        names = sources
    times: Counter[str] = Counter()
    found = []
    for name in names:
        times[name] += 1
        found.append(name if times[name] == 1 else f"{name} ({times[name]})")
    return tuple(found)
