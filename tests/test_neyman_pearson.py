"""The promised false positive rate, the rank behind it, and scikit-learn's contract."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import ArctanRatio, NeymanPearsonClassifier
from rocstar.estimators.neyman_pearson import calibration_size, order_rank
from rocstar.laws import GaussianPair


# A lenient promise, so that the few rows of these checks suffice.
@parametrize_with_checks([NeymanPearsonClassifier(fpr=0.2, delta=0.5, random_state=0)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def violation(k, n, fpr):
    """P(the k-th of n ordered scores lies below the 1 − fpr quantile), term by term."""
    return sum(comb(n, j) * (1 - fpr) ** j * fpr ** (n - j) for j in range(k, n + 1))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 300), st.floats(0.01, 0.5), st.floats(0.01, 0.5))
def test_rank_is_the_smallest_valid_one(n, fpr, delta):
    n += calibration_size(fpr, delta)
    k = order_rank(n, fpr, delta)
    assert violation(k, n, fpr) <= delta * (1 + 1e-9)
    assert k == 1 or violation(k - 1, n, fpr) > delta * (1 - 1e-9)


@pytest.mark.parametrize(("fpr", "delta"), [(0.05, 0.05), (0.1, 0.1), (0.5, 0.25), (0.01, 0.2)])
def test_smallest_sample(fpr, delta):
    n = calibration_size(fpr, delta)
    assert violation(n, n, fpr) <= delta * (1 + 1e-9)
    assert n == 1 or violation(n - 1, n - 1, fpr) > delta


def test_too_few_negatives_are_counted():
    X, y = GaussianPair(1.0).sample(50, 40, random_state=0)
    with pytest.raises(
        ValueError, match=r"needs at least 60 negatives, 59 for the threshold .* got 40"
    ):
        NeymanPearsonClassifier().fit(X, y)


def test_takes_more_negatives_if_the_promise_needs_them():
    X, y = GaussianPair(1.0).sample(50, 70, random_state=0)
    assert NeymanPearsonClassifier(random_state=0).fit(X, y).n_calibration_ == 59
    model = NeymanPearsonClassifier(fpr=0.3, delta=0.3, calibration_share=0.4, random_state=0)
    assert model.fit(X, y).n_calibration_ == 28


SMOOTH_FOREST = RandomForestClassifier(30, min_samples_leaf=10, random_state=0)


@pytest.mark.parametrize("estimator", [LogisticRegression(), SMOOTH_FOREST])
def test_any_classifier(estimator):
    X, y = GaussianPair(2.0).sample(100, 200, random_state=0)
    model = NeymanPearsonClassifier(estimator, fpr=0.1, delta=0.1, random_state=0).fit(X, y)
    fresh, labels = GaussianPair(2.0).sample(2000, 2000, random_state=1)
    called = model.predict(fresh) == 1
    assert called[labels == 0].mean() < 0.12
    assert called[labels == 1].mean() > 0.3


def test_metadata_reach_the_estimator():
    X, y = GaussianPair([2.0, 0.0]).sample(100, 100, random_state=0)
    weights = np.where(X[:, 1] > 0, 1.0, 0.01)
    options = {"fpr": 0.2, "delta": 0.2, "random_state": 0}
    plain = NeymanPearsonClassifier(**options).fit(X, y)
    direct = NeymanPearsonClassifier(**options).fit(X, y, sample_weight=weights)
    assert not np.allclose(direct.estimator_.coef_, plain.estimator_.coef_)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = ArctanRatio().set_fit_request(sample_weight=True)
        routed = NeymanPearsonClassifier(inner, **options).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(routed.estimator_.coef_, direct.estimator_.coef_)


@pytest.mark.parametrize("change", [{"fpr": 0}, {"delta": 1}, {"calibration_share": 2}])
def test_parameters_are_checked(change):
    X, y = GaussianPair(2.0).sample(100, 100, random_state=0)
    with pytest.raises(ValueError, match=f"The '{next(iter(change))}' parameter"):
        NeymanPearsonClassifier(**change).fit(X, y)


def test_frames_and_gaps_reach_a_classifier_that_takes_them():
    pd = pytest.importorskip("pandas")
    X, y = GaussianPair(2.0, 0.0).sample(300, 300, random_state=0)
    X[::7] = np.nan
    trees = HistGradientBoostingClassifier(max_iter=5)
    model = NeymanPearsonClassifier(trees, random_state=0).fit(X, y)
    assert get_tags(model).input_tags.allow_nan
    assert set(model.predict(X)) == {0, 1}
    table = pd.DataFrame({"kind": np.where(y == 1, "a", "b"), "x": X[:, 0]})
    columns = make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough")
    chosen = NeymanPearsonClassifier(make_pipeline(columns, trees), random_state=0).fit(table, y)
    assert chosen.feature_names_in_.tolist() == ["kind", "x"]
    assert (chosen.predict(table) == y).mean() > 0.9
    with pytest.raises(ValueError, match="NaN"):
        NeymanPearsonClassifier(random_state=0).fit(X, y)
