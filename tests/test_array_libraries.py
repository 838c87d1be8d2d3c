"""Rows in other array libraries, and on a GPU: the fit is the same as with NumPy."""

import os

import numpy as np
import pytest
import sklearn
from data_scale import X, Y
from numpy.testing import assert_allclose

from rocstar import ArctanRatio, ArctanRatioCV, MaximalAUCClassifier, StackedRatio, certify, laws
from rocstar.fitting import features as feature_room
from rocstar.fitting import rows as blocks
from rocstar.fitting.arrays import host_copy
from rocstar.fitting.losses import LOSSES
from rocstar.fitting.problem import SmoothProblem
from rocstar.fitting.rows import MemoryRows
from rocstar.fitting.solvers import Status, newton

needs_dispatch = pytest.mark.skipif(
    os.environ.get("SCIPY_ARRAY_API") != "1",
    reason="scikit-learn dispatches only if SCIPY_ARRAY_API=1 is set before Python starts",
)


def problem_rows(weighted=True):
    weights = np.random.default_rng(1).random(len(Y)) if weighted else np.ones(len(Y))
    weights /= np.where(Y == 1, weights[Y == 1].sum(), weights[Y == 0].sum())
    return MemoryRows(X, np.where(Y == 1, 1.0, -1.0), weights)


# --- the solver on every array library: one fixture ----------------------------------------------


