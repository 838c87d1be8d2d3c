"""Splits of more than two classes: every class in every part, by name; groups together."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedStratifiedKFold

from rocstar.estimators.splits import class_sizes, named, split_rows
from rocstar.inference.prequential import prequential_splits

CODES = np.repeat([0, 1, 2], [20, 10, 4])
NAMES = named(["cat", "dog", "eel"])


@pytest.mark.parametrize(("cv", "splits"), [(None, 4), (2, 2), ("holdout", 1)])
def test_every_class_in_every_part(cv, splits):
    found = split_rows(cv, CODES, classes=NAMES, random_state=0)
    assert len(found) == splits  # of five folds by default, as many as the rarest class allows
    for train, test in found:
        assert set(CODES[train]) == set(CODES[test]) == {0, 1, 2}
        assert not set(train) & set(test)


def test_groups_stay_together():
    groups = np.arange(34) // 2
    for train, test in split_rows(2, CODES, classes=NAMES, groups=groups, random_state=0):
        assert not set(groups[train]) & set(groups[test])
    assert class_sizes(CODES, groups).tolist() == [10, 5, 2]


def test_rows_of_no_weight_are_on_neither_side():
    weights = np.ones(34)
    weights[:3] = 0.0
    for train, test in split_rows(3, CODES, classes=NAMES, sample_weight=weights, random_state=0):
        assert min(train.min(), test.min()) >= 3


def test_given_splits():
    repeated = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)
    assert len(split_rows(repeated, CODES, classes=NAMES)) == 4


@pytest.mark.parametrize(
    ("cv", "options", "sentence"),
    [
        (5, {}, "`cv=5` needs at least 5 rows of class eel; got 4: use cv=4"),
        (1, {}, "`cv` must be at least 2 folds; got 1"),
        ("half", {}, "`cv` must be a number, 'holdout' or a splitter; got 'half'"),
        (KFold(3), {},
         "every class in every part; the held-out part of split 0 has no row of class eel"),
        ([], {}, "No|at least one split"),
        ([(np.arange(0, 34, 2), np.arange(1, 34, 2)), (np.arange(1, 34, 2), np.arange(0, 30, 2))],
         {}, "must leave every class|equally often"),
        ([(np.arange(0, 34, 2), np.arange(1, 34, 2))], {"groups": np.arange(34) // 2},
         "must keep the rows of a group on one side; split 0 tears 17 groups"),
        (2, {"groups": np.minimum(np.arange(34) // 2, 15)},
         "group 15 holds every row of class eel, so no model"),
        (2, {"sample_weight": np.repeat([1.0, 0.0], [31, 3])},
         "needs at least 2 rows of class eel of positive weight; got 1: add rows of that class"),
    ],
)  # fmt: skip
def test_wrong_splits_are_named(cv, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        split_rows(cv, CODES, classes=NAMES, random_state=0, **options)


@pytest.mark.parametrize("split", [split_rows, prequential_splits])
def test_a_class_of_one_row_needs_one_more(split):
    codes = np.append(np.repeat([0, 1], 10), 2)
    sentence = "At least 2 rows of class eel are needed, one to learn from and one to judge; got 1"
    with pytest.raises(ValueError, match=sentence):
        split(None, codes, classes=named(["ant", "bee", "eel"]), random_state=0)
    with pytest.raises(ValueError, match="At least 2 positive rows are needed"):
        split(None, codes == 2, random_state=0)
