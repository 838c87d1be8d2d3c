"""`rocstar.audits.learning`: models of fewer rows, and a curve that ends at the certificate."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from rocstar import ArctanRatioCV, ClassifierRatio, StackedRatio, audit
from rocstar.audits.doubling import doubling_gain
from rocstar.audits.judge import row_splits
from rocstar.audits.learning import folds_used, followed_covariance, learning_curve, nested_parts
from rocstar.inference.held_out import held_out, of_one_part
from rocstar.laws import GaussianPair
from rocstar.tables.table import table_of

SHIFT = np.full(12, 1 / np.sqrt(12))
LAW = GaussianPair(SHIFT, np.zeros(12))
MODEL = LinearDiscriminantAnalysis()


def curve_of(X, y, seed=0, cv=5, **given):
    table = table_of(X, y, **given)
    splits = row_splits(table, cv, seed)
    held = held_out(ClassifierRatio(MODEL), table.X, table.y, splits)
    return learning_curve(table, held, splits, random_state=seed)


def true_auc(per_class, seed):
    """AUC, among all rows of the law, of a model of so many rows."""
    w = MODEL.fit(*LAW.sample(per_class, per_class, random_state=seed)).coef_[0]
    return norm.cdf(w @ SHIFT / (np.sqrt(2) * np.linalg.norm(w)))


@pytest.mark.parametrize("options", [{}, {"fast": True}, {"cv": "holdout"}, {"cv": 3}])
def test_the_curve_ends_where_the_certificate_is(options):
    X, y = LAW.sample(120, 120, random_state=0)
    found = audit(X, y, model=MODEL, random_state=0, **options)
    summary = found.summary()
    last = summary["learning_curve"][-1]
    held = found.certificate.held_out.figures()
    assert last["auc"] == held.auc == summary["found"]["auc"]["value"]
    assert last["arc_length"] == held.arc_length
    assert last["auc_low"] == last["auc_high"] == last["auc"]
    assert found.auc.low <= last["auc"]


def test_the_interval_holds_the_true_gain():
    gain = np.mean([true_auc(320, seed) - true_auc(160, 999 + seed) for seed in range(150)])
    found = [curve_of(*LAW.sample(200, 200, random_state=seed)).more_rows for seed in range(10)]
    assert np.mean([one["low"] <= gain <= one["high"] for one in found]) >= 0.8
    assert np.mean([one["high"] - one["low"] for one in found]) < 6 * gain


def test_five_seeds_give_one_verdict():
    X, y = GaussianPair.shifted(2.0, 40).sample(200, 200, random_state=0)
    found = [curve_of(X, y, seed).more_rows for seed in range(5)]
    assert {one["verdict"] for one in found} == {"helps"}
    widths = [one["high"] - one["low"] for one in found]
    assert np.ptp([one["gain"] for one in found]) < np.mean(widths) / 2


def test_noise_does_not_help_and_saturation_helps_little():
    rng = np.random.default_rng(0)
    noise = curve_of(rng.normal(size=(400, 3)), rng.permutation(400) % 2)
    assert noise.more_rows["verdict"] != "helps"
    # One column ranks the same whatever the model has learnt.
    x, y = GaussianPair(1.0, 0.0).sample(400, 400, random_state=0)
    assert curve_of(x, y).more_rows["verdict"] == "little"


def test_few_rows_cannot_tell():
    X, y = LAW.sample(20, 20, random_state=0)
    found = curve_of(X, y)
    assert found.more_rows is None
    assert len(found.points) == 1
    said = audit(X, y, model=MODEL, random_state=0)
    assert "too few rows to tell whether more would help" in said.to_markdown()


def test_parts_are_nested_in_proportion_and_keep_groups():
    rng = np.random.default_rng(0)
    X, y = LAW.sample(100, 300, random_state=0)
    groups = rng.integers(80, size=400)
    train = rng.permutation(400)[:360]
    for given in ({}, {"groups": groups}):
        parts = nested_parts(table_of(X, y, **given), train, np.random.RandomState(0))
        assert len(parts) == 3
        for small, large in pairwise(parts):
            assert set(small) < set(large)
            assert small.size == pytest.approx(large.size / 2, rel=0.1)
            assert y[small].mean() == pytest.approx(0.25, abs=0.05)
            if given:
                outside = np.setdiff1d(train, small)
                assert not set(groups[small]) & set(groups[outside])


def test_one_group_per_class_leaves_one_point():
    X, y = LAW.sample(100, 100, random_state=0)
    groups = np.repeat([0, 1, 2, 3], 50)
    assert len(curve_of(X, y, cv=2, groups=groups).points) == 1


def test_stretches_of_time_with_few_rows_are_left_out():
    X, y = LAW.sample(130, 130, random_state=0)
    order = np.random.default_rng(0).permutation(260)
    points = curve_of(X[order], y[order], time=np.arange(260)).points
    assert len(points) == 3
    assert points[-1]["rows"] > 160


def test_the_error_of_a_difference_is_that_of_new_rows():
    rng = np.random.default_rng(0)
    y = np.repeat([True, False], [80, 120])

    def judged(score):
        return of_one_part(y, np.zeros(200), score, np.ones(200), None)

    def scores():
        common = y + rng.standard_normal(200)
        return [common + 0.4 * rng.standard_normal(200), common]

    gains = [np.diff([judged(score).figures().auc for score in scores()]) for _ in range(300)]
    found = np.mean([followed_covariance(list(map(judged, scores()))) for _ in range(30)], axis=0)
    contrast = np.array([-1.0, 1.0])
    assert np.sqrt(contrast @ found @ contrast) == pytest.approx(np.std(gains), rel=0.1)


def test_a_row_judged_twice_is_one_observation():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 == 0
    scores = [y + rng.standard_normal(60) for _ in range(2)]
    once = [of_one_part(y, np.zeros(60), score, np.ones(60), None) for score in scores]
    twice = [one.entries(np.tile(np.arange(60), 2)) for one in once]
    second = np.repeat([0, 1], 60)
    twice = [replace(one, fold=second, repeat=second) for one in twice]
    assert_allclose(followed_covariance(twice), followed_covariance(once))


def test_repeated_folds_are_followed_once():
    X, y = LAW.sample(60, 60, random_state=0)
    given = {}

    def spy(*args, **options):
        given.update(options)
        return doubling_gain(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rocstar.audits.learning.doubling_gain", spy)
        found = curve_of(X, y, cv=None)
    assert given == {"folds": 5, "fewest": 60}
    assert len(found.points) == 2


def test_large_tables_and_costly_models_follow_few_folds():
    stack, plain = StackedRatio(), ClassifierRatio(MODEL)
    assert [folds_used(stack, n, 5) for n in (10_000, 10_001, 40_000, 40_001)] == [5, 2, 2, 1]
    assert [folds_used(plain, n, 5) for n in (2_000, 2_001)] == [5, 2]
    assert folds_used(ArctanRatioCV(), 2_001, 5) == 5
    assert folds_used(plain, 10**6, 1) == 1


def test_the_last_point_counts_the_rows_that_its_models_learnt_from(monkeypatch):
    monkeypatch.setattr("rocstar.estimators.shares.ENOUGH_ROWS_PER_CLASS", 160)
    X, y = LAW.sample(200, 200, random_state=0)
    stack = StackedRatio([("lda", MODEL)], random_state=0)
    curve = audit(X, y, model=stack, cv=5, random_state=0).summary()["learning_curve"]
    assert [point["rows"] for point in curve] == [40, 80, 160, 288]
