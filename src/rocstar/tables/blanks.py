"""Text that stands for a missing value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pandas import Series

# What skrub's Cleaner takes for missing in every column of a table it is fitted to.
_NULLS = (
    "|?|...|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|"
    "n/a|nan|none|null"
)
# In a column of features these may say something; among numbers, or as a class, they do not.
_UNKNOWN = (
    "|?|??|-|--|---|.|*|na|n.a.|n/a|#n/a|nan|null|nil|none|missing|unknown|unk|undefined|tbd|k.a.|"
    "not available|not applicable|not known|no data|#value!|#ref!|#div/0!|#name?|#num!"
)
NULL_STRINGS, UNKNOWN_WORDS = frozenset(_NULLS.split("|")), frozenset(_UNKNOWN.split("|"))


def says_unknown(value: object) -> bool:
    """Whether a value is text that stands for "not known"."""
    return isinstance(value, str) and value.strip().casefold() in UNKNOWN_WORDS


def without_null_strings(values: Series) -> Series:
    """A column of a new table in which the text that means "missing" is missing."""
    import pandas as pd

    if not (values.dtype == object or isinstance(values.dtype, pd.StringDtype)):
        return values
    try:
        codes, distinct = pd.factorize(values)
    except TypeError:  # cells that hold lists
        return values
    null = [isinstance(v, str) and (not v.strip() or v in NULL_STRINGS) for v in distinct]
    return values.mask(np.append(null, False)[codes]) if any(null) else values
