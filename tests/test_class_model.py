"""The stack for tables of more than two classes: gaps and categories as they come."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar.checks import InputError
from rocstar.tables.class_model import class_table_model


@pytest.mark.parametrize("kind", ["linear", "trees"])
def test_gaps_and_categories(kind):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = np.stack([y + 0.3 * rng.normal(size=90), rng.integers(4, size=90)], axis=1)
    X[::10, 0] = np.nan
    model = class_table_model(kind, n_classes=3, categorical=[1], random_state=0).fit(X, y)
    assert model.predict_direction(X).shape == (90, 3)
    assert model.score(X, y) > 2.3


def test_gaps_and_categories_in_curves():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 6, size=300)
    X = np.stack([x, rng.integers(4, size=300)], axis=1)
    X[::20, 0] = np.nan
    stack = class_table_model(n_classes=3, rows=300, columns=2, categorical=[1], random_state=0)
    model = dict(stack.estimators)["additive"].fit(X, np.floor(x).astype(int) % 3)
    assert model.score(X, np.floor(x).astype(int) % 3) > 2.4  # a line has 1.9


def test_names():
    auto = class_table_model(n_classes=3)
    names = ["linear", "rbf", "trees", "forest", "additive"]
    assert [name for name, _ in auto.estimators] == names
    assert len(class_table_model(n_classes=3, rows=10**5).estimators) == 4
    assert len(class_table_model(n_classes=3, fast=True).estimators) == 2
    with pytest.raises(InputError, match="`model` must be auto, linear, rbf or trees; got net"):
        class_table_model("net", n_classes=3)
