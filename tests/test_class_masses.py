"""Joint draws of class means: exact for shares of right decisions, the same for many rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from rocstar.inference.class_masses import ClassDraws, ClassFigures, _class_means, joint_error


def figures(values, codes, shares, **options):
    settings = {"weights": np.ones(codes.size), "units": None, **options}
    return ClassFigures(
        codes, settings["weights"], settings["units"], values, shares, np.zeros(values.shape[1])
    )


def test_shares_of_right_decisions_have_clopper_pearson_limits():
    codes = np.repeat([0, 1, 2], [40, 30, 20])
    values = np.zeros((90, 1))
    values[:33] = 1.0
    asked = figures(values, codes, np.array([[1.0], [0.0], [0.0]]))
    draws = asked.draws(np.random.default_rng(0), 20_000)
    assert draws.low(0.05)[0] == pytest.approx(beta.ppf(0.05, 33, 8), abs=0.004)
    assert draws.high(0.05)[0] == pytest.approx(beta.ppf(0.95, 34, 7), abs=0.004)
    # Far out in the tail, where draws are too few, by the same beta law.
    assert draws.low(1e-5)[0] == pytest.approx(beta.ppf(1e-5, 33, 8), abs=0.01)


def test_many_rows_are_drawn_as_normal_variables():
    rng = np.random.default_rng(0)
    values = rng.random((3001, 2))
    ((many, atom),) = _class_means([values], [np.ones(3001)], np.random.default_rng(1), 4000)
    ((few, other),) = _class_means([values[:3000]], [np.ones(3000)], np.random.default_rng(1), 4000)
    assert many.mean(axis=1) == pytest.approx(few.mean(axis=1), abs=1e-3)
    assert many.std(axis=1) == pytest.approx(few.std(axis=1), rel=0.06)
    assert np.corrcoef(many)[0, 1] == pytest.approx(np.corrcoef(few)[0, 1], abs=0.06)
    assert atom.mean() == pytest.approx(other.mean(), rel=0.1)


def test_groups_are_drawn_as_one():
    values = np.repeat(np.random.default_rng(0).random((50, 1)), 4, axis=0)
    codes, shares = np.zeros(200, dtype=int), np.ones((1, 1))
    grouped = figures(values, codes, shares, units=np.repeat(np.arange(50), 4))
    single = figures(values[::4], codes[::4], shares)
    spread = [each.draws(np.random.default_rng(0), 4000).spread() for each in (grouped, single)]
    assert spread[0] == pytest.approx(spread[1])


@pytest.mark.parametrize("n", [100, 3500])
def test_a_group_has_one_mass_in_all_classes(n):
    """Rows of a group that are right or wrong together, one of each class: n observations."""
    right = np.random.default_rng(0).random(n) < 0.7
    values, codes = np.tile(right, 3)[:, None].astype(float), np.repeat([0, 1, 2], n)
    asked = figures(values, codes, np.full((3, 1), 1 / 3), units=np.tile(np.arange(n), 3))
    draws = asked.draws(np.random.default_rng(0), 4000)
    assert draws.spread()[0] == pytest.approx(right.std() / np.sqrt(n), rel=0.06)


def test_the_joint_error_lies_between_a_share_and_the_whole():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 50)
    apart = np.zeros((100, 2))
    apart[:50, 0], apart[50:, 1] = rng.random((2, 50))
    shares = np.array([[1.0, 0.0], [0.0, 1.0]])
    independent = joint_error(figures(apart, codes, shares), 0.05, 0)
    assert independent == pytest.approx(1 - np.sqrt(0.95), abs=0.003)
    same = np.tile(rng.random((100, 1)), (1, 2))
    assert joint_error(figures(same, codes, np.ones((2, 2))), 0.05, 0) == pytest.approx(
        0.05, abs=0.003
    )


def test_estimates_and_contributions():
    codes = np.array([0, 0, 1, 2])
    values = np.array([[1.0], [0.0], [0.5], [1.0]])
    asked = figures(values, codes, np.full((3, 1), 1 / 3), weights=np.array([3.0, 1.0, 1.0, 1.0]))
    assert asked.estimates()[0] == pytest.approx((0.75 + 0.5 + 1.0) / 3)
    assert asked.contributions().sum() == pytest.approx(0.0)
    grouped = asked._replace(units=np.array([0, 0, 1, 1]))
    assert grouped.contributions().shape == (2, 1)


def test_a_far_quantile_of_each_figure_has_its_own_span():
    """Of ten draws beyond, a beta law on the figure's own span is the quantile."""
    drawn = np.random.default_rng(0).beta(60, 3, (2, 4000)) * [[5.0], [1.0]]
    found = ClassDraws(drawn, np.zeros_like(drawn)).low(0.0025, span=(0.0, np.array([5.0, 1.0])))
    np.testing.assert_allclose(found / [5.0, 1.0], beta.ppf(0.0025, 60, 3), rtol=0.01)


def test_a_far_quantile_is_not_inside_the_draws():
    """Draws beyond the span have heavier tails than a beta law with their variance."""
    drawn = 0.99 + 0.02 * np.random.default_rng(0).standard_t(3, (1, 4000))
    draws = ClassDraws(drawn, np.zeros_like(drawn))
    assert draws.low(0.001)[0] <= np.quantile(drawn, 0.001)
    assert draws.high(0.001)[0] >= np.quantile(drawn, 0.999)
