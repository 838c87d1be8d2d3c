"""Coordinates of the values that dependent and badly scaled columns can take."""

import numpy as np
import pytest
from data_problems import class_weights
from sklearn.metrics.pairwise import rbf_kernel

from rocstar.fitting.box import BoxProblem
from rocstar.fitting.coordinates import coordinates_of
from rocstar.fitting.solvers import Status
from rocstar.fitting.solvers.interior_point import solve


def test_a_column_twice_is_one_coordinate():
    twice = np.array([[1.0, 2.0], [3.0, 6.0], [0.0, 0.0]])
    assert coordinates_of(twice, fit_intercept=True).basis.shape == (3, 2)


def kernel_features(n, seed, least=1e-10):
    values, vectors = np.linalg.eigh(
        rbf_kernel(np.random.default_rng(seed).normal(size=(n, 5)), gamma=0.1)
    )
    kept = values > least * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])


def near_duplicate(n, seed, by=0.0):
    """Independent columns, and one that is a multiple of the first, exactly or nearly."""
    x = np.random.default_rng(seed).normal(size=(n, 7))
    return np.column_stack([x[:, :6], 3 * x[:, 0] + by * x[:, 6]])


def correlated(n, seed):
    """No column is close to orthogonal to all others."""
    x = np.random.default_rng(seed).normal(size=(n, 6))
    return np.column_stack([x + 6 * x[:, :1], x.sum(axis=1) + 1e-3 * x[:, 0] ** 2])


def near_combinations(n, seed):
    """Two columns that are combinations of others, one exactly and one but for a billionth."""
    x = np.random.default_rng(seed).normal(size=(n, 6))
    return np.column_stack(
        [x[:, :5], x[:, 0] + x[:, 1], 1e3 * (x[:, 1] - x[:, 2]) + 1e-6 * x[:, 5]]
    )


SPANS = {
    "kernel": kernel_features(120, 1),  # the constant is a combination of them
    "nearly": kernel_features(80, 7, least=1e-7),
    "fewer": kernel_features(160, 2, least=1e-4),
    "tiny": kernel_features(80, 3) * 1e-160,
    "duplicate": near_duplicate(50, 4),
    "near": near_duplicate(50, 4, by=1e-5),
    "far": near_duplicate(50, 5) + 1e3,
    "correlated": correlated(60, 6),
    "combinations": near_combinations(60, 8),
    "more columns than rows": np.random.default_rng(9).normal(size=(20, 30)),
    "units": near_duplicate(50, 10) * 10.0 ** np.array([7, -7, 0, 3, -3, 5, -5]),
}


@pytest.mark.parametrize("name", SPANS)
def test_coordinates_give_the_same_angles_by_the_shortest_coefficients(name):
    phi = SPANS[name]
    d, at = phi.shape[1], coordinates_of(phi, fit_intercept=True)
    unit = np.abs(phi).max()  # squares of coefficients of tiny columns overflow
    slopes, intercepts, scale = at.back[:d] * unit, at.back[d], np.abs(phi).max(axis=0) / unit
    length = np.linalg.norm(slopes * scale[:, None], axis=0).max()
    np.testing.assert_allclose(phi / unit @ slopes + intercepts, at.basis, atol=1e-12 * length)
    sizes = np.linalg.norm(slopes, axis=0).clip(1e-300)
    if unit > 1e-100:
        square = at.square / (sizes / unit) / (sizes / unit)[:, None]
        np.testing.assert_allclose(square, (slopes / sizes).T @ (slopes / sizes), atol=1e-6)
    np.testing.assert_allclose(at.gram, at.basis.T @ at.basis, atol=1e-12)
    assert np.linalg.eigvalsh(at.gram)[0] > 1e-7
    # What adds nothing to the angles, but for the constant, is no part of the coefficients.
    _, s, vt = np.linalg.svd((phi - phi.mean(axis=0)) / unit / scale)
    null = vt[(s > 1e-12 * s[0]).sum() :] / scale
    null /= np.linalg.norm(null, axis=1)[:, None]
    np.testing.assert_allclose(null @ (slopes / sizes), 0.0, atol=1e-7)


@pytest.mark.parametrize("alpha", [1e-5, 1e-2, 1.0])
@pytest.mark.parametrize("units", [0, 3, 7])
def test_columns_that_depend_on_others_never_make_the_optimum_worse(alpha, units):
    """They need not be used; that they can be dropped is known without any other solver."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        phi = near_combinations(60, seed) * 10.0 ** rng.uniform(-units, units, 7)
        y = rng.random(60) < 0.5
        full, fewer = (
            solve(BoxProblem(columns, y, class_weights(y), alpha)) for columns in (phi, phi[:, :5])
        )
        assert full.status.ok
        assert full.value - full.duality_gap <= fewer.value


@pytest.mark.parametrize("name", [name for name in SPANS if name not in ("fewer", "tiny")])
@pytest.mark.parametrize("alpha", [1e-4, 1.0])
def test_rows_without_weight_do_not_keep_a_solution_from_its_digits(name, alpha):
    phi = SPANS[name]
    rng = np.random.default_rng(0)
    y = rng.random(len(phi)) < 0.5
    weights = class_weights(y) * (rng.random(len(phi)) < 0.8)
    solution = solve(BoxProblem(phi, y, weights, alpha), tol=1e-14)
    assert solution.status is Status.CONVERGED
    assert solution.n_iter < 20


def test_what_centring_leaves_of_far_columns_is_not_a_direction():
    """Rounding of 1e11 is 1e-5, so the difference of two such columns tells nothing."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=400)
    y = rng.normal(size=400) + z > 0
    weights = np.where(y, 1 / y.sum(), 1 / (~y).sum())
    near, far = (
        solve(
            BoxProblem(
                np.column_stack([z + off, 0.3 * z + 0.7 * off, rng.normal(size=400)]), y, weights, 0
            )
        )
        for off in (0.0, 1e11)
    )
    assert far.value == pytest.approx(near.value, abs=5e-3)
