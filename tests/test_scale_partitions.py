"""Dask collections of every make keep labels with their rows, or are one sentence."""

import numpy as np
import pandas as pd
import pytest
from data_scale import LAW, NAMES, X, Y, arrays, column, frames, frames_of
from numpy.testing import assert_allclose

from rocstar import ArctanRatio, MaximalAUCClassifier, StackedRatio, certify

pytestmark = pytest.mark.dask


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
    x, y = frames_of(parts)
    model = ArctanRatio().fit(x, y)
    assert_allclose(model.coef_, host.coef_, atol=1e-8)
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
    angle = model.predict_angle(x).compute()
    assert angle.shape == (len(Y),)
    with pytest.raises(ValueError, match="columns of the training data"):
        model.predict_angle(x[["x1", "x0", "x2", "x3"]])


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
