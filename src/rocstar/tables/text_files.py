"""CSV and JSON, plain or gzipped, in any of the usual encodings."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from rocstar.checks import InputError
from rocstar.report.words import plural
from rocstar.tables.file_types import refuse_by_name, text_start
from rocstar.tables.frames import refuse_duplicates
from rocstar.tables.memory import refuse_large, too_large

if TYPE_CHECKING:
    from pandas import DataFrame

HEAD_BYTES = 1 << 20
HEAD_ROWS = 1000
FIRST_ROWS = 20
SEPARATORS = ",;\t|"
# Memory of parsed JSON: each value is an object of Python before it is a cell.
BYTES_PER_JSON_BYTE = 10
# Text that is not UTF-8 is most often that of Windows in the West, which has names for all but five
# bytes; Latin-1 has one for each.
OTHER_ENCODINGS = ("cp1252", "latin-1")


def read_text(stream: BinaryIO, name: str, limit: float) -> DataFrame:
    """Data frame of CSV or JSON text."""
    size = _uncompressed_size(stream)
    with _unpacked(stream, name, limit) as text:
        head = text.read(HEAD_BYTES)
        if text is not stream:
            refuse_by_name(head, name, "gzipped: ")
        encodings = _encodings(head, name)
        is_json = text_start(head).startswith((b"{", b"["))
        reader: Callable[..., DataFrame] = _read_json if is_json else _read_csv
        for encoding in encodings:
            text.seek(0)
            try:
                return reader(text, encoding, head, size, name, limit)
            except UnicodeError:
                continue
    # Latin-1 has a character for every byte; of wider characters a file may hold half of one.
    raise InputError(f"`{name}` is not complete {encodings[0].upper()} text; copy it again.")


@contextmanager
def _unpacked(stream: BinaryIO, name: str, limit: float) -> Iterator[BinaryIO]:
    """The text of a file that may be gzipped."""
    if not _is_gzip(stream):
        yield stream
        return
    try:
        yield cast(BinaryIO, _Gzip(stream, name, limit))
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"`{name}` is not a complete gzip file: {error}.") from None


def _encodings(head: bytes, name: str) -> list[str]:
    """What the text may be encoded in, the likeliest first."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return ["utf-32"]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ["utf-16"]
    start = head[:400]
    if b"\x00" in head:
        # In two bytes per character, most Western text has a zero in every other byte.
        for encoding, zeros, others in (
            ("utf-16-le", start[1::2], start[::2]),
            ("utf-16-be", start[::2], start[1::2]),
        ):
            if zeros.count(0) > 0.8 * len(zeros) and others.count(0) == 0:
                return [encoding]
        raise InputError(f"`{name}` is binary data, not CSV text.")
    return ["utf-8-sig", *OTHER_ENCODINGS]


def _decoded(head: bytes, encoding: str) -> str:
    # A cut in the middle of a character is not a mistake of the file.
    whole = len(head) < HEAD_BYTES
    return codecs.getincrementaldecoder(encoding)().decode(head, whole)


def _read_csv(
    text: BinaryIO, encoding: str, head: bytes, size: float, name: str, limit: float
) -> DataFrame:
    import pandas as pd

    start = _decoded(head, encoding)
    try:
        first = _first_rows(start, name)
        names, further = first.rows[0], first.further
        # pandas gives those without a name one of its own.
        refuse_duplicates([column for column in names if column], name)
        if further > 1:
            raise InputError(
                f"`{name}` is not well-formed CSV: its header has {plural(len(names), 'name')}, "
                f"but its rows have {len(names) + further} values."
            )
        how: dict[str, Any] = {"sep": first.separator, "low_memory": False}
        how |= {"skiprows": 1} if first.declared else {}
        lines = max(start.count("\n"), start.count("\r"), 1)
        sample = pd.read_csv(io.StringIO(_whole_lines(start)), nrows=HEAD_ROWS, **how)
        refuse_large(size / (len(head) / lines), sample, name, limit)
        frame: DataFrame = pd.read_csv(text, encoding=encoding, **how)
        if further == 1 and frame.iloc[:, -1].isna().all():
            # Rows that end with a separator, rather than begin with a name as those of R.
            text.seek(0)
            frame = pd.read_csv(text, encoding=encoding, index_col=False, **how)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error) as error:
        if "out of memory" in str(error):
            raise MemoryError from None
        message = str(error).replace("Error tokenizing data. C error: ", "").strip().rstrip(".")
        raise InputError(f"`{name}` is not well-formed CSV: {message}.") from None
    return frame.reset_index(drop=True)


class _Start(NamedTuple):
    """The first rows of a CSV file; ``declared`` if a line above them names the separator."""

    separator: str
    rows: list[list[str]]
    declared: bool

    @property
    def further(self) -> int:
        """How many values the first row has beyond the names in the header."""
        return len(self.rows[1]) - len(self.rows[0]) if len(self.rows) > 1 else 0


def _first_rows(start: str, name: str) -> _Start:
    """The first rows, by the separator under which they are most alike."""
    start = start.lstrip("\n\r")
    # Excel writes such a line where the separator is not the comma.
    declared = re.match(r'"?sep=([,;\t|])"?\r?\n', start)
    start = start[declared.end() :] if declared else start
    if not start.strip():
        raise InputError(f"`{name}` is empty.")

    def rows(separator: str) -> list[list[str]]:
        lines = csv.reader(io.StringIO(start, newline=None), delimiter=separator)
        return [row for row in islice(lines, FIRST_ROWS) if row]

    def alike(separator: str) -> tuple[bool, float, int]:
        first, *others = map(len, rows(separator))
        share = sum(n == first for n in others) / len(others) if others else 1.0
        return first > 1, share, first

    longest = csv.field_size_limit(HEAD_BYTES)
    try:
        separator = declared[1] if declared else max(SEPARATORS, key=alike)
        return _Start(separator, rows(separator), declared is not None)
    finally:
        csv.field_size_limit(longest)


def _whole_lines(start: str) -> str:
    return start[: start.rfind("\n") + 1] or start


def _read_json(
    text: BinaryIO, encoding: str, head: bytes, size: float, name: str, limit: float
) -> DataFrame:
    """Data frame of one JSON object per line, or of a list of objects."""
    import pandas as pd

    if BYTES_PER_JSON_BYTE * size > limit:
        raise InputError(too_large(name, limit))
    records = _records(text.read().decode(encoding), name)
    refuse_large(len(records), pd.DataFrame(records[:HEAD_ROWS]), name, limit)
    return pd.DataFrame(records)


def _records(content: str, name: str) -> list[dict[str, Any]]:
    is_list = content.lstrip().startswith("[")
    found: list[Any] = []
    for number, line in enumerate([content] if is_list else content.split("\n"), start=1):
        try:
            value = json.loads(line) if line.strip() else []
        except (json.JSONDecodeError, RecursionError) as error:
            where = number - 1 + getattr(error, "lineno", 1)
            raise InputError(
                f"`{name}` is not well-formed JSON in line {where}; write one object per line, or "
                "a list of objects."
            ) from None
        found += value if isinstance(value, list) and (is_list or not value) else [value]
    for number, record in enumerate(found, start=1):
        if not isinstance(record, dict):
            raise InputError(
                f"`{name}` must hold one JSON object per row; got {str(record)[:40]} as row "
                f"{number}."
            )
    return found


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
    stream.seek(max(size - 4, 0))
    length = int.from_bytes(stream.read(4), "little")
    stream.seek(0)
    return max(length, size)
