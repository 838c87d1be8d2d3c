"""Reading files and preparing tables: what is understood, what is refused, what is warned of."""

from __future__ import annotations

import gzip
import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocstar.audits.summary import data_entry
from rocstar.audits.words import caveats
from rocstar.checks import InputError
from rocstar.tables.columns import TableEncoder
from rocstar.tables.model import TableModel, load, save
from rocstar.tables.partitions import prepare_partitions, read_partitions
from rocstar.tables.reading import read_table
from rocstar.tables.table import prepare


def mixed(n: int = 200, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D")
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "plan": rng.choice(["basic", "plus", "pro"], n),
            "joined": days.strftime("%Y-%m-%d"),
            "active": rng.random(n) < 0.5,
            "city": [f"{a}ton {b}" for a, b in zip(rng.integers(0, 99, n), "ab" * n, strict=False)],
            "target": rng.integers(0, 2, n),
        }
    )
    frame.loc[:4, "age"] = np.nan
    frame.loc[5:9, "plan"] = "N/A"
    return frame


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


def test_column_types_and_treatments():
    table = prepare(mixed(), target="target")
    types = {column.name: column.type for column in table.columns}
    assert types == {
        "age": "number",
        "plan": "category",
        "joined": "date",
        "active": "boolean",
        "city": "text",
    }
    records = {column.name: column for column in table.columns}
    assert records["age"].missing == 5
    assert records["plan"].missing == (mixed()["plan"] == "N/A").sum()
    assert records["plan"].distinct == 3
    assert "30 components" in records["city"].treatment
    plan = table.X[:, list(table.encoder.get_feature_names_out()).index("plan")]
    assert set(plan[np.isfinite(plan)]) == {0, 1, 2}
    assert np.isnan(plan[5:10]).all()


def test_booleans_with_gaps_and_numbers_as_text_are_understood():
    frame = pd.DataFrame({"b": [True, None, False] * 5, "n": ["1.5", "2", "n/a"] * 5})
    encoder = TableEncoder()
    np.testing.assert_array_equal(
        encoder.fit_transform(frame)[:3], [[1, 1.5], [np.nan, 2], [0, np.nan]]
    )
    assert [column.type for column in encoder.columns_] == ["boolean", "number"]
    np.testing.assert_array_equal(encoder.transform(frame), encoder.fit_transform(frame))


def test_infinite_values_count_as_missing_and_are_noted():
    frame = pd.DataFrame({"a": [1.0, np.inf, -np.inf, 2.0]})
    encoder = TableEncoder()
    assert np.isnan(encoder.fit_transform(frame)).sum() == 2
    assert encoder.columns_[0].notes == ("2 infinite values count as missing",)


def test_new_rows_are_encoded_like_the_old_ones():
    frame = mixed().drop(columns="target")
    encoder = TableEncoder().fit(frame)
    shuffled = frame.sample(frac=1, random_state=1)[list(reversed(frame.columns))]
    np.testing.assert_allclose(
        encoder.transform(shuffled.assign(further=1)),
        encoder.transform(frame)[shuffled.index],
    )


def test_values_never_seen_before_are_missing():
    frame = pd.DataFrame({"plan": ["a", "b"] * 3})
    encoder = TableEncoder().fit(frame)
    assert np.isnan(encoder.transform(pd.DataFrame({"plan": ["c"]}))).all()


def test_a_column_the_model_needs_is_asked_for():
    encoder = TableEncoder().fit(mixed())
    with pytest.raises(InputError, match=r"no column `age`, which the model was fitted with\.$"):
        encoder.transform(mixed().drop(columns="age"))


DAY_FIRST = [f"{day:02}/{month:02}/2020" for month in (1, 3, 5) for day in (31, 2, 25, 4)]


