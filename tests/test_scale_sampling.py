"""Rows that come to the client: uniform samples of each class, and a start for the solver."""

import numpy as np
import pytest
from data_scale import X, Y, arrays
from numpy.testing import assert_allclose
from scipy import stats

from rocstar import ArctanRatioCV
from rocstar.fitting.features import KernelMap
from rocstar.scale.overview import overview
from rocstar.scale.partitions import partitions
from rocstar.scale.rows import ClusterRows
from rocstar.scale.sampling import ClassSample

pytestmark = pytest.mark.dask


def test_merged_samples_are_uniform_and_know_what_all_rows_weigh():
    """Parts of 10, 40 and 150 rows, weights 1 to 3: each row is drawn as often as any other."""
    x, weights = np.arange(200.0)[:, None], 1.0 + np.arange(200) % 3
    cuts = np.split(np.arange(200), [10, 50])
    rng = np.random.default_rng(0)
    times = np.zeros(200)
    for _ in range(400):
        a, b, c = (ClassSample.drawn(x, weights, rows, 20, rng) for rows in cuts)
        sample = a + b + c
        assert len(sample.rows) == 20
        assert_allclose(sample.weights, weights[sample.rows[:, 0].astype(int)])
        times[sample.rows[:, 0].astype(int)] += 1
    assert sample.weight == weights.sum()
    assert sample.effective == pytest.approx(weights.sum() ** 2 / np.sum(weights**2))
    assert sample.values.tolist() == [1, 2, 3]
    found = [times[rows].sum() for rows in cuts]  # of 8,000 draws
    assert_allclose(found, [400, 1600, 6000], atol=4 * np.sqrt(8000 * 0.2 * 0.8))
    assert stats.chisquare(times).pvalue > 1e-3


def test_a_start_takes_as_many_of_the_rare_class_as_of_the_other(monkeypatch):
    monkeypatch.setattr("rocstar.scale.sampling.START_BYTES", 8 * 4 * 80)  # 80 rows
    rare = np.arange(len(Y)) % 50 == 0
    weight, factor = np.linspace(1, 2, len(Y)), np.linspace(0.5, 3, len(Y))
    da = pytest.importorskip("dask.array")
    columns = (X, rare, weight, factor)
    parts = partitions(*(da.from_array(c, chunks=(300, *c.shape[1:])) for c in columns))
    seen = overview(parts, n_sampled=5, seed=0, width=1)
    start = ClusterRows.of(parts, seen, None, None).thinned(10)
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
    nothing = overview(parts, n_sampled=5, seed=0)
    assert ClusterRows.of(parts, nothing, None, None).thinned(10) is None
    # Landmarks of a warm start, more than the overview knew of, take no more memory.
    landmarks = KernelMap.spanned_by(X[:20], "rbf", {"gamma": 0.5})
    wide = ClusterRows.of(parts, seen, landmarks, None).thinned(10)
    assert wide.phi.nbytes <= 8 * 4 * 80
    assert 0 < (wide.sign > 0).sum() < len(wide.sign)


def test_a_start_of_a_row_more_than_meant_is_not_halved(monkeypatch):
    monkeypatch.setattr("rocstar.scale.sampling.START_BYTES", 8 * 4 * 83)  # 83 rows
    parts = partitions(*arrays())
    sizes = []
    for seed in range(20):
        seen = overview(parts, n_sampled=5, seed=seed, width=1)
        sizes.append(len(ClusterRows.of(parts, seen, None, None).thinned(10).sign))
    assert 70 < min(sizes) <= 83 < max(sizes) < 96  # as each partition's share is rounded


def test_sampled_rows_bring_their_weights():
    import dask.array as da

    weight = 1.0 + (np.arange(len(Y)) % 3)
    x, y = arrays()
    host = ArctanRatioCV(alphas=[1e-3], random_state=0).fit(X, Y, weight)
    model = ArctanRatioCV(alphas=[1e-3], random_state=0)
    model.fit(x, y, da.from_array(weight, chunks=100))
    # Scales of the columns are weighted; without weights they would be others.
    assert_allclose(model.scaler_.mean_, host.scaler_.mean_)
    assert_allclose(model.predict_angle(x).compute(), host.predict_angle(X), atol=1e-7)
