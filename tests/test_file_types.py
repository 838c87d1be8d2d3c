"""Files that are called by what their first bytes say they are."""

from __future__ import annotations

import gzip
import io
import pickle
import sqlite3
import zipfile
from contextlib import closing

import pytest
from data_tables import mixed, refusal

from rocstar.tables.reading import read_table


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


def archive(**members: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as made:
        for name, data in members.items():
            made.writestr(name.replace("__", "/").replace("_", "."), data)
    return content.getvalue()


EXPORT = "export the table as CSV or Parquet"
NAMED = {
    b"SQLite format 3\x00" + b"\x00" * 99: f"a SQLite database; {EXPORT}.",
    b"\x89HDF\r\n\x1a\n" + b"\x00" * 99: f"an HDF5 file; {EXPORT}.",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Excel or Office file; save it as .xlsx or CSV.",
    pickle.dumps([1, 2]): f"a pickle; {EXPORT}.",
    b"%PDF-1.7\n": f"a PDF document; {EXPORT}.",
    b"\n <!DOCTYPE HTML><html>": f"an HTML page; {EXPORT}.",
    b"\xef\xbb\xbf<?xml version='1.0'?>": f"an XML file; {EXPORT}.",
    b"BZh91AY": "a bzip2 archive; unpack it.",
    b"\x28\xb5\x2f\xfd\x00": "a Zstandard archive; unpack it.",
    b"a" * 257 + b"ustar\x00": "a tar archive; unpack it.",
    b"version https://git-lfs.github.com/spec/v1\n": (
        "a pointer of Git LFS; fetch the file with `git lfs pull`."
    ),
    b"-- MySQL dump 10.13": f"an SQL dump; {EXPORT}.",
    b"\x93NUMPY\x01\x00": f"a NumPy array; {EXPORT}.",
    archive(data_csv=b"a,b\n1,2\n"): "a zip archive; unpack it.",
    archive(schema_json=b"{}"): "a model file, not a table; name a table.",
    archive(x_npy=b""): f"an archive of NumPy arrays; {EXPORT}.",
    archive(mimetype=b"application/vnd.oasis.opendocument.spreadsheet"): (
        f"an OpenDocument file; {EXPORT}."
    ),
    gzip.compress(b"%PDF-1.7\n"): f"gzipped: a PDF document; {EXPORT}.",
}


@pytest.mark.parametrize("content", NAMED, ids=lambda content: NAMED[content].split(";")[0])
def test_files_that_are_not_read_are_called_by_name(tmp_path, content):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    assert refusal(lambda: read_table(path)) == f"`x.csv` is {NAMED[content]}"


def test_a_real_database_is_recognised(tmp_path):
    path = tmp_path / "x.parquet"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("create table t (a)")
    assert refusal(lambda: read_table(path)).startswith("`x.parquet` is a SQLite database;")


def test_a_damaged_archive(tmp_path):
    path = tmp_path / "x.xlsx"
    path.write_bytes(archive(data_csv=b"a,b\n1,2\n")[:30])
    assert "is not a complete zip or Excel file" in refusal(lambda: read_table(path))