@pytest.mark.parametrize("separator", ["/", "."], ids=["slash", "dot"])
def test_text_dates_are_read_alike_in_every_piece(separator):
    frame = pd.DataFrame({"d": [day.replace("/", separator) for day in DAY_FIRST]})
    encoder = TableEncoder()
    whole = encoder.fit_transform(frame)
    np.testing.assert_array_equal(whole[1, :3], [2020, 1, 2])
    for start in range(len(frame)):
        np.testing.assert_array_equal(encoder.transform(frame[start:]), whole[start:])
        np.testing.assert_array_equal(
            encoder.transform(frame[start : start + 1]), whole[start : start + 1]
        )
    assert encoder.kinds_[0].format == f"%d{separator}%m{separator}%Y"


def test_text_dates_that_are_written_in_another_way_are_missing():
    encoder = TableEncoder().fit(pd.DataFrame({"d": DAY_FIRST}))
    other = pd.DataFrame({"d": ["2020-01-31", "01/31/2020", "N/A", None, "31/01/2020"]})
    assert np.isnan(encoder.transform(other)).all(axis=1).tolist() == [True] * 4 + [False]
    # Dates proper need no format.
    proper = pd.DataFrame({"d": pd.to_datetime(["2020-01-31"])})
    np.testing.assert_array_equal(encoder.transform(proper), encoder.transform(other)[-1:])
    assert np.isnan(encoder.transform(pd.DataFrame({"d": [np.nan]}))).all()


def test_dates_written_as_digits_may_arrive_as_numbers():
    digits = ["20200131", "20200302", "20201225"]
    encoder = TableEncoder()
    whole = encoder.fit_transform(pd.DataFrame({"d": digits}))
    assert encoder.columns_[0].type == "date"
    for values in (list(map(int, digits)), list(map(float, digits)), [20200131, *digits[1:]]):
        np.testing.assert_array_equal(encoder.transform(pd.DataFrame({"d": values})), whole)


def test_offsets_are_the_same_clock_in_every_piece():
    frame = pd.DataFrame({"d": ["2020-01-01T04:00:00+02:00", "2020-06-01T04:00:00+03:00", None]})
    encoder = TableEncoder()
    whole = encoder.fit_transform(frame)
    for row in range(3):
        np.testing.assert_array_equal(encoder.transform(frame[row : row + 1]), whole[row : row + 1])


def test_the_format_of_dates_is_saved_with_a_model(tmp_path):
    frame = pd.DataFrame({"d": DAY_FIRST})
    encoder = TableEncoder()
    whole = encoder.fit_transform(frame)
    save(TableModel.of_parts(encoder, None), tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops").encoder_
    np.testing.assert_array_equal(loaded.transform(frame[1:]), whole[1:])


def test_text_is_read_by_a_model_that_was_fitted_to_dates():
    proper = pd.DataFrame({"d": pd.to_datetime(DAY_FIRST, format="%d/%m/%Y")})
    encoder = TableEncoder()
    whole = encoder.fit_transform(proper)
    assert encoder.kinds_[0].format is None
    np.testing.assert_array_equal(encoder.transform(pd.DataFrame({"d": DAY_FIRST[1:]})), whole[1:])


@pytest.mark.parametrize("one", [1, 1.0, np.float32(1)])
def test_a_number_and_its_text_are_one_category(one):
    values = [one, "1", "x", 2, "2", None] * 4
    frame = pd.DataFrame({"c": pd.Series(values, dtype=object), "target": [0, 1] * 12})
    table = prepare(frame, target="target")
    assert table.columns[0].type == "category"
    assert table.columns[0].distinct == 3
    np.testing.assert_array_equal(table.X[:6, 0], [0, 0, 2, 1, 1, np.nan])
    for piece in ([1, 2], [1.0, 2.0], ["1", "2"]):
        codes = table.encoder.transform(pd.DataFrame({"c": piece}))
        np.testing.assert_array_equal(codes[:, 0], [0, 1])


def test_a_number_and_its_text_alone_are_constant():
    encoder = TableEncoder().fit(pd.DataFrame({"c": pd.Series([1, "1"] * 3, dtype=object)}))
    assert [(column.type, column.distinct) for column in encoder.columns_] == [("constant", 1)]


def test_categoricals_of_floats_keep_their_codes():
    frame = pd.DataFrame({"c": pd.Series([1.0, 2.5, 3.0] * 3).astype("category")})
    encoder = TableEncoder()
    codes = encoder.fit_transform(frame)
    assert np.isfinite(codes).all()
    np.testing.assert_array_equal(encoder.transform(frame), codes)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["x", "y", "z", None]), min_size=6, max_size=40))
