"""Where rows live must not matter: other array libraries, partitions, workers that die."""

import os
import threading

import numpy as np
import pytest
import sklearn
from data_scale import LAW, X, Y, arrays
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    MaximalAUCClassifier,
    StackedRatio,
    certify,
    laws,
)
from rocstar.fitting import rows as blocks
from rocstar.fitting.arrays import host_copy
from rocstar.fitting.features import KernelMap
from rocstar.fitting.losses import LOSSES
from rocstar.fitting.problem import SmoothProblem
from rocstar.fitting.rows import MemoryRows
from rocstar.fitting.solvers import Status, newton
from rocstar.scale import cluster
from rocstar.scale import columns as lazy

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
def test_landmarks_on_a_gpu_hold_one_block_of_features():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    draw = torch.Generator("cuda").manual_seed(0)
    y = torch.randint(0, 2, (1_000_000,), generator=draw, device="cuda")
    x = torch.randn((1_000_000, 64), generator=draw, device="cuda") + 0.15 * y[:, None]
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    with sklearn.config_context(array_api_dispatch=True):
        ArctanRatio("rbf", n_components=1000, random_state=0).fit(x, y)
    features = 8 * 1_000_000 * 1000
    assert torch.cuda.max_memory_allocated() - before < 0.4 * features


# --- Dask collections ----------------------------------------------------------------------------


def frames(parts):
    """A dataframe and a series of the given (X, y) partitions."""
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    names = [f"x{j}" for j in range(X.shape[1])]
    tables = [pd.DataFrame(x, columns=names) for x, _ in parts]
    columns = [pd.Series(y, name="y") for _, y in parts]

    def table(i):
        return tables[i]

    def column(i):
        return columns[i]

    ordinals = range(len(parts))
    return (
        dd.from_map(table, ordinals, meta=tables[0].iloc[:0]),
        dd.from_map(column, ordinals, meta=columns[0].iloc[:0]),
    )


@pytest.mark.dask
@pytest.mark.parametrize("loss", ["tangent", "log"])
@pytest.mark.parametrize("size", [1, 97, 5000])
def test_any_chunks_give_the_fit_in_memory(loss, size):
    few = slice(60) if size == 1 else slice(None)
    host = ArctanRatio(loss=loss).fit(X[few], Y[few])
    x, y = arrays(size, X[few], Y[few])
    model = ArctanRatio(loss=loss).fit(x, y)
    assert_allclose(model.coef_, host.coef_, atol=1e-8)
    assert model.arc_length_ == pytest.approx(host.arc_length_, abs=1e-10)
    assert model.score(x, y) == pytest.approx(host.arc_length_, abs=1e-10)
    assert model.classes_.tolist() == [0, 1]
    assert model.n_features_in_ == 4


@pytest.mark.dask
def test_predictions_are_lazy():
    import dask

    x, y = arrays()
    host, model = ArctanRatio().fit(X, Y), ArctanRatio().fit(x, y)
    for what in ("predict_angle", "predict_proba", "decision_function", "predict_log_ratio"):
        answer = getattr(model, what)(x)
        assert dask.is_dask_collection(answer)
        assert_allclose(answer.compute(), getattr(host, what)(X), rtol=1e-7, err_msg=what)
    assert model.predict(x).compute().tolist() == host.predict(X).tolist()


@pytest.mark.dask
def test_weights_mean_what_they_mean_in_memory():
    import dask.array as da

    x, y = arrays()
    weight = np.random.default_rng(2).integers(0, 3, len(Y)).astype(float)
    factor = 1 + X[:, 0] ** 2
    host = ArctanRatio().fit(X, Y, weight, objective_weight=factor)
    model = ArctanRatio().fit(
        x, y, da.from_array(weight, chunks=70), objective_weight=da.from_array(factor, chunks=200)
    )
    assert_allclose(model.coef_, host.coef_, atol=1e-8)
    assert model.arc_length_ == pytest.approx(host.arc_length_, abs=1e-10)
    assert model.prior_ == pytest.approx(host.prior_)


