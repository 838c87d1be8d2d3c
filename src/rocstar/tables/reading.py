"""Files to data frames: CSV (also gzipped), Parquet, Arrow and Feather, from a path or a pipe.

Every file that cannot be used is an `InputError` of one sentence, and a table too large for the
memory at hand is refused before it is loaded.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from rocstar.checks import InputError
from rocstar.tables.frames import refuse_duplicates
from rocstar.tables.memory import available_memory, refuse_large, too_large

if TYPE_CHECKING:
    from pandas import DataFrame

HEAD_BYTES = 1 << 20
HEAD_ROWS = 1000
_MAGIC = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"\xff\xff\xff\xff": "Arrow stream"}
_SUFFIX = {".parquet": "Parquet", ".pq": "Parquet", ".feather": "Arrow", ".arrow": "Arrow"}


def read_table(source: str | Path, *, max_memory: float | None = None) -> DataFrame:
    """Data frame of a file; ``-`` is standard input. What would not fit into memory is refused."""
    name = "standard input" if str(source) == "-" else Path(source).name
    limit = available_memory() if max_memory is None else max_memory
    with _opened(source, name, limit) as stream:
        kind = _file_type(stream, name)
        reader = {"CSV": _read_csv, "Parquet": _read_parquet}.get(kind, _read_arrow)
        try:
            frame = reader(stream, name, limit)
        except MemoryError:
            raise InputError(too_large(name, limit)) from None
    if len(frame) == 0:
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
        raise InputError(f"There is no file `{source}`{_nearest_file(path)}.") from None
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


def _nearest_file(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return ""
    close = get_close_matches(path.name, names, n=1, cutoff=0.6)
    return f"; did you mean `{path.with_name(close[0])}`?"[:-1] if close else ""


def _file_type(stream: BinaryIO, name: str) -> str:
    head = stream.read(8)
    stream.seek(0)
    kind = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), "CSV")
    promised = _SUFFIX.get(Path(name).suffix.lower())
    if promised and not kind.startswith(promised):
        raise InputError(f"`{name}` is not {_article(promised)} {promised} file, despite its name.")
    if kind != "CSV" and ".csv" in name.lower():
        raise InputError(f"`{name}` is {_article(kind)} {kind} file, not CSV: rename it.")
    return kind


def _article(word: str) -> str:
    return "an" if word.startswith("A") else "a"


def _read_csv(stream: BinaryIO, name: str, limit: float) -> DataFrame:
    import pandas as pd

    size = _uncompressed_size(stream)
    text = cast(BinaryIO, _Gzip(stream, name, limit)) if _is_gzip(stream) else stream
    try:
        head = text.read(HEAD_BYTES)
        header, separator = _header(head, name)
        refuse_duplicates(header, name)
        sample = _head_frame(head, separator)
        lines = max(head.count(b"\n"), 1)
        refuse_large(size / (len(head) / lines), sample, name, limit)
        text.seek(0)
        return pd.read_csv(text, sep=separator, encoding="utf-8-sig", low_memory=False)
    except UnicodeDecodeError as error:
        raise InputError(_not_utf8(name, error)) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error) as error:
        if "out of memory" in str(error):
            raise MemoryError from None
        message = str(error).replace("Error tokenizing data. C error: ", "").strip().rstrip(".")
        raise InputError(f"`{name}` is not well-formed CSV: {message}.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"`{name}` is not a complete gzip file: {error}.") from None


class _Gzip(gzip.GzipFile):
    """A compressed text that is refused once it is longer than the memory for it."""

    # A megabyte can hold a gigabyte, and the length a file states of itself need not be true.

    def __init__(self, stream: BinaryIO, name: str, limit: float) -> None:
        super().__init__(fileobj=stream)
        self.source, self.limit = name, limit

    def read(self, size: int | None = -1) -> bytes:
        return self._counted(super().read(size))

    def read1(self, size: int = -1) -> bytes:
        return self._counted(super().read1(size))

    def _counted(self, content: bytes) -> bytes:
        # The text is held beside the columns that are made of it.
        if self.tell() > self.limit / 2:
            raise InputError(too_large(self.source, self.limit))
        return content


def _is_gzip(stream: BinaryIO) -> bool:
    head = stream.read(2)
    stream.seek(0)
    return head == b"\x1f\x8b"


def _uncompressed_size(stream: BinaryIO) -> float:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    if not _is_gzip(stream):
        return size
    # gzip keeps the length modulo 4 GB in its last four bytes; text hardly ever shrinks below it.
    stream.seek(-4, os.SEEK_END)
    length = int.from_bytes(stream.read(4), "little")
    stream.seek(0)
    return max(length, size)


def _header(head: bytes, name: str) -> tuple[list[str], str]:
    if b"\x00" in head:
        raise InputError(f"`{name}` is binary data, not CSV text.")
    # A cut in the middle of a character is not a mistake of the file.
    line = head.decode("utf-8-sig", "strict" if len(head) < HEAD_BYTES else "ignore")
    first = next((row for row in line.splitlines() if row.strip()), "")
    if not first:
        raise InputError(f"`{name}` is empty.")
    separator = max(",;\t|", key=first.count)
    return next(csv.reader([first], delimiter=separator)), separator


def _head_frame(head: bytes, separator: str) -> DataFrame:
    import pandas as pd

    whole = head[: head.rfind(b"\n") + 1] or head
    return pd.read_csv(
        io.BytesIO(whole), sep=separator, encoding="utf-8-sig", nrows=HEAD_ROWS, low_memory=False
    )


def _not_utf8(name: str, error: UnicodeDecodeError) -> str:
    byte = error.object[error.start]
    return (
        f"`{name}` is not UTF-8 text (byte 0x{byte:02x}): save it as UTF-8, for instance with "
        f"`iconv -f latin1 -t utf-8`."
    )


@contextmanager
def _damage_refused(kind: str, name: str) -> Iterator[None]:
    """Turn whatever a damaged file makes Arrow or pandas raise into one sentence."""
    try:
        yield
    except (InputError, MemoryError):  # Arrow's own lack of memory is one of the latter
        raise
    except Exception:
        message = f"`{name}` is not a complete {kind} file; copy it again."
        raise InputError(message) from None


def _read_parquet(stream: BinaryIO, name: str, limit: float) -> DataFrame:
    import pyarrow.parquet as pq

    with _damage_refused("Parquet", name):
        file = pq.ParquetFile(stream)
        refuse_duplicates(file.schema_arrow.names, name)
        head = next(file.iter_batches(batch_size=HEAD_ROWS), None)
        sample = file.schema_arrow.empty_table() if head is None else head
        refuse_large(file.metadata.num_rows, sample.to_pandas(), name, limit)
        return _frame(file.read())


def _read_arrow(stream: BinaryIO, name: str, limit: float) -> DataFrame:
    import pyarrow as pa

    with _damage_refused("Arrow", name):
        is_file = stream.read(6) == b"ARROW1"
        stream.seek(0)
        reader = pa.ipc.open_file(stream) if is_file else pa.ipc.open_stream(stream)
        refuse_duplicates(reader.schema.names, name)
        parts = reader.num_record_batches if is_file else 1
        batches: list[pa.RecordBatch] = []
        rows, sample = 0, None
        for batch in map(reader.get_batch, range(parts)) if is_file else reader:
            batch.validate(full=True)
            sample = batch.slice(0, HEAD_ROWS).to_pandas() if sample is None else sample
            batches.append(batch)
            rows += batch.num_rows
            # Batches have one size but for the last, so in a file the first tells all rows.
            refuse_large(max(rows, parts * batches[0].num_rows), sample, name, limit)
        return _frame(pa.Table.from_batches(batches, reader.schema))


def _frame(table: Any) -> DataFrame:
    # Offsets that point outside a column, or text that is not UTF-8, would crash the interpreter.
    table.validate(full=True)
    frame: DataFrame = table.to_pandas()
    return frame
