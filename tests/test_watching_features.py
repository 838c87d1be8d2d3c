"""Features: no gaps, no outliers, codes and missing values as columns, moments of the reference."""

from __future__ import annotations

import numpy as np

from rocstar.watching.features import LIMIT, MAX_PAIR_COLUMNS, Scales, Space

RNG = np.random.default_rng(0)


def mixed(n):
    X = RNG.normal(size=(n, 3))
    X[:, 2] = RNG.integers(0, 4, n)
    X[:5, 0] = np.nan
    X[5, 1] = 1e9
    return X


def test_features_are_finite_and_cut():
    scales = Scales.learn(mixed(300), np.array([2]))
    for kind in ("linear", "additive", "pairs"):
        phi = getattr(scales, kind)(mixed(50))
        assert np.isfinite(phi).all()
        assert np.abs(phi).max() <= LIMIT**2


def test_missing_values_and_codes_have_columns():
    scales = Scales.learn(mixed(300), np.array([2]))
    phi = scales.linear(np.array([[np.nan, 0.0, 3.0]]))
    assert phi.shape[1] == 2 + 3 + 4
    np.testing.assert_array_equal(phi[0, 2:5], [1, 0, 0])
    assert phi[0, 5:].sum() == 1


def test_a_column_of_one_value_and_one_without_values_are_harmless():
    X = np.column_stack([np.ones(50), np.full(50, np.nan), RNG.normal(size=50)])
    scales = Scales.learn(X, np.zeros(0, dtype=int))
    space = Space(scales, "additive", (X[:25], X[25:]))
    found = space.directions(RNG.normal(size=(space.scale.size, 1)), np.array([25]))
    assert all(np.isfinite(each).all() for each in found)


def test_many_columns_have_no_products():
    X = RNG.normal(size=(30, MAX_PAIR_COLUMNS + 1))
    assert not Scales.learn(X, np.zeros(0, dtype=int)).has_pairs


def test_moments_are_those_of_the_halves():
    X = RNG.normal(size=(5000, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 2.0]])
    space = Space(Scales.learn(X, np.zeros(0, dtype=int)), "linear", (X[:2500], X[2500:]))
    phi = space.score(space.raw(X), np.eye(space.scale.size))
    np.testing.assert_allclose(space.mean(space.raw(X)), phi.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(space.means[0], phi[:2500].mean(axis=0), atol=1e-9)
    rebuilt = space.vectors @ np.diag(space.values) @ space.vectors.T
    np.testing.assert_allclose(rebuilt[:3, :3], np.cov(phi[:, :3].T, bias=True), atol=1e-6)


def test_a_sparse_direction_forgets_noise():
    X = RNG.normal(size=(2000, 20))
    space = Space(Scales.learn(X, np.zeros(0, dtype=int)), "linear", (X[:1000], X[1000:]))
    shift = RNG.normal(size=space.scale.size) / np.sqrt(1000)
    shift[3] = 0.5
    W, spread = space.directions(np.stack([shift, shift], axis=1), np.array([1000, 1000]))
    np.testing.assert_allclose(W[:, 2], W[:, 3])
    assert abs(W[3, 2]) > 10 * np.abs(np.delete(W[:, 2], 3)).max()
    scores = space.score(space.raw(X), W)
    # Vectors are kept in single precision, whose errors add up to some 1e-6.
    np.testing.assert_allclose(spread, scores.var(axis=0), rtol=1e-5)
