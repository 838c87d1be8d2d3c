"""Columns that give the answer away or name rows; one class of several alone is no leak."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from data_tables import mixed
from sklearn.datasets import load_iris

from rocstar.tables.class_table import prepare_any
from rocstar.tables.columns import Column
from rocstar.tables.leaks import Alone, column_warnings, flagged_leaks
from rocstar.tables.table import prepare

KIND = np.array(["a", "b", "c"])[np.arange(90) % 3]


def test_likely_leaks_identifiers_and_repeated_rows_raise_warnings():
    frame = mixed()
    frame["leak"] = frame["target"] * 2.0 + np.linspace(0, 1, 200)
    frame["group_leak"] = np.where(frame["target"] == 1, "won", "lost")
    frame["customer"] = range(200)
    frame = pd.concat([frame, frame.iloc[:3]])
    told = " ".join(remark.text for remark in prepare(frame, target="target").warnings)
    assert (
        "`leak` separates the classes almost alone (AUC 1.000): check whether it leaks the" in told
    )
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
    assert "`leak_id` looks like an identifier" in table.warnings[0].text
    assert not any("leak" in column.flags for column in table.columns)
    leaky = prepare(mixed().assign(x=lambda f: f["target"] * 1.0), target="target")
    assert any("leak" in column.flags for column in leaky.columns)


def test_ordinary_tables_raise_no_warning():
    frame = mixed().drop(columns="city")
    assert prepare(frame, target="target").warnings == ()


KEYS = ["id", "customer_id", "customerID", "ClientId", "ID", "id_cliente", "row index", "order-key"]
NO_KEYS = ["humid", "total_paid", "covid", "COVID", "pid2", "android", "keyboard", "idle_time", ""]


@pytest.mark.parametrize("name", KEYS + NO_KEYS)
def test_id_is_a_word_of_its_own_in_the_name_of_an_identifier(name):
    rng = np.random.default_rng(0)
    # 40 distinct values in 200 rows: a key of groups if the name says so, else a measurement.
    frame = pd.DataFrame({name: rng.integers(0, 40, 200), "target": rng.integers(0, 2, 200)})
    assert (prepare(frame, target="target").columns[0].flags == ("identifier",)) is (name in KEYS)


def test_fractions_name_no_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"body_mass_index": rng.normal(25, 3, 200).round(1), "y": [0, 1] * 100})
    assert prepare(frame, target="y").columns[0].flags == ()
    whole = frame.assign(body_mass_index=np.r_[np.nan, np.arange(199)])
    assert prepare(whole, target="y").columns[0].flags == ("identifier",)


def leaky(column, n: int = 400) -> dict[str, tuple[str, ...]]:
    """Texts of the warnings and flags of a column beside one that tells a little."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    frame = pd.DataFrame({"age": rng.normal(y, 1.5), "leak": column(y, rng), "y": y})
    table = prepare(frame, target="y")
    flags = next(c.flags for c in table.columns if c.name == "leak")
    return {"flags": flags, "told": tuple(remark.text for remark in table.warnings)}


@pytest.mark.parametrize("kind", ["one value", "number", "category", "text", "date"])
def test_presence_that_tells_the_classes_apart_is_a_leak(kind):
    def column(y, rng):
        values = {
            "one value": ["x"] * len(y),
            "number": rng.normal(size=len(y)),
            "category": rng.choice(["a", "b"], len(y)),
            "text": [f"{k} of {m}" for k, m in rng.integers(0, 10**6, (len(y), 2))],
            "date": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 99, len(y)), "D"),
        }[kind]
        return pd.Series(values).where(y == 1)

    found = leaky(column)
    assert "leak" in found["flags"]
    sentence = "`leak` separates the classes almost alone by being blank or not (AUC 1.000)"
    assert any(sentence in text for text in found["told"])


def test_a_leak_with_gaps_is_found_where_it_has_a_value():
    found = leaky(lambda y, rng: np.where(rng.random(len(y)) < 0.5, rng.normal(9 * y, 1), np.nan))
    assert found["flags"] == ("leak",)
    assert "almost alone where it has a value (AUC 1.000)" in found["told"][0]


