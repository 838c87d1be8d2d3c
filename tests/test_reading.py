"""Files as data frames: what is read, and what is refused in one sentence."""

from __future__ import annotations

import gzip
import io
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
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
