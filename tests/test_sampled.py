"""General mixtures, whose truth is sampled, against sums over a lattice."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rocstar.laws import (
    GaussianMixturePair,
    LabelNoise,
)


def test_general_mixtures_say_their_accuracy():
    pos, neg = [[0.0, 2.0], [1.5, -1.0]], [[-1.0, 0.0], [1.0, 1.0], [0.0, -2.0]]
    law = GaussianMixturePair(pos, neg)
    assert 1e-8 < law.accuracy < 1e-2
    x = np.linspace(-8, 8, 321)
    grid = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)
    cell = (x[1] - x[0]) ** 2
    p, q = (
        np.mean([stats.multivariate_normal(m).pdf(grid) for m in means], axis=0) * cell
        for means in (pos, neg)
    )
    # Sums over a lattice are exact to rounding for smooth integrands, so the first two are exact.
    assert law.divergence == pytest.approx(np.hypot(p, q).sum() - np.sqrt(2), rel=law.accuracy)
    assert law.hellinger == pytest.approx(np.sqrt(1 - np.sqrt(p * q).sum()), rel=law.accuracy)
    assert law.tv == pytest.approx(np.abs(p - q).sum() / 2, rel=law.accuracy + 1e-4)
    order = np.argsort(p / q)
    auc = p[order] @ (np.cumsum(q[order]) - q[order] / 2)
    assert law.auc == pytest.approx(auc, rel=law.accuracy + 1e-4)
    noisy = LabelNoise(law, 0.1, 0.1)
    assert noisy.accuracy == law.accuracy
