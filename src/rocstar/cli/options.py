"""Arguments and options that several commands share, and the checks of their values."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

TABLE_FORMATS = "CSV or JSON (also .gz), Parquet, Arrow or Excel; - is standard input."
REPORTS = (".html", ".md", ".json")
LARGEST_SEED = 2**32 - 1
UNITS = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


def share(text: str | float) -> float:
    """A share such as 0.05 or 5%."""
    written = str(text).strip()
    percent = written.endswith("%")
    try:
        found = float(written.removesuffix("%")) / (100 if percent else 1)
    except ValueError:
        found = 0.0
    if not 0 < found < 1:
        meant = 1 <= found < 100 and not percent
        hint = f": write {written}% or {found / 100:g}" if meant else ""
        raise typer.BadParameter(f"must be a share between 0 and 1; got {written}{hint}.")
    return found


def positive_cost(cost: float | None) -> float | None:
    """A check of a cost."""
    if cost is not None and not 0 < cost < float("inf"):
        raise typer.BadParameter(f"must be a positive number; got {cost:g}.")
    return cost


def existing(sources: Any) -> Any:
    """A check that files are there, before anything is loaded that could read them."""
    for source in [sources] if isinstance(sources, str) else sources or []:
        # Standard input, patterns and addresses are looked at where they are read.
        named = source != "-" and "://" not in source and not any(c in source for c in "*?[")
        if named and not os.path.exists(source):
            from rocstar.checks import no_such_file

            raise ValueError(no_such_file(source))
    return sources


def within(low: float, high: float) -> Callable[[float | None], float | None]:
    """A check that a limit can be reached at all."""

    def checked(limit: float | None) -> float | None:
        if limit is not None and not low <= limit <= high:
            raise typer.BadParameter(f"must lie between {low:g} and {high:g}; got {limit:g}.")
        return limit

    return checked


def size_in_bytes(text: str) -> float:
    """A size such as 8GB or 500 MB in bytes."""
    number, unit = text.upper().replace(" ", ""), 1.0
    for name, size in UNITS.items():
        if number.endswith(name):
            number, unit = number.removesuffix(name), size
    try:
        found = float(number) * unit
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise typer.BadParameter(f"must be a size such as 8GB; got {text}.")
    return found


def writable(*suffixes: str) -> Callable[[Any], Any]:
    """A check that rejects at once what could not be written after minutes of work."""

    def checked(output: Any) -> Any:
        for path in [output] if isinstance(output, str) else output or []:
            folder = os.path.dirname(path) or "."
            if not path.lower().endswith(suffixes):
                raise typer.BadParameter(f"`{path}` must end in {' or '.join(suffixes)}.")
            if not os.path.isdir(folder):
                raise typer.BadParameter(
                    f"`{path}` cannot be written: there is no folder `{folder}`."
                )
            if os.path.isdir(path) or not os.access(folder, os.W_OK):
                raise typer.BadParameter(f"`{path}` cannot be written.")
        return output

    return checked


COLUMN = "COLUMN"
File = Annotated[str, typer.Argument(callback=existing, metavar="FILE", help=TABLE_FORMATS)]
Target = Annotated[
    str, typer.Option("--target", "-t", metavar=COLUMN, help="Column with the classes.")
]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE", help="Target value treated as positive; default: the larger of two."
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar=COLUMN, help="Column to leave out; may be repeated."),
]
Weight = Annotated[str | None, typer.Option(metavar=COLUMN, help="Column with row weights.")]
Group = Annotated[
    str | None,
    typer.Option(metavar=COLUMN, help="Column of groups: rows with equal values share a fold."),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar=COLUMN,
        help="Column of dates or numbers: models are fitted to older rows only.",
    ),
]
Model = Annotated[
    Literal["auto", "linear", "rbf", "trees"],
    typer.Option(help="Model to fit; auto combines several."),
]
Method = Annotated[
    Literal["dirichlet", "betting"],
    typer.Option(help="How lower bounds are found; those by betting are proven."),
]
Fast = Annotated[
    bool,
    typer.Option("--fast", help="One held-out half instead of five folds; fewer models in auto."),
]
Level = Annotated[
    float,
    typer.Option(parser=share, metavar="LEVEL", help="Confidence level of each bound."),
]
Seed = Annotated[int, typer.Option(min=0, max=LARGEST_SEED, metavar="N", help="Random seed.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Suppress progress and messages.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
Reports = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        callback=writable(*REPORTS),
        metavar="FILE",
        help="Report to write: .html, .md or .json; may be repeated.",
    ),
]
MaxMemory = Annotated[
    float | None,
    typer.Option(
        parser=size_in_bytes,
        metavar="SIZE",
        help="Memory limit, e.g. 8GB; default: the free memory.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Number of threads; default: one per core, or one for a small table."
    ),
]
