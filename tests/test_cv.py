"""`ArctanRatioCV`: its search, its choice, and estimators that keep the choice."""

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_allclose
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    laws,
)
from rocstar.estimators import tuning
from rocstar.estimators.standardized import StandardizedRatio


@parametrize_with_checks(
    [
        ArctanRatioCV(),
        ArctanRatioCV("rbf", cv=2, alphas=[1e-3, 1e-1], gammas=[0.1]),
        ArctanRatioCV(loss="log", cv=2, alphas=[1e-2, 1.0]),
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


def test_the_best_score_is_that_of_the_chosen_pair(monkeypatch):
    # A grid of one pair is judged with all landmarks; here the search is too.
    monkeypatch.setattr(tuning, "TUNING_LANDMARKS", 10_000)
    X, y = gaussians(60)
    model = ArctanRatioCV("rbf", random_state=0).fit(X, y)
    assert model.alpha_ not in model.cv_results_["param_alpha"]
    # The same pair on the same folds, as the only pair of a grid.
    alone = ArctanRatioCV("rbf", alphas=[model.alpha_], gammas=[model.gamma_], random_state=0)
    assert_allclose(model.best_score_, alone.fit(X, y).best_score_, rtol=1e-12)
    linear = ArctanRatioCV(random_state=0).fit(X, y)
    assert linear.best_score_ == linear.cv_results_["mean_test_score"].max()


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
