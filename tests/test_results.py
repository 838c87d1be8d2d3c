"""Results with arrays compare and hash by content."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rocstar.results import ArrayResult


@dataclass(frozen=True, eq=False)
class Found(ArrayResult):
    values: Any
    level: float
    notes: Any = field(default=None, compare=False)


def test_equal_contents_are_equal_and_share_a_hash():
    one, same = (Found(np.array([1.0, np.nan]), 0.95, object()) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != replace(one, level=0.9)
    assert one != replace(one, values=np.array([1.0, 2.0]))
    assert one != replace(one, values=np.array(["a", "b"]))
    assert one != "something else"
    assert {one: 1}[same] == 1


def test_what_cannot_be_hashed_does_not_fail():
    assert hash(Found({"a": 1}, 0.9)) == hash(Found({"a": 1}, 0.9))
