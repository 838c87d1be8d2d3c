"""Splits of more than two classes: every class in every part, groups together."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedStratifiedKFold

from rocstar.estimators.class_splits import rarest, split_class_rows

CODES = np.repeat([0, 1, 2], [20, 10, 4])


@pytest.mark.parametrize(("cv", "splits"), [(None, 4), (2, 2), ("holdout", 1)])
def test_every_class_in_every_part(cv, splits):
    found = split_class_rows(cv, CODES, random_state=0)
    assert len(found) == splits  # of five folds by default, as many as the rarest class allows
    for train, test in found:
        assert set(CODES[train]) == set(CODES[test]) == {0, 1, 2}
        assert not set(train) & set(test)


def test_groups_stay_together():
    groups = np.arange(34) // 2
    for train, test in split_class_rows(2, CODES, groups=groups, random_state=0):
        assert not set(groups[train]) & set(groups[test])
    assert rarest(CODES, groups) == (2, 2)


def test_rows_of_no_weight_are_on_neither_side():
    weights = np.ones(34)
    weights[:3] = 0.0
    for train, test in split_class_rows(3, CODES, sample_weight=weights, random_state=0):
        assert min(train.min(), test.min()) >= 3


def test_given_splits():
    repeated = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)
    assert len(split_class_rows(repeated, CODES)) == 4


@pytest.mark.parametrize(
    ("cv", "options", "sentence"),
    [
        (5, {}, "`cv` needs at least 5 rows of each class; class number 2 has 4"),
        (1, {}, "`cv` must be at least 2 folds; got 1"),
        ("half", {}, "`cv` must be a number, 'holdout' or a splitter; got 'half'"),
        (KFold(3), {}, "must leave every class in every part; the held-out part of split 0"),
        ([], {}, "No|at least one split"),
        ([(np.arange(0, 34, 2), np.arange(1, 34, 2)), (np.arange(1, 34, 2), np.arange(0, 30, 2))],
         {}, "must leave every class|equally often"),
        ([(np.arange(0, 34, 2), np.arange(1, 34, 2))], {"groups": np.arange(34) // 2},
         "must keep groups together; split 0"),
    ],
)  # fmt: skip
def test_wrong_splits_are_named(cv, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        split_class_rows(cv, CODES, random_state=0, **options)