@pytest.mark.parametrize("name", ["tangent", "log"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_evaluation_is_the_same_everywhere(xp, name, fit_intercept):
    w = np.array([0.1, -0.2, 0.3, 0.4, 0.6])[: 4 + fit_intercept]
    here = SmoothProblem(problem_rows(), LOSSES[name], 0.1, fit_intercept).evaluate(w, 2, 1e-3)
    there = SmoothProblem(xp.rows(problem_rows()), LOSSES[name], 0.1, fit_intercept).evaluate(
        w, 2, 1e-3
    )
    assert isinstance(there.value, float)
    assert isinstance(there.hessian, np.ndarray)
    assert there.value == pytest.approx(here.value, abs=1e-13)
    assert there.arc_length == pytest.approx(here.arc_length, abs=1e-13)
    assert_allclose(there.gradient, here.gradient, atol=1e-13)
    assert_allclose(there.hessian, here.hessian, atol=1e-13)


@pytest.mark.parametrize("name", ["tangent", "log"])
def test_solution_is_the_same_everywhere(xp, name, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 4 * 8 * 64)  # 19 blocks
    monkeypatch.setattr(blocks, "LIBRARY_BLOCK_BYTES", 4 * 8 * 64)
    monkeypatch.setattr(SmoothProblem, "min_blocks_to_thin", 15)  # a thinned start as well
    here = newton.minimize(SmoothProblem(problem_rows(), LOSSES[name], 1e-2), np.zeros(5)).solution
    there = newton.minimize(SmoothProblem(xp.rows(problem_rows()), LOSSES[name], 1e-2), np.zeros(5))
    assert there.solution.status is Status.CONVERGED
    assert_allclose(there.solution.w, here.w, atol=1e-7)


def test_thinning_twice_keeps_the_weight_of_each_class(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1)  # blocks of 64 rows
    thin = problem_rows().thinned(2).thinned(4)
    totals = np.zeros(2)
    for block in map(thin.read, thin.slices()):
        totals += block.weights[block.sign > 0].sum(), block.weights[block.sign < 0].sum()
    assert_allclose(totals, 1.0)


# --- estimators under scikit-learn's dispatch ----------------------------------------------------


def library(name):
    if name == "array_api_strict":
        return pytest.importorskip(name).asarray, np.asarray
    torch = pytest.importorskip("torch")
    return torch.asarray, lambda a: a.numpy()


@needs_dispatch
@pytest.mark.torch
@pytest.mark.parametrize("name", ["array_api_strict", "torch"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("loss", ["tangent", "log"])
def test_estimator_answers_in_the_library_it_was_asked_in(name, kernel, loss):
    there, back = library(name)
    model = ArctanRatio(kernel, loss=loss, n_components=40, random_state=0)
    host = sklearn.clone(model).fit(X, Y)
    x, y = there(X), there(Y)
    with sklearn.config_context(array_api_dispatch=True):
        model.fit(x, y)
        answers = {
            what: getattr(model, what)(x)
            for what in (
                "predict_angle",
                "predict_ratio",
                "predict_log_ratio",
                "predict_proba",
                "decision_function",
                "predict",
            )
        }
        assert model.score(x, y) == pytest.approx(model.arc_length_, abs=1e-9)
    for what, answer in answers.items():
        assert type(answer) is type(x), what
        assert_allclose(back(answer), getattr(host, what)(X), rtol=1e-4, err_msg=what)
    own = [model.classes_, model.intercept_]
    own += [model.coef_] if kernel == "linear" else [model.dual_coef_, model.components_]
    assert all(type(attribute) is type(x) for attribute in own)
    assert model.arc_length_ == pytest.approx(host.arc_length_, abs=1e-9)
    # Without dispatch the same fitted model answers NumPy.
    assert_allclose(model.predict_angle(X), host.predict_angle(X), atol=1e-6)


@needs_dispatch
@pytest.mark.torch
def test_weights_and_labels_of_the_host_beside_rows_elsewhere():
    there, _ = library("torch")
    weight = np.random.default_rng(2).integers(0, 3, len(Y)).astype(float)
    names = np.where(Y == 1, "yes", "no")
    host = ArctanRatio().fit(X, names, weight, objective_weight=1 + weight)
    with sklearn.config_context(array_api_dispatch=True):
        model = ArctanRatio().fit(
            there(X), names, there(weight), objective_weight=there(1 + weight)
        )
        assert_allclose(model.coef_.numpy(), host.coef_, atol=1e-10)
        assert model.predict(there(X)).tolist() == host.predict(X).tolist()
    assert model.arc_length_ == pytest.approx(host.arc_length_, abs=1e-12)
    assert model.prior_ == pytest.approx(host.prior_)


@needs_dispatch
@pytest.mark.torch
def test_errors_are_the_same_sentences_elsewhere():
    there, _ = library("torch")
    with sklearn.config_context(array_api_dispatch=True):
        with pytest.raises(ValueError, match="two classes"):
            ArctanRatio().fit(there(X), there(np.zeros(len(Y))))
        with pytest.raises(ValueError, match="Only binary"):
            ArctanRatio().fit(there(X), there(np.arange(len(Y)) % 3))
        with pytest.raises(ValueError, match=r"loss='box'.*NumPy"):
            ArctanRatio(loss="box").fit(there(X), there(Y))
        with pytest.raises(ValueError, match="NaN"):
            ArctanRatio().fit(there(np.where(X > 2, np.nan, X)), there(Y))


@pytest.mark.torch
@pytest.mark.parametrize("name", ["tangent", "log"])
def test_single_precision_arithmetic_as_on_an_accelerator(name, monkeypatch):
    torch = pytest.importorskip("torch")
    rows = problem_rows()
    exact = newton.minimize(SmoothProblem(rows, LOSSES[name], 1e-3), np.zeros(5)).solution
    monkeypatch.setattr(blocks, "on_host", lambda x: isinstance(x, np.ndarray))
    single = MemoryRows(
        *(torch.asarray(a, dtype=torch.float32) for a in (X, rows.sign, rows.weights))
    )
    assert single.read(slice(5)).phi.dtype == torch.float32
    found = newton.minimize(SmoothProblem(single, LOSSES[name], 1e-3), np.zeros(5)).solution
    assert found.status is Status.CONVERGED
    assert found.n_iter < 30
    assert_allclose(found.w, exact.w, atol=1e-5)


@needs_dispatch
@pytest.mark.torch
def test_two_steps_in_torch():
    torch = pytest.importorskip("torch")
    host = MaximalAUCClassifier().fit(X, Y)
    x, y = torch.asarray(X), torch.asarray(Y)
    with sklearn.config_context(array_api_dispatch=True):
        model = MaximalAUCClassifier().fit(x, y)
        assert isinstance(model.predict_angle(x), torch.Tensor)
        assert_allclose(model.decision_function(x).numpy(), host.decision_function(X), atol=1e-8)
    assert isinstance(model.weights_, torch.Tensor)
    assert_allclose(model.weights_.numpy(), host.weights_, atol=1e-8)
    assert model.objective_ == pytest.approx(host.objective_)
    assert model.arc_length_ == pytest.approx(host.arc_length_)


@needs_dispatch
@pytest.mark.torch
def test_certificate_of_torch_arrays():
    torch = pytest.importorskip("torch")
    host = certify(ArctanRatio(), X, Y, cv=2, random_state=0)
    with sklearn.config_context(array_api_dispatch=True):
        found = certify(ArctanRatio(), torch.asarray(X), torch.asarray(Y), cv=2, random_state=0)
    assert found.arc_length.low == pytest.approx(host.arc_length.low, abs=1e-6)
    assert found.auc.low == pytest.approx(host.auc.low, abs=1e-6)
    assert_allclose(found.angle, host.angle, atol=1e-6)


@needs_dispatch
@pytest.mark.torch
@pytest.mark.parametrize("model", [ArctanRatioCV(), StackedRatio([("one", ArctanRatio())])])
def test_what_computes_with_numpy_refuses_tensors(model):
    torch = pytest.importorskip("torch")
    x, y = torch.asarray(X), torch.asarray(Y)
    with (
        sklearn.config_context(array_api_dispatch=True),
        pytest.raises(TypeError, match="computes with NumPy; got an array of torch"),
    ):
        model.fit(x, y)


# --- one GPU -------------------------------------------------------------------------------------


@pytest.fixture(params=["torch", "cupy"])
def to_gpu(request):
    """Brings a NumPy array to the GPU, in each library that can."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    if request.param == "cupy":
        return pytest.importorskip("cupy").asarray
    return lambda a: torch.asarray(a, device="cuda")


@needs_dispatch
@pytest.mark.gpu
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("loss", ["tangent", "log"])
def test_fit_on_a_gpu(to_gpu, kernel, loss):
    x, y = to_gpu(X), to_gpu(Y)
    model = ArctanRatio(kernel, loss=loss, n_components=40, random_state=0)
    host = sklearn.clone(model).fit(X, Y)
    with sklearn.config_context(array_api_dispatch=True):
        angle = model.fit(x, y).predict_angle(x)
    assert type(angle) is type(x)
    assert angle.device == x.device
    assert model.intercept_.device == x.device
    assert_allclose(host_copy(angle), host.predict_angle(X), atol=1e-6)


@needs_dispatch
@pytest.mark.gpu
def test_two_steps_and_certificate_on_a_gpu(to_gpu):
    x, y = to_gpu(X), to_gpu(Y)
    host = MaximalAUCClassifier().fit(X, Y)
    bound = certify(ArctanRatio(), X, Y, cv=2, random_state=0)
    with sklearn.config_context(array_api_dispatch=True):
        angle = MaximalAUCClassifier().fit(x, y).predict_angle(x)
        found = certify(ArctanRatio(), x, y, cv=2, random_state=0)
    assert type(angle) is type(x)
    assert_allclose(host_copy(angle), host.predict_angle(X), atol=1e-6)
    assert found.arc_length.low == pytest.approx(bound.arc_length.low, abs=1e-6)
    assert found.auc.low == pytest.approx(bound.auc.low, abs=1e-6)


@needs_dispatch
@pytest.mark.gpu
@pytest.mark.parametrize("loss", ["tangent", "log"])
def test_single_precision_on_a_gpu(to_gpu, loss):
    """A million rows of float32 against the same rows in float64 on the processor."""
    x, y = laws.GaussianPair(np.zeros(16), np.full(16, 0.3)).sample(500_000, 500_000, 0)
    x = x.astype(np.float32)
    host = ArctanRatio(loss=loss).fit(x.astype(np.float64), y)
    with sklearn.config_context(array_api_dispatch=True):
        model = ArctanRatio(loss=loss).fit(to_gpu(x), to_gpu(y))
    assert model.coef_.dtype == to_gpu(x[:1]).dtype
    assert_allclose(host_copy(model.coef_), host.coef_, atol=1e-5)


@needs_dispatch
@pytest.mark.gpu
def test_features_in_single_precision_end_where_those_in_double_do(to_gpu):
    x, y = laws.GaussianPair(np.zeros(16), np.full(16, 0.3)).sample(50_000, 50_000, 0)
    x, y = to_gpu(x.astype(np.float32)), to_gpu(y)
    model = ArctanRatio("rbf", n_components=200, random_state=0)
    with sklearn.config_context(array_api_dispatch=True):
        single = model.fit(x, y).predict_angle(x)
        length = model.arc_length_
        double = model.fit(x.astype("float64") if hasattr(x, "get") else x.double(), y)
        angle = double.predict_angle(x)
    assert length == pytest.approx(double.arc_length_, abs=1e-6)
    assert_allclose(host_copy(single), host_copy(angle), atol=1e-4)


@needs_dispatch
@pytest.mark.gpu
@pytest.mark.parametrize("spare", [True, False])
def test_landmarks_on_a_gpu_hold_one_block_of_features(monkeypatch, spare):
    """Where memory is short; where there is plenty the features of all rows are kept."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    draw = torch.Generator("cuda").manual_seed(0)
    y = torch.randint(0, 2, (1_000_000,), generator=draw, device="cuda")
    x = torch.randn((1_000_000, 64), generator=draw, device="cuda") + 0.15 * y[:, None]
    if not spare:
        monkeypatch.setattr(feature_room, "spare_bytes", lambda x: 0)
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    with sklearn.config_context(array_api_dispatch=True):
        ArctanRatio("rbf", n_components=1000, random_state=0).fit(x, y)
    features = 8 * 1_000_000 * 1000
    assert torch.cuda.max_memory_allocated() - before < (1.5 if spare else 0.4) * features
