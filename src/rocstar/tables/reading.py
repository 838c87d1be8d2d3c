"""Files to data frames: CSV and JSON (also gzipped), Parquet, Arrow, Feather and Excel.

Every file that cannot be used is an `InputError` of one sentence, and a table too large for the
memory at hand is refused before it is loaded.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from rocstar.checks import InputError, no_such_file
from rocstar.tables.columnar_files import read_arrow, read_excel, read_parquet
from rocstar.tables.file_types import file_type
from rocstar.tables.memory import available_memory, too_large
from rocstar.tables.text_files import HEAD_BYTES, read_text

if TYPE_CHECKING:
    from pandas import DataFrame

READERS = {
    "CSV": read_text,
    "JSON": read_text,
    "Parquet": read_parquet,
    "Arrow": read_arrow,
    "Arrow stream": read_arrow,
    "Excel": read_excel,
}


def read_table(
    source: str | Path, *, max_memory: float | None = None, needs_rows: bool = True
) -> DataFrame:
    """Data frame of a file; ``-`` is standard input. What would not fit into memory is refused."""
    name = "standard input" if str(source) == "-" else Path(source).name
    limit = available_memory() if max_memory is None else max_memory
    with _opened(source, name, limit) as stream:
        reader = READERS[file_type(stream, name)]
        try:
            frame = reader(stream, name, limit)
        except MemoryError:
            raise InputError(too_large(name, limit)) from None
    if len(frame) == 0 and needs_rows:
        raise InputError(f"`{name}` has a header but no rows.")
    return frame


@contextmanager
def _opened(source: str | Path, name: str, limit: float) -> Iterator[BinaryIO]:
    if str(source) == "-":
        yield _buffered_input(limit)
        return
    path = Path(source)
    if path.is_dir():
        raise InputError(
            f"`{source}` is a folder; name a file in it, or read a folder of Parquet files with "
            "dask.dataframe.read_parquet."
        )
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise InputError(no_such_file(source)) from None
    except OSError as error:
        raise InputError(f"`{source}` cannot be read: {error.strerror}.") from None
    with stream:
        if os.fstat(stream.fileno()).st_size == 0:
            raise InputError(f"`{name}` is empty.")
        yield stream


def _buffered_input(limit: float) -> BinaryIO:
    # Piece by piece: one long read would ask for all the memory it may take before it starts.
    content = io.BytesIO()
    while piece := sys.stdin.buffer.read(HEAD_BYTES):
        content.write(piece)
        if content.tell() > limit:
            raise InputError(too_large("standard input", limit))
    if not content.tell():
        raise InputError("Standard input is empty.")
    content.seek(0)
    return content
