"""Dask collections of every make: what fits as it would in memory, and what is one sentence."""

import numpy as np
import pandas as pd
import pytest
from data_scale import X, Y, arrays
from numpy.testing import assert_allclose
from sklearn.base import clone

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    MaximalAUCClassifier,
    StackedRatio,
    audit,
    certify,
)
from rocstar.checks import InputError
from rocstar.scale import cluster
from rocstar.scale import columns as lazy
from rocstar.scale.trees import fit_on_workers

pytestmark = pytest.mark.dask

NAMES = ["a", "b", "c", "d"]


def frames(npartitions=4):
    dd = pytest.importorskip("dask.dataframe")
    table = dd.from_pandas(pd.DataFrame(X, columns=NAMES).assign(y=Y), npartitions=npartitions)
    return table[NAMES], table["y"]


def column(values, size=300):
    return pytest.importorskip("dask.array").from_array(np.asarray(values), chunks=size)


def mixed_labels():
    labels = np.empty(len(Y), object)
    labels[:600] = [int(label) for label in Y[:600]]
    labels[600:] = [str(int(label)) for label in Y[600:]]
    return labels


def test_probabilities_of_rows_nobody_has_counted():
    x, y = frames()
    model, host = ArctanRatio().fit(x, y), ArctanRatio().fit(X, Y)
    share = model.predict_proba(x)
    assert share.shape[1] == 2
    assert_allclose(share.compute(), host.predict_proba(X), atol=1e-8)
    known, _ = arrays()
    assert model.predict_proba(known).shape == (len(Y), 2)
    assert_allclose(model.predict_proba(known).compute(), host.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize(
    "model",
    [
        ArctanRatio(),
        ArctanRatioCV(alphas=[1e-3], random_state=0),
        MaximalAUCClassifier(),
        StackedRatio([("linear", ArctanRatio())], random_state=0),
    ],
)
@pytest.mark.parametrize("kind", ["none", "times", "real"])
def test_effective_numbers_of_rows_add_up_over_partitions(model, kind):
    rng = np.random.default_rng(0)
    given = {"times": rng.integers(0, 4, len(Y)) * 0.1, "real": rng.uniform(0, 2, len(Y)) * 1e-180}
    weight = given.get(kind)
    if weight is not None:
        weight[:300] = 0.0  # partitions that count for nothing
    x, y = arrays()
    lazy_model = clone(model).fit(x, y, None if weight is None else column(weight, 100))
    counts = lazy_model.effective_counts_
    if not isinstance(model, StackedRatio):  # which keeps rows from its members
        assert_allclose(counts, clone(model).fit(X, Y, weight).effective_counts_)
    assert 0 < counts.min() < counts.max() < (2 if kind == "times" else 1) * len(Y)
    ratio = lazy_model.predict_ratio(1e3 * x).compute()
    assert_allclose([ratio.min(), ratio.max()], [1 / (counts[1] + 1), counts[0] + 1])


def test_tables_cut_by_size_keep_labels_with_their_rows(tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    table = pd.DataFrame(X, columns=NAMES).assign(y=Y)
    for i in range(4):
        table.iloc[i::4].to_parquet(tmp_path / f"{i}.parquet")
    host = ArctanRatio().fit(X, Y)
    for size in ("5kB", "20kB"):
        for whole in (dd.from_pandas(table, npartitions=3), dd.read_parquet(tmp_path)):
            cut = whole.repartition(partition_size=size)
            assert_allclose(ArctanRatio().fit(cut[NAMES], cut["y"]).coef_, host.coef_, atol=1e-8)


def test_arrays_and_series_of_the_same_partitions_go_together():
    x, y = arrays(300)
    dx, dy = frames(4)
    weight = column(np.linspace(1, 2, len(Y)))
    series = pytest.importorskip("dask.dataframe").from_dask_array(weight)
    want = certify(ArctanRatio(), x, y, sample_weight=weight, random_state=0).auc
    for features, labels, w in ((x, dy, weight), (dx, dy, weight), (dx, y, series)):
        found = certify(ArctanRatio(), features, labels, sample_weight=w, random_state=0).auc
        assert found.low == pytest.approx(want.low, abs=1e-6)
        stack = StackedRatio([("one", ArctanRatio())], random_state=0).fit(features, labels, w)
        two = MaximalAUCClassifier().fit(features, labels, w)
        host = MaximalAUCClassifier().fit(X, Y, np.linspace(1, 2, len(Y)))
        assert two.objective_ == pytest.approx(host.objective_, abs=1e-6)
        assert 1.4 < stack.score(features, labels) < 2


@pytest.mark.parametrize("given", [Y, pd.Series(Y)], ids=["numpy", "pandas"])
def test_labels_in_memory_beside_a_collection_are_one_sentence(given):
    x, y = arrays()
    model = ArctanRatio().fit(x, y)
    for call in (
        lambda: certify(ArctanRatio(), x, given),
        lambda: StackedRatio([("one", ArctanRatio())]).fit(x, given),
        lambda: ArctanRatio().fit(x, given),
        lambda: model.score(x, given),
    ):
        with pytest.raises(ValueError, match="`y` must be a Dask array, dataframe or series"):
            call()


def test_labels_of_two_kinds_are_refused():
    x, _ = arrays(300)
    with pytest.raises(ValueError, match="labels of one kind, none missing, in all partitions"):
        ArctanRatio().fit(x, column(mixed_labels()))
    one_class = np.where(np.arange(len(Y)) < 600, 0, 1).astype(object)
    one_class[600:] = "1"
    with pytest.raises(ValueError, match="labels of one kind"):
        ArctanRatio().fit(x, column(one_class))
    missing = np.where(Y == 1, "up", "down").astype(object)
    missing[3] = None
    with pytest.raises(ValueError, match="none missing"):
        ArctanRatio().fit(x, column(missing))


def test_labels_may_be_times():
    x, y = arrays(300)
    days = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")[Y.astype(int)]
    model = ArctanRatio().fit(x, column(days))
    assert model.classes_.dtype.kind == "M"
    assert_allclose(model.coef_, ArctanRatio().fit(x, y).coef_, atol=1e-12)


def test_missing_values_are_an_error_when_they_are_predicted():
    holes = X.copy()
    holes[400, 1] = np.nan
    x, y = arrays(300)
    da = pytest.importorskip("dask.array")
    bad = da.from_array(holes, chunks=(300, 4))
    for model in (ArctanRatio(), ArctanRatioCV(alphas=[0.01], cv=2)):
        model.fit(x, y)
        for method in ("predict", "predict_angle", "predict_proba", "decision_function"):
            with pytest.raises(ValueError, match="must be finite"):
                getattr(model, method)(bad).compute()


def test_scores_refuse_weights_below_zero_and_labels_of_one_class():
    x, y = arrays()
    model = ArctanRatio().fit(x, y)
    with pytest.raises(ValueError, match="sample_weight"):
        model.score(x, y, y * 0.0 - 1.0)
    with pytest.raises(ValueError, match="each class"):
        model.score(x, y * 0)
    _, series = frames(3)
    with pytest.raises(ValueError, match="same partitions; got 4 and 3"):
        model.score(frames(4)[0], series)


def test_columns_in_another_order_in_one_partition_are_refused():
    dd = pytest.importorskip("dask.dataframe")
    table = pd.DataFrame(X, columns=NAMES).assign(y=Y)
    pieces = [table.iloc[i * 300 : i * 300 + 300] for i in range(4)]
    features = [piece[NAMES] for piece in pieces]
    features[1] = features[1][["c", "b", "a", "d"]]
    x = dd.from_map(lambda piece: piece, features, meta=table[NAMES].iloc[:0])
    y = dd.from_map(lambda piece: piece[["y"]], pieces, meta=table[["y"]].iloc[:0])["y"]
    with pytest.raises(ValueError, match="columns in the same order in every partition"):
        ArctanRatio().fit(x, y)


def test_shapes_and_kinds_that_do_not_fit_are_one_sentence():
    x, y = arrays()
    dx, dy = frames()
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match="`y` must have 1 dimension; got 2"):
        ArctanRatio().fit(x, y[:, None])
    with pytest.raises(ValueError, match="`y` must have 1 dimension; got 2"):
        ArctanRatio().fit(dx, dy.to_frame())
    with pytest.raises(ValueError, match="`X` must have 2 dimensions; got 1"):
        ArctanRatio().fit(x[:, 0], y)
    with pytest.raises(ValueError, match=r"`X` must hold numbers; partition \d+ has dtype complex"):
        ArctanRatio().fit(x * 1j, y)
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match=r"must hold numbers; partition \d+ has csr"):
        ArctanRatio().fit(x.map_blocks(sparse.csr_array), y)
    holes = dx.astype("Float64").mask(dx > 2)
    with pytest.raises(ValueError, match=r"must be finite; partition \d+ has missing"):
        ArctanRatio().fit(holes, dy)
    with pytest.raises(ValueError, match="objective_weight"):
        ArctanRatio().fit(x, y, objective_weight=da.full(len(Y), -1.0, chunks=x.chunks[0]))


