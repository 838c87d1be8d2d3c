"""`certify` and `headroom`: what they compute, and what they refuse."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.stats import norm
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

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
from rocstar.laws import GaussianPair

LAW = GaussianPair.shifted(2.0, 3)


@pytest.fixture(scope="module")
def data():
    return LAW.sample(150, 150, random_state=0)


@pytest.fixture(scope="module")
def certificate(data):
    return certify(ArctanRatio(), *data, random_state=0)


def test_held_out_angles_come_from_models_of_the_other_folds(data, certificate):
    X, y = data
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
    for k, (train, test) in enumerate(folds):
        model = ArctanRatio().fit(X[train], y[train])
        assert (certificate.fold[test] == k).all()
        assert_allclose(certificate.angle[test], model.predict_angle(X[test]))
        assert_allclose(certificate.score[test], model.decision_function(X[test]))


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
    outside = arc_length_score(y, certificate.angle)
    expected = (5 * inside.arc_length_ + 4 * outside) / 9
    assert_allclose(certificate.arc_length.value, expected, atol=1e-6)
    per_fold = [
        roc_auc(y[certificate.fold == k], certificate.score[certificate.fold == k])
        for k in range(5)
    ]
    expected = (5 * roc_auc(y, inside.decision_function(X)) + 4 * np.mean(per_fold)) / 9
    assert_allclose(certificate.auc.value, expected, atol=1e-6)


def test_trees_and_separated_fits_report_held_out_values(data):
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
    length = arc_length_interval(y, v, level=level).low
    area = auc_interval(y, s, side="lower", level=level).low
    rule = youden_interval(y, v > np.pi / 4, level=level).low
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
        length = arc_length_interval(y, v, level=level).low
        area = auc_interval(y, s, side="lower", level=level).low
        return implied_bounds(length, area, youden_interval(y, v > np.pi / 4, level=level).low)

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


def test_any_estimator_any_table(data):
    X, y = data
    plain = certify(ArctanRatio(), X, y, random_state=0)
    names = np.where(y == 1, "yes", "no")
    frame = pd.DataFrame(X, columns=list("abc"))
    assert certify(ArctanRatio(), frame, names, random_state=0).auc == plain.auc
    assert_allclose(
        certify(ArctanRatio(), sparse.csr_array(X), y, random_state=0).auc.low, plain.auc.low
    )
    for model in (
        LogisticRegression(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), ArctanRatio()),
        GridSearchCV(ArctanRatio(), {"alpha": [1e-3, 1e-2]}, cv=2),
    ):
        c = certify(model, X, y, random_state=0)
        assert 1.6 < c.arc_length.low < LAW.arc_length
        with pytest.raises(NotFittedError):  # clones were fitted, not the model that was given
            check_is_fitted(model)


def test_splitters(data):
    X, y = data
    c = certify(ArctanRatio(), X, y, cv=StratifiedShuffleSplit(1, test_size=0.3, random_state=0))
    assert (c.fold >= 0).sum() == 90
    assert c.cv == "holdout"
    assert c.strict
    assert certify(ArctanRatio(), X, y, cv=KFold(3, shuffle=True, random_state=0)).cv == "3"
    with pytest.raises(ValueError, match="hold out each row at most once"):
        certify(ArctanRatio(), X, y, cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=2))


def test_same_seed_same_certificate_and_jobs_change_nothing(data):
    X, y = data
    first = certify(ArctanRatio(), X, y, random_state=1)
    with parallel_config("threading"):
        second = certify(ArctanRatio(), X, y, random_state=1, n_jobs=2)
    assert first.arc_length == second.arc_length
    assert first.tv == second.tv


def test_weights_reach_the_fit_and_the_bounds(data):
    X, y = data
    weights = np.random.default_rng(0).integers(1, 4, y.size).astype(float)
    for model in (ArctanRatio(), make_pipeline(StandardScaler(), LogisticRegression())):
        c = certify(model, X, y, sample_weight=weights, random_state=0)
        scaled = certify(model, X, y, sample_weight=4 * weights, random_state=0)
        assert_allclose(scaled.arc_length.low, c.arc_length.low, rtol=1e-3)
        assert c.arc_length.low != certify(model, X, y, random_state=0).arc_length.low


def test_groups_stay_together_and_widen_the_bounds(data):
    X, y = data
    rows = np.repeat(np.arange(y.size), 4)
    X, y = X[rows], y[rows]
    grouped = certify(ArctanRatio(), X, y, groups=rows, random_state=0)
    assert all(np.unique(grouped.fold[rows == g]).size == 1 for g in range(0, 300, 25))
    naive = certify(ArctanRatio(), X, y, random_state=0)
    assert grouped.arc_length.low < naive.arc_length.low - 0.01
    assert grouped.auc.low < naive.auc.low - 0.005
    halves = certify(ArctanRatio(), X, y, groups=rows, cv="holdout", random_state=0)
    assert not set(rows[halves.fold >= 0]) & set(rows[halves.fold < 0])


def test_nothing_is_claimed_of_identical_laws():
    claims = []
    for seed in range(40):
        X, y = GaussianPair.shifted(0.0, 5).sample(60, 60, random_state=seed)
        c = certify(ArctanRatio(), X, y, random_state=seed)
        claims.append((c.divergence.low > 0, c.auc.low > 0.5, c.tv.low > 0))
    assert np.sum(claims, axis=0).max() <= 5


def test_headroom(data, certificate):
    X, y = data
    one_column = headroom(y, X[:, 0], certificate)
    assert one_column.side == "lower"
    assert 0 < one_column.low < one_column.value
    assert headroom(y, LAW.log_ratio(X), certificate).low == 0
    with pytest.raises(ValueError, match="labels the certificate was made with"):
        headroom(1 - y, X[:, 0], certificate)
    with pytest.raises(ValueError, match="`score` must be finite; got nan in row 0"):
        headroom(y, np.append(np.nan, X[1:, 0]), certificate)


def test_repr_tells_the_story(certificate):
    text = repr(certificate)
    assert text.startswith("Certificate of 300 rows, 150 positive, judged out of 5 folds")
    assert "at least" in text
    assert "cv='holdout' is the strict one" in text


X, Y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
FEW = np.repeat([1, 0], [3, 37])
BAD = [
    ({"y": FEW}, "`cv=5` needs at least 5 positive rows; got 3: use cv=3"),
    ({"y": np.repeat([1, 0], [1, 39]), "cv": "holdout"}, "more data are needed"),
    ({"groups": Y}, "group 1 holds every positive row"),
    ({"groups": np.repeat([0, 1, 2, 3], 10)}, "needs at least 5 groups"),
    ({"groups": [1, 2]}, "one group for each of the 40 rows"),
    ({"cv": 1}, "at least 2 folds; got 1: use cv='holdout'"),
    ({"cv": "loo"}, "`cv` must be a number, 'holdout' or a splitter; got 'loo'"),
    ({"cv": KFold(2), "y": np.repeat([0, 1], 20)}, "part of split 0 has no"),
    ({"cv": [(np.arange(40), np.arange(10))]}, "must not hold out training rows"),
    ({"level": 0.0}, "`level` must lie strictly between 0 and 1"),
    ({"sample_weight": -np.ones(40)}, "`sample_weight` must be non-negative"),
    ({"y": np.arange(40)}, "exactly two distinct labels; got 40"),
    ({"X": X[:30]}, "inconsistent numbers of samples"),
    ({"X": np.where(np.arange(80).reshape(40, 2) == 3, np.nan, X)}, "NaN"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_input_is_refused_in_one_sentence(change, message):
    arguments = {"X": X, "y": Y} | change
    with pytest.raises(ValueError, match=message):
        certify(ArctanRatio(), **arguments)


@pytest.mark.parametrize("estimator", [ArctanRatio, "logistic", 3])
def test_what_is_no_estimator_is_refused(estimator):
    with pytest.raises(TypeError, match="with a `fit` method"):
        certify(estimator, X, Y)
