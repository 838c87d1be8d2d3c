"""Marginal laws on the line: density, score, both tails and partial moments agree."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rocstar.laws.marginals import NormalMixture, StudentT

LAWS = {
    "mixture": NormalMixture(np.array([0.3, 0.7]), np.array([-1.0, 2.0]), np.array([0.5, 1.5])),
    "student": StudentT(1.0, 2.0, 3.0),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_marginal_is_consistent(name):
    law, x, h = LAWS[name], np.linspace(-6.0, 7.0, 27), 1e-5
    assert_allclose(law.cdf(x) + law.sf(x), 1, atol=1e-14)
    slope = (law.cdf(x + h) - law.cdf(x - h)) / (2 * h)
    assert_allclose(slope, np.exp(law.logpdf(x)), atol=1e-9)
    slope = (law.logpdf(x + h) - law.logpdf(x - h)) / (2 * h)
    assert_allclose(slope, law.score(x), atol=1e-8)
    slope = (law.lower_moment(x + h) - law.lower_moment(x - h)) / (2 * h)
    assert_allclose(slope, law.cdf(x), atol=1e-9)