def test_codes_name_the_same_categories(values):
    frame = pd.DataFrame({"c": [*values, "x", "y"]})
    encoder = TableEncoder()
    codes = encoder.fit_transform(frame)[:, 0]
    names = encoder.kinds_[0].categories
    decoded = [None if np.isnan(code) else names[int(code)] for code in codes]
    assert decoded == [*values, "x", "y"]


# Roles and targets


def test_positive_class_is_the_larger_or_the_named_one():
    frame = mixed().assign(target=["no", "yes"] * 100)
    assert prepare(frame, target="target").positive == "yes"
    named = prepare(frame, target="target", positive="no")
    assert named.positive == "no"
    assert named.y[0]


def test_a_number_may_be_named_in_any_spelling():
    frame = mixed().assign(target=[1.0, 2.0, 3.0, 4.0] * 50)
    assert prepare(frame, target="target", positive="2").y.sum() == 50


def test_roles_keep_columns_out_of_the_features():
    frame = mixed().assign(
        s=np.linspace(0, 1, 200), w=1.0, g=np.repeat(range(50), 4), id=range(200)
    )
    table = prepare(
        frame, target="target", scores=["s"], weight="w", group="g", time="joined", drop=["id"]
    )
    assert set(table.encoder.feature_names_in_) == {"age", "plan", "active", "city"}
    assert table.scores["s"][-1] == 1
    assert len(np.unique(table.groups)) == 50
    order = np.argsort(table.time)
    assert pd.to_datetime(frame["joined"]).iloc[order].is_monotonic_increasing
    assert {c.name: c.type for c in table.columns}["id"] == "dropped"


def test_times_written_day_first_are_understood_whatever_row_comes_first():
    frame = pd.DataFrame({"when": DAY_FIRST[1:], "a": range(11), "target": [0, 1] * 5 + [0]})
    expected = pd.to_datetime(frame["when"], format="%d/%m/%Y").astype("int64")
    order = np.argsort(prepare(frame, target="target", time="when").time)
    np.testing.assert_array_equal(order, np.argsort(expected))


def test_likely_leaks_identifiers_and_repeated_rows_raise_warnings():
    frame = mixed()
    frame["leak"] = frame["target"] * 2.0 + np.linspace(0, 1, 200)
    frame["group_leak"] = np.where(frame["target"] == 1, "won", "lost")
    frame["customer"] = range(200)
    frame = pd.concat([frame, frame.iloc[:3]])
    told = " ".join(prepare(frame, target="target").warnings)
    assert "`leak` separates the classes almost alone (AUC 1.000): a likely leak." in told
    assert "`group_leak` separates" in told
    assert "`customer` looks like an identifier" in told
    assert "3 rows repeat another row exactly (1.5 %)" in told


def test_a_name_of_rows_is_an_identifier_and_no_leak():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, 100)
    names = np.array([f"n{k:02d}" for k in range(90)])[np.r_[0:90, 0:10]]
    frame = pd.DataFrame({"name": rng.permutation(names), "x": rng.normal(size=100)})
    columns = {c.name: c for c in prepare(frame.assign(target=target), target="target").columns}
    assert columns["name"].flags == ("identifier",)
    # Few names that tell the class of rows they have not been counted with: a leak, however many.
    status = np.where(target == 1, "won-", "lost-") + rng.integers(0, 5, 100).astype(str)
    table = prepare(frame.assign(status=status, target=target), target="target")
    assert {c.name: c.flags for c in table.columns}["status"] == ("leak",)


