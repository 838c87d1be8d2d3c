"""Bad input gives one clear sentence; good input of every usual kind passes."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

from rocstar import ArctanRatio, certify, curves, laws
from rocstar.checks import (
    binary_labels,
    check_fraction,
    class_totals,
    finite_scores,
    group_units,
    is_collection,
    is_missing,
    no_such_file,
    nonnegative_weights,
    require,
    require_in_memory,
)

PUBLIC = [
    curves.roc_points,
    curves.roc_hull,
    curves.hull_angle,
    curves.hull_arc_length,
    curves.roc_auc,
    curves.ecdf_weights,
]
GOOD = {"y": [0, 1, 0, 1], "score": [0.1, 0.2, 0.3, 0.4]}
BAD = {
    "NaN score": ({"score": [0.1, np.nan, 0.3, 0.4]}, "`score` must be finite; got nan in row 1."),
    "infinite score": ({"score": [0, 1, np.inf, 2]}, "`score` must be finite; got inf in row 2."),
    "missing number": ({"score": [0.1, None, 0.3, 0.4]}, "`score` must be finite; got nan in row"),
    "NaN label": ({"y": [0, 1, np.nan, 1]}, "`y` must have a label in every row; got 1 missing"),
    "missing label": ({"y": ["a", None, "b", None]}, "got 2 missing: drop those rows."),
    "one class": (
        {"y": [1, 1, 1, 1]},
        "`y` must hold at least two classes; got one class, the label 1: add",
    ),
    "one text class": (
        {"y": ["a"] * 4},
        "`y` must hold at least two classes; got one class, the label a: add",
    ),
    "three labels": ({"y": [0, 1, 2, 1]}, "exactly two distinct labels; got 3 (0, 1, 2, …)"),
    "mixed labels": ({"y": [0, "a", 1, "b"]}, "exactly two distinct labels; got 4 (0, 1, a, …)"),
    "unsortable labels": (
        {"y": np.array([0, "a", 0, "a"], dtype=object)},
        "`y` must hold labels of one type; got a mixture that cannot be sorted",
    ),
    "empty": ({"y": [], "score": []}, "`y` must hold at least one label of each class; got an emp"),
    "short score": ({"score": [1, 2, 3]}, "`score` must have one value for each of the 4 labels; "),
    "short weights": (
        {"sample_weight": [1, 2]},
        "`sample_weight` must have one value for each of the 4 labels; got 2.",
    ),
    "negative weight": (
        {"sample_weight": [1, 1, -2, 1]},
        "`sample_weight` must be non-negative; got -2.0 in row 2.",
    ),
    "NaN weight": ({"sample_weight": [1, np.nan, 1, 1]}, "`sample_weight` must be finite; got nan"),
    "weightless positives": (
        {"sample_weight": [1, 0, 1, 0]},
        "`sample_weight` must give each class some weight; the positive class has none.",
    ),
    "weightless negatives": ({"sample_weight": [0, 1, 0, 1]}, "the negative class has none."),
    "text score": ({"score": list("abcd")}, "`score` must hold real numbers; got an array of dtyp"),
    "numbers as text": ({"score": ["1", "2", "3", "4"]}, "`score` must hold real numbers; got an"),
    "text among numbers": (
        {"score": np.array([1.0, "x", 2.0, 3.0], dtype=object)},
        "`score` must hold real numbers; got values such as 'x'.",
    ),
    "objects": (
        {"score": np.array([1.0, {}, 2.0, 3.0], dtype=object)},
        "`score` must hold real numbers; got values such as {}.",
    ),
    "complex score": ({"score": [1j, 2, 3, 4]}, "`score` must hold real numbers; got an array of"),
    "dates": (
        {"score": np.array(["2020-01-01"] * 4, dtype="datetime64[D]")},
        "`score` must hold real numbers; got an array of dtype datetime64[D].",
    ),
    "column of labels": ({"y": [[0], [1], [0], [1]]}, "`y` must be one-dimensional; got shape (4,"),
    "table of scores": ({"score": np.ones((4, 2))}, "`score` must be one-dimensional; got shape"),
    "ragged": ({"score": [[1], [2, 3]]}, "`score` must be one flat list; got nested lists."),
    "scalar": ({"score": 1.0}, "`score` must be one-dimensional; got shape ()."),
}


@pytest.mark.parametrize("function", PUBLIC, ids=lambda function: function.__name__)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_sentence(function, case):
    change, sentence = BAD[case]
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        function(**{**GOOD, **change})
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 0, 1],
        [False, True, False, True],
        [-1.0, 1.0, -1.0, 1.0],
        ["no", "yes", "no", "yes"],
        np.array(["no", "yes", "no", "yes"], dtype=object),
        np.array([0, 255, 0, 255], dtype=np.uint8),
        pd.Series(["no", "yes", "no", "yes"]),
        pd.Series([0, 1, 0, 1], index=[7, 7, 3, 1]),
        pd.Categorical(["a", "b", "a", "b"]),
        pd.Series([0, 1, 0, 1], dtype="Int64"),
        pd.Series([False, True, False, True], dtype="boolean"),
    ],
    ids=lambda y: f"{type(y).__name__}-{np.asarray(y).dtype}",
)
def test_labels_of_every_usual_kind(y):
    positive, classes = binary_labels(y)
    assert positive.dtype == np.bool_
    assert positive.tolist() == [False, True, False, True]
    assert classes[0] < classes[1]


def test_pandas_missing_labels_are_named():
    with pytest.raises(ValueError, match="got 1 missing: drop those rows"):
        binary_labels(pd.Series([0, 1, None], dtype="Int64"))


@pytest.mark.parametrize(
    "score",
    [
        (0, 1, 2),
        np.float32([0, 1, 2]),
        np.arange(3, dtype=np.int8),
        np.array([0, 1.0, 2], dtype=object),
        pd.Series([0.0, 1.0, 2.0], index=[5, 5, 5]),
        [False, True, 2],
    ],
)
def test_scores_of_every_usual_kind(score):
    values = finite_scores(score, 3)
    assert values.dtype == np.float64
    assert values.tolist() == [0.0, 1.0, 2.0]


def test_weights_default_to_ones_and_may_be_zero():
    np.testing.assert_array_equal(nonnegative_weights(None, 3), np.ones(3))
    np.testing.assert_array_equal(nonnegative_weights([0, 2], 2), [0.0, 2.0])


def test_class_totals():
    assert class_totals(np.array([True, False, True]), np.array([1.0, 2.0, 3.0])) == (4.0, 2.0)


@pytest.mark.parametrize(
    "groups",
    [
        [7, 3, 7],
        ["b", "a", "b"],
        (2.5, -1.0, 2.5),
        np.array(["2021", "2020", "2021"], dtype="datetime64[Y]"),
        pd.Series(["b", "a", "b"], index=[5, 5, 5]),
        pd.Categorical(["b", "a", "b"]),
        pd.Series([7, 3, 7], dtype="Int64"),
    ],
    ids=lambda groups: f"{type(groups).__name__}-{np.asarray(groups).dtype}",
)
def test_groups_of_every_usual_kind(groups):
    units = group_units(groups, 3)
    assert units.dtype == np.intp
    assert units.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ([1, 2], "`groups` must name one group for each of the 3 rows; got 2 names."),
        ([1, 2, 3, 4], "`groups` must name one group for each of the 3 rows; got 4 names."),
        ([[1], [2], [3]], "`groups` must be one-dimensional; got shape (3, 1)."),
        ("abc", "`groups` must be one value per row; got the text 'abc': pass that column"),
        (["a", None, "b"], "`groups` must name a group in every row; got 1 missing: name"),
        ([1.0, np.nan, np.nan], "`groups` must name a group in every row; got 2 missing: name"),
        (pd.Series([1, None, 2], dtype="Int64"), "got 1 missing: name those groups or drop"),
        (np.array(["2020", "NaT", "2021"], dtype="datetime64[Y]"), "got 1 missing: name"),
        (np.array([1, "a", 2], dtype=object), "`groups` must hold names of one type; got a mix"),
    ],
)
def test_bad_groups_are_one_clear_sentence(groups, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        group_units(groups, 3)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("value", [0, 1, -0.1, 95, np.nan, np.inf])
def test_a_fraction_lies_strictly_inside(value):
    with pytest.raises(ValueError, match="`level` must lie strictly between 0 and 1; got"):
        check_fraction(value, "level")


def test_a_percentage_is_told_from_a_share():
    with pytest.raises(ValueError, match=r"got 5: write 0\.05 for 5 %\.$"):
        check_fraction(5, "prevalence")
    with pytest.raises(ValueError, match=r"got 1\.0\.$"):
        check_fraction(1.0, "level")


@pytest.mark.parametrize("value", [None, "half", [0.5, 0.6]])
def test_a_fraction_is_a_number(value):
    with pytest.raises(ValueError, match="`level` must be a number between 0 and 1; got"):
        check_fraction(value, "level")


def test_inputs_are_not_changed():
    y, score, weights = np.array([0, 1, 1, 0]), np.array([3.0, 1.0, 2.0, 0.0]), np.ones(4)
    for array in (y, score, weights):
        array.flags.writeable = False
    for function in PUBLIC:
        extra = {"angle": score / 3} if function is curves.ecdf_weights else {}
        function(y, score, sample_weight=weights, **extra)


@pytest.mark.parametrize("column", [np.reshape, lambda y, _: pd.DataFrame({"y": y})])
def test_labels_in_one_column_are_labels_with_scikit_learns_warning(column):
    X, y = laws.GaussianPair(0.0, 2.0).sample(40, 40, random_state=0)
    labels = column(y, (-1, 1))
    expected = certify(ArctanRatio(), X, y, cv=2, random_state=0).auc
    model = ArctanRatio().fit(X, y)
    for answer, flat in (
        (lambda: curves.roc_auc(labels, X[:, 0]), curves.roc_auc(y, X[:, 0])),
        (lambda: model.score(X, labels), model.score(X, y)),
        (lambda: certify(ArctanRatio(), X, labels, cv=2, random_state=0).auc, expected),
    ):
        with pytest.warns(DataConversionWarning, match="column-vector y") as caught:
            assert answer() == flat
        assert len(caught) == 1
    with pytest.raises(ValueError, match=r"`y` must be one-dimensional; got shape \(40, 2\)"):
        curves.roc_auc(y.reshape(40, 2), X[:40, 0])


def test_missing_values_of_every_kind():
    missing = [None, np.nan, np.datetime64("NaT", "s"), pd.NA, pd.NaT]
    assert all(is_missing(value) for value in missing)
    assert not any(is_missing(value) for value in ("", 0, "nan"))


def test_a_missing_module_names_its_extra():
    require("cli", "numpy")
    with pytest.raises(
        ImportError, match=r"`no_such_module` is missing: pip install 'rocstar\[cli"
    ):
        require("cli", "no_such_module")


def test_collections_are_named_by_their_argument():
    require_in_memory(y=[0, 1], sample_weight=None)
    da = pytest.importorskip("dask.array")
    assert is_collection(da.zeros(3))
    assert not is_collection([0, 1])
    with pytest.raises(ValueError, match=r"`groups` must be in memory here.*groups.compute\(\)"):
        require_in_memory(y=[0, 1], groups=da.zeros(3))


def test_the_nearest_file_is_suggested(tmp_path):
    (tmp_path / "churn.csv").write_text("a\n1\n", encoding="utf-8")
    near = no_such_file(tmp_path / "chrun.csv")
    assert near.endswith(f"`; did you mean `{tmp_path / 'churn.csv'}`?")
    assert no_such_file(tmp_path / "x") == f"There is no file `{tmp_path / 'x'}`."
    assert no_such_file("/no/such/a.csv") == "There is no file `/no/such/a.csv`."
