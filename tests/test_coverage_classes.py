"""Joint statements on more than two classes hold as often as they say: seeded simulations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from rocstar import laws
from rocstar.inference.class_held_out import ClassHeldOut
from rocstar.inference.multiclass import multiclass_certificate

LEVEL, RUNS = 0.8, 40


def missed(law, sizes, seed):
    """Which statements fail for rows judged by the true direction: no slack protects a bound."""
    X, y = law.sample(sizes, random_state=seed)
    none = np.zeros(y.size, dtype=np.intp)
    held = ClassHeldOut(
        np.arange(y.size), y, law.direction(X), none, none, np.ones(y.size), None, (None,), y.size,
        np.arange(law.n_classes),
    )  # fmt: skip
    found = multiclass_certificate(held, LEVEL)
    pairs = np.triu_indices(law.n_classes, 1)
    low = [found.arc_length.low, found.balanced_accuracy.low, found.mean_pairwise_auc.low]
    truth = [law.arc_length, law.balanced_accuracy, law.mean_pairwise_auc]
    right = found.held_out.predicted[y == 0] == 0
    return (
        np.any(np.array(low) > truth),
        np.any(found.pairwise_auc.low[pairs] > law.pairwise_auc[pairs]),
        np.any(found.one_versus_rest_auc.low > law.one_versus_rest_auc + 1e-4),
        not found.recall.low[0] <= right.mean() <= found.recall.high[0],
    )


@pytest.mark.parametrize("name", ["ring-5d", "steps-1d"])
def test_statements_hold_with_one_rare_class(name):
    law = laws.suite(n_classes=3)[name]
    misses = np.sum([missed(law, [30, 80, 80], seed) for seed in range(RUNS)], axis=0)
    assert misses[3] == 0
    for count in misses[:3]:
        assert binomtest(int(count), RUNS, 1 - LEVEL, "greater").pvalue > 0.002
