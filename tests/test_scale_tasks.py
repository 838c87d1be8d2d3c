"""One task per partition, and the tree of their sums."""

import numpy as np
import pytest

from rocstar.scale import tasks

pytestmark = pytest.mark.dask


def power_of_first(x, y, power):
    return None if y is None else x**power


@pytest.mark.parametrize("n_parts", [1, tasks.FAN_IN, tasks.FAN_IN + 1, tasks.FAN_IN**2 + 3])
def test_every_part_counts_once_and_nothing_counts_nothing(n_parts):
    pytest.importorskip("dask")
    parts = [(np.array([i, 1]), None if i % 5 == 4 else i) for i in range(n_parts)]
    made = tasks.task_per_partition(parts, power_of_first, power=3)
    counted = [i for i in range(n_parts) if i % 5 != 4]
    assert tasks.tree_sum(made).tolist() == [sum(i**3 for i in counted), len(counted)]


def test_a_sum_of_nothing_is_none():
    pytest.importorskip("dask")
    parts = [(1, None)] * 20
    assert tasks.tree_sum(tasks.task_per_partition(parts, power_of_first, power=1)) is None
