"""The band by random masses: weights, groups, and its level by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from rocstar import roc_band
from rocstar.inference import dirichlet_band


def sample(n_pos, n_neg, shift=1.2):
    y = np.repeat([True, False], [n_pos, n_neg])
    return y, np.random.default_rng(0).normal(size=y.size) + shift * y


def test_a_band_of_equal_weights_is_that_of_no_weights():
    y, score = sample(80, 120)
    plain = roc_band(y, score)
    equal = roc_band(y, score, sample_weight=np.full(200, 3.0), groups=np.arange(200))
    np.testing.assert_allclose(equal.low, plain.low, atol=1e-12)


def test_groups_widen_the_band_and_copies_do_not_narrow_it():
    y, score = sample(60, 60)
    plain, grid = roc_band(y, score), np.linspace(0.05, 0.95, 19)
    copies = roc_band(np.repeat(y, 5), np.repeat(score, 5), groups=np.repeat(np.arange(120), 5))
    # One unseen group instead of one unseen row per class: a little above, on average.
    assert (copies.at(grid) - plain.at(grid)).mean() < 0.02
    pooled = roc_band(np.repeat(y, 5), np.repeat(score, 5))
    assert (pooled.at(grid) - copies.at(grid)).mean() > 0.05


@pytest.mark.parametrize("given", ["weights", "groups"])
def test_bands_with_weights_and_groups_hold_their_level(given, monkeypatch):
    """Binormal scores: tilted by known weights, or with a shift that a group shares."""
    monkeypatch.setattr(dirichlet_band, "N_DRAWS", 500)
    rng, grid, misses, runs = np.random.default_rng(0), np.linspace(0, 1, 201), 0, 60
    truth = norm.sf(norm.isf(grid) - 1.5)
    for _ in range(runs):
        y = np.arange(200) % 2
        if given == "weights":
            noise = rng.normal(size=200)
            # Tilted by exp(x/2), the standard normal has mean one half.
            score, weight = 1.5 * y + noise - 0.5, np.exp(0.5 * noise)
            band = roc_band(y, score, sample_weight=weight)
        else:
            groups = np.arange(200) // 5
            shared = np.sqrt(0.5) * rng.normal(size=40)[groups]
            band = roc_band(
                y, 1.5 * y + shared + np.sqrt(0.5) * rng.normal(size=200), groups=groups
            )
        misses += (band.at(grid) > truth + 1e-9).any()
    assert misses <= 8  # binomial(60, 5 %) exceeds this in 0.6 % of simulations
