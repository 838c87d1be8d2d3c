"""Contour integrals of a transform whose density is known."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import norm

from rocstar.laws.contour import Saddles, contour_integral


def normal_saddles(xi, pole):
    """Saddles of K(s) = s²/2, to the right of the pole."""
    c = xi if pole is None else (xi + np.sqrt(xi**2 + 4)) / 2
    return Saddles(xi, c, np.ones_like(xi), c**2 / 2 - c * xi, np.ones_like(xi))


def test_density_and_tail_of_the_normal_law():
    xi = np.array([-1.0, 0.3, 2.0, 5.0])
    for pole, expected in ((None, norm.pdf(xi)), (0.0, norm.sf(xi))):
        saddles = normal_saddles(xi, pole)
        found = contour_integral(
            lambda s: s**2 / 2, saddles, pole, lambda part, share: np.full(part.xi.shape, 5.0)
        )
        assert_allclose(found * np.exp(saddles.top), expected, rtol=1e-9)
