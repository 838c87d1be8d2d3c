"""Sums over pairs against the plain double sum."""

import numpy as np
from data_problems import all_pairs, hinge, two_sides
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rocstar.fitting.pairs import squared_hinge


@given(st.integers(0, 10_000), st.booleans(), st.floats(-4, 4))
def test_sorted_hinge_equals_the_double_sum(seed, ties, scale):
    positives, negatives = two_sides(seed, ties=ties)
    w = scale * np.random.default_rng(seed + 1).normal(size=3)
    value = squared_hinge(w, positives, negatives).value
    assert_allclose(value, all_pairs(hinge, w, positives, negatives), rtol=1e-11, atol=1e-12)


def test_hinge_does_not_lose_digits_far_from_zero():
    positives, negatives = two_sides(3)
    far = [side._replace(x=side.x + 1e6) for side in (positives, negatives)]
    w = np.array([1.0, -0.5, 0.3])
    assert_allclose(
        squared_hinge(w, *far).value, all_pairs(hinge, w, positives, negatives), rtol=1e-8
    )


def test_hinge_derivatives_against_differences():
    positives, negatives = two_sides(1)
    w, h = np.array([0.4, -0.2, 0.9]), 1e-6
    loss = squared_hinge(w, positives, negatives)
    for j, e in enumerate(np.eye(3) * h):
        up = squared_hinge(w + e, positives, negatives)
        down = squared_hinge(w - e, positives, negatives)
        assert_allclose(loss.gradient[j], (up.value - down.value) / (2 * h), rtol=1e-6)
        assert_allclose(loss.hessian[j], (up.gradient - down.gradient) / (2 * h), rtol=1e-5)
