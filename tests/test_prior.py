"""The share of positives that a classifier's probabilities stand for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rocstar.estimators.prior import angle_of, best_prior


def test_the_angle_of_a_probability_at_a_share_of_positives():
    assert_allclose(angle_of(np.array([0.0, 0.2, 1.0]), 0.2), [0.0, np.pi / 4, np.pi / 2])


def test_the_best_prior_is_where_the_angles_are_right():
    # Angles on either side of π/4, as far from it: 0.5 and 0.2 are that at odds of one half.
    positive = np.arange(100) < 20
    doubtful = np.where(positive, 0.5, 0.2)
    assert best_prior(doubtful, positive, np.ones(100), 0.2) == pytest.approx(1 / 3, abs=0.005)
    # Rows never held out say nothing.
    more = np.append(doubtful, np.nan), np.append(positive, True), np.ones(101)
    assert best_prior(*more, 0.2) == best_prior(doubtful, positive, np.ones(100), 0.2)
