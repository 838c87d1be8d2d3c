"""`roc_band`: a lower band that rises, lies below the curve and widens with its level."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar import roc_band


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
    with pytest.raises(ValueError, match=r"`method` must be 'dirichlet' or 'exact'"):
        roc_band(y, y, method="wald")
    with pytest.raises(ValueError, match=r"`fpr` must lie in \[0, 1\]"):
        roc_band(y, y).at([2.0])
