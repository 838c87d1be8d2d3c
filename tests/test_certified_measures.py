"""Bounds of measures: under the truth, tighter when chosen beforehand, right for costs."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar import ArctanRatio, certify, laws
from rocstar.inference.certified_measures import own_bound
from rocstar.inference.held_out import of_one_part
from rocstar.measures import (
    Accuracy,
    Cost,
    HockeyStick,
    NetBenefit,
    Precision,
    RocAuc,
    TotalVariation,
    Tpr,
)

LAW = laws.GaussianPair(0.0, 2.0)
X, y = LAW.sample(200, 300, random_state=0)
TRUTH = LAW.roc_star(5001)
LINEAR = [
    HockeyStick(3.0),
    HockeyStick(0.5, reverse=True),
    TotalVariation(),
    Accuracy(0.4),
    NetBenefit(0.1, 0.05),
    Cost(20, 1, 0.05),
]


@pytest.fixture(scope="module", params=["folds", "holdout", "betting"])
def certificate(request):
    given = {"folds": {}, "holdout": {"cv": "holdout"}, "betting": {"method": "betting"}}
    return certify(ArctanRatio(), X, y, random_state=0, **given[request.param])


@pytest.mark.parametrize("simultaneous", [True, False])
@pytest.mark.parametrize("measure", [*LINEAR, RocAuc(), Tpr(0.1), Precision(0.5, 0.1)], ids=repr)
def test_bounds_are_on_their_side_of_the_truth(certificate, measure, simultaneous):
    found, truth = certificate.measure(measure, simultaneous=simultaneous), measure(*TRUTH)
    assert found.level == certificate.level
    assert found.low <= found.value <= found.high
    if measure.greater_is_better:
        assert found.side == "lower"
        assert measure([0, 1], [0, 1]) <= found.low <= truth
    else:
        assert found.side == "upper"
        assert measure([0, 1], [0, 1]) >= found.high >= truth


def test_one_measure_chosen_beforehand_has_a_tighter_bound():
    certificate = certify(ArctanRatio(), X, y, cv="holdout", random_state=0)
    for measure in [*LINEAR, RocAuc()]:
        all_at_once, alone = (certificate.measure(measure, simultaneous=s) for s in (True, False))
        if measure.greater_is_better:
            assert alone.low > all_at_once.low
        else:
            assert alone.high < all_at_once.high
    # A share of the error for each of three bounds in the certificate, all of it here.
    assert certificate.measure(TotalVariation(), simultaneous=False).low >= certificate.tv.low
    assert certificate.measure(RocAuc(), simultaneous=False).low >= certificate.auc.low
    assert certificate.measure(RocAuc()).value == certificate.auc.value


def test_the_rule_of_a_linear_measure_depends_on_its_ratio():
    """At a ratio that no row reaches, the best rule calls nobody: exactly nothing is gained."""
    certificate = certify(ArctanRatio(), X, y, cv="holdout", random_state=0)
    never = NetBenefit(threshold=0.999999, prevalence=1e-6)
    assert certificate.measure(never, simultaneous=False).low == 0.0
    free = Cost(false_negative=0, false_positive=1, prevalence=0.1)
    assert certificate.measure(free, simultaneous=False).high == 0.0
    everyone = HockeyStick(0.0)
    assert certificate.measure(everyone, simultaneous=False).low == 1.0


def test_a_bound_by_betting_is_that_of_the_certificate():
    certificate = certify(ArctanRatio(), X, y, method="betting", random_state=0)
    alone = certificate.measure(HockeyStick(2.0), simultaneous=False)
    assert alone.low == certificate.hockey_stick(2.0)
    benefit = certificate.measure(NetBenefit(0.5, 0.25), simultaneous=False)
    assert benefit.low == pytest.approx(0.25 * certificate.hockey_stick(3.0))


def test_anything_else_is_refused():
    certificate = certify(ArctanRatio(), X, y, cv="holdout", random_state=0)
    with pytest.raises(TypeError, match=r"`measure` must be one of rocstar\.measures"):
        certificate.measure("auc")


def test_coverage_of_a_measure_of_its_own():
    """90 % bounds of the net benefit with the true angle: at most 10 % misses, error included."""
    law, measure = laws.GaussianPair(0.0, 1.0), NetBenefit(0.3, 0.2)
    truth = measure(*law.roc_star(4001))
    rng, misses, runs = np.random.default_rng(0), 0, 120
    for _ in range(runs):
        rows, label = law.sample(40, 80, random_state=rng)
        angle = law.angle(rows)
        held = of_one_part(label == 1, angle, angle, np.ones(label.size), None)
        misses += own_bound(measure, held, 0.9) > truth
    assert misses <= 21  # binomial(120, 10 %) exceeds this in 0.6 % of simulations
