"""The pairwise baselines against the sums over pairs that they avoid."""

import numpy as np
import pytest
from data_problems import all_pairs, hinge, two_sides
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import laws
from rocstar.baselines import SPAUC, PairwiseHingeAUC, PairwiseSquaredAUC


@parametrize_with_checks([PairwiseSquaredAUC(), PairwiseHingeAUC(), SPAUC(), SPAUC(penalty="l1")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def square(margins):
    return (1 - margins) ** 2


def table(positives, negatives):
    X = np.vstack([positives.x, negatives.x])
    y = np.repeat([1, 0], [len(positives.x), len(negatives.x)])
    return X, y, np.concatenate([positives.weights * 3, negatives.weights * 7])


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
