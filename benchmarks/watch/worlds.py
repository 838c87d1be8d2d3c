"""Streams without and with a change: reference, batches, and which columns are codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rocstar.watching.columns import Plan
from rocstar.watching.models import watch_estimator
from rocstar.watching.search import Search
from rocstar.watching.stream import Stream

Draw = Callable[[np.random.Generator, int, int], np.ndarray]


@dataclass(frozen=True)
class World:
    """Rows of a day without any change; sizes may be drawn anew for every stream or day."""

    draw: Draw  # (rng, rows, day) -> matrix
    reference: Callable[[np.random.Generator], int] = lambda rng: 2000
    batch: Callable[[np.random.Generator], int] = lambda rng: 100
    codes: tuple[int, ...] = ()
    period: int = 1


def _discrete(rng: np.random.Generator, n: int, day: int) -> np.ndarray:
    plan = rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    return np.column_stack([rng.random(n) < 0.3, plan, rng.poisson(2, n)]).astype(float)


def _heavy(rng: np.random.Generator, n: int, day: int) -> np.ndarray:
    return rng.standard_t(1.2, size=(n, 5))


_MIX = np.linalg.cholesky(0.3 * np.ones((50, 50)) + 0.7 * np.eye(50)).T


def _wide(rng: np.random.Generator, n: int, day: int) -> np.ndarray:
    return rng.normal(size=(n, 50)) @ _MIX


def _plain(rng: np.random.Generator, n: int, day: int) -> np.ndarray:
    return rng.normal(size=(n, 3))


_WEEK = np.array([0.0, 0.1, 0.0, -0.1, 0.0, 1.0, -1.0])


def _weekly(rng: np.random.Generator, n: int, day: int) -> np.ndarray:
    # A reference has rows of all days; a batch has those of one.
    days = rng.integers(7, size=n) if day < 0 else np.full(n, day % 7)
    X = rng.normal(size=(n, 3))
    X[:, 0] += _WEEK[days]
    return X


def _log_uniform(low: int, high: int) -> Callable[[np.random.Generator], int]:
    return lambda rng: int(np.exp(rng.uniform(np.log(low), np.log(high))))


WORLDS = {
    "discrete": World(_discrete, codes=(1,)),
    "heavy-tailed": World(_heavy),
    "50 columns": World(_wide),
    "batches of 20 to 5,000": World(_plain, batch=_log_uniform(20, 5000)),
    "reference of 500 to 50,000": World(_plain, reference=_log_uniform(500, 50_000)),
    "weekly cycle, period=7": World(_weekly, period=7),
}


def stream_of(
    X: np.ndarray, model: str, seed: int, codes: tuple[int, ...] = (), period: int = 1
) -> Stream:
    """What `Monitor` makes of an encoded reference, without the encoder."""
    n, width, categorical = len(X) // 4, X.shape[1], np.array(codes, dtype=int)
    estimator = watch_estimator(model, width, categorical, seed)
    search = Search(model, estimator, (X[:n], X[n : 2 * n]), categorical)
    plan = Plan(~np.isin(np.arange(width), codes), np.full(width, 1 / width))
    return Stream(search, X[2 * n :], 0.0, 0.05, period, seed, plan)
