"""Rows in memory: any blocking, thinning, storage and number of threads gives the same sums."""

import threading

import numpy as np
import pytest
from data_problems import memory_rows
from numpy.testing import assert_allclose
from scipy import sparse

from rocstar import ArctanRatio
from rocstar.estimators import ratio
from rocstar.fitting import rows as blocks
from rocstar.fitting.losses import LOSSES
from rocstar.fitting.problem import SmoothProblem
from rocstar.fitting.rows import MemoryRows, blas, one_blas_thread
from rocstar.fitting.solvers import newton


def test_any_blocking_gives_the_same_answer(monkeypatch):
    r = memory_rows(5000, d=6)
    problem = SmoothProblem(r, LOSSES["tangent"], 1e-3)
    start = np.zeros(7)
    whole = newton.minimize(problem, start).solution.w
    for size in (300, 3000, 50_000):
        monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
        assert_allclose(newton.minimize(problem, start).solution.w, whole, atol=1e-10)


def test_a_thinned_start_gives_the_same_answer(monkeypatch):
    r = memory_rows(40_000, d=5)
    problem = SmoothProblem(r, LOSSES["tangent"], 1e-3)
    start = np.zeros(6)
    whole = newton.minimize(problem, start).solution.w
    assert problem.thinned() is None
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 64 * 5 * 8)
    assert problem.thinned() is not None
    assert_allclose(newton.minimize(problem, start).solution.w, whole, atol=1e-9)


def test_thinning_keeps_the_weight_of_each_class(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 64 * 3 * 8)
    r = memory_rows(10_000)
    thin = r.thinned(10)
    assert thin.total(lambda block: block.weights.sum()) == pytest.approx(2.0)
    assert thin.total(lambda block: len(block.weights)) <= 1100
    lonely = MemoryRows(r.phi, np.where(np.arange(10_000) == 100, 1.0, -1.0), r.weights)
    assert lonely.thinned(10) is None


def test_sparse_and_float32_and_lazy_features_agree_with_dense():
    r = memory_rows(300, d=4)
    w = np.array([0.1, -0.2, 0.3, 0.0, 0.6])
    dense = SmoothProblem(r, LOSSES["tangent"], 0.1).evaluate(w, 2)
    lazy = MemoryRows(r.phi / 2, r.sign, r.weights, features=lambda x: 2 * x)
    shifted = MemoryRows(r.phi + 5, r.sign, r.weights, shift=np.full(4, 5.0))
    for other in (MemoryRows(sparse.csr_matrix(r.phi), r.sign, r.weights), lazy, shifted):
        found = SmoothProblem(other, LOSSES["tangent"], 0.1).evaluate(w, 2)
        assert_allclose(found.gradient, dense.gradient, atol=1e-13)
        assert_allclose(found.hessian, dense.hessian, atol=1e-13)
    single = MemoryRows(r.phi.astype(np.float32), r.sign, r.weights)
    found = SmoothProblem(single, LOSSES["tangent"], 0.1).evaluate(w, 2)
    assert_allclose(found.gradient, dense.gradient, atol=1e-6)


def test_a_long_pass_shares_its_rows_among_threads(monkeypatch):
    rng = np.random.default_rng(0)
    X, sign = rng.normal(size=(5000, 4)), rng.choice([-1.0, 1.0], 5000)
    rows = MemoryRows(X, sign, np.full(5000, 1 / 2500))
    problem = SmoothProblem(rows, LOSSES["tangent"], 1e-3)
    w = rng.normal(size=5)
    alone = problem.evaluate(w, 2)
    monkeypatch.setattr(MemoryRows, "block_rows", lambda self: 640)
    monkeypatch.setattr(MemoryRows, "_threads", lambda self: 3)
    shared = problem.evaluate(w, 2)
    for ours, theirs in zip(vars(shared).values(), vars(alone).values(), strict=True):
        assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_the_first_long_pass_notices_what_validation_left_to_it(monkeypatch, value):
    monkeypatch.setattr(ratio, "LONG_PASS_BYTES", 0)
    X, y = np.random.default_rng(0).normal(size=(300, 3)), np.arange(300) % 2
    X[217, 1] = value
    with pytest.raises(ValueError, match=r"(missing values|got infinity)"):
        ArctanRatio().fit(X, y)
    X[217, 1] = 0.0
    assert np.isfinite(ArctanRatio().fit(X, y).coef_).all()


def threads_of_blas():
    return [library["num_threads"] for library in blas().info()]


def test_the_main_thread_limits_blas_for_a_while():
    before = threads_of_blas()
    with one_blas_thread():
        assert set(threads_of_blas()) <= {1}
    assert threads_of_blas() == before


def test_another_thread_leaves_the_limit_alone():
    seen = []

    def look():
        with one_blas_thread():
            seen.append(threads_of_blas())

    with blas().limit(limits=2):
        before = threads_of_blas()
        other = threading.Thread(target=look)
        other.start()
        other.join()
    assert seen == [before]
