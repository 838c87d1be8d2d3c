"""CSV and JSON in every encoding."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import pytest
from data_tables import mixed, refusal

from rocstar.tables.reading import read_table


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_empty_file(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    assert refusal(lambda: read_table(path)) == "`data.csv` is empty."


def test_header_without_rows(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n")
    assert refusal(lambda: read_table(path)) == "`data.csv` has a header but no rows."


def test_truncated_gzip(tmp_path):
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(mixed(2000).to_csv().encode())[:-2000])
    assert "not a complete gzip file" in refusal(lambda: read_table(path))


def test_ragged_csv(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,2\n1,2,3\n")
    assert "not well-formed CSV: Expected 2 fields in line 3" in refusal(lambda: read_table(path))


@pytest.mark.parametrize("separator", ",;\t|")
def test_the_separator_is_found_in_the_header(tmp_path, separator):
    path = tmp_path / "data.csv"
    path.write_text("age,plan\n31,basic\n52,plus\n".replace(",", separator))
    assert read_table(path).equals(pd.DataFrame({"age": [31, 52], "plan": ["basic", "plus"]}))


def written(tmp_path, content: bytes, name: str = "data.csv"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


ENCODINGS = [
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "cp1252",
    "latin-1",
]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_usual_encoding_is_read(tmp_path, encoding):
    text = "prénom,ville\nZoë,Orléans\nJürgen,Köln\n"
    frame = read_table(written(tmp_path, text.encode(encoding)))
    assert frame.equals(pd.DataFrame({"prénom": ["Zoë", "Jürgen"], "ville": ["Orléans", "Köln"]}))


def test_euros_of_windows_and_bytes_without_a_name_are_read(tmp_path):
    frame = read_table(written(tmp_path, b"a,b\n\x80 5,x\n\x80 6,y\n"))
    assert frame["a"].tolist() == ["€ 5", "€ 6"]
    frame = read_table(written(tmp_path, b"a,b\n\x81,x\n\x8d,y\n"))
    assert frame["a"].nunique() == 2


def test_half_a_character_is_a_damaged_file(tmp_path):
    path = written(tmp_path, "a,b\n1,x\n".encode("utf-16")[:-1])
    message = refusal(lambda: read_table(path))
    assert message == "`data.csv` is not complete UTF-16 text; copy it again."


def test_another_encoding_may_show_late(tmp_path):
    frame = read_table(written(tmp_path, b"a,b\n" + b"1,x\n" * 400_000 + b"1,\xe9\n"))
    assert (len(frame), frame["b"].iloc[-1]) == (400_001, "é")


def test_a_character_may_be_cut_at_the_end_of_the_first_look(tmp_path):
    row = "1,ééé\n".encode()
    frame = read_table(written(tmp_path, b"a,bb\n" + row * 200_000))
    assert (len(frame), frame["bb"].nunique()) == (200_000, 1)


def test_names_may_be_quoted_with_separators_and_line_breaks(tmp_path):
    frame = read_table(written(tmp_path, b'"name, first\nlast";"a,b,c"\n"x\ny";1,5\n"z";2,5\n'))
    assert frame.columns.tolist() == ["name, first\nlast", "a,b,c"]
    assert frame.iloc[:, 0].tolist() == ["x\ny", "z"]


def test_rows_may_end_with_a_separator_or_begin_with_a_name(tmp_path):
    frame = read_table(written(tmp_path, b"a,b\n1,2,\n3,4,\n"))
    assert frame.equals(pd.DataFrame({"a": [1, 3], "b": [2, 4]}))
    frame = read_table(written(tmp_path, b'"a","b"\n"row 1",1,2\n"row 2",3,4\n'))
    assert frame.equals(pd.DataFrame({"a": [1, 3], "b": [2, 4]}))
    assert refusal(lambda: read_table(written(tmp_path, b"a,b\n1,2,3,4\n5,6,7,8\n"))) == (
        "`data.csv` is not well-formed CSV: its header has 2 names, but its rows have 4 values."
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_read(tmp_path, end):
    frame = read_table(written(tmp_path, end.join(["a,b", "1,x", "2,y", ""]).encode()))
    assert frame.equals(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))


def test_a_line_of_excel_may_name_the_separator(tmp_path):
    frame = read_table(written(tmp_path, b"sep=;\r\na;b,c\r\n1;x\r\n2;y\r\n"))
    assert frame.equals(pd.DataFrame({"a": [1, 2], "b,c": ["x", "y"]}))


def test_columns_without_a_name_or_with_a_long_cell_are_read(tmp_path):
    frame = read_table(written(tmp_path, b"a,,b,\n1,,x,\n2,,y,\n"))
    assert frame.columns.tolist() == ["a", "Unnamed: 1", "b", "Unnamed: 3"]
    frame = read_table(written(tmp_path, b"a,b\n1," + b"x" * 200_000 + b"\n2,y\n"))
    assert frame["b"].str.len().tolist() == [200_000, 1]


RECORDS = [{"a": 1, "b": "x"}, {"a": 2}, {"b": "é", "a": None}]


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(map(json.dumps, RECORDS)),
        "\r\n\r\n".join(map(json.dumps, RECORDS)) + "\n",
        json.dumps(RECORDS, indent=2),
        "\ufeff" + "\n".join(json.dumps(record, ensure_ascii=False) for record in RECORDS),
    ],
    ids=["lines", "blank lines", "list", "BOM"],
)
@pytest.mark.parametrize("name", ["data.jsonl", "data.ndjson", "data.json", "data.jsonl.gz"])
def test_json_objects_are_rows(tmp_path, content, name):
    data = content.encode()
    frame = read_table(
        written(tmp_path, gzip.compress(data) if name.endswith("gz") else data, name)
    )
    assert frame.isna().to_numpy().tolist() == [[False, False], [False, True], [True, False]]
    assert (frame["a"].dropna().tolist(), frame["b"].dropna().tolist()) == ([1, 2], ["x", "é"])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"a": 1}\n{"a": \n', "is not well-formed JSON in line 2; write one object per line"),
        (b'[{"a": 1},\n {"a": }]', "is not well-formed JSON in line 2;"),
        (b"[1, 2]", "must hold one JSON object per row; got 1 as row 1."),
        (b"[" * 100_000, "is not well-formed JSON in line 1;"),
        (b"a,b\n1,2\n", "is not a JSON file, despite its name."),
    ],
)
def test_json_that_is_no_table(tmp_path, content, sentence):
    assert sentence in refusal(lambda: read_table(written(tmp_path, content, "data.jsonl")))


def test_json_that_would_not_fit(tmp_path):
    path = written(tmp_path, b'{"a": 1}\n' * 1000, "data.jsonl")
    assert "needs more memory than" in refusal(lambda: read_table(path, max_memory=1e4))
