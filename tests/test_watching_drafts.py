"""Copies that may be changed without their originals."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar import Monitor
from rocstar.watching.drafts import copied
from rocstar.watching.means import RunningMean


def test_what_may_change_is_copied_and_arrays_are_shared():
    X, mean = np.zeros(3), RunningMean()
    old = {"list": [X, mean], "pair": (mean, "text")}
    new = copied(old)
    new["list"][1].update(np.ones(1), np.ones(1))
    new["list"].append(1)
    assert (mean.n, len(old["list"])) == (0.0, 2)
    assert new["list"][0] is X


def test_a_batch_that_fails_half_way_changes_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    X, days = rng.normal(size=(600, 2)), [rng.normal(size=(200, 2)) + 0.5 for _ in range(4)]
    stopped, whole = Monitor(X), Monitor(X)
    for day in days[:2]:
        stopped.update(day)
        whole.update(day)
    with monkeypatch.context() as patched:
        patched.setattr("rocstar.watching.monitor.record", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            stopped.update(days[2], key="c")
    for day in days[2:]:
        assert repr(stopped.update(day, key="c" if day is days[2] else None)) == repr(
            whole.update(day)
        )
