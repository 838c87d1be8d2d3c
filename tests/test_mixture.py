"""Gaussian mixtures: what they reduce to."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar.laws import (
    GaussianMixturePair,
    GaussianPair,
)


def test_mixtures_reduce_to_the_direction_that_matters():
    rng = np.random.default_rng(2)
    axis, root = rng.standard_normal(6), rng.standard_normal((6, 6))
    cov = root @ root.T + np.eye(6)
    scale = np.sqrt(axis @ np.linalg.solve(cov, axis))
    covs = [cov, cov]
    wide = GaussianMixturePair(
        np.outer([-2, 1], axis), np.outer([0, 0.5], axis), None, [0.3, 0.7], covs, covs
    )
    line = GaussianMixturePair(
        scale * np.array([-2, 1]), scale * np.array([0, 0.5]), None, [0.3, 0.7]
    )
    for name in ("arc_length", "tv", "auc", "kl", "js", "hellinger"):
        assert getattr(wide, name) == pytest.approx(getattr(line, name), rel=1e-9)


def test_mixtures_of_one_component_are_gaussian_pairs():
    single = GaussianMixturePair([[1.0, 0.0]], [[0.0, 0.0]], covs_pos=[[1.0, 2.0]], covs_neg=0.5)
    pair = GaussianPair([1.0, 0.0], 0.0, [1.0, 2.0], 0.5)
    assert single.arc_length == pytest.approx(pair.arc_length, rel=1e-12)


def test_equal_mixtures_in_any_order_are_identical():
    law = GaussianMixturePair([0, 3], [3, 0], [0.2, 0.8], [0.8, 0.2])
    assert law.arc_length == np.sqrt(2) or law.divergence == 0
    assert law.wasserstein == 0
