"""Parquet, Arrow, Feather and Excel files."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from rocstar.checks import InputError, require
from rocstar.report.words import plural
from rocstar.tables.frames import quoted, refuse_duplicates
from rocstar.tables.memory import refuse_large, too_large
from rocstar.tables.text_files import HEAD_ROWS

if TYPE_CHECKING:
    from pandas import DataFrame

# Memory of a workbook: its cells are objects of Python before they are columns.
BYTES_PER_WORKBOOK_BYTE = 5


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


def read_parquet(stream: BinaryIO, name: str, limit: float) -> DataFrame:
    import pyarrow.parquet as pq

    with _damage_refused("Parquet", name):
        file = pq.ParquetFile(stream)
        refuse_duplicates(file.schema_arrow.names, name)
        head = next(file.iter_batches(batch_size=HEAD_ROWS), None)
        sample = file.schema_arrow.empty_table() if head is None else head
        refuse_large(file.metadata.num_rows, sample.to_pandas(), name, limit)
        return _frame(file.read())


def read_arrow(stream: BinaryIO, name: str, limit: float) -> DataFrame:
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


def read_excel(stream: BinaryIO, name: str, limit: float) -> DataFrame:
    """The only sheet of a workbook that holds anything; its first row names the columns."""
    require("excel", "openpyxl")
    import pandas as pd

    with _damage_refused("Excel", name):
        with zipfile.ZipFile(stream) as archive:
            size = sum(part.file_size for part in archive.infolist())
        if BYTES_PER_WORKBOOK_BYTE * size > limit:
            raise InputError(too_large(name, limit))
        stream.seek(0)
        sheets = pd.read_excel(stream, sheet_name=None, header=None, engine="openpyxl")
        sheets = {title: cells for title, cells in sheets.items() if not cells.empty}
        if not sheets:
            raise InputError(f"`{name}` is empty.")
        if len(sheets) > 1:
            raise InputError(
                f"`{name}` has {plural(len(sheets), 'sheet')} ({quoted(list(sheets))}); save "
                "the one that is meant as CSV."
            )
        cells = next(iter(sheets.values())).dropna(how="all").dropna(how="all", axis=1)
        header = ["" if pd.isna(label) else str(label) for label in cells.iloc[0]]
        refuse_duplicates(header, name)
        frame = cells.iloc[1:].set_axis(header, axis=1).reset_index(drop=True).infer_objects()
        refuse_large(len(frame), frame[:HEAD_ROWS], name, limit)
        return frame


def _frame(table: Any) -> DataFrame:
    # Offsets that point outside a column, or text that is not UTF-8, would crash the interpreter.
    table.validate(full=True)
    frame: DataFrame = table.to_pandas()
    return frame
