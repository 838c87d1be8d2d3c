"""Bounds by betting on held-out rows: headroom, hockey-stick divergence and epsilon."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar import ArctanRatio, certify, laws

LAW = laws.GaussianPair([1.0, 1.0], [0.0, 0.0])


def test_hockey_stick_is_below_its_truth():
    X, y = LAW.sample(400, 400, random_state=0)
    found = certify(ArctanRatio(), X, y, method="betting", random_state=0)
    # Normal laws at distance δ: P(A) − γ Q(A) is largest where the ratio exceeds γ.
    from scipy.stats import norm

    delta = np.sqrt(2)
    for gamma in (0.5, 1.0, 3.0):
        cut = np.log(gamma) / delta
        truth = norm.sf(cut - delta / 2) - gamma * norm.sf(cut + delta / 2)
        for reverse in (False, True):
            assert max(0, 1 - gamma) <= found.hockey_stick(gamma, reverse=reverse) <= truth
        assert found.hockey_stick(gamma) > truth - 0.25
    assert found.hockey_stick(0) == 1.0
    with pytest.raises(ValueError, match="`gamma` must be a non-negative number; got -1"):
        found.hockey_stick(-1)


def test_epsilon_of_the_laplace_mechanism():
    # Two Laplace laws one apart are (1, 0)-indistinguishable.
    y = np.repeat([0, 1], 500)
    X = np.random.default_rng(0).laplace(size=(1000, 1)) + y[:, None]
    found = certify(ArctanRatio(), X, y, method="betting", random_state=0)
    assert 0.4 < found.epsilon() < 1.0
    assert found.epsilon(0.1) < found.epsilon(1e-5) <= found.epsilon()
    with pytest.raises(ValueError, match=r"`delta` must lie in \[0, 1\); got 1"):
        found.epsilon(1)
