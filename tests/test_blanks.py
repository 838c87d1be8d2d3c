"""Text that stands for a missing value."""

from __future__ import annotations

import pandas as pd
import pytest
from skrub import Cleaner

from rocstar.tables.blanks import NULL_STRINGS, says_unknown, without_null_strings


@pytest.mark.parametrize("dtype", [object, "str"])
def test_new_tables_miss_what_skrub_misses_when_fitted(dtype):
    values = pd.Series([*sorted(NULL_STRINGS), "  ", "x", "0", "-", None], dtype=dtype, name="x")
    cleaned = Cleaner(drop_null_fraction=None).fit_transform(values.to_frame())["x"]
    assert without_null_strings(values).isna().tolist() == cleaned.isna().tolist()


def test_numbers_and_lists_are_left_alone():
    for values in (pd.Series([1, 2]), pd.Series([[1], ["?"]])):
        assert without_null_strings(values) is values


def test_words_for_not_known():
    assert all(map(says_unknown, ["?", " Unknown", "N/A", "", "-"]))
    assert not any(map(says_unknown, ["no", "0", 0, None, "negative"]))
