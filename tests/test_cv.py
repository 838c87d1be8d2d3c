"""`ArctanRatioCV`: its search, its choice, and estimators that keep the choice."""

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    arc_length_scorer,
    laws,
)
from rocstar.estimators.standardized import StandardizedRatio


@parametrize_with_checks(
    [
        ArctanRatioCV(),
        ArctanRatioCV("rbf", cv=2, alphas=[1e-3, 1e-1], gammas=[0.1]),
        StandardizedRatio(ArctanRatio()),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_simulation_of_the_paper():
    """N(1, 1) against N(−1, 1), 100 + 100 samples, rbf with CV: 12 of the 72 runs."""
    law = laws.GaussianPair(1.0, -1.0)
    grid = np.linspace(-6, 6, 601)[:, None]
    mass = np.exp(-((grid - 1) ** 2) / 2) + np.exp(-((grid + 1) ** 2) / 2)
    truth = law.angle(grid)
    errors = []
    for seed in range(12):
        model = ArctanRatioCV("rbf", random_state=seed)
        model.fit(*law.sample(100, 100, random_state=seed))
        squares = (model.predict_angle(grid) - truth) ** 2
        errors.append(float(squares @ mass[:, 0] / mass.sum()))
    assert np.mean(errors) <= 0.0065


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


def test_the_best_score_is_that_of_the_chosen_pair():
    X, y = gaussians(60)
    model = ArctanRatioCV("rbf", random_state=0).fit(X, y)
    assert model.alpha_ not in model.cv_results_["param_alpha"]
    # The same pair on the same folds, as the only pair of a grid.
    alone = ArctanRatioCV("rbf", alphas=[model.alpha_], gammas=[model.gamma_], random_state=0)
    assert_allclose(model.best_score_, alone.fit(X, y).best_score_, rtol=1e-12)
    linear = ArctanRatioCV(random_state=0).fit(X, y)
    assert linear.best_score_ == linear.cv_results_["mean_test_score"].max()


def test_threads_change_nothing():
    X, y = gaussians(100)
    threads = ArctanRatioCV("rbf", n_jobs=2, random_state=0).fit(X, y)
    serial = ArctanRatioCV("rbf", random_state=0).fit(X, y)
    assert_allclose(threads.cv_results_["mean_test_score"], serial.cv_results_["mean_test_score"])


def test_a_sample_chooses_and_all_rows_are_fitted():
    X, y = gaussians(400)
    few = ArctanRatioCV(max_tuning_rows=100, random_state=0).fit(X, y)
    whole = ArctanRatioCV(random_state=0).fit(X, y)
    assert few.best_score_ != whole.best_score_
    alone = ArctanRatioCV(alphas=[few.alpha_], random_state=0).fit(X, y)
    assert_allclose(few.predict_angle(X), alone.predict_angle(X), atol=1e-12)


def test_groups_stay_in_one_fold():
    # Rows of a group share their label and their place, which tells nothing of other groups.
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 4)
    y = rng.permutation(np.arange(60) % 2)[groups]
    X = rng.normal(size=(60, 2))[groups] + 0.01 * rng.normal(size=(240, 2))
    model = ArctanRatioCV("rbf", alphas=[1e-4], gammas=[20.0], random_state=0)
    assert model.fit(X, y).best_score_ > 1.8
    assert model.fit(X, y, groups=groups).best_score_ < 1.5
    with pytest.raises(ValueError, match="`groups` must spread each class over two or more groups"):
        model.fit(X, y, groups=y)


@pytest.mark.parametrize("loss", ["tangent", "log"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_frozen_keeps_the_choice_without_a_search(kernel, loss, monkeypatch):
    X, y = gaussians(60)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 120)
    tuned = ArctanRatioCV(kernel, loss=loss, random_state=3).fit(X, y, weight)
    frozen = clone(tuned.frozen())
    gammas = None if tuned.gamma_ is None else [tuned.gamma_]
    grid = ArctanRatioCV(kernel, loss=loss, alphas=[tuned.alpha_], gammas=gammas, random_state=3)
    rows = np.arange(0, 120, 2)
    expected = grid.fit(X[rows], y[rows], weight[rows])

    def no_search(*args, **kwargs):
        raise AssertionError("a frozen estimator must not search")

    monkeypatch.setattr("rocstar.estimators.cv.search", no_search)
    monkeypatch.setattr("rocstar.estimators.cv.split_rows", no_search)
    found = frozen.fit(X[rows], y[rows], weight[rows])
    assert_array_equal(found.predict_angle(X), expected.predict_angle(X))
    assert_array_equal(found.decision_function(X), expected.decision_function(X))
    assert_array_equal(found.predict_log_ratio(X), expected.predict_log_ratio(X))
    assert found.arc_length_ == expected.arc_length_


def test_frozen_needs_no_second_row_of_a_class():
    X, y = gaussians(60)
    tuned = ArctanRatioCV(random_state=0).fit(X, y)
    assert tuned.frozen().fit(X[59:], y[59:]).predict_angle(X).shape == (120,)


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        (ArctanRatioCV(), {"y": [0, 0, 0, 1]}, "at least two rows of each class"),
        (ArctanRatioCV(), {"y": [0, 1, 2, 1]}, "Only binary classification is supported"),
    ],
)
def test_bad_input_gives_one_clear_sentence(model, change, message):
    given = {"X": np.array([[0.0, 1], [1, 0], [2, 1], [3, 3]]), "y": [0, 0, 1, 1], **change}
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(**given)
