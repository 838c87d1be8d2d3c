"""The smooth problem against its formula, differences, and strict array libraries."""

import array_api_strict
import numpy as np
import pytest
from data_problems import memory_rows, plain_objective
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from rocstar.fitting.losses import LOSSES
from rocstar.fitting.problem import SmoothProblem
from rocstar.fitting.rows import MemoryRows


@pytest.mark.parametrize("name", ["tangent", "log"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_value_gradient_and_hessian(name, fit_intercept):
    r = memory_rows(40)
    problem = SmoothProblem(r, LOSSES[name], 0.1, fit_intercept)
    w = np.random.default_rng(1).standard_normal(3 + fit_intercept) * 0.4
    found = problem.evaluate(w, 2)
    assert found.value == pytest.approx(plain_objective(w, r, name, 0.1, fit_intercept))
    numeric = approx_fprime(w, plain_objective, 1e-7, r, name, 0.1, fit_intercept)
    assert_allclose(found.gradient, numeric, atol=1e-6)
    columns = approx_fprime(w, lambda v: problem.evaluate(v).gradient, 1e-7)
    # The tangent's floor of a thousandth under the curvatures is part of its Newton matrix.
    assert_allclose(found.hessian, columns, atol=1e-6 if name == "log" else 5e-3)


@pytest.mark.parametrize("name", ["tangent", "log"])
def test_strict_array_api(name):
    """The numerics use nothing outside the array-API standard."""
    r = memory_rows(50)
    strict = MemoryRows(*(array_api_strict.asarray(a) for a in (r.phi, r.sign, r.weights)))
    w = np.array([0.1, -0.2, 0.3, 0.6])
    plain = SmoothProblem(r, LOSSES[name], 0.1).evaluate(w, 2)
    other = SmoothProblem(strict, LOSSES[name], 0.1).evaluate(w, 2)
    assert other.value == pytest.approx(plain.value, abs=1e-14)
    assert_allclose(other.gradient, plain.gradient, atol=1e-13)
    assert_allclose(other.hessian, plain.hessian, atol=1e-13)
