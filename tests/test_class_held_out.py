"""Directions of held-out rows: no model has seen them, figures in sample where they help."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from rocstar import ArctanRatio, ClassifierRatio, laws
from rocstar.estimators.splits import split_rows
from rocstar.inference.class_held_out import class_held_out

LAW = laws.GaussianFamily([[0.0], [1.0], [2.5]])
X, Y = LAW.sample(30, random_state=0)


def test_no_row_is_judged_by_a_model_that_has_seen_it():
    """One neighbour would know every row it has seen, and labels here say nothing."""
    labels = np.random.default_rng(0).permutation(Y)
    splits = split_rows(3, labels, classes=["a", "b", "c"], random_state=0)
    model = ClassifierRatio(KNeighborsClassifier(1), cv=2)
    held = class_held_out(model, X, labels, splits, classes=np.arange(3))
    assert (held.predicted == held.y).mean() < 0.6
    assert np.array_equal(np.sort(held.row), np.arange(90))


@pytest.mark.parametrize("cv", [3, "holdout"])
def test_smooth_classes_have_figures_in_sample(cv):
    splits = split_rows(cv, Y, classes=["a", "b", "c"], random_state=0)
    held = class_held_out(
        ArctanRatio(loss="log"), X, Y, splits, classes=np.arange(3), in_sample=True
    )
    assert held.in_sample.figures["arc_length"] > 1.8
    assert held.in_sample.share == (0.5 if cv == "holdout" else 0.6)
    trees = ClassifierRatio(KNeighborsClassifier(5), cv=2)
    none = class_held_out(trees, X, Y, splits, classes=np.arange(3), in_sample=True)
    assert none.in_sample is None


def test_progress_is_reported_per_split():
    told = []
    splits = split_rows(3, Y, classes=["a", "b", "c"], random_state=0)
    model = ArctanRatio(loss="log")
    class_held_out(model, X, Y, splits, classes=np.arange(3), report=lambda: told.append(1))
    assert len(told) == 3
