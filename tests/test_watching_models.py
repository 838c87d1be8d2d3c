"""Estimators of a monitor by name."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rocstar import ArctanRatio, ClassifierRatio
from rocstar.watching.models import watch_estimator

NONE = np.zeros(0, dtype=int)


def test_linear_needs_no_estimator():
    assert watch_estimator("linear", 3, NONE, 0) is None


@pytest.mark.parametrize("name", ["auto", "trees"])
def test_trees_know_the_categories(name):
    trees = watch_estimator(name, 3, np.array([1]), 5).estimator
    assert trees.categorical_features == [1]
    assert trees.random_state == 5


def test_classifiers_are_wrapped_and_ratios_are_not():
    assert isinstance(watch_estimator(LogisticRegression(), 3, NONE, 0), ClassifierRatio)
    ratio = ArctanRatio()
    assert watch_estimator(ratio, 3, NONE, 0) is ratio


def test_unknown_names_are_one_sentence():
    with pytest.raises(ValueError, match="`model` must be auto, linear, rbf or trees; got deep"):
        watch_estimator("deep", 3, NONE, 0)