def test_useless_categories_are_no_leak_either():
    rng = np.random.default_rng(0)
    # One category of nearly all rows: shares without a row's own label rank it the wrong way round.
    plan = np.where(rng.random(400) < 0.99, "basic", "plus")
    frame = pd.DataFrame({"plan": plan, "x": rng.normal(size=400), "target": [0, 1] * 200})
    assert all(column.flags == () for column in prepare(frame, target="target").columns)


def test_names_of_columns_are_no_evidence():
    frame = mixed().drop(columns="city").assign(leak_id=range(200))
    table = prepare(frame, target="target")
    assert "`leak_id` looks like an identifier" in table.warnings[0]
    assert not any("leaks the answer" in told for told in caveats(data_entry(table), 5))
    leaky = prepare(mixed().assign(x=lambda f: f["target"] * 1.0), target="target")
    assert any("leaks the answer" in told for told in caveats(data_entry(leaky), 5))


def test_ordinary_tables_raise_no_warning():
    frame = mixed().drop(columns="city")
    assert prepare(frame, target="target").warnings == ()


def test_constant_columns_are_dropped_and_said_so():
    table = prepare(mixed().assign(country="NO"), target="target")
    record = next(column for column in table.columns if column.name == "country")
    assert record.type == "constant"
    assert record.treatment.startswith("dropped")


def test_a_table_has_one_row_for_each_label():
    table = prepare(mixed(), target="target")
    with pytest.raises(ValueError, match="one row for each of the 200 labels; got 20"):
        replace(table, X=table.X[:20])
    assert table.n_features == table.X.shape[1]
    judged = table.with_rows(X=table.X[:20], y=table.y[:20])
    assert (judged.source, judged.columns, len(judged.y)) == (table.source, table.columns, 20)


# Bad input: one sentence each


