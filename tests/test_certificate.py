"""`Certificate`: what it computes from held-out rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.ensemble import RandomForestClassifier

from rocstar import (
    ArctanRatio,
    arc_length_interval,
    arc_length_score,
    auc_gain,
    auc_interval,
    certify,
    headroom,
    roc_auc,
    youden_interval,
)
from rocstar.bounds import implied_bounds
from rocstar.estimators.splits import split_rows
from rocstar.laws import GaussianPair

LAW = GaussianPair.shifted(2.0, 3)


@pytest.fixture(scope="module")
def data():
    return LAW.sample(150, 150, random_state=0)


@pytest.fixture(scope="module")
def certificate(data):
    return certify(ArctanRatio(), *data, random_state=0)


def test_numbers_are_consistent(certificate):
    c = certificate
    assert LAW.arc_length > c.arc_length.low > np.sqrt(2)
    for estimate in (c.arc_length, c.divergence, c.auc, c.tv, c.balanced_accuracy):
        assert estimate.low <= estimate.value <= estimate.high
        assert (estimate.side, estimate.level) == ("lower", 0.95)
    assert_allclose(c.divergence.low, c.arc_length.low - np.sqrt(2))
    assert_allclose(c.balanced_accuracy.low, (1 + c.tv.low) / 2)


def test_value_is_the_weighted_mean_of_in_sample_and_held_out(data, certificate):
    X, y = data
    inside = ArctanRatio().fit(X, y)
    per_fold = [
        roc_auc(y[certificate.fold == k], certificate.score[certificate.fold == k])
        for k in range(5)
    ]
    auc_inside, auc_outside = roc_auc(y, inside.decision_function(X)), np.mean(per_fold)
    share = 5 / 9 * min((auc_outside - 0.5) / (auc_inside - 0.5), 1.0) ** 1.5
    outside = arc_length_score(y, certificate.angle)
    expected = share * inside.arc_length_ + (1 - share) * outside
    assert_allclose(certificate.arc_length.value, expected, atol=1e-6)
    expected = share * auc_inside + (1 - share) * auc_outside
    assert_allclose(certificate.auc.value, expected, atol=1e-6)


def test_trees_and_fits_that_nothing_confirms_report_held_out_values(data):
    X, y = data
    forest = certify(RandomForestClassifier(20, random_state=0), X, y, random_state=0)
    assert_allclose(forest.arc_length.value, arc_length_score(y, forest.angle))
    rng = np.random.default_rng(0)
    wide, labels = rng.normal(size=(40, 60)), np.arange(40) % 2
    separated = certify(ArctanRatio(alpha=1e-6), wide, labels, random_state=0)
    held = arc_length_score(labels, separated.angle)
    assert separated.arc_length.value == max(held, np.sqrt(2))


def test_holdout_is_the_plain_bounds_of_one_fixed_model(data):
    X, y = data
    c = certify(ArctanRatio(), X, y, cv="holdout", random_state=3)
    rows = c.fold >= 0
    assert c.strict
    assert rows.sum() == 150
    assert np.isnan(c.angle[~rows]).all()
    y, v, s = y[rows], c.angle[rows], c.score[rows]
    level = each_level(y, v, s)
    length = arc_length_interval(y, v, side="lower", level=level).low
    area = auc_interval(y, s, side="lower", level=level).low
    rule = youden_interval(y, v > np.pi / 4, side="lower", level=level).low
    found = c.arc_length.low, c.auc.low, c.tv.low
    # The joint level is a quantile of normal draws, others there than here.
    assert_allclose(found, implied_bounds(length, area, rule), rtol=3e-3)
    baseline = np.random.default_rng(0).normal(size=rows.size)
    gain = auc_gain(y, s, baseline[rows], side="lower")
    assert_allclose(headroom(c.y, baseline, c).low, gain.low)


def each_level(y, angle, score):
    """Level of each bound at which three hold together: normal draws with their correlation."""
    up = y == 1
    placed = np.array([np.mean((s > score[~up]) + 0.5 * (s == score[~up])) for s in score])
    below = np.array([np.mean((score[up] > s) + 0.5 * (score[up] == s)) for s in score])
    columns = [
        np.where(up, np.sin(angle), np.cos(angle)),
        np.where(up, placed, below),
        np.where(up, angle > np.pi / 4, angle <= np.pi / 4),
    ]
    covariance = sum(
        np.cov([c[rows] for c in columns], bias=True) / rows.sum() for rows in (up, ~up)
    )
    noise = np.random.default_rng(0).multivariate_normal(np.zeros(3), covariance, 400_000)
    tails = norm.cdf(noise / np.sqrt(np.diag(covariance))).min(axis=1)
    return 1 - np.quantile(tails, 0.05)


def test_joint_bounds_lie_between_those_of_a_third_of_the_error_and_of_all_of_it(data):
    X, y = data
    c = certify(ArctanRatio(), X, y, cv="holdout", random_state=3)
    rows = c.fold >= 0
    y, v, s = y[rows], c.angle[rows], c.score[rows]

    def bounds(level):
        length = arc_length_interval(y, v, side="lower", level=level).low
        area = auc_interval(y, s, side="lower", level=level).low
        rule = youden_interval(y, v > np.pi / 4, side="lower", level=level).low
        return implied_bounds(length, area, rule)

    found = np.array([c.arc_length.low, c.auc.low, c.tv.low])
    assert (np.array(bounds(1 - 0.05 / 3)) < found).all()
    assert (found < np.array(bounds(1 - 0.05))).all()


@pytest.mark.parametrize("groups", [None, np.arange(100) // 5])
def test_bounds_of_one_certificate_do_not_contradict_each_other(groups):
    """Separable rows: few of them cannot certify an AUC by ranks, but a rule is a score too."""
    n = 20 if groups is None else 100
    y = np.arange(n) % 2
    X = (np.arange(n) + 1000.0 * y)[:, None]
    c = certify(ArctanRatio(), X, y, groups=groups, random_state=0)
    lows = c.arc_length.low, c.auc.low, c.tv.low
    assert_allclose(lows, implied_bounds(*lows), rtol=1e-12)
    assert c.tv.low > 0.4
    assert c.auc.low >= (1 + c.tv.low) / 2


def test_nothing_is_claimed_of_identical_laws():
    claims = []
    for seed in range(40):
        X, y = GaussianPair.shifted(0.0, 5).sample(60, 60, random_state=seed)
        c = certify(ArctanRatio(), X, y, random_state=seed)
        claims.append((c.divergence.low > 0, c.auc.low > 0.5, c.tv.low > 0))
    assert np.sum(claims, axis=0).max() <= 5


@pytest.mark.parametrize("options", [{}, {"sample_weight": True}, {"groups": True}])
def test_copies_of_a_repeat_change_no_bound(options):
    """Rows judged three times by the same models are the observations they were."""
    X, y = LAW.sample(30, 60, random_state=4)
    given = {}
    if "sample_weight" in options:
        given["sample_weight"] = np.random.default_rng(0).uniform(0.5, 2.0, 90)
    if "groups" in options:
        given["groups"] = np.arange(90) // 2
    splits = split_rows(3, y == 1, groups=given.get("groups"), random_state=0)
    once, thrice = (certify(ArctanRatio(), X, y, cv=splits * k, **given) for k in (1, 3))
    assert thrice.held_out.n_repeats == 3
    for name in ("arc_length", "tv"):
        assert_allclose(getattr(thrice, name).low, getattr(once, name).low, atol=1e-12)
    # The masses of an AUC are drawn row by row here, and run by run there.
    assert_allclose(thrice.auc.low, once.auc.low, atol=0.006)
    rooms = [headroom(y, X[:, 0], c).low for c in (once, thrice)]
    assert_allclose(rooms[1], rooms[0], atol=0.006)


def test_repr_tells_the_story(certificate):
    text = repr(certificate)
    assert text.startswith("Certificate of 300 rows, 150 positive, judged out of 5 folds")
    assert "at least" in text
    assert "Guarantee: asymptotic" in text
