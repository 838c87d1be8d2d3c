"""Columns that tell all classes apart alone; one class alone is no leak."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from rocstar.tables.class_table import prepare_any

KIND = np.array(["a", "b", "c"])[np.arange(90) % 3]


def test_a_copy_of_the_target_is_a_leak():
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
