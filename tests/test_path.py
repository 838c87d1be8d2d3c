"""Fits along penalties: each is what a solver started on its own would find."""

import pytest
from data_problems import memory_rows
from numpy.testing import assert_allclose

from rocstar.fitting.path import solve_path

OPTIONS = {"fit_intercept": True, "tol": 1e-10, "max_iter": 500}


@pytest.mark.parametrize("loss", ["tangent", "log", "box"])
def test_a_path_ends_where_single_fits_do(loss):
    rows, alphas = memory_rows(), [1.0, 1e-1, 1e-2]
    path = list(solve_path(rows, 3, loss, alphas, **OPTIONS))
    for alpha, fit in zip(alphas, path, strict=True):
        (alone,) = solve_path(rows, 3, loss, [alpha], **OPTIONS)
        assert fit.solution.status.ok
        assert_allclose(fit.solution.w, alone.solution.w, atol=1e-5)
        assert fit.arc_length == pytest.approx(alone.arc_length, abs=1e-7)
