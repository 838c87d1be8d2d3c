"""What judged rows of two and of more classes have in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rocstar.inference.class_held_out import ClassHeldOut
from rocstar.inference.held_out import of_one_part

RNG = np.random.default_rng(0)
ANGLE = RNG.uniform(0, np.pi / 2, size=40)
Y = np.arange(40) % 3 == 0
WEIGHTS = RNG.uniform(0.5, 2.0, size=40)
TWO = of_one_part(Y, ANGLE, ANGLE, WEIGHTS, None)
NONE = np.zeros(40, dtype=np.intp)
# The same entries as directions of two classes, the cosine and the sine of the angle.
MANY = ClassHeldOut(
    np.arange(40), Y.astype(np.intp), np.stack([np.cos(ANGLE), np.sin(ANGLE)], axis=1),
    NONE, NONE, WEIGHTS, None, (None,), 40, np.array(["a", "b"]),
)  # fmt: skip


@pytest.mark.parametrize("held", [TWO, MANY])
def test_sums_of_class_means(held):
    values = RNG.normal(size=40)
    means = [np.average(values[rows], weights=WEIGHTS[rows]) for rows in (Y, ~Y)]
    assert held.mean_sum(values) == pytest.approx(sum(means))
    parts = held.contributions(values)
    assert parts.sum() == pytest.approx(0.0, abs=1e-12)
    grouped = replace(held, groups=np.arange(40) // 4).contributions(values)
    np.testing.assert_allclose(grouped, parts.reshape(10, 4).sum(axis=1))


def test_both_say_the_same_of_the_same_entries():
    assert MANY.followed_figures()[0] == pytest.approx(TWO.followed_figures()[0])
    accuracy = MANY.followed_figures()[1]
    assert accuracy == pytest.approx((1 + TWO.figures().youden) / 2)
    assert MANY.mean_sum(MANY.followed_values()) == pytest.approx(accuracy)


@pytest.mark.parametrize("held", [TWO, MANY])
def test_some_entries(held):
    some = held.entries(np.arange(5, 15))
    assert some.row.tolist() == list(range(5, 15))
    assert all(len(getattr(some, name)) == 10 for name in held.per_entry)
    assert (some.n_splits, some.n_repeats, some.units, some.n_classes) == (1, 1, None, 2)


def test_repeated_rows_are_one_unit():
    twice = TWO.entries(np.tile(np.arange(40), 2))
    twice = replace(twice, fold=np.repeat([0, 1], 40), repeat=np.repeat([0, 1], 40))
    assert (twice.n_splits, twice.n_repeats) == (2, 2)
    assert twice.units is not None
    values = RNG.normal(size=40)
    np.testing.assert_allclose(
        twice.contributions(np.tile(values, 2)), TWO.contributions(values), atol=1e-15
    )


@pytest.mark.parametrize("held", [TWO, MANY])
def test_something_else_is_said(held):
    said = tuple(np.roll(getattr(held, name), 1, axis=0) for name in held.per_entry[2:4])
    said = said if held is TWO else said[:1]
    other = held.with_said(said)
    assert other.followed_figures()[0] != held.followed_figures()[0]
    assert other.row is held.row
