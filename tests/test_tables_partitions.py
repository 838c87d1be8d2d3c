"""Tables in partitions: what is encoded, what is refused."""

import numpy as np
import pandas as pd
import pytest
from data_scale import X, Y, arrays, mixed_table
from data_tables import DAY_FIRST, mixed, refusal
from numpy.testing import assert_allclose

from rocstar.checks import InputError
from rocstar.tables.partitions import partitioned_table, prepare_partitions, read_partitions
from rocstar.tables.table import prepare

pytestmark = pytest.mark.dask


def test_audit_keeps_no_matrix_that_would_fill_the_memory(monkeypatch):
    x, y = arrays()
    kept = partitioned_table(x, y)
    monkeypatch.setattr("rocstar.tables.partitions.available_memory", lambda: 100.0)
    made_again = partitioned_table(x, y)
    # A persisted array is a handful of finished pieces; a lazy one still knows how to make them.
    assert len(dict(kept.X.__dask_graph__())) < len(dict(made_again.X.__dask_graph__()))
    assert_allclose(kept.X.compute(), made_again.X.compute())
    assert kept.X.dtype == np.float32


def test_a_rare_class_may_be_missing_from_the_sample(monkeypatch):
    import dask.array as da

    monkeypatch.setattr("rocstar.tables.partitions.SAMPLE_ROWS", 20)
    y = np.zeros(len(Y), dtype=int)
    y[:2] = 1
    table = partitioned_table(arrays()[0], da.from_array(y, chunks=100))
    assert (table.rows, table.positives) == (len(Y), 2)
    assert table.y.compute().sum() == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"target": "lift"}, "no column `lift`; did you mean `left`"),
        ({"target": "plan", "positive": "gold"}, "never has the value `gold`"),
        ({"target": "visits"}, "9 classes"),
        ({"target": "b"}, "In partition [12]: The target column `b` has .* missing values"),
        ({"target": "a"}, "more than 1000 classes|classes"),
        ({"weight": "old"}, "In partition [12]: The weight column `old` must not be negative"),
        ({"scores": ["b"]}, "In partition [12]: The score column `b` has .* missing"),
        ({"drop": ["left"]}, "cannot be both target and dropped"),
        ({"drop": [*"abcd", "plan", "since", "visits", "old", "weight"]}, "no column left"),
    ],
)
def test_tables_in_partitions_are_refused_in_one_sentence(change, sentence):
    dd = pytest.importorskip("dask.dataframe")
    table = dd.from_pandas(mixed_table(), npartitions=2)
    with pytest.raises(InputError, match=sentence):
        prepare_partitions(table, **{"target": "left", **change})


def test_partitions_without_rows():
    x, y = arrays(x=X[:0], y=Y[:0])
    with pytest.raises(InputError, match="no rows in any partition"):
        partitioned_table(x, y)


def test_files_that_are_no_partitions(tmp_path, parquet):
    pd = pytest.importorskip("pandas")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "cut.parquet").write_bytes((parquet / "0.parquet").read_bytes()[:2000])
    pd.DataFrame({"z": [1]}).to_parquet(tmp_path / "other.parquet")
    for sources, sentence in [
        (["no.parquet"], "no file `no.parquet`"),
        ([str(tmp_path / "a.csv")], "not a Parquet file.*as a table in memory"),
        ([str(tmp_path / "cut.parquet")], "not a complete Parquet file"),
        ([str(parquet), str(tmp_path / "other.parquet")], "other.parquet` has no columns `a`"),
    ]:
        with pytest.raises(InputError, match=sentence):
            read_partitions(sources)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match=r"holds no \.parquet file"):
        read_partitions([str(empty)])
    assert read_partitions([str(parquet / "*.parquet")]).npartitions > 1


@pytest.mark.parametrize("wide_first", [True, False])
def test_parquet_files_of_one_table_must_have_the_same_columns(tmp_path, wide_first):
    pytest.importorskip("dask.dataframe")
    frame = mixed(20)
    wide, narrow = tmp_path / "wide.parquet", tmp_path / "narrow.parquet"
    frame.to_parquet(wide)
    frame.drop(columns=["plan", "age"]).to_parquet(narrow)
    paths = [wide, narrow] if wide_first else [narrow, wide]
    message = refusal(lambda: read_partitions(list(map(str, paths))))
    assert message == f"`{narrow}` has no columns `age`, `plan`, which `{wide}` has."


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


def test_files_that_disagree_on_types_and_first_dates_are_one_table(tmp_path):
    dask = pytest.importorskip("dask")
    pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"c": [1, 2, 3] * 8, "d": DAY_FIRST * 2, "y": [0, 1] * 12})
    frame[:13].to_parquet(tmp_path / "a.parquet")
    frame[13:].assign(c=frame["c"].astype(str)).to_parquet(tmp_path / "b.parquet")
    with dask.config.set(scheduler="synchronous"):
        table = prepare_partitions(read_partitions([str(tmp_path)]), target="y")
        matrix = np.asarray(table.X.compute())
    expected = prepare(frame, target="y")
    assert [column.type for column in table.columns] == ["number", "date"]
    assert (table.rows, table.sampled_rows) == (24, 24)
    together = frame.assign(c=frame["c"].astype(str))
    np.testing.assert_array_equal(table.encoder.transform(together), expected.X)
    # Rows with the same date and category have the same columns, whichever file they are in.
    np.testing.assert_array_equal(matrix[:12], matrix[12:])


def partitioned(frame):
    dd = pytest.importorskip("dask.dataframe")
    return dd.from_pandas(frame, npartitions=3)


def test_columns_in_partitions_are_read_as_in_memory():
    frame = mixed(120)[["age", "target"]].fillna(0)
    frame["price"] = [f"{k * 37 % 900 + 1000:,.2f} €" for k in range(120)]
    frame["signed"] = ["yes", None, None] * 40
    frame["gap"] = pd.Series([None] * 120, dtype=object)
    frame["humid"] = [k % 30 for k in range(120)]
    table = prepare_partitions(partitioned(frame), target="target")
    expected = prepare(frame, target="target")
    assert table.columns == expected.columns
    assert table.warnings == expected.warnings
    assert [remark.severity for remark in table.warnings] == ["note"]
    np.testing.assert_array_equal(table.encoder.transform(frame), expected.X)
    assert np.isfinite(table.X.compute()).all()


def test_several_negative_classes_in_partitions_are_named():
    frame = mixed(60)[["age"]].assign(target=["a", "b", "c"] * 20)
    table = prepare_partitions(partitioned(frame), target="target", positive="b")
    assert table.warnings == prepare(frame, target="target", positive="b").warnings
    assert table.classes == ("not b", "b")


@pytest.mark.parametrize(
    ("label", "sentence"),
    [
        (None, "In partition 1: The target column `target` has 1 missing value; fill it in"),
        ("?", "The target column `target` has 1 row with `?`, which looks like"),
        (
            "Yes ",
            "The target column `target` has 1 row with `Yes ` beside `yes`; spell them alike.",
        ),
    ],
)
def test_targets_that_memory_would_mend_are_refused_in_partitions(label, sentence):
    frame = mixed(60)[["age"]].assign(target=["no", "yes"] * 30)
    frame.loc[0, "target"] = label
    assert "of the target `target`" in prepare(frame, target="target").warnings[0].text.lower()
    assert sentence in refusal(lambda: prepare_partitions(partitioned(frame), target="target"))
