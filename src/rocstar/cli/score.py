"""``rocstar score``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rocstar.cli.files import read, source_name, table_bytes, write_file
from rocstar.cli.options import File, MaxMemory, Quiet, existing, writable
from rocstar.cli.session import session

PREFIX = "rocstar_"


def score(
    model: Annotated[
        str,
        typer.Argument(
            callback=existing, metavar="MODEL", help="Model file written by rocstar fit."
        ),
    ],
    file: File,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            callback=writable(".parquet", ".feather", ".csv"),
            metavar="FILE",
            help="Table to write: .parquet, .feather or .csv; default: CSV on standard output.",
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace output columns that the table already has."),
    ] = False,
    quiet: Quiet = False,
    max_memory: MaxMemory = None,
) -> None:
    """Score the rows of a table: angle, likelihood ratio and probability of the positive class.

    Of more than two classes: the probability of each, and the likeliest one.
    """
    with session(quiet) as (stages, tell):
        from rocstar.report.words import remark
        from rocstar.tables.memory import at_most
        from rocstar.tables.model_files import load
        from rocstar.tables.unread import unread_values

        with at_most(max_memory):
            loaded = load(model, max_memory=max_memory)
        with stages("read"):
            frame = read(file, max_memory)
        written = [f"{PREFIX}{name}" for name in loaded.score_names]
        taken = [name for name in written if name in frame]
        if not overwrite:
            _refuse_taken(taken, source_name(file))
        with stages("score"):
            scores = loaded.scores(frame).add_prefix(PREFIX)
            for text in unread_values(loaded.encoder_, frame):
                tell(remark("warning", text))
        scored = frame.drop(columns=taken).join(scores)
        content = table_bytes(scored, output)
        if output is not None:
            write_file(output, content)
            tell(f"Scored {len(scored):,} rows; wrote {output}.")
    if output is None:
        sys.stdout.write(content.decode())


def _refuse_taken(taken: list[str], name: str) -> None:
    from rocstar.checks import InputError

    if taken:
        listed = " and ".join(f"`{column}`" for column in taken)
        raise InputError(
            f"`{name}` already has {listed}; use --overwrite to replace what is there, or rename "
            "the columns."
        )
