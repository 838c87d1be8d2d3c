"""What follows from the law of the log ratio alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rocstar.laws import GaussianPair, StudentTPair


@pytest.mark.parametrize("law", [GaussianPair(1.0, 0.0, 1.0, 2.0), StudentTPair(1.0)])
def test_level_inverts_the_tails(law):
    ratio, goal = law.ratio_law, np.array([0.05, 0.4, 0.9])
    for side in ("pos", "neg"):
        z = ratio.level(lambda both, side=side: getattr(both, side), goal)
        assert_allclose(getattr(ratio.sf(z), side), goal, atol=1e-9)
        assert_allclose(getattr(ratio.cdf(z), side), 1 - goal, atol=1e-9)
