"""`HeldOut`: one entry per row and split, whoever makes it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import RepeatedStratifiedKFold

from rocstar import ArctanRatio, arc_length_score, certify, roc_auc
from rocstar.estimators.splits import split_rows
from rocstar.inference.certificate import certificate
from rocstar.inference.held_out import held_out
from rocstar.laws import GaussianPair

X, Y = GaussianPair.shifted(1.5, 3).sample(60, 90, random_state=0)
UP = Y == 1
WEIGHTS = np.random.default_rng(0).uniform(0.5, 2.0, Y.size)


def judged(splits, **options):
    return held_out(ArctanRatio(), X, UP, splits, **options)


def test_entries_are_those_of_the_held_out_rows():
    splits = split_rows(3, UP, random_state=0)
    held = judged(splits, sample_weight=WEIGHTS)
    assert held.n_splits == len(held.models) == 3
    for k, (train, test) in enumerate(splits):
        part = held.entries(held.fold == k)
        assert_array_equal(part.row, test)
        model = ArctanRatio().fit(X[train], UP[train], WEIGHTS[train])
        assert_allclose(part.angle, model.predict_angle(X[test]))
        assert_allclose(part.score, model.decision_function(X[test]))
        assert_array_equal(part.y, UP[test])
        assert_array_equal(part.weights, WEIGHTS[test])
    assert_allclose(held.by_row(held.angle)[held.row], held.angle)
    assert not held.repeat.any()


def test_figures_add_up_over_folds():
    held = judged(split_rows(3, UP, random_state=0), sample_weight=WEIGHTS)
    figures = held.figures()
    angle = held.by_row(held.angle)
    assert_allclose(figures.arc_length, arc_length_score(Y, angle, sample_weight=WEIGHTS))
    # A fold counts by its share of positives.
    parts = [held.entries(held.fold == k) for k in range(3)]
    areas = [roc_auc(part.y, part.score, sample_weight=part.weights) for part in parts]
    shares = [part.weights[part.y].sum() for part in parts]
    assert_allclose(figures.auc, np.average(areas, weights=shares))


def test_one_part_leaves_the_other_rows_out():
    held = judged(split_rows("holdout", UP, random_state=0))
    assert held.n_splits == 1
    assert np.isnan(held.by_row(held.angle)).sum() == Y.size - held.row.size
    assert certificate(held).strict


def test_repeated_folds_count_how_often_a_row_was_held_out():
    splits = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=3, random_state=0).split(X, UP))
    held = judged(splits)
    assert held.row.size == 3 * Y.size
    for k in range(3):
        assert_array_equal(np.sort(held.row[held.repeat == k]), np.arange(Y.size))
        assert set(held.fold[held.repeat == k]) == {2 * k, 2 * k + 1}


def test_a_repeated_row_is_one_observation():
    splits = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=3, random_state=0).split(X, UP))
    held = judged(splits, sample_weight=WEIGHTS)
    assert (held.n_splits, held.n_repeats, held.once.row.size) == (6, 3, Y.size)
    assert_array_equal(held.units, held.row)
    assert set(held.by_row(held.fold, -1)) == {0, 1}
    each = [held.entries(held.repeat == k) for k in range(3)]
    means = np.mean([part.angle[np.argsort(part.row)] for part in each], axis=0)
    assert_allclose(held.per_row(held.angle), means[held.once.row])
    for name in ("arc_length", "auc", "youden"):
        alone = [getattr(part.figures(), name) for part in each]
        assert_allclose(getattr(held.figures(), name), np.mean(alone))
    with pytest.raises(ValueError, match="equally often"):
        held.entries(np.arange(held.y.size) > 0).per_row(held.angle[1:])


def test_the_share_of_in_sample_figures_goes_by_the_folds_of_one_repeat():
    splits = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0).split(X, UP)
    assert judged(list(splits), in_sample=True).in_sample.share == 3 / 5


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_every_fit_is_reported(n_jobs):
    splits, reports = split_rows(3, UP, random_state=0), []
    judged(splits, n_jobs=n_jobs, in_sample=True, report=lambda: reports.append(1))
    assert len(reports) == 4  # one fit per split, and one to all rows


def test_a_certificate_is_a_function_of_held_out_rows():
    splits = split_rows(5, UP, random_state=7)
    alone = certificate(judged(splits, in_sample=True), 0.9)
    whole = certify(ArctanRatio(), X, Y, cv=splits, level=0.9, random_state=7)
    assert (alone.arc_length, alone.auc, alone.tv) == (whole.arc_length, whole.auc, whole.tv)
    # Rows in any order, with their folds, say the same.
    order = np.random.default_rng(0).permutation(Y.size)
    moved = certificate(judged(splits, in_sample=True).entries(order), 0.9)
    assert_allclose([moved.auc.low, moved.tv.low], [alone.auc.low, alone.tv.low], atol=1e-12)
