"""`roc_band`: ends that rise, lie on their side of the curve and widen with the level."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from rocstar import roc_band
from rocstar.inference import dirichlet_band
from rocstar.inference.bands import fold_weights


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


def test_bad_input_is_refused_in_one_sentence():
    y = np.arange(10) % 2
    with pytest.raises(ValueError, match=r"`method` must be 'dirichlet', 'exact' or 'concave'"):
        roc_band(y, y, method="wald")
    with pytest.raises(ValueError, match=r"`fpr` must lie in \[0, 1\]"):
        roc_band(y, y).at([2.0])


@pytest.mark.parametrize("method", ["dirichlet", "exact"])
def test_an_upper_band_is_a_lower_one_with_the_classes_exchanged(method):
    y, score = sample(80, 120)
    score = score.round(1)
    band = roc_band(y, score, side="upper", method=method)
    mirrored = roc_band(~y, score, method=method)
    assert (np.diff(band.high) >= 0).all()
    assert (band.high >= band.tpr - 1e-12).all()
    assert band.low.tolist() == [0.0] * (band.fpr.size - 1) + [1.0]
    # A rate f at height t is allowed by one exactly where (t, f) is by the other.
    for f in np.linspace(0.003, 0.99, 40):
        top = float(band.high_at(f))
        assert mirrored.at(max(top - 1e-9, 0.0)) <= f
        assert top == 1 or mirrored.at(top) > f


@pytest.mark.parametrize("method", ["dirichlet", "exact"])
def test_two_sides_share_the_error(method):
    y, score = sample(80, 120)
    both = roc_band(y, score, level=0.9, side="two-sided", method=method)
    low, high = (roc_band(y, score, side=side, method=method) for side in ("lower", "upper"))
    grid = np.linspace(0, 1, 101)
    np.testing.assert_array_equal(both.at(grid), low.at(grid))
    np.testing.assert_array_equal(both.high_at(grid), high.high_at(grid))
    assert both.lower.area() < both.upper.area()


def test_two_sided_bands_hold_their_level(monkeypatch):
    monkeypatch.setattr(dirichlet_band, "N_DRAWS", 500)
    rng, grid, misses, runs = np.random.default_rng(1), np.linspace(0, 1, 201), 0, 80
    truth, y = norm.sf(norm.isf(grid) - 1.5), np.repeat([1, 0], [30, 150])
    for _ in range(runs):
        band = roc_band(y, 1.5 * y + rng.normal(size=180), level=0.9, side="two-sided")
        inside = (band.at(grid) <= truth + 1e-9) & (truth <= band.high_at(grid) + 1e-9)
        misses += not inside.all()
    assert misses <= 15  # binomial(80, 10 %) exceeds this in 0.6 % of simulations


def test_folds_have_equal_weight_in_both_classes():
    """Rows of one fold repeated in one class alone change nothing but the number of rows."""
    y, score = sample(60, 60)
    folds = np.arange(120) % 3
    weights = fold_weights(y, np.ones(120), folds)
    totals = [weights[(folds == k) & (y == c)].sum() for k in range(3) for c in (0, 1)]
    np.testing.assert_allclose(totals, 1.0)
    one_sided = np.where(y & (folds == 0), 1, folds)  # fold 0 keeps negatives only
    assert fold_weights(y, np.ones(120), one_sided)[one_sided == 0].sum() == 0
    band = roc_band(y, score, folds=folds)
    weighted = roc_band(y, score, sample_weight=weights)
    np.testing.assert_array_equal(band.low, weighted.low)


def test_a_band_is_a_value_of_one_line():
    y, score = sample(30, 30)
    band = roc_band(y, score, side="two-sided")
    assert repr(band).count("\n") == 0
    assert repr(band).startswith("RocBand(")
    assert "between" in repr(band)
    assert band == roc_band(y, score, side="two-sided")
    assert band != roc_band(y, score)
    assert len({band, roc_band(y, score, side="two-sided")}) == 1


def test_an_unknown_side_is_refused():
    y, score = sample(30, 30)
    with pytest.raises(ValueError, match="`side` must be one of"):
        roc_band(y, score, side="both")
