"""What cannot be asked of a Dask collection is said before anything is read."""

from __future__ import annotations

import pytest
from sklearn.linear_model import LogisticRegression

from rocstar import ArctanRatio
from rocstar.inference.collections import collection_estimator, refuse_on_collections


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cv": 10}, r"`cv` must be 'holdout' for a Dask collection.*got 10"),
        ({"groups": [0, 1]}, "`groups` must be None"),
        ({"n_jobs": 2}, r"`n_jobs` must be None .* got 2"),
    ],
)
def test_options_of_rows_in_memory_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        refuse_on_collections(**given)


@pytest.mark.parametrize("cv", [None, "holdout", 5])
def test_a_hold_out_and_the_default_are_not(cv):
    refuse_on_collections(cv=cv)


def test_only_estimators_that_leave_rows_where_they_are():
    model = ArctanRatio()
    assert collection_estimator(model) is model
    with pytest.raises(TypeError, match=r"must be an ArctanRatio.*got LogisticRegression"):
        collection_estimator(LogisticRegression())
