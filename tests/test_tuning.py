"""The search over penalties and bandwidths: its surface, its choice, ties."""

from __future__ import annotations

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_allclose
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    arc_length_scorer,
    laws,
)
from rocstar.estimators.tuning import (
    DEFAULT_ALPHAS,
    KERNEL_ALPHAS,
    TUNING_LANDMARKS,
    TUNING_TOL,
    central_penalty,
    first_of_the_largest,
)
from rocstar.fitting.path import solve_path


def test_rounding_breaks_no_tie():
    scores = np.array([1.5, 1.6, 1.6 + 1e-15, 1.6 - 1e-15, 1.2])
    assert first_of_the_largest(scores) == 1


def test_the_search_keeps_its_whole_surface_and_picks_its_best():
    X, y = gaussians(100)
    model = ArctanRatioCV("rbf", alphas=[1e-3, 1e-1], gammas=[0.1, 1.0], random_state=0).fit(X, y)
    results = model.cv_results_
    best = np.argmax(results["mean_test_score"])
    assert results["rank_test_score"][best] == 1
    assert (model.alpha_, model.gamma_) == (
        results["param_alpha"][best],
        results["param_gamma"][best],
    )
    plain = [
        cross_val_score(
            make_pipeline(
                StandardScaler(), ArctanRatio("rbf", alpha=a, gamma=g, n_components=None)
            ),
            X,
            y,
            cv=[(np.r_[0:50, 100:150], np.r_[50:100, 150:200])],
            scoring=arc_length_scorer,
        )[0]
        for a, g in zip(results["param_alpha"], results["param_gamma"], strict=True)
    ]
    one_split = ArctanRatioCV(
        "rbf",
        alphas=[1e-3, 1e-1],
        gammas=[0.1, 1.0],
        cv=[(np.r_[0:50, 100:150], np.r_[50:100, 150:200])],
    ).fit(X, y)
    # The search standardises and places landmarks once for all folds: equal to 0.01, not exactly.
    assert_allclose(one_split.cv_results_["mean_test_score"], plain, atol=0.01)


def test_threads_change_nothing():
    X, y = gaussians(100)
    threads = ArctanRatioCV("rbf", n_jobs=2, random_state=0).fit(X, y)
    serial = ArctanRatioCV("rbf", random_state=0).fit(X, y)
    assert_allclose(threads.cv_results_["mean_test_score"], serial.cv_results_["mean_test_score"])


def test_penalties_that_held_out_rows_cannot_tell_apart_count_alike():
    scores = np.array([[1.2, 1.3], [1.5, 1.6], [1.5, 1.6]])
    assert central_penalty(np.array([1.0, 1e-2, 1e-4]), scores) == pytest.approx(1e-3)


@pytest.mark.parametrize(("kernel", "most"), [("rbf", 3 * 5 * 6), ("linear", 5 * 12)])
def test_a_search_solves_few_problems(kernel, most, monkeypatch):
    """A kernel tries few penalties at three bandwidths, in the span of half of its landmarks."""
    solved, widths = [], []

    def counted(rows, n_features, loss, alphas, **settings):
        widths.append(n_features)
        for alpha, fit in zip(
            alphas, solve_path(rows, n_features, loss, alphas, **settings), strict=True
        ):
            solved.append(alpha)
            yield fit

    monkeypatch.setattr("rocstar.estimators.tuning.solve_path", counted)
    X, y = gaussians(120)
    model = ArctanRatioCV(kernel, random_state=0).fit(X, y)
    assert len(solved) <= most if kernel == "linear" else len(solved) < most
    assert max(widths) <= TUNING_LANDMARKS
    if kernel == "rbf":
        assert len(model.estimator_.components_) == 200


def test_small_penalties_are_left_out_once_they_are_far_below_the_best():
    X, y = laws.suite()["gaussian-10d"].sample(60, 60, random_state=0)
    results = ArctanRatioCV("rbf", random_state=0).fit(X, y).cv_results_
    tried = [results["param_gamma"] == gamma for gamma in np.unique(results["param_gamma"])]
    assert any(line.sum() < len(KERNEL_ALPHAS) for line in tried)
    for line in tried:  # and nowhere but at the end
        assert_allclose(results["param_alpha"][line], KERNEL_ALPHAS[: line.sum()])


def test_given_penalties_and_bandwidths_are_all_tried():
    X, y = gaussians(60)
    model = ArctanRatioCV("rbf", alphas=[1.0, 1e-3, 1e-6], gammas=[0.1, 1.0, 10.0, 100.0])
    assert len(model.fit(X, y).cv_results_["mean_test_score"]) == 12


@pytest.mark.parametrize(("waves", "bandwidths"), [(0, 3), (1, 4), (4, 5)])
def test_small_bandwidths_are_tried_as_long_as_they_do_better(waves, bandwidths):
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (400, 1))
    y = np.sin(2 * np.pi * waves * X[:, 0]) > 0 if waves else X[:, 0] + rng.normal(size=400) > 0.5
    results = ArctanRatioCV("rbf", random_state=0).fit(X, y).cv_results_
    assert np.unique(results["param_gamma"]).size == bandwidths


def test_the_short_search_of_a_kernel_loses_nothing(monkeypatch):
    law = laws.suite()["quadric-2d"]
    fresh = law.sample(2000, 2000, random_state=9)

    def held_out():
        found = [
            ArctanRatioCV("rbf", random_state=seed).fit(*law.sample(60, 60, random_state=seed))
            for seed in range(3)
        ]
        return np.mean([model.score(*fresh) for model in found])

    short = held_out()
    monkeypatch.setattr("rocstar.estimators.tuning.KERNEL_ALPHAS", DEFAULT_ALPHAS)
    monkeypatch.setattr("rocstar.estimators.tuning.KERNEL_TOL", TUNING_TOL)
    monkeypatch.setattr("rocstar.estimators.tuning.TUNING_LANDMARKS", 200)
    monkeypatch.setattr("rocstar.estimators.tuning.FAR_BELOW", np.inf)
    assert short > held_out() - 0.004
