"""Tables in and out: files that commands read, scored tables and reports that they write."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

    from rocstar.cli.session import Tell
    from rocstar.tables.class_table import ClassTable
    from rocstar.tables.table import LabelledTable


def read(source: str, max_memory: float | None, *, needs_rows: bool = True) -> DataFrame:
    from rocstar.tables.memory import at_most
    from rocstar.tables.reading import read_table

    with at_most(max_memory):
        return read_table(source, max_memory=max_memory, needs_rows=needs_rows)


def source_name(source: str) -> str:
    """What messages and reports call a file."""
    return "standard input" if source == "-" else os.path.basename(source)


def prepared(
    frame: DataFrame, name: str, *, target: str | None, **roles: Any
) -> LabelledTable | ClassTable:
    """The table with its columns in their roles, of two classes or of more."""
    target = required_target(frame, name, target, **roles)
    from rocstar.tables.class_table import prepare_any

    found: LabelledTable | ClassTable = prepare_any(frame, target=target, source=name, **roles)
    return found


def required_target(frame: Any, name: str, target: str | None, **roles: Any) -> str:
    """The target, once it and all other columns are known to be there."""
    from rocstar.checks import InputError
    from rocstar.tables.column_names import column_roles

    if target is None:
        some = ", ".join(f"`{column}`" for column in list(frame.columns)[-4:])
        raise InputError(
            f"Name the column with the classes with --target; `{name}` has {some} among others."
        )
    named = ("scores", "drop", "weight", "group", "time")
    column_roles(frame, name, target=target, **{key: roles[key] for key in named if key in roles})
    return target


def table_bytes(frame: DataFrame, output: str | None) -> bytes:
    """The table in the format of a file's suffix; CSV for standard output."""
    buffer = io.BytesIO()
    suffix = ".csv" if output is None else os.path.splitext(output)[1].lower()
    if suffix == ".csv":
        frame.to_csv(buffer, index=False, lineterminator="\n")
    elif suffix == ".parquet":
        frame.to_parquet(buffer)
    else:
        frame.to_feather(buffer)
    return buffer.getvalue()


def write_file(path: str, content: bytes) -> None:
    """Write a whole file or none, also when interrupted."""
    from rocstar.tables.writing import replace_file

    replace_file(path, content)


def deliver(summary: dict[str, Any], outputs: list[str] | None, json: bool, tell: Tell) -> None:
    """Write the reports of a summary, and print it."""
    from rocstar import report

    renderers = {".html": report.html, ".md": report.markdown, ".json": report.json}
    for path in outputs or []:
        write_file(path, renderers[os.path.splitext(path)[1].lower()](summary).encode())
        tell(f"Wrote {path}.")
    if json:
        sys.stdout.write(report.json(summary) + "\n")
        return
    from rich.console import Console

    console = Console()
    color = console.is_terminal and not console.no_color
    sys.stdout.write(report.terminal(summary, width=console.width, color=color))
