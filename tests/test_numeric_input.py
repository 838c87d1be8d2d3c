"""Rows that are not all numbers: one sentence of our own, whoever was asked."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data_gaussians import gaussians
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    ClassifierRatio,
    MaximalAUCClassifier,
    NeymanPearsonClassifier,
    RatioOutlierDetector,
    StackedRatio,
    certify,
    two_sample_test,
)
from rocstar.checks import InputError
from rocstar.estimators.baselines import PairwiseSquaredAUC
from rocstar.tables.dense import DenseRatio

Y = np.arange(200) % 2
TAKERS = {
    "ArctanRatio": lambda X: ArctanRatio().fit(X, Y),
    "ArctanRatioCV": lambda X: ArctanRatioCV().fit(X, Y),
    "PairwiseSquaredAUC": lambda X: PairwiseSquaredAUC().fit(X, Y),
    "RatioOutlierDetector": lambda X: RatioOutlierDetector().fit(X),
    "two_sample_test": lambda X: two_sample_test(X, Y),
    "`a`": lambda X: StackedRatio([("a", ArctanRatio())]).fit(X, Y),
    "ArctanRatio in two steps": lambda X: MaximalAUCClassifier().fit(X, Y),
    "ArctanRatio certified": lambda X: certify(ArctanRatio(), X, Y),
    "ArctanRatio behind a scaler": lambda X: certify(
        make_pipeline(StandardScaler(), ArctanRatio()), X, Y
    ),
    "ArctanRatio that judges halves": lambda X: two_sample_test(X, Y, estimator=ArctanRatio()),
    "LogisticRegression": lambda X: ClassifierRatio(LogisticRegression()).fit(X, Y),
    "LogisticRegression certified": lambda X: certify(LogisticRegression(), X, Y),
    "LogisticRegression with a promise": lambda X: NeymanPearsonClassifier(
        LogisticRegression()
    ).fit(X, Y),
}


def rows(**odd):
    """A column of numbers, and odd ones."""
    number = np.random.default_rng(0).normal(size=200)
    columns = {name: np.resize(np.array(cells, dtype=object), 200) for name, cells in odd.items()}
    return pd.DataFrame({"number": number, **columns})


@pytest.mark.parametrize("name", TAKERS)
def test_text_is_one_sentence_of_ours(name):
    frame = rows(city=["v", "w", None])
    remedy = "encode them with rocstar.TableEncoder, or use rocstar.TableModel or rocstar.audit"
    for X, where in ((frame, "the column city"), (frame.to_numpy(), r"X\[:, 1\]")):
        said = f"^`X` must hold numbers; got text, dates or categories in {where}: {remedy}"
        with pytest.raises(InputError, match=said):
            TAKERS[name](X)


@pytest.mark.parametrize("name", TAKERS)
def test_missing_values_are_one_sentence_of_ours(name):
    frame = rows(age=[1.5, 2.0, np.nan]).astype(float)
    for X, where in ((frame, "the column age"), (frame.to_numpy(), r"X\[:, 1\]")):
        said = rf"^`X` has missing values \(NaN\) in {where}, which {name.split()[0]} cannot take: "
        with pytest.raises(InputError, match=said + "impute them, or use rocstar.TableModel"):
            TAKERS[name](X)


@pytest.mark.parametrize("name", TAKERS)
def test_infinite_values_are_one_sentence_of_ours(name):
    X = rows(age=[1.5, np.inf]).astype(float)
    with pytest.raises(InputError, match=r"^`X` must be finite; got infinity in the column age: "):
        TAKERS[name](X)


@pytest.mark.parametrize(
    "cells",
    [
        [pd.Timestamp("2020-01-01"), pd.NaT],
        [pd.Timedelta("1D")],
        np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[s]"),
        pd.Categorical(["a", "b"]),
        [b"a", 1.0],
    ],
)
def test_dates_and_categories_are_no_numbers(cells):
    frame = pd.DataFrame(
        {
            "number": np.arange(200.0),
            "odd": pd.Series(cells).sample(200, replace=True, random_state=0).to_numpy(),
        }
    )
    with pytest.raises(InputError, match="got text, dates or categories in the column odd: "):
        ArctanRatio().fit(frame, Y)


def test_numbers_of_any_type_are_numbers():
    frame = rows(digits=["1.5", "2"], whole=[1, 2], truth=[True, False])
    assert ArctanRatio().fit(frame, Y).predict_angle(frame).shape == (200,)
    missing = frame.assign(whole=pd.array([1, None] * 100, dtype="Int64"))
    with pytest.raises(InputError, match=r"missing values \(NaN\) in the column whole, which"):
        ArctanRatio().fit(missing, Y)


def test_rows_to_predict_and_references_are_explained_too():
    X = rows(age=[1.0, 2.0, 5.0]).astype(float)
    odd = rows(age=["x"])
    model = ArctanRatio().fit(X, Y)
    for ask in (model.predict_angle, ArctanRatioCV().fit(X, Y).predict_angle):
        with pytest.raises(InputError, match="got text, dates or categories in the column age"):
            ask(odd)
    with pytest.raises(InputError, match=r"^`reference` must hold numbers; got .* the column age"):
        RatioOutlierDetector().fit(X, reference=odd)


def test_a_model_that_takes_gaps_is_told_of_infinity_only():
    X = rows(age=[np.nan, np.inf, 1.0]).to_numpy(dtype=float)
    with pytest.raises(InputError, match=r"`X` must be finite; got infinity in X\[:, 1\]"):
        DenseRatio(ArctanRatio()).fit(X, Y)


def test_text_that_a_pipeline_encodes_is_not_blamed():
    encoder = make_column_transformer((OneHotEncoder(), ["city"]), remainder="passthrough")
    frame = rows(city=["v", "w"]).assign(age=np.resize([1.0, np.nan, 3.0], 200))
    with pytest.raises(InputError, match=r"\(NaN\) in the column age, which ArctanRatio cannot"):
        certify(make_pipeline(encoder, ArctanRatio()), frame, Y)


def test_a_list_of_lists_is_looked_at_too():
    with pytest.raises(InputError, match=r"categories in X\[:, 0\], X\[:, 1\], X\[:, 2\], …: "):
        ArctanRatio().fit([list("abcd")] * 4, [0, 1, 0, 1])


def test_sparse_rows_are_for_members_that_take_them():
    X, y = gaussians(40)
    rows = sparse.csr_matrix(X)
    told = (
        r"`X` is sparse, which `rbf`, `quadratic`, `trees`, `shallow` and `guided` cannot take: "
        r"pass X.toarray\(\), or leave out what cannot take it with set_params\(rbf='drop', "
        r"quadratic='drop', trees='drop', shallow='drop', guided='drop'\)"
    )
    dropped = dict.fromkeys(["rbf", "quadratic", "trees", "shallow", "guided"], "drop")
    with pytest.raises(TypeError, match=told):
        StackedRatio().fit(rows, y)
    rest = StackedRatio(random_state=0).set_params(**dropped).fit(rows, y)
    assert set(rest.weights_) == {"linear"}
    assert rest.predict_angle(rows).shape == (80,)


def test_missing_values_are_for_members_that_take_them():
    X, y = gaussians(40)
    X[3, 1] = np.nan
    with pytest.raises(
        ValueError,
        match=r"\(NaN\) in X\[:, 1\], which `linear`, `rbf`, `quadratic` and `guided` cannot",
    ):
        StackedRatio().fit(X, y)
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.raises(ValueError, match=r"\(NaN\) in the column b, which .* rocstar.TableModel"):
        StackedRatio().fit(frame, y)
    dropped = dict.fromkeys(["linear", "rbf", "quadratic"], "drop")
    trees = StackedRatio(random_state=0).set_params(**dropped).fit(frame, y)
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
    encoded = make_column_transformer(("passthrough", ["a"]))
    frame = pd.DataFrame({"a": X[:, 0], "city": ["x", "y"] * 40})
    with pytest.raises(ValueError, match="'alpha' parameter of ArctanRatio"):
        StackedRatio([("encoded", make_pipeline(encoded, ArctanRatio(alpha=-1)))]).fit(frame, y)
    with pytest.raises(TypeError, match="not 'dict'"):
        ArctanRatio().fit(pd.DataFrame({"a": [{}, 1.0]}), [0, 1])


def test_a_missing_entry_of_a_sparse_matrix():
    rows = sparse.dok_matrix([[0.0, 1.0], [2.0, np.nan], [0.0, 0.0], [1.0, 0.0]])
    with pytest.raises(InputError, match=r"missing values \(NaN\) in its entries, which Arctan"):
        ArctanRatio().fit(rows, [0, 1, 0, 1])
