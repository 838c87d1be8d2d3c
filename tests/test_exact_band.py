"""The exact band: wider than by random masses, and of independent rows only."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar import roc_band


def sample(n_pos, n_neg, shift=1.2):
    y = np.repeat([True, False], [n_pos, n_neg])
    return y, np.random.default_rng(0).normal(size=y.size) + shift * y


def test_exact_band_is_wider():
    y, score = sample(300, 300, shift=2)
    grid = np.linspace(0.02, 0.9, 30)
    tight, sure = (roc_band(y, score, method=m).at(grid) for m in ("dirichlet", "exact"))
    assert (tight - sure).mean() > 0.02


def test_an_exact_band_counts_rows():
    y, score = sample(30, 30)
    with pytest.raises(ValueError, match="takes neither weights nor groups nor folds"):
        roc_band(y, score, method="exact", groups=np.arange(60) // 2)
