"""Figures of more than two classes against plain counts of pairs."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar import laws
from rocstar.geometry.curves import roc_auc
from rocstar.inference.class_figures import (
    accuracy_gain,
    confusion_figures,
    main_figures,
    pair_figures,
    pairs_of,
    pairwise_gain,
    rest_figures,
)
from rocstar.inference.class_held_out import ClassHeldOut

LAW = laws.GaussianFamily([[0.0], [1.0], [2.5]])


def held(n_folds=1):
    X, y = LAW.sample([12, 9, 7], random_state=0)
    fold = np.concatenate([np.arange(n) % n_folds for n in (12, 9, 7)])
    weights = np.random.default_rng(0).integers(1, 4, size=28).astype(float)
    none = np.zeros(28, dtype=np.intp)
    return ClassHeldOut(
        np.arange(28), y, LAW.direction(X), fold, none, weights, None, (None,), 28, np.arange(3)
    )


def test_pairs_in_one_part_are_weighted_aucs():
    rows = held()
    found = pair_figures(rows).estimates()
    for value, i, j in zip(found, *pairs_of(3), strict=True):
        both = (rows.y == i) | (rows.y == j)
        score = np.log(rows.direction[both, i]) - np.log(rows.direction[both, j])
        plain = roc_auc(rows.y[both] == i, score, sample_weight=rows.weights[both])
        assert value == pytest.approx(plain)
    assert main_figures(rows).estimates()[2] == pytest.approx(found.mean())


def test_one_versus_rest_is_against_equal_shares():
    rows = held()
    score = rows.direction[:, 1] / (rows.direction[:, 0] + rows.direction[:, 2])
    plain = []
    for other in (0, 2):
        both = (rows.y == 1) | (rows.y == other)
        plain.append(roc_auc(rows.y[both] == 1, score[both], sample_weight=rows.weights[both]))
    assert rest_figures(rows).estimates()[1] == pytest.approx(np.mean(plain))


def test_ranks_are_compared_within_folds():
    rows = held(2)
    first = [held(2).fold == f for f in range(2)]
    i, j = 0, 2
    parts = []
    for part in first:
        both = part & ((rows.y == i) | (rows.y == j))
        score = np.log(rows.direction[both, i]) - np.log(rows.direction[both, j])
        parts.append(roc_auc(rows.y[both] == i, score, sample_weight=rows.weights[both]))
    value = pair_figures(rows).estimates()[1]
    assert min(parts) - 1e-12 <= value <= max(parts) + 1e-12


def test_rates_of_the_rule():
    rows = held()
    table = confusion_figures(rows).estimates().reshape(3, 3)
    own = rows.y == 2
    right = np.average(rows.predicted[own] == 2, weights=rows.weights[own])
    assert table[2, 2] == pytest.approx(right)
    assert main_figures(rows).estimates()[1] == pytest.approx(np.diag(table).mean())


def test_gains_over_itself_are_zero():
    rows = held()
    assert accuracy_gain(rows, rows.predicted).estimates()[0] == 0.0
    assert pairwise_gain(rows, rows.placed).estimates()[0] == pytest.approx(0.0)
    assert accuracy_gain(rows, (rows.predicted + 1) % 3).estimates()[0] > 0.2
