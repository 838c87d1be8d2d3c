"""The kernel of a pass on a CUDA device, against the operations it fuses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rocstar.fitting import problem
from rocstar.fitting.losses import LOSSES
from rocstar.fitting.problem import SmoothProblem
from rocstar.fitting.rows import MemoryRows

pytestmark = pytest.mark.gpu


@pytest.fixture
def rows():
    """Makes float32 rows on the device, of a width of their own."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("triton")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")

    def made(n, d, dtype="float32"):
        dtype = getattr(torch, dtype)
        draw = torch.Generator("cuda").manual_seed(0)
        y = torch.rand(n, generator=draw, device="cuda") < 0.3
        x = torch.randn((n, d), generator=draw, device="cuda") + 0.5 * y[:, None]
        weights = torch.where(y, 1 / y.sum(), 1 / (~y).sum())
        return MemoryRows(x.to(dtype), torch.where(y, 1.0, -1.0).to(dtype), weights.to(dtype))

    return made


@pytest.mark.parametrize("name", ["tangent", "log"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (100, 3), (100_003, 17), (20_000, 64), (9_999, 128)])
def test_a_pass_is_the_sum_of_its_operations(rows, name, fit_intercept, n, d):
    w = np.random.default_rng(1).normal(size=d + fit_intercept) / np.sqrt(d)
    task = SmoothProblem(rows(n, d), LOSSES[name], 0.1, fit_intercept)
    fused = [task.evaluate(w, order, 1e-3) for order in (1, 2)]
    exact = SmoothProblem(rows(n, d, "float64"), LOSSES[name], 0.1, fit_intercept)
    for order, found in zip((1, 2), fused, strict=True):
        there = exact.evaluate(w, order, 1e-3)
        assert found.value == pytest.approx(there.value, rel=1e-6)
        assert found.arc_length == pytest.approx(there.arc_length, rel=1e-6)
        assert_allclose(found.gradient, there.gradient, atol=2e-6)
        assert (found.hessian is None) == (order == 1)
        if order == 2:
            assert_allclose(found.hessian, there.hessian, atol=5e-6)


def test_the_kernel_is_used_where_it_can_be(rows):
    kernel = problem._fused_kernel()
    some = rows(100, 5)
    block = some.read(slice(0, 100))
    assert kernel.takes(block, LOSSES["tangent"], 1)
    assert kernel.takes(block, LOSSES["log"], 2)
    assert not kernel.takes(rows(10, 200).read(slice(0, 10)), LOSSES["log"], 2)
    assert not kernel.takes(block._replace(phi=some.phi.double()), LOSSES["log"], 1)
    assert not kernel.takes(block._replace(phi=some.phi.T), LOSSES["log"], 1)


def test_values_that_are_not_finite_show(rows):
    some = rows(1000, 5)
    for value in (float("nan"), float("inf"), float("-inf")):
        some.phi[17, 2] = value
        with np.errstate(invalid="ignore"):
            found = SmoothProblem(some, LOSSES["tangent"], 0.1).evaluate(np.full(6, 0.1), 1)
        assert not np.isfinite(found.gradient).all()
