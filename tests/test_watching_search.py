"""Candidates: each change is seen by some model, and chance seldom promotes one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rocstar import ClassifierRatio
from rocstar.watching.search import NEEDED, Direction, Search


def reference(rng, n=1500, d=4):
    return rng.normal(size=(n, d)), rng.normal(size=(n, d))


def search(kind="auto", seed=0, estimator=None):
    rng = np.random.default_rng(seed)
    return Search(kind, estimator, reference(rng), np.zeros(0, dtype=int)), rng


def correlated(X):
    X[:, 1] = 0.6 * X[:, 0] + 0.8 * X[:, 1]
    return X


CHANGES = {
    "shift": lambda X: X + np.array([0.5, 0, 0, 0]),
    "spread": lambda X: X * [1.6, 1, 1, 1],
    "correlation": correlated,
    "missing": lambda X: np.where(np.arange(4) + X[:, :1] > 1.5, np.nan, X),
}


@pytest.mark.parametrize("change", CHANGES)
def test_auto_sees(change):
    look, rng = search()
    found = look.best(CHANGES[change](rng.normal(size=(600, 4))), 600)
    assert found.z > NEEDED
    fresh = CHANGES[change](rng.normal(size=(600, 4)))
    assert look.separation(look.model(found), fresh) > NEEDED


def test_linear_sees_shifts_only():
    look, rng = search("linear")
    assert look.best(CHANGES["shift"](rng.normal(size=(600, 4))), 600).z > NEEDED
    assert look.best(CHANGES["correlation"](rng.normal(size=(600, 4))), 600).z < NEEDED


def test_chance_seldom_promotes():
    z = []
    for seed in range(20):
        look, rng = search("auto", seed)
        z += [look.best(rng.normal(size=(200, 4)), 200).z for _ in range(5)]
    assert np.mean(np.array(z) > NEEDED) <= 0.02


def test_an_estimator_is_tried_on_rows_it_has_not_seen():
    look, rng = search("estimator", estimator=ClassifierRatio(LogisticRegression()))
    found = look.best(CHANGES["shift"](rng.normal(size=(600, 4))), 600)
    assert not isinstance(found.model, Direction)
    assert 5 < found.z < 15


def test_too_few_rows_to_halve():
    look, rng = search()
    assert look.best(rng.normal(size=(3, 4)), 3) is None
