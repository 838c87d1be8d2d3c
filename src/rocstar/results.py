"""Results that hold arrays can be compared and hashed like those that hold numbers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

import numpy as np


class ArrayResult:
    """Equality and hash by the fields of a dataclass with ``eq=False``, arrays by content."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(a, b) for a, b in zip(_contents(self), _contents(other), strict=True))

    def __hash__(self) -> int:
        return hash((type(self), *(_key(value) for value in _contents(self))))

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, arrays as lists."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(cast(Any, self))}

    def to_frame(self) -> Any:
        """The arrays as columns of a pandas data frame."""
        from pandas import DataFrame

        held = {f.name: getattr(self, f.name) for f in fields(cast(Any, self))}
        return DataFrame({name: v for name, v in held.items() if isinstance(v, np.ndarray)})


def plain(value: Any) -> Any:
    """Arrays and tuples as lists, NumPy's numbers as Python's."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def _contents(result: Any) -> list[Any]:
    return [getattr(result, field.name) for field in fields(result) if field.compare]


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        # NaN marks rows that were never held out: it equals itself here.
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f" == b.dtype.kind)
    return bool(a == b)


def _key(value: Any) -> Any:
    """What equal values share: an array's shape, and nothing of what cannot be hashed."""
    if isinstance(value, np.ndarray):
        return value.shape
    try:
        hash(value)
    except TypeError:
        return type(value)
    return value