@pytest.mark.parametrize(
    "model",
    [
        ArctanRatioCV(loss="box"),
        ArctanRatioCV("rbf", n_components=None),
        MaximalAUCClassifier(ArctanRatio(loss="box")),
        StackedRatio([("linear", ArctanRatio()), ("box", ArctanRatio(loss="box"))]),
    ],
    ids=["cv", "all landmarks", "two steps", "stack"],
)
def test_what_needs_all_rows_says_so_before_it_reads_any(model, monkeypatch):
    x, y = arrays()
    monkeypatch.setattr("dask.base.compute", None)  # nothing may be computed
    for module in (cluster, lazy):
        monkeypatch.setattr(module, "tree_sum", None)
    for call in (lambda: model.fit(x, y), lambda: certify(model, x, y)):
        with pytest.raises(ValueError, match="needs all rows in memory"):
            call()


def test_scores_that_come_back_a_little_lower_stay_in_the_first_bin():
    edges = np.array([1.0, 2.0, 3.0])
    ranks = lazy.Ranks.of(edges, np.array([[1.0, 2.0, 1.0], [2.0, 1.0, 1.0]]))
    assert_allclose(ranks(np.array([np.nextafter(1.0, 0)])), ranks(np.array([1.0])))


def test_workers_too_small_to_start_are_refused():
    pytest.importorskip("distributed")
    with (
        pytest.raises(ValueError, match="each of 2 workers 150 MB at least; got 100 MB"),
        cluster.connected("local:2", memory=100e6),
    ):
        pass


