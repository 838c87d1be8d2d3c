"""Laws whose ratio has few values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rocstar.laws import (
    DiscretePair,
    UniformPair,
)


def test_uniform_limits():
    same, apart = UniformPair((0, 2), (0, 2)), UniformPair((0, 1), (1, 2))
    assert same.divergence == same.tv == same.kl == same.wasserstein == 0
    assert same.auc == 0.5
    assert (apart.arc_length, apart.tv, apart.auc, apart.kl) == (2, 1, 1, np.inf)
    assert apart.js == pytest.approx(np.log(2))
    assert apart.hellinger == 1
    assert apart.roc(0.0) == 1


def test_uniform_boxes():
    law = UniformPair(([0, 0], [2, 1]), ([1, 0], [3, 4]))
    overlap_pos, overlap_neg = 1 / 2, 1 / 8
    assert law.tv == pytest.approx(1 - overlap_neg)
    assert law.arc_length == pytest.approx(
        1.5 - overlap_neg + np.hypot(overlap_pos, overlap_neg) - 0
    )
    z = law.log_ratio([[0.5, 0.5], [1.5, 0.5], [1.5, 3.0], [9.0, 9.0]])
    np.testing.assert_allclose(z, [np.inf, np.log(4), -np.inf, 0])


@pytest.mark.parametrize(
    ("positive", "negative"), [((0, 1), (0.5, 2)), ((0, 4), (1, 2)), ((0, 1), (3, 4))]
)
def test_uniform_wasserstein(positive, negative):
    levels = (np.arange(20_000) + 0.5) / 20_000
    quantiles = [low + (high - low) * levels for low, high in (positive, negative)]
    gap = np.mean(np.abs(quantiles[0] - quantiles[1]))
    assert UniformPair(positive, negative).wasserstein == pytest.approx(gap, abs=1e-7)


def test_discrete_truths_by_hand():
    p, q, points = (
        np.array([0.5, 0.2, 0.3, 0.0]),
        np.array([0.1, 0.2, 0.3, 0.4]),
        [3.0, -1.0, 0.5, 7.0],
    )
    law = DiscretePair(p, q, points)
    assert law.arc_length == pytest.approx(np.hypot(p, q).sum(), rel=1e-14)
    assert law.tv == pytest.approx(0.4, rel=1e-14)
    wins = sum(
        pi
        * qj
        * (1.0 if pi * qj2 > p[j] * qi else 0.5 if abs(pi * qj2 - p[j] * qi) < 1e-15 else 0.0)
        for pi, qi in zip(p, q, strict=True)
        for j, (qj, qj2) in enumerate(zip(q, q, strict=True))
    )
    assert law.auc == pytest.approx(wins, rel=1e-12)
    assert law.kl == pytest.approx(0.5 * np.log(5), rel=1e-12)
    assert DiscretePair(q, p).kl == np.inf
    assert law.wasserstein == pytest.approx(stats.wasserstein_distance(points, points, p, q))
    assert law.log_ratio([[7.0], [0.5]]).tolist() == [-np.inf, 0.0]
