"""`ArctanRatio` and `ArctanRatioCV` of more than two classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from rocstar import ArctanRatio, ArctanRatioCV, laws

LAW = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
X, Y = LAW.sample(60, random_state=0)


def test_other_losses_name_the_one_that_takes_more_classes():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        ArctanRatio().fit(X, Y)


def test_arguments_of_two_classes_are_refused():
    with pytest.raises(ValueError, match="`objective_weight` is for two classes"):
        ArctanRatio(loss="log").fit(X, Y, objective_weight=np.ones(180))


def test_shapes_and_sparse_rows():
    model = ArctanRatio(loss="log").fit(X, Y)
    assert model.coef_.shape == (3, 2)
    assert np.allclose(model.coef_.sum(axis=0), 0.0, atol=1e-9)
    thin = ArctanRatio(loss="log").fit(sparse.csr_matrix(X), Y)
    assert np.allclose(
        thin.predict_direction(sparse.csr_matrix(X)), model.predict_direction(X), atol=1e-2
    )
    kernel = ArctanRatio("rbf", loss="log", n_components=20, random_state=0).fit(X, Y)
    assert kernel.dual_coef_.shape == (3, 20)


def test_stopping_early_is_a_warning():
    with pytest.warns(ConvergenceWarning, match="iteration limit"):
        ArctanRatio(loss="log", max_iter=1).fit(X, Y)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_tuning_chooses_by_held_out_arc_length(kernel):
    model = ArctanRatioCV(kernel, loss="log", cv=3, alphas=[1e-3, 1e3], random_state=0)
    model.set_params(n_components=30).fit(X * [1.0, 1e4], Y)
    assert model.alpha_ == 1e-3
    means = model.cv_results_["mean_test_score"]
    assert means.max() == model.best_score_
    assert abs(means.min() - np.sqrt(3)) < 0.1  # an endless penalty leaves nothing
    kept = model.frozen().fit(X * [1.0, 1e4], Y)
    assert np.allclose(kept.predict_direction(X), model.predict_direction(X), atol=0.05)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_seed_fixes_the_answer(kernel):
    noisy = np.hstack([X, np.random.default_rng(0).normal(size=(180, 20))])
    once, again, other = (
        ArctanRatioCV(kernel, loss="log", cv=2, n_components=40, random_state=seed).fit(noisy, Y)
        for seed in (0, 0, 1)
    )
    first, second = (model.cv_results_["mean_test_score"] for model in (once, again))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(once.predict_direction(noisy), again.predict_direction(noisy))
    assert not np.array_equal(first, other.cv_results_["mean_test_score"])


def test_few_rows_choose_where_there_are_many():
    model = ArctanRatioCV(loss="log", cv=2, max_tuning_rows=30, random_state=0).fit(X, Y)
    assert model.score(X, Y) > 2.3


def test_bandwidths_are_tried_where_given():
    model = ArctanRatioCV(
        "rbf", loss="log", cv=2, gammas=[0.1, 50.0], alphas=[1e-2], random_state=0
    )
    assert model.fit(X, Y).gamma_ == 0.1


def test_weak_penalties_are_not_tried_once_they_only_harm(monkeypatch):
    """Forty columns of noise: the weakest penalties follow it, and take longest."""
    noise = np.random.default_rng(0).normal(size=(180, 40))
    model = ArctanRatioCV(loss="log", cv=2, random_state=0)
    found = model.fit(np.hstack([X, noise]), Y)
    means = found.cv_results_["mean_test_score"]
    tried = int(np.isfinite(means).sum())
    assert 3 <= tried < means.size
    assert np.isnan(means[tried:]).all()
    assert found.cv_results_["rank_test_score"][tried:].min() > tried
    monkeypatch.setattr("rocstar.estimators.many_ratio.FALLEN", 1.0)
    whole = ArctanRatioCV(loss="log", cv=2, random_state=0).fit(np.hstack([X, noise]), Y)
    assert np.isfinite(whole.cv_results_["mean_test_score"]).all()
    assert (whole.alpha_, whole.best_score_) == (found.alpha_, found.best_score_)


def test_weights_are_repetitions_for_the_bandwidth():
    """Rows of weight zero are absent, and others count once in the median distance."""
    weights = np.random.default_rng(0).integers(0, 4, size=180)
    model = ArctanRatioCV("rbf", loss="log", cv=2, alphas=[0.01], random_state=0)
    weighted = model.fit(X, Y, sample_weight=weights).gamma_
    repeated = model.fit(X.repeat(weights, axis=0), Y.repeat(weights)).gamma_
    assert repeated == pytest.approx(weighted, rel=1e-9)
