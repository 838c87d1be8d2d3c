"""Parquet, Arrow, Feather and Excel files."""

from __future__ import annotations

import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data_tables import mixed, refusal

from rocstar.tables.reading import read_table


def test_truncated_parquet(tmp_path):
    path = tmp_path / "data.parquet"
    mixed().to_parquet(path)
    path.write_bytes(path.read_bytes()[:-100])
    assert "not a complete Parquet file" in refusal(lambda: read_table(path))


def test_truncated_feather(tmp_path):
    path = tmp_path / "data.feather"
    mixed().to_feather(path)
    path.write_bytes(path.read_bytes()[:-100])
    assert "not a complete Arrow file" in refusal(lambda: read_table(path))


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


def workbook(path, **sheets: pd.DataFrame) -> None:
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(path) as writer:
        for title, frame in sheets.items():
            frame.to_excel(writer, sheet_name=title, index=False)


def test_the_only_sheet_of_a_workbook_is_read(tmp_path):
    path = tmp_path / "data.xlsx"
    workbook(path, data=mixed(20), empty=pd.DataFrame())
    read = read_table(path)
    assert list(read.columns) == list(mixed(20).columns)
    np.testing.assert_allclose(read["age"], mixed(20)["age"])
    assert read["plan"].fillna("N/A").tolist() == mixed(20)["plan"].tolist()
    assert read["active"].dtype == bool


def test_several_sheets_are_refused_by_their_names(tmp_path):
    path = tmp_path / "data.xlsx"
    workbook(path, a=mixed(3), b=mixed(3))
    assert refusal(lambda: read_table(path)) == (
        "`data.xlsx` has 2 sheets (`a`, `b`); save the one that is meant as CSV."
    )
    workbook(path, a=pd.DataFrame())
    assert refusal(lambda: read_table(path)) == "`data.xlsx` is empty."


def test_a_workbook_that_would_not_fit_or_is_damaged(tmp_path):
    path = tmp_path / "data.xlsx"
    workbook(path, a=mixed(200))
    assert "needs more memory than" in refusal(lambda: read_table(path, max_memory=1e5))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x>")
    assert "is not a complete Excel file; copy it again." in refusal(lambda: read_table(path))


def test_excel_needs_its_extra(tmp_path, monkeypatch):
    path = tmp_path / "data.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x>")
    monkeypatch.setattr("rocstar.checks.find_spec", lambda name: None)
    with pytest.raises(
        ImportError, match=r"^`openpyxl` is missing: pip install 'rocstar\[excel\]'"
    ):
        read_table(path)
