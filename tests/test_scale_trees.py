"""Boosted trees of XGBoost and LightGBM that train on the workers."""

import numpy as np
import pytest
from data_scale import LAW, X, Y, arrays
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from rocstar import ClassifierRatio, arc_length_score, audit
from rocstar.audits import partitions as audits_partitions
from rocstar.checks import InputError
from rocstar.scale import trees
from rocstar.scale.client import connected
from rocstar.scale.trees import fit_on_workers

pytestmark = pytest.mark.dask


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as workers,
        distributed.Client(workers) as active,
    ):
        yield active


def dask_classifier(library):
    package = pytest.importorskip(library)
    if library == "lightgbm":
        return package.DaskLGBMClassifier(n_estimators=20, random_state=0, verbose=-1)
    dask_side = pytest.importorskip("xgboost.dask")
    return dask_side.DaskXGBClassifier(n_estimators=20, random_state=0, verbosity=0)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_boosted_trees_train_on_the_workers(library, client, no_loading):
    import pickle

    model = ClassifierRatio(dask_classifier(library))
    assert model.takes_collections
    assert not ClassifierRatio(dask_classifier(library), calibration="isotonic").takes_collections
    x, y = arrays()
    model.fit(x, y)
    angle = model.predict_angle(x).compute()
    assert_allclose(model.predict_angle(X), angle, atol=1e-6)
    assert_allclose(pickle.loads(pickle.dumps(model)).predict_angle(X), angle, atol=1e-6)
    assert model.arc_length_ == pytest.approx(arc_length_score(Y, angle), abs=1e-9)
    held, labels = LAW.sample(2000, 2000, random_state=5)
    assert LAW.arc_length - 0.1 < model.score(held, labels) < LAW.arc_length + 0.05
    # Rows without weight teach nothing, although their labels are turned.
    import dask.array as da

    weight = (np.arange(len(Y)) % 2).astype(float)
    turned = np.where(weight > 0, Y, 1 - Y)
    weights = da.from_array(weight, chunks=x.chunks[0])
    first = ClassifierRatio(dask_classifier(library)).fit(x, y, weights)
    second = ClassifierRatio(dask_classifier(library))
    second.fit(x, da.from_array(turned, chunks=x.chunks[0]), weights)
    if library == "xgboost":  # LightGBM's trees depend on who holds which rows
        assert_allclose(first.predict_angle(X), second.predict_angle(X), atol=1e-6)
    assert second.score(held, labels) == pytest.approx(first.score(held, labels), abs=0.05)
    assert second.score(held, labels) > LAW.arc_length - 0.15


def test_auto_takes_the_trees_that_are_there(client, monkeypatch):
    pytest.importorskip("xgboost")
    x, y = arrays()
    found = audit(x, y, random_state=0).summary()
    assert [member["name"] for member in found["members"]] == ["linear", "rbf", "trees"]
    monkeypatch.setattr(trees, "LIBRARIES", ())
    names = [name for name, _ in audits_partitions.collection_model().estimators]
    assert names == ["linear", "rbf"]
    with pytest.raises(InputError, match="trees needs LightGBM or XGBoost"):
        audits_partitions.collection_model("trees")


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_a_worker_that_holds_one_class_only(library, client):
    """LightGBM's own classifier would number the classes anew there."""
    import dask
    import dask.array as da

    positives_first = np.split(np.argsort(-Y, kind="stable"), [600])
    workers = list(client.scheduler_info()["workers"])

    def placed(values):
        parts = [values[rows] for rows in positives_first]
        # Equal rows would have one key in both tests, and be lost as the first one lets go of them.
        there = [
            client.scatter(part, workers=[at], hash=False)
            for part, at in zip(parts, workers, strict=True)
        ]
        return da.concatenate(
            [
                da.from_delayed(dask.delayed(future), part.shape, part.dtype)
                for future, part in zip(there, parts, strict=True)
            ]
        )

    model = ClassifierRatio(dask_classifier(library)).fit(placed(X), placed(Y))
    held, labels = LAW.sample(2000, 2000, random_state=5)
    assert model.score(held, labels) > LAW.arc_length - 0.15


def test_trees_of_arrays_beside_frames(client):
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    x, y = arrays()
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), chunksize=100)
    series = dd.from_pandas(pd.Series(Y), chunksize=100)
    plain = ClassifierRatio(dask_classifier("xgboost")).fit(x, y)
    for features, labels in ((x, series), (frame, y), (frame, series)):
        mixed = ClassifierRatio(dask_classifier("xgboost")).fit(features, labels)
        assert mixed.arc_length_ == pytest.approx(plain.arc_length_, abs=0.02)


def test_trees_that_move_the_prior_say_which(client):
    package = pytest.importorskip("xgboost.dask")
    heavy = package.DaskXGBClassifier(scale_pos_weight=10.0)
    assert not ClassifierRatio(heavy).takes_collections
    assert ClassifierRatio(heavy, prior=0.9).takes_collections
    gaps = ClassifierRatio(package.DaskXGBClassifier(missing=0.0, n_estimators=5))
    x, y = arrays()
    gaps.fit(x, y)
    nothing = np.zeros((100, X.shape[1]))
    share = gaps.estimator_.predict_proba(arrays(x=nothing)[0].rechunk({1: -1})).compute()[:, 1]
    expected = np.arctan2(share * (1 - gaps.prior_), (1 - share) * gaps.prior_)
    assert_allclose(gaps.predict_angle(nothing), expected, atol=1e-6)
    assert_allclose(gaps.predict_angle(sparse.csr_array(nothing)), expected, atol=1e-6)


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
    with connected("local:2") as client:
        with pytest.raises(RuntimeError, match="allgather"):
            fit_on_workers(Fragile(), None, None, None)
        assert Fragile.tries == 1  # no worker was lost, so there is nothing to hope for
        monkeypatch.setattr(Fragile, "client", client)
        monkeypatch.setattr(Fragile, "tries", 0)
        assert fit_on_workers(Fragile(), None, None, None).tries == 2


def test_without_a_client_there_are_no_trees_of_workers(monkeypatch):
    monkeypatch.setattr(trees, "active_client", lambda: None)
    assert trees.trees_on_workers() is None


@pytest.mark.parametrize(("weights", "kept"), [("balanced", False), (None, True)])
def test_class_weights_move_the_prior(weights, kept):
    assert trees.keeps_the_prior(LogisticRegression(class_weight=weights)) is kept