def test_an_imperfect_leak_far_above_the_other_columns_is_a_warning():
    found = leaky(lambda y, rng: np.where(rng.random(len(y)) < 0.97, y, 1 - y))
    assert found["flags"] == ("possible leak",)
    assert "`leak` reaches an AUC of 0.97" in found["told"][0]
    assert "far above the next column (0.7" in found["told"][0]
    assert "check that it is available at prediction time." in found["told"][0]
    # Two of them do not hide each other, and neither is one among good columns.
    both = [Column(name, "number", "", 0, 2) for name in "abc"]
    flags = lambda *areas: [c.flags for c in flagged_leaks(both, [Alone(a) for a in areas])]  # noqa: E731
    assert flags(0.97, 0.96, 0.7) == [("possible leak",)] * 2 + [()]
    assert flags(0.97, 0.94, 0.7) == [()] * 3
    assert flags(0.97, 0.96, 0.96) == [()] * 3


@pytest.mark.parametrize("kind", ["setosa", "virginica"])
def test_a_strong_column_among_strong_ones_is_no_leak(kind):
    """Petals tell one kind of iris almost alone, and so do the others together."""
    data = load_iris(as_frame=True)
    y = data.target == list(data.target_names).index(kind)
    table = prepare(data.data.assign(y=y), target="y")
    assert not any("leak" in column.flags for column in table.columns)
    copied = prepare(data.data[["sepal width (cm)"]].assign(copy=y * 1.0, y=y), target="y")
    assert {c.name: c.flags for c in copied.columns}["copy"] == ("leak",)


def test_two_leaks_do_not_hide_each_other():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    frame = pd.DataFrame({"age": rng.normal(y, 1), "a": y * 2.0, "b": y + 0.1 * rng.random(300)})
    flags = {c.name: c.flags for c in prepare(frame.assign(y=y), target="y").columns}
    assert flags["a"] == flags["b"] == ("leak",)
    assert flags["age"] == ()


def test_conversions_are_one_note():
    frame = pd.DataFrame({"a": [f"{k},5 %" for k in range(60)], "y": [0, 1] * 30})
    remarks = prepare(frame, target="y").warnings
    assert [tuple(remark) for remark in remarks] == [
        ("`a`: read as numbers (decimal comma): `10,5 %` is 10.5.", "note")
    ]
    remarks = prepare(frame.assign(b=[np.inf, *range(59)]), target="y").warnings
    told = "2 columns were converted (`a`, `b`); the list of columns says how."
    assert ("note", told) in [(remark.severity, remark.text) for remark in remarks]
    # Notes of other flags are not repeated.
    column = Column(
        "a", "number", "", 0, 2, ("1 infinite value counts as missing",), ("converted",)
    )
    texts = [remark.text for remark in column_warnings([column.flagged("leak", "tells")])]
    assert texts == ["`a` tells.", "`a`: 1 infinite value counts as missing."]


def test_a_copy_of_a_target_of_more_classes_is_a_leak():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"x": rng.normal(size=90), "code": np.arange(90) % 3 * 2.0, "kind": KIND})
    table = prepare_any(rows, target="kind")
    flags = {column.name: column.flags for column in table.columns}
    assert "leak" in flags["code"]
    assert "leak" not in flags["x"]
    assert "`code` separates all classes almost alone" in table.warnings[0].text


def test_one_of_many_perfect_ways_is_no_leak():
    """Where the other columns together tell the classes as well, they are easy to tell."""
    rng = np.random.default_rng(0)
    code = np.arange(90) % 3
    halves = {"p": (code == 1) + 0.0, "q": (code == 2) + 0.0}
    rows = pd.DataFrame({"x": code + rng.normal(0, 0.02, 90), **halves, "kind": KIND})
    table = prepare_any(rows, target="kind")
    assert not any("leak" in column.flags for column in table.columns)


def test_flowers_are_not_leaks():
    """The petals of one kind of iris tell it from both others, which is no leak."""
    rows = load_iris(as_frame=True).frame
    table = prepare_any(rows, target="target")
    assert not any("leak" in column.flags for column in table.columns)