@pytest.mark.dask
def test_nystroem_over_partitions():
    x, y = arrays()
    model = ArctanRatio("rbf", n_components=60, random_state=0).fit(x, y)
    assert model.components_.shape == (60, 4)
    # The landmarks are rows of X; with them, the fit in memory is the same one.
    assert {tuple(row) for row in model.components_} <= {tuple(row) for row in X}
    host = ArctanRatio("rbf", n_components=60).fit(X, Y, init=model)
    assert_allclose(model.predict_angle(x).compute(), host.predict_angle(X), atol=1e-6)


@pytest.mark.dask
@pytest.mark.parametrize("here", [2**20, 2000, 0])
def test_thinned_starts_read_some_partitions_or_some_of_each(here, monkeypatch):
    monkeypatch.setattr("rocstar.scale.cluster.SAMPLE_BYTES", max(1, here))  # brought here, or not
    monkeypatch.setattr("rocstar.scale.cluster.WORTH_NO_MORE", 32 if here else 0)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 4 * 8 * 64)
    monkeypatch.setattr(SmoothProblem, "min_blocks_to_thin", 2)
    monkeypatch.setattr(SmoothProblem, "thinning", 3)
    host = ArctanRatio().fit(X, Y)
    for size in (10, 600):
        model = ArctanRatio().fit(*arrays(size))
        assert_allclose(model.coef_, host.coef_, atol=1e-8)


@pytest.mark.dask
def test_a_start_takes_as_many_of_the_rare_class_as_of_the_other(monkeypatch):
    monkeypatch.setattr("rocstar.scale.cluster.SAMPLE_BYTES", 8 * 4 * 80)  # 80 rows
    rare = np.arange(len(Y)) % 50 == 0
    weight, factor = np.linspace(1, 2, len(Y)), np.linspace(0.5, 3, len(Y))
    da = pytest.importorskip("dask.array")
    columns = (X, rare, weight, factor)
    parts = cluster.partitions(*(da.from_array(c, chunks=(300, *c.shape[1:])) for c in columns))
    seen = cluster.overview(parts, n_sampled=5, seed=0, width=1)
    start = cluster.ClusterRows.of(parts, seen, None, None).thinned(10)
    up = start.sign > 0
    assert 20 < up.sum() < 60
    assert 20 < (~up).sum() < 60
    row = {tuple(x): i for i, x in enumerate(X)}
    at = np.array([row[tuple(x)] for x in start.phi])
    assert_allclose(rare[at], up)
    for side, whole in ((up, rare), (~up, ~rare)):
        # Sums over a class, with and without the objective's weights, are those of all its rows.
        assert_allclose(start.weights[side] @ (1 / factor[at[side]]), 1.0, rtol=1e-12)
        mean = weight[whole] @ factor[whole] / weight[whole].sum()
        assert_allclose(start.weights[side].sum(), mean, rtol=0.25)
    nothing = cluster.overview(parts, n_sampled=5, seed=0)
    assert cluster.ClusterRows.of(parts, nothing, None, None).thinned(10) is None
    # Landmarks of a warm start, more than the overview knew of, take no more memory.
    landmarks = KernelMap.spanned_by(X[:20], "rbf", {"gamma": 0.5})
    wide = cluster.ClusterRows.of(parts, seen, landmarks, None).thinned(10)
    assert wide.phi.nbytes <= 8 * 4 * 80
    assert 0 < (wide.sign > 0).sum() < len(wide.sign)


@pytest.mark.dask
def test_a_start_of_a_row_more_than_meant_is_not_halved(monkeypatch):
    monkeypatch.setattr("rocstar.scale.cluster.SAMPLE_BYTES", 8 * 4 * 83)  # 83 rows
    parts = cluster.partitions(*arrays())
    sizes = []
    for seed in range(20):
        seen = cluster.overview(parts, n_sampled=5, seed=seed, width=1)
        sizes.append(len(cluster.ClusterRows.of(parts, seen, None, None).thinned(10).sign))
    assert 70 < min(sizes) <= 83 < max(sizes) < 96  # as each partition's share is rounded


