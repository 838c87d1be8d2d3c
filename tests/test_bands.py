"""`roc_band`: a lower band that rises, lies below the curve and widens with its level."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from rocstar import roc_band
from rocstar.inference import bands


def sample(n_pos, n_neg, shift=1.2):
    y = np.repeat([True, False], [n_pos, n_neg])
    return y, np.random.default_rng(0).normal(size=y.size) + shift * y


@pytest.mark.parametrize("method", ["dirichlet", "exact"])
def test_band_lies_below_the_curve_and_rises(method):
    y, score = sample(80, 120)
    score = score.round(1)  # with ties
    band = roc_band(y, score, method=method)
    assert (np.diff(band.fpr) > 0).all()
    assert (np.diff(band.low) >= 0).all()
    assert (band.low <= band.tpr + 1e-12).all()
    assert band.fpr[0] == 0
    assert band.fpr[-1] == band.low[-1] == 1
    wider = roc_band(y, score, level=0.99, method=method)
    grid = np.linspace(0, 1, 50)
    assert (wider.at(grid) <= band.at(grid) + 1e-12).all()


def test_exact_band_is_wider():
    y, score = sample(300, 300, shift=2)
    grid = np.linspace(0.02, 0.9, 30)
    tight, sure = (roc_band(y, score, method=m).at(grid) for m in ("dirichlet", "exact"))
    assert (tight - sure).mean() > 0.02


def test_bad_input_is_refused_in_one_sentence():
    y = np.arange(10) % 2
    with pytest.raises(ValueError, match=r"`method` must be 'dirichlet', 'exact' or 'concave'"):
        roc_band(y, y, method="wald")
    with pytest.raises(ValueError, match=r"`fpr` must lie in \[0, 1\]"):
        roc_band(y, y).at([2.0])


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
    monkeypatch.setattr(bands, "N_DRAWS", 500)
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


def test_an_exact_band_counts_rows():
    y, score = sample(30, 30)
    with pytest.raises(ValueError, match="takes neither weights nor groups"):
        roc_band(y, score, method="exact", groups=np.arange(60) // 2)
