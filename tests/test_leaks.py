"""Columns that give the answer away or name rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from data_tables import mixed

from rocstar.audits.summary import data_entry
from rocstar.report.words import caveats
from rocstar.tables.table import prepare


def test_likely_leaks_identifiers_and_repeated_rows_raise_warnings():
    frame = mixed()
    frame["leak"] = frame["target"] * 2.0 + np.linspace(0, 1, 200)
    frame["group_leak"] = np.where(frame["target"] == 1, "won", "lost")
    frame["customer"] = range(200)
    frame = pd.concat([frame, frame.iloc[:3]])
    told = " ".join(seen.text for seen in prepare(frame, target="target").warnings)
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
    assert "`leak_id` looks like an identifier" in table.warnings[0].text
    assert not any("leaks the target" in caveat for caveat in caveats(data_entry(table), 5))
    leaky = prepare(mixed().assign(x=lambda f: f["target"] * 1.0), target="target")
    assert any("leaks the target" in caveat for caveat in caveats(data_entry(leaky), 5))


def test_ordinary_tables_raise_no_warning():
    frame = mixed().drop(columns="city")
    assert prepare(frame, target="target").warnings == ()