@pytest.mark.dask
def test_partitions_of_one_class_empty_or_of_another_dtype():
    ups, downs = Y == 1, Y == 0
    parts = [
        (X[ups], Y[ups]),
        (X[:0], Y[:0]),
        (X[downs][:300].astype(np.float32), Y[downs][:300].astype(float)),
        (X[downs][300:], Y[downs][300:]),
    ]
    host = ArctanRatio().fit(
        np.concatenate([np.asarray(x, dtype=float) for x, _ in parts]),
        np.concatenate([y for _, y in parts]),
    )
    x, y = frames(parts)
    model = ArctanRatio().fit(x, y)
    assert_allclose(model.coef_, host.coef_, atol=1e-8)
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
    angle = model.predict_angle(x).compute()
    assert angle.shape == (len(Y),)
    with pytest.raises(ValueError, match="columns of the training data"):
        model.predict_angle(x[["x1", "x0", "x2", "x3"]])


@pytest.mark.dask
def test_labels_stay_with_their_rows_in_parquet_files(tmp_path):
    """Dask reads several files at once for a narrow column, and fewer for a wide table."""
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    for i, rows in enumerate(np.array_split(np.arange(len(Y)), 9)):
        frame = pd.DataFrame(X[rows], columns=list("abcd")).assign(left=Y[rows], weight=1.0 + i)
        frame.to_parquet(tmp_path / f"{i}.parquet")
    table = dd.read_parquet(tmp_path)
    x, y, weight = table[list("abcd")], table["left"], table["weight"]
    weights = weight.compute().to_numpy()
    host = ArctanRatio().fit(X, Y, weights)
    model = ArctanRatio().fit(x, y, weight)
    assert_allclose(model.coef_, host.coef_, atol=1e-8)
    assert model.score(x, y, weight) == pytest.approx(host.arc_length_)
    assert model.feature_names_in_.tolist() == list("abcd")
    two = MaximalAUCClassifier().fit(x, y)
    assert_allclose(
        two.predict_angle(x).compute(), MaximalAUCClassifier().fit(X, Y).predict_angle(X), atol=1e-7
    )
    assert certify(ArctanRatio(), x, y, random_state=0).arc_length.low < LAW.arc_length


@pytest.mark.dask
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda x, y: (np.where(x > 3, np.nan, x), y), "must be finite"),
        (lambda x, y: (x, y * 0), "two classes"),
        (lambda x, y: (x, np.arange(len(y))), "exactly two"),
        (lambda x, y: (x.astype(str), y), "finite|numbers"),
        (lambda x, y: (x[:0], y[:0]), "at least one row"),
    ],
)
def test_bad_partitions_give_one_sentence(change, sentence):
    x, y = change(X, Y)
    x = np.char.add("a", x) if x.dtype.kind == "U" else x
    with pytest.raises(ValueError, match=sentence):
        ArctanRatio().fit(*arrays(300, x, y))


@pytest.mark.dask
def test_what_needs_memory_says_so():
    x, y = arrays()
    with pytest.raises(ValueError, match=r"loss='box'.*X.compute"):
        ArctanRatio(loss="box").fit(x, y)
    with pytest.raises(ValueError, match="n_components=None"):
        ArctanRatio("rbf", n_components=None).fit(x, y)
    with pytest.raises(ValueError, match="`y` must be a Dask array, dataframe or series"):
        ArctanRatio().fit(x, Y)
    with pytest.raises(ValueError, match="partitions of X"):
        ArctanRatio().fit(frames([(X, Y)] * 2)[0], frames([(X, Y)] * 3)[1])


