"""Masses of whole groups of rows."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from rocstar.inference.group_masses import dependent, group_draws, unseen_group


def test_groups_of_single_rows_are_independent():
    assert dependent(None, 2) is None
    assert dependent(["a", "b"], 2) is None
    assert dependent(["a", "a"], 2).tolist() == [0, 0]


def test_one_mass_per_group():
    """Rows of one group move together: with two groups, class means are those of two rows."""
    y = np.array([True, True, False, False] * 2)
    groups = np.repeat([0, 1], 4)
    values = groups.astype(float)
    drawn = group_draws(y, values, np.ones(8), groups, np.random.default_rng(0), 5000)
    assert_allclose(drawn.mean[0], drawn.mean[1])
    # The share of one of two unit exponentials is uniform.
    assert_allclose(np.quantile(drawn.mean[0], [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], atol=0.03)


def test_an_unseen_group_is_as_heavy_as_the_heaviest():
    of_one_class = np.array([[3.0, 0.0], [0.0, 2.0]])
    assert unseen_group(of_one_class).tolist() == [3.0, 3.0]
    of_both = np.array([[1.0, 1.0], [3.0, 3.0]])
    assert unseen_group(of_both).tolist() == [1.0, 3.0]
