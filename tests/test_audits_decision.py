"""Where a score will be used: what is refused, and the threshold that costs imply."""

from __future__ import annotations

import pytest

from rocstar.audits.decision import Decision
from rocstar.measures import Cost, NetBenefit


def test_costs_imply_a_threshold():
    asked = Decision(cost_fn=9, cost_fp=1)
    assert asked.cut == pytest.approx(0.1)
    assert asked.at(0.2) == Cost(9, 1, 0.2)
    assert Decision(threshold=0.3).at(0.2) == NetBenefit(0.3, 0.2)
    assert not Decision().asked


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"prevalence": 2.0}, "`prevalence` must lie strictly between 0 and 1"),
        ({"threshold": 0.0}, "`threshold` must lie strictly between 0 and 1"),
        ({"cost_fn": -1.0, "cost_fp": 1.0}, "`cost_fn` must be a positive number; got -1."),
        ({"cost_fp": 3.0}, "`cost_fp` must come with `cost_fn`."),
    ],
)
def test_bad_numbers_are_refused_in_one_sentence(given, words):
    with pytest.raises(ValueError, match=words):
        Decision(**given)
