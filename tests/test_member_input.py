"""Rows that some members of a stack cannot take."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data_gaussians import gaussians
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline

from rocstar import (
    ArctanRatio,
    StackedRatio,
)


def test_sparse_rows_are_for_members_that_take_them():
    X, y = gaussians(40)
    rows = sparse.csr_matrix(X)
    told = (
        r"`X` is sparse, which `rbf` and `trees` cannot take: pass X.toarray\(\), or leave out "
        r"what cannot take it with set_params\(rbf='drop', trees='drop'\)"
    )
    with pytest.raises(TypeError, match=told):
        StackedRatio().fit(rows, y)
    linear = StackedRatio(random_state=0).set_params(rbf="drop", trees="drop").fit(rows, y)
    assert linear.predict_angle(rows).shape == (80,)


def test_missing_values_are_for_members_that_take_them():
    X, y = gaussians(40)
    X[3, 1] = np.nan
    with pytest.raises(
        ValueError, match=r"missing values \(NaN\), which `linear` and `rbf` cannot"
    ):
        StackedRatio().fit(X, y)
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.raises(ValueError, match=r"\(NaN\) in the column b, which .* rocstar.TableModel"):
        StackedRatio().fit(frame, y)
    trees = StackedRatio(random_state=0).set_params(linear="drop", rbf="drop").fit(frame, y)
    assert np.isfinite(trees.predict_angle(frame)).all()


@pytest.mark.parametrize("library", [pd, pl])
def test_mixed_columns_are_named_with_where_to_go(library):
    X, y = gaussians(40)
    day = np.datetime64("2020-01-01") + np.arange(80)
    frame = library.DataFrame({"a": X[:, 0], "city": ["x", "y"] * 40, "day": day})
    with pytest.raises(ValueError, match=r"dates or categories in the columns city, day: encode"):
        StackedRatio().fit(frame, y)
    encoded = make_pipeline(make_column_transformer(("passthrough", ["a"])), ArctanRatio())
    assert StackedRatio([("encoded", encoded)]).fit(frame, y).weights_ == {"encoded": 1.0}


def test_other_errors_of_members_stay_theirs():
    X, y = gaussians(40)
    with pytest.raises(ValueError, match="'alpha' parameter of ArctanRatio"):
        StackedRatio([("linear", ArctanRatio(alpha=-1))]).fit(X, y)
