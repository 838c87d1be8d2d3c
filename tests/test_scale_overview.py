"""The first pass over partitions: counts add up, columns agree."""

import numpy as np
import pandas as pd
import pytest
from data_scale import NAMES, X, Y, arrays, column
from numpy.testing import assert_allclose
from sklearn.base import clone

from rocstar import ArctanRatio, ArctanRatioCV, MaximalAUCClassifier, StackedRatio

pytestmark = pytest.mark.dask


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