def refusal(call) -> str:
    with pytest.raises(InputError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    assert message[-1] in ".?"
    return message


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


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_a_table_that_would_not_fit_is_refused_with_the_figure(tmp_path, suffix):
    path = tmp_path / f"data.{suffix}"
    frame = mixed(3000)
    getattr(frame, f"to_{suffix}")(path, **({"index": False} if suffix == "csv" else {}))
    message = refusal(lambda: read_table(path, max_memory=0.3e9))
    assert "of 6 columns and needs about 310 MB of memory, but 300 MB may be used" in message
    rows = int(message.split("about ")[1].split(" rows")[0].replace(",", ""))
    assert rows == pytest.approx(3000, rel=0.05)
    assert len(read_table(path, max_memory=1e9)) == 3000


@pytest.mark.parametrize("role", ["target", "weight", "group", "time"])
def test_unknown_column_suggests_the_nearest(role):
    frame = mixed()
    call = {"target": "target"} | {role: "Joinde"}
    message = refusal(lambda: prepare(frame, **call))
    assert message == "`table` has no column `Joinde`; did you mean `joined`?"


def test_one_class_only():
    message = refusal(lambda: prepare(mixed().assign(target="yes"), target="target"))
    assert message == "The target column `target` has one class only, yes."


def test_three_classes_need_a_positive_one():
    frame = mixed().iloc[:198].assign(target=["a", "b", "c"] * 66)
    message = refusal(lambda: prepare(frame, target="target"))
    assert "has 3 classes (a, b, c); say which is positive with `positive`." in message
    assert prepare(frame, target="target", positive="b").y.sum() == 66
    message = refusal(lambda: prepare(frame, target="target", positive="d"))
    assert "never has the value `d`" in message


def test_all_missing_column():
    message = refusal(lambda: prepare(mixed().assign(gap=None), target="target"))
    assert "Column `gap` of `table` has no value in any row" in message
    prepare(mixed().assign(gap=None), target="target", drop=["gap"])


def test_target_with_missing_values():
    frame = mixed()
    frame["target"] = frame["target"].astype("Int64")
    frame.loc[3:5, "target"] = pd.NA
    assert "has 3 missing values" in refusal(lambda: prepare(frame, target="target"))


def test_score_must_hold_numbers():
    message = refusal(lambda: prepare(mixed(), target="target", scores=["plan"]))
    assert "must hold finite numbers; got" in message


def test_negative_weights():
    message = refusal(lambda: prepare(mixed().assign(w=-1.0), target="target", weight="w"))
    assert message == "The weight column `w` must not be negative."


def test_one_column_cannot_have_two_roles():
    message = refusal(lambda: prepare(mixed(), target="target", scores=["target"]))
    assert message == "Column `target` cannot be both target and score."


def test_nothing_left_to_learn_from():
    frame = pd.DataFrame({"a": [1, 1, 1, 1], "target": [0, 1, 0, 1]})
    assert "no column left to learn from" in refusal(lambda: prepare(frame, target="target"))


@pytest.mark.dask
@pytest.mark.parametrize("wide_first", [True, False])
def test_parquet_files_of_one_table_must_have_the_same_columns(tmp_path, wide_first):
    pytest.importorskip("dask.dataframe")
    frame = mixed(20)
    wide, narrow = tmp_path / "wide.parquet", tmp_path / "narrow.parquet"
    frame.to_parquet(wide)
    frame.drop(columns=["plan", "age"]).to_parquet(narrow)
    paths = [wide, narrow] if wide_first else [narrow, wide]
    message = refusal(lambda: read_partitions(list(map(str, paths))))
    assert message == f"`{narrow}` has no column `age`, `plan`, which `{wide}` has."


@pytest.mark.dask
@pytest.mark.parametrize("first", [0, 1])
def test_the_index_of_a_parquet_file_is_no_column(tmp_path, first):
    pytest.importorskip("dask.dataframe")
    frame = mixed(20)
    frames = [frame, frame.sample(frac=1, random_state=0)]
    for name, part in zip("ab", [frames[first], frames[1 - first]], strict=True):
        part.to_parquet(tmp_path / f"{name}.parquet")
    table = read_partitions([str(tmp_path)])
    assert list(table.columns) == list(frame.columns)
    assert len(table.compute(scheduler="synchronous")) == 40


@pytest.mark.dask
def test_files_that_disagree_on_types_and_first_dates_are_one_table(tmp_path):
    dask = pytest.importorskip("dask")
    pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"c": [1, 2, 3] * 8, "d": DAY_FIRST * 2, "y": [0, 1] * 12})
    frame[:13].to_parquet(tmp_path / "a.parquet")
    frame[13:].assign(c=frame["c"].astype(str)).to_parquet(tmp_path / "b.parquet")
    with dask.config.set(scheduler="synchronous"):
        table = prepare_partitions(read_partitions([str(tmp_path)]), target="y")
        matrix = np.asarray(table.X.compute())
    expected = prepare(frame.assign(c=frame["c"].astype(str) + "x"), target="y")
    assert [column.type for column in table.columns] == ["category", "date"]
    assert (table.rows, table.sampled_rows) == (24, 24)
    together = frame.assign(c=frame["c"].astype(str))
    np.testing.assert_array_equal(table.encoder.transform(together), expected.X)
    # Rows with the same date and category have the same columns, whichever file they are in.
    np.testing.assert_array_equal(matrix[:12], matrix[12:])


def test_cells_that_hold_lists():
    frame = pd.DataFrame({"a": [[1], [2], [3, 4], [5]], "target": [0, 1, 0, 1]})
    assert "`a` holds lists" in refusal(lambda: prepare(frame, target="target"))
