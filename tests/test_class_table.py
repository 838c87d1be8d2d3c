"""Targets of more than two values: what is kept, what is left out, what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rocstar.checks import InputError
from rocstar.tables.class_table import (
    ClassTable,
    class_table_of,
    known_values,
    prepare_any,
    prepare_classes,
    read_classes,
)
from rocstar.tables.table import LabelledTable

RNG = np.random.default_rng(0)


def frame(n=60, **more):
    kinds = np.array(["a", "b", "c"])[np.arange(n) % 3]
    return pd.DataFrame({"x": RNG.normal(size=n), "z": RNG.normal(size=n), "kind": kinds, **more})


def test_a_target_of_three_values_needs_no_positive():
    table = prepare_any(frame(), target="kind")
    assert isinstance(table, ClassTable)
    assert table.classes == ("a", "b", "c")
    assert np.bincount(table.y).tolist() == [20, 20, 20]
    assert table.X.shape == (60, 2)


def test_a_named_positive_class_makes_it_two():
    table = prepare_any(frame(), target="kind", positive="b")
    assert isinstance(table, LabelledTable)
    assert table.y.sum() == 20
    two = prepare_any(frame().replace({"kind": {"c": "a"}}), target="kind")
    assert isinstance(two, LabelledTable)


def test_spellings_blanks_and_rare_classes():
    rows = frame(64)
    rows.loc[0, "kind"] = " A "
    rows.loc[1, "kind"] = None
    rows.loc[2, "kind"] = "unknown"
    rows.loc[60:62, "kind"] = "rare"
    found = read_classes(rows["kind"])
    assert found.classes == ("a", "b", "c")
    assert found.kept.sum() == 59
    told = " ".join(remark.text for remark in found.remarks)
    assert "counted as `a`" in told
    assert "no known value" in told
    assert "fewer than 5 rows were left out: `rare` (3 rows)" in told
    assert set(known_values(rows["kind"])) == {"a", "b", "c", "rare"}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (np.arange(60) / 7, "60 distinct numbers and looks like a measurement.*median, 4.2"),
        (np.arange(60), "60 distinct numbers and looks like a measurement"),
        (np.arange(60) % 25 / 2, "25 distinct numbers and looks like a measurement"),
        ([f"name {k}" for k in range(60)], "60 classes; at most 50 can be audited"),
        (["a"] * 28 + ["b"] * 30 + ["c"] * 2, "3 values, but 2 of them with 5 rows or more"),
    ],
)
def test_what_is_no_class_is_refused_with_advice(values, sentence):
    with pytest.raises(InputError, match=sentence):
        prepare_any(frame(kind=values), target="kind")


def test_whole_numbers_up_to_fifty_are_classes():
    table = prepare_any(frame(300, kind=np.arange(300) % 30), target="kind")
    assert len(table.classes) == 30
    assert table.classes[:2] == (0, 1)


def test_scores_are_classes():
    rows = frame(mine=["b"] * 60, weight=np.ones(60), patient=np.arange(60) // 2)
    table = prepare_classes(rows, target="kind", scores=["mine"], weight="weight", group="patient")
    assert table.scores["mine"].tolist() == [1] * 60
    assert table.groups[-1] == 29
    with pytest.raises(InputError, match=r"`mine` must hold a class of the target.*got d"):
        prepare_classes(frame(mine=["d"] * 60), target="kind", scores=["mine"])
    dated = prepare_classes(frame(day=np.arange(60)[::-1]), target="kind", time="day")
    assert dated.time[0] > dated.time[-1]


def test_arrays_with_labels_and_probabilities():
    y = np.arange(60) % 3
    share = np.full((60, 3), 1 / 3)
    table = class_table_of(RNG.normal(size=(60, 2)), y, scores={"p": share, "l": y.astype(float)})
    assert table.scores["p"].shape == (60, 3)
    assert table.scores["l"].tolist() == y.tolist()
    with pytest.raises(InputError, match=r"`scores\[p\]` must hold one label per row.*\(60, 2\)"):
        class_table_of(RNG.normal(size=(60, 2)), y, scores={"p": share[:, :2]})
    with pytest.raises(InputError, match="one label for each of the 60 rows; got 3"):
        class_table_of(RNG.normal(size=(60, 2)), [0, 1, 2])


def test_two_classes_with_rows_enough_are_refused_with_a_remedy():
    kinds = np.array(["a"] * 20 + ["b"] * 20 + ["c"] * 3)
    sentence = r"2 of them with 5 rows or more: leave out the rows of `c` \(3 rows\), or join"
    with pytest.raises(InputError, match=sentence) as told:
        class_table_of(RNG.normal(size=(43, 2)), kinds)
    assert "positive" not in str(told.value)
    with pytest.raises(InputError, match="or say which is positive with `positive`"):
        prepare_any(pd.DataFrame({"x": RNG.normal(size=43), "kind": kinds}), target="kind")
