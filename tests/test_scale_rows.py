"""Fits to rows in partitions are those in memory, also when a worker dies."""

import threading

import numpy as np
import pytest
from data_scale import X, Y, arrays
from numpy.testing import assert_allclose

from rocstar import ArctanRatio
from rocstar.fitting import rows as blocks
from rocstar.fitting.problem import SmoothProblem

pytestmark = pytest.mark.dask


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


def test_nystroem_over_partitions():
    x, y = arrays()
    model = ArctanRatio("rbf", n_components=60, random_state=0).fit(x, y)
    assert model.components_.shape == (60, 4)
    # The landmarks are rows of X; with them, the fit in memory is the same one.
    assert {tuple(row) for row in model.components_} <= {tuple(row) for row in X}
    host = ArctanRatio("rbf", n_components=60).fit(X, Y, init=model)
    assert_allclose(model.predict_angle(x).compute(), host.predict_angle(X), atol=1e-6)


@pytest.mark.parametrize("here", [2**20, 2000, 0])
def test_thinned_starts_read_some_partitions_or_some_of_each(here, monkeypatch):
    monkeypatch.setattr("rocstar.scale.sampling.START_BYTES", max(1, here))  # brought here, or not
    monkeypatch.setattr("rocstar.scale.sampling.START_IS_ENOUGH", 32 if here else 0)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 4 * 8 * 64)
    monkeypatch.setattr(SmoothProblem, "min_blocks_to_thin", 2)
    monkeypatch.setattr(SmoothProblem, "thinning", 3)
    host = ArctanRatio().fit(X, Y)
    for size in (10, 600):
        model = ArctanRatio().fit(*arrays(size))
        assert_allclose(model.coef_, host.coef_, atol=1e-8)


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
