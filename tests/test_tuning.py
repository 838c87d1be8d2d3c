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


@pytest.mark.parametrize(("kernel", "solves"), [("rbf", 4 * 5 * 6 + 5), ("linear", 5 * 12)])
def test_a_search_solves_few_problems(kernel, solves, monkeypatch):
    """A kernel tries six penalties at each of four bandwidths, then their mean, on five folds."""
    solved = []

    def counted(rows, n_features, loss, alphas, **settings):
        solved.extend(alphas)
        return solve_path(rows, n_features, loss, alphas, **settings)

    monkeypatch.setattr("rocstar.estimators.tuning.solve_path", counted)
    X, y = gaussians(60)
    ArctanRatioCV(kernel, random_state=0).fit(X, y)
    assert len(solved) == solves


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
    assert short > held_out() - 0.004