@pytest.mark.dask
@pytest.mark.filterwarnings("ignore")  # a killed worker makes the others complain
def test_a_worker_killed_in_the_middle_costs_time_not_the_result():
    distributed = pytest.importorskip("distributed")
    host = ArctanRatio().fit(X, Y)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        x, y = (a.persist() for a in arrays(60))
        distributed.wait([x, y])
        alive = dict(client.scheduler_info()["workers"])
        killed = threading.Event()
        passes = []

        def kill_on_the_third_pass(problem, w, order=1, damping=0.0):
            passes.append(order)
            if len(passes) == 3:
                victim = next(iter(cluster.workers.values()))
                victim.process.process._process.kill()
                killed.set()
            return plain(problem, w, order, damping)

        plain = SmoothProblem.evaluate
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SmoothProblem, "evaluate", kill_on_the_third_pass)
            model = ArctanRatio().fit(x, y)
        assert killed.is_set()
        assert len(alive) == 2
        assert len(passes) > 3
    assert_allclose(model.coef_, host.coef_, atol=1e-10)


# --- two steps, certificates ---------------------------------------------------------------------


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


@pytest.mark.dask
@pytest.mark.parametrize("exact", [True, False])
def test_two_steps_over_partitions(exact, monkeypatch):
    import dask.array as da

    if not exact:
        monkeypatch.setattr(lazy, "EXACT_ROWS", 0)
    weight = np.random.default_rng(2).integers(0, 3, len(Y)).astype(float)
    host = MaximalAUCClassifier().fit(X, Y, weight)
    x, y = arrays()
    model = MaximalAUCClassifier().fit(x, y, da.from_array(weight, chunks=170))
    off = np.abs(model.weights_.compute() - host.weights_).max()
    if exact:
        assert model.weights_error_ == 0.0
        assert off < 1e-7
        assert_allclose(model.second_step_.coef_, host.second_step_.coef_, atol=1e-7)
    else:
        # The stated error is of |F₊ − F₋|; the weights are that, divided by their mean.
        assert 0 < model.weights_error_ < 0.01
        assert off < 8 * model.weights_error_
    assert model.objective_ == pytest.approx(host.objective_, abs=1e-3)
    assert model.arc_length_ == pytest.approx(host.arc_length_, abs=1e-3)
    assert model.score(x, y, da.from_array(weight, chunks=170)) == pytest.approx(model.arc_length_)


@pytest.mark.dask
def test_two_steps_of_a_constant_score_over_partitions():
    x, y = arrays(x=np.zeros_like(X))
    with pytest.warns(UserWarning, match="no second step"):
        model = MaximalAUCClassifier().fit(x, y)
    assert model.second_step_ is model.first_step_


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


@pytest.mark.dask
@pytest.mark.parametrize("most", [2**20, 200])
def test_certificate_of_partitions(most, monkeypatch):
    monkeypatch.setattr(lazy, "EXACT_ROWS", most)
    x, y = arrays()
    found = certify(ArctanRatio(), x, y, random_state=0)
    again = certify(ArctanRatio(), x, y, random_state=0)
    assert found.strict
    assert found.arc_length == again.arc_length
    expected = min(most, len(Y) / 2)
    assert abs(found.y.size - expected) < 5 * np.sqrt(expected)
    assert found.arc_length.low < LAW.arc_length < found.arc_length.high + 0.05
    assert found.auc.low < LAW.auc
    # What was judged has not been learnt from: the training rows' J is the model's own.
    parted = lazy.Parted.of(y, None, 0)
    training = parted.training_weights().compute() > 0
    host = ArctanRatio().fit(X[training], Y[training])
    assert_allclose(found.angle, host.predict_angle(X[~training]), atol=1e-7)
    with pytest.raises(ValueError, match="groups"):
        certify(ArctanRatio(), x, y, groups=np.arange(len(Y)))
    with pytest.raises(TypeError, match="ArctanRatio, an ArctanRatioCV, a MaximalAUC"):
        certify(LogisticRegression(), x, y)


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
