"""Files as data frames: what is read, and what is refused in one sentence."""

from __future__ import annotations

import gzip
import io
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data_tables import mixed, refusal

from rocstar.tables.reading import read_table
from rocstar.tables.table import prepare


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet", "feather", "arrow"])
def test_every_format_gives_the_same_table(tmp_path, suffix):
    frame = mixed()
    path = tmp_path / f"data.{suffix}"
    if suffix.startswith("csv"):
        frame.to_csv(path, index=False)
    elif suffix == "parquet":
        frame.to_parquet(path)
    elif suffix == "feather":
        frame.to_feather(path)
    else:
        table = pa.Table.from_pandas(frame, preserve_index=False)
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    prepared = prepare(read_table(path), target="target")
    expected = prepare(frame, target="target")
    np.testing.assert_allclose(prepared.X, expected.X, rtol=1e-6)
    np.testing.assert_array_equal(prepared.y, expected.y)


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_standard_input_is_read(monkeypatch, compress):
    content = compress(b"a,b\n1,x\n2,y\n")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert read_table("-").equals(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))


def test_parquet_is_recognised_on_standard_input(monkeypatch):
    content = io.BytesIO()
    mixed(20).to_parquet(content)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content.getvalue())))
    assert len(read_table("-")) == 20


def test_missing_file_suggests_a_near_one(tmp_path):
    mixed().to_csv(tmp_path / "churn.csv")
    message = refusal(lambda: read_table(tmp_path / "chrun.csv"))
    assert "There is no file" in message
    assert "churn.csv" in message


def test_folder(tmp_path):
    assert "is a folder" in refusal(lambda: read_table(tmp_path))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_empty_file(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    assert refusal(lambda: read_table(path)) == "`data.csv` is empty."


def test_header_without_rows(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n")
    assert refusal(lambda: read_table(path)) == "`data.csv` has a header but no rows."


def test_truncated_parquet(tmp_path):
    path = tmp_path / "data.parquet"
    mixed().to_parquet(path)
    path.write_bytes(path.read_bytes()[:-100])
    assert "not a complete Parquet file" in refusal(lambda: read_table(path))


def test_truncated_gzip(tmp_path):
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(mixed(2000).to_csv().encode())[:-2000])
    assert "not a complete gzip file" in refusal(lambda: read_table(path))


def test_truncated_feather(tmp_path):
    path = tmp_path / "data.feather"
    mixed().to_feather(path)
    path.write_bytes(path.read_bytes()[:-100])
    assert "not a complete Arrow file" in refusal(lambda: read_table(path))


def test_binary_file_named_csv(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(bytes(range(256)) * 10)
    assert refusal(lambda: read_table(path)) == "`data.csv` is binary data, not CSV text."
    mixed().to_parquet(path)
    assert refusal(lambda: read_table(path)) == "`data.csv` is a Parquet file, not CSV: rename it."


def test_text_named_parquet(tmp_path):
    path = tmp_path / "data.parquet"
    path.write_text("a,b\n1,2\n")
    assert "is not a Parquet file, despite its name" in refusal(lambda: read_table(path))


@pytest.mark.parametrize("where", ["header", "late"])
def test_text_that_is_not_utf8(tmp_path, where):
    path = tmp_path / "data.csv"
    rows = b"1,x\n" * 400_000
    content = b"pr\xe9nom,b\n" + rows if where == "header" else b"a,b\n" + rows + b"1,\xe9\n"
    path.write_bytes(content)
    assert "is not UTF-8 text (byte 0xe9)" in refusal(lambda: read_table(path))


def test_ragged_csv(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,2\n1,2,3\n")
    assert "not well-formed CSV: Expected 2 fields in line 3" in refusal(lambda: read_table(path))


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_duplicate_column_names(tmp_path, suffix):
    path = tmp_path / f"data.{suffix}"
    if suffix == "csv":
        path.write_text("a,b,a\n1,2,3\n")
    else:
        table = pa.table([[1], [2], [3]], names=["a", "b", "a"])
        if suffix == "parquet":
            pq.write_table(table, path)
        else:
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
    assert "has two columns named `a`" in refusal(lambda: read_table(path))


@pytest.mark.parametrize("separator", ",;\t|")
def test_the_separator_is_found_in_the_header(tmp_path, separator):
    path = tmp_path / "data.csv"
    path.write_text("age,plan\n31,basic\n52,plus\n".replace(",", separator))
    assert read_table(path).equals(pd.DataFrame({"age": [31, 52], "plan": ["basic", "plus"]}))