def test_a_scheduler_without_workers_is_one_sentence(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as empty,
        pytest.raises(ValueError, match="has no workers: start one"),
        cluster.connected(empty.scheduler_address),
    ):
        pass


def test_workers_without_a_limit_leave_it_to_this_machine():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, memory_limit=0, dashboard_address=None
        ) as free,
        distributed.Client(free),
    ):
        assert cluster.worker_memory() is None


class Fragile:
    """A classifier like those of the boosting libraries, which end when a worker is lost."""

    tries = 0
    client = None

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y, sample_weight=None):
        type(self).tries += 1
        if self.client is not None and self.tries == 1:
            lost = next(iter(self.client.scheduler_info(n_workers=-1)["workers"]))
            self.client.retire_workers([lost])
        if self.client is None or self.tries == 1:
            raise RuntimeError("allgather failed")
        return self


def test_training_that_lost_a_worker_is_begun_again(monkeypatch):
    pytest.importorskip("distributed")
    with cluster.connected("local:2") as client:
        with pytest.raises(RuntimeError, match="allgather"):
            fit_on_workers(Fragile(), None, None, None)
        assert Fragile.tries == 1  # no worker was lost, so there is nothing to hope for
        monkeypatch.setattr(Fragile, "client", client)
        monkeypatch.setattr(Fragile, "tries", 0)
        assert fit_on_workers(Fragile(), None, None, None).tries == 2


def test_targets_of_two_kinds_and_scores_in_memory_are_refused():
    pytest.importorskip("skrub")
    x, _ = arrays(300)
    with pytest.raises(InputError, match="text in some rows and numbers in others"):
        audit(x, column(mixed_labels()), fast=True)
    x, y = arrays(300)
    with pytest.raises(ValueError, match="`old` must be a Dask array, dataframe or series"):
        audit(x, y, scores={"old": X[:, 0]}, fast=True)


def test_a_class_on_one_side_only_is_not_blamed_on_weights():
    rare = np.arange(len(Y)) == 5
    x, y = arrays()[0], column(rare)
    with pytest.raises(ValueError, match="enough rows of each class to judge some"):
        certify(ArctanRatio(), x, y, random_state=0)
    with pytest.raises(ValueError, match="enough rows of each class to judge some"):
        StackedRatio([("linear", ArctanRatio())], random_state=0).fit(x, y)
    with pytest.raises(ValueError, match="one class"):
        certify(ArctanRatio(), x, column(np.zeros(len(Y))), random_state=0)
    with pytest.raises(ValueError, match="`sample_weight` must give each class some weight"):
        certify(ArctanRatio(), x, column(Y), sample_weight=column(Y * 1.0), random_state=0)
