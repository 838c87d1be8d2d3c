"""Linear measures: the ratio that is known beforehand is that of the best rule."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar import laws
from rocstar.measures import Accuracy, Cost, HockeyStick, LinearMeasure, NetBenefit, TotalVariation

LAW = laws.GaussianPair(2.0, 0.0)


@pytest.mark.parametrize(
    "measure",
    [
        HockeyStick(2.5),
        HockeyStick(0.4, reverse=True),
        TotalVariation(),
        Accuracy(0.1),
        NetBenefit(0.2, 0.1),
        Cost(500, 10, 0.01),
    ],
    ids=repr,
)
def test_the_best_rule_cuts_at_the_ratio(measure: LinearMeasure) -> None:
    """Positives N(2, 1), negatives N(0, 1): p/q = exp(2x − 2) exceeds r beyond 1 + log(r)/2."""
    from scipy.stats import norm

    cut = 1 + np.log(measure.ratio) / 2
    reached = measure.at(norm.sf(cut), norm.sf(cut - 2))
    assert reached == pytest.approx(LAW.measure(measure), abs=1e-4)


def test_nothing_gained_by_finding_positives_asks_for_an_infinite_ratio() -> None:
    assert Cost(0, 1, 0.5).ratio == np.inf
