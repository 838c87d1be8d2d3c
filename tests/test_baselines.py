"""The pairwise baselines against the sums over pairs that they avoid."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import laws
from rocstar.baselines import SPAUC, PairwiseHingeAUC, PairwiseSquaredAUC
from rocstar.fitting.pairs import ClassRows, squared_hinge


@parametrize_with_checks([PairwiseSquaredAUC(), PairwiseHingeAUC(), SPAUC(), SPAUC(penalty="l1")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def all_pairs(loss, w, positives, negatives):
    """The plain double sum, O(n²)."""
    margins = (positives.x @ w)[:, None] - (negatives.x @ w)[None, :]
    return positives.weights @ loss(margins) @ negatives.weights


def square(margins):
    return (1 - margins) ** 2


def hinge(margins):
    return np.maximum(0, 1 - margins) ** 2


def two_sides(seed, n=30, d=3, ties=False):
    rng = np.random.default_rng(seed)
    sides = []
    for shift, m in ((0.7, n), (0.0, n // 2)):
        x = rng.normal(shift, 1, size=(m, d))
        weights = rng.random(m)
        sides.append(ClassRows(np.round(x) if ties else x, weights / weights.sum()))
    return sides


def table(positives, negatives):
    X = np.vstack([positives.x, negatives.x])
    y = np.repeat([1, 0], [len(positives.x), len(negatives.x)])
    return X, y, np.concatenate([positives.weights * 3, negatives.weights * 7])


@given(st.integers(0, 10_000), st.booleans(), st.floats(-4, 4))
def test_sorted_hinge_equals_the_double_sum(seed, ties, scale):
    positives, negatives = two_sides(seed, ties=ties)
    w = scale * np.random.default_rng(seed + 1).normal(size=3)
    value = squared_hinge(w, positives, negatives).value
    assert_allclose(value, all_pairs(hinge, w, positives, negatives), rtol=1e-11, atol=1e-12)


def test_hinge_does_not_lose_digits_far_from_zero():
    positives, negatives = two_sides(3)
    far = [side._replace(x=side.x + 1e6) for side in (positives, negatives)]
    w = np.array([1.0, -0.5, 0.3])
    assert_allclose(
        squared_hinge(w, *far).value, all_pairs(hinge, w, positives, negatives), rtol=1e-8
    )


def test_hinge_derivatives_against_differences():
    positives, negatives = two_sides(1)
    w, h = np.array([0.4, -0.2, 0.9]), 1e-6
    loss = squared_hinge(w, positives, negatives)
    for j, e in enumerate(np.eye(3) * h):
        up = squared_hinge(w + e, positives, negatives)
        down = squared_hinge(w - e, positives, negatives)
        assert_allclose(loss.gradient[j], (up.value - down.value) / (2 * h), rtol=1e-6)
        assert_allclose(loss.hessian[j], (up.gradient - down.gradient) / (2 * h), rtol=1e-5)


@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize(
    ("model", "loss"), [(PairwiseSquaredAUC, square), (PairwiseHingeAUC, hinge)]
)
def test_fit_minimises_the_sum_over_pairs(model, loss, alpha):
    positives, negatives = two_sides(5)
    X, y, weights = table(positives, negatives)

    def objective(w):
        return all_pairs(loss, w, positives, negatives) + alpha * w @ w

    slow = minimize(objective, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    fast = model(alpha).fit(X, y, sample_weight=weights).coef_[0]
    assert objective(fast) <= slow.fun + 1e-12
    assert_allclose(fast, slow.x, atol=1e-4)


@pytest.mark.parametrize("model", [PairwiseSquaredAUC(0.0), PairwiseHingeAUC(0.0)])
def test_duplicated_and_constant_columns_without_penalty(model):
    X, y, _ = table(*two_sides(7))
    more = np.column_stack([X, X[:, 0], np.ones(len(X))])
    assert_allclose(
        model.fit(more, y).decision_function(more),
        model.fit(X, y).decision_function(X),
        atol=1e-6,
    )


def test_squared_direction_is_a_discriminant_analysis():
    X, y, _ = table(*two_sides(2, n=200))
    w = PairwiseSquaredAUC(0.0).fit(X, y).coef_[0]
    within = np.cov(X[y == 1].T, bias=True) + np.cov(X[y == 0].T, bias=True)
    lda = np.linalg.solve(within, X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    assert_allclose(w / np.linalg.norm(w), lda / np.linalg.norm(lda), rtol=1e-9)


def test_separable_classes_have_no_hinge_loss():
    X = np.array([[-3.0], [-2.0], [2.0], [3.0]])
    y = [0, 0, 1, 1]
    model = PairwiseHingeAUC(0.0).fit(X, y)
    assert np.diff(model.decision_function(X)).min() >= 0
    assert_allclose(model.decision_function([[2.0]]) - model.decision_function([[-2.0]]), 1.0)


def test_hinge_says_when_it_was_stopped():
    X, y, _ = table(*two_sides(5))
    with pytest.warns(ConvergenceWarning, match="raise `max_iter`"):
        PairwiseHingeAUC(tol=1e-15, max_iter=1).fit(X, y)


def test_spauc_approaches_the_closed_form():
    X, y = laws.GaussianPair.shifted(1.5, 4).sample(400, 200, random_state=0)
    share = y.mean()
    exact = PairwiseSquaredAUC(1e-2).fit(X, y)
    # SPAUC's loss carries the factor p(1 − p), so its penalty must too.
    stream = SPAUC(1e-2 * share * (1 - share), n_epochs=60, random_state=0).fit(X, y)
    a, b = exact.coef_[0], stream.coef_[0]
    assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) > 0.995
    assert_allclose(np.linalg.norm(b), np.linalg.norm(a), rtol=0.1)


def test_spauc_l1_leaves_idle_columns_out():
    law = laws.Padded(laws.GaussianPair.shifted(2.0, 2), 6)
    X, y = law.sample(400, 400, random_state=1)
    w = SPAUC(0.05, penalty="l1", random_state=0).fit(X, y).coef_[0]
    assert np.abs(w[2:]).max() < 0.02 * np.abs(w[:2]).max()


@pytest.mark.parametrize("model", [PairwiseSquaredAUC(), PairwiseHingeAUC(), SPAUC(random_state=0)])
def test_all_reach_the_largest_auc_of_a_linear_law(model):
    law = laws.GaussianPair.shifted(2.0, 5)
    X, y = law.sample(20_000, 20_000, random_state=2)
    model.fit(*law.sample(1000, 500, random_state=1))
    assert roc_auc_score(y, model.decision_function(X)) == pytest.approx(law.auc, abs=0.006)


def test_three_classes_are_refused():
    with pytest.raises(ValueError, match="one class against the rest"):
        PairwiseSquaredAUC().fit(np.eye(6), [0, 1, 2, 0, 1, 2])
