"""``rocstar score``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rocstar.cli.files import read, table_bytes, write_file
from rocstar.cli.options import File, MaxMemory, Quiet, writable
from rocstar.cli.session import session


def score(
    model: Annotated[str, typer.Argument(help="Model file written by rocstar fit.")],
    file: File,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            callback=writable(".parquet", ".feather", ".csv"),
            help=".parquet, .feather or .csv; default: CSV on standard output.",
        ),
    ] = None,
    quiet: Quiet = False,
    max_memory: MaxMemory = None,
) -> None:
    """Score the rows of a table: angle, likelihood ratio and probability of the positive class."""
    with session(quiet) as (stages, tell):
        from rocstar.tables.memory import at_most
        from rocstar.tables.model_files import load

        with at_most(max_memory):
            loaded = load(model, max_memory=max_memory)
        with stages("read"):
            frame = read(file, max_memory)
        with stages("score"):
            scores = loaded.scores(frame).add_prefix("rocstar_")
        scored = frame.drop(columns=[c for c in scores if c in frame]).join(scores)
        content = table_bytes(scored, output)
        if output is not None:
            write_file(output, content)
            tell(f"Scored {len(scored):,} rows; wrote {output}.")
    if output is None:
        sys.stdout.write(content.decode())
