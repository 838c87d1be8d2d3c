"""Certificates of more than two classes: bounds below the truth, joint, by both methods."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from rocstar import (
    ArctanRatio,
    MulticlassCertificate,
    StackedRatio,
    audit,
    balanced_accuracy_bounds,
    certify,
    laws,
)
from rocstar.inference.class_figures import main_figures
from rocstar.inference.class_held_out import ClassHeldOut, InSampleFigures
from rocstar.inference.class_masses import joint_error
from rocstar.inference.draws import N_DRAWS
from rocstar.inference.multiclass import multiclass_certificate, point_estimates

LAW = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
X, Y = LAW.sample([120, 100, 80], random_state=0)
NAMES = np.array(["amber", "blue", "cyan"])[Y]
MODEL = ArctanRatio(loss="log")
OFF = ~np.eye(3, dtype=bool)


@pytest.fixture(scope="module", params=["dirichlet", "betting"])
def found(request):
    return certify(MODEL, X, NAMES, method=request.param, random_state=0)


def test_bounds_lie_below_the_truth_and_are_worth_something(found):
    assert isinstance(found, MulticlassCertificate)
    assert 2.1 < found.arc_length.low < LAW.arc_length
    assert 0.6 < found.balanced_accuracy.low < LAW.balanced_accuracy
    assert 0.8 < found.mean_pairwise_auc.low < LAW.mean_pairwise_auc
    assert np.all(found.pairwise_auc.low[OFF] < LAW.pairwise_auc[OFF])
    assert np.all(found.pairwise_auc.low[OFF] > 0.75)
    assert np.all(found.one_versus_rest_auc.low < LAW.one_versus_rest_auc)
    assert np.all(found.one_versus_rest_auc.low > 0.7)
    assert found.divergence.low == pytest.approx(found.arc_length.low - np.sqrt(3))


def test_values_lie_between_their_ends(found):
    for one in (found.arc_length, found.balanced_accuracy, found.mean_pairwise_auc):
        assert one.low <= one.value <= one.high
        assert one.side == "lower"
    for many in (found.pairwise_auc, found.one_versus_rest_auc, found.recall, found.confusion):
        known = ~np.isnan(many.value)
        assert np.all(many.low[known] <= many.value[known])
        assert np.all(many.value[known] <= many.high[known])
    low = balanced_accuracy_bounds(found.arc_length.low, 3).low
    assert found.balanced_accuracy.low >= low


def test_the_found_rule_is_counted(found):
    held = found.held_out
    own = held.y == 1
    assert found.recall["blue"].value == pytest.approx((held.predicted[own] == 1).mean())
    assert found.recall["blue"].side == "two-sided"
    assert found.confusion["blue", "cyan"].value == pytest.approx((held.predicted[own] == 2).mean())
    assert np.allclose(found.confusion.value.sum(axis=1), 1.0)


def test_what_it_says_of_itself(found):
    shown = repr(found)
    assert "3 classes" in shown
    assert "balanced accuracy" in shown
    assert found.to_frame().loc["balanced accuracy", "low"] == found.balanced_accuracy.low
    assert "balanced accuracy" in found._repr_html_()
    by = {"dirichlet": "asymptotic", "betting": "theorem"}
    assert found.guarantee == by[found.method]
    assert "3 pairs of classes" in repr(found.pairwise_auc)
    with pytest.raises(KeyError, match="none of the classes"):
        found.recall["green"]
    with pytest.raises(KeyError, match=r"pair of classes, such as \['amber', 'blue'\]"):
        found.pairwise_auc["amber"]
    with pytest.raises(KeyError, match="two different classes; got 'amber' twice"):
        found.pairwise_auc["amber", "amber"]
    assert found.confusion["amber", "amber"] == found.recall["amber"]
    judged = ~np.isnan(found.direction[:, 0])
    assert np.allclose(np.linalg.norm(found.direction[judged], axis=1), 1.0)


def test_a_lower_level_gives_higher_bounds():
    wide = certify(MODEL, X, Y, random_state=0, level=0.99)
    near = certify(MODEL, X, Y, random_state=0, level=0.6)
    assert wide.arc_length.low < near.arc_length.low
    assert np.all(wide.pairwise_auc.low[OFF] < near.pairwise_auc.low[OFF])


def test_pairs_with_the_diagonal_of_two_classes_agree_with_two_classes():
    """The joint bound of three pairs is below that of one pair at the same level."""
    three = certify(MODEL, X, Y, random_state=0, cv="holdout")
    assert three.cv == "holdout"
    assert three.guarantee == "conjecture"
    held = three.held_out
    two = held.y < 2
    from rocstar import auc_interval

    score = held.log_direction[two, 1] - held.log_direction[two, 0]
    alone = auc_interval(held.y[two] == 1, score, level=0.95, side="lower")
    assert three.pairwise_auc[0, 1].value == pytest.approx(alone.value)
    assert alone.low - 0.05 < three.pairwise_auc[0, 1].low < alone.low


def test_groups_count_as_one():
    """Every row twice, in groups of two, gives nearly the bounds of every row once."""
    once = certify(MODEL, X, Y, random_state=0)
    groups = np.tile(np.arange(300), 2)
    twice = certify(MODEL, np.tile(X, (2, 1)), np.tile(Y, 2), groups=groups, random_state=0)
    free = certify(MODEL, np.tile(X, (2, 1)), np.tile(Y, 2), random_state=0)
    assert twice.arc_length.low == pytest.approx(once.arc_length.low, abs=0.03)
    assert free.arc_length.low > twice.arc_length.low + 0.01


def test_weights_of_one_change_nothing_and_zero_leaves_out():
    plain = certify(MODEL, X, Y, random_state=0)
    same = certify(MODEL, X, Y, sample_weight=np.ones(300), random_state=0)
    assert same.arc_length.low == pytest.approx(plain.arc_length.low, abs=1e-6)
    weights = np.ones(300)
    weights[::4] = 0.0
    fewer = certify(MODEL, X, Y, sample_weight=weights, random_state=0)
    assert fewer.held_out.row.size == 225


def test_repeated_folds_are_averaged():
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    found = certify(MODEL, X, Y, cv=cv, random_state=0)
    assert found.held_out.first.size == 300
    assert 2.1 < found.arc_length.low < LAW.arc_length
    assert found.recall[0].value == pytest.approx(
        (found.held_out.predicted == 0)[found.held_out.y == 0].mean()
    )


def test_any_classifier_and_identical_laws():
    rng = np.random.default_rng(0)
    labels = rng.permutation(Y)
    for model in (DecisionTreeClassifier(max_depth=3, random_state=0), MODEL):
        nothing = certify(model, X, labels, random_state=0)
        assert nothing.arc_length.low == pytest.approx(np.sqrt(3))
        assert nothing.balanced_accuracy.low == pytest.approx(1 / 3)
        assert nothing.mean_pairwise_auc.low == pytest.approx(0.5)


NONE = np.zeros(3, dtype=int)
HELD = ClassHeldOut(
    np.arange(3), np.arange(3), np.eye(3), NONE, NONE, np.ones(3), None, (None,), 3, np.arange(3)
)


@pytest.mark.parametrize("stacked", [False, True])
def test_values_do_not_jump(stacked):
    """As in-sample figures grow from none to perfect, whatever the held-out ones are."""
    for outside in ([1.75, 0.36, 0.55], [2.4, 0.7, 0.8], [2.97, 0.98, 0.99]):
        values = []
        for share in np.linspace(0.01, 1, 2000):
            figures = {
                "arc_length": np.sqrt(3) + share * (3 - np.sqrt(3)),
                "balanced_accuracy": 1 / 3 + share * 2 / 3,
            }
            held = replace(HELD, in_sample=InSampleFigures(figures, 0.6, stacked))
            values.append(point_estimates(held, np.array(outside)))
        assert np.abs(np.diff(values, axis=0)).max() < 0.005


def test_an_excess_that_is_not_confirmed_does_not_count():
    figures = {"arc_length": 2.0, "balanced_accuracy": 0.5}
    held = replace(HELD, in_sample=InSampleFigures(figures, 0.6))
    at_chance = np.array([np.sqrt(3), 1 / 3, 0.5])
    np.testing.assert_array_equal(point_estimates(held, at_chance), at_chance)
    confirmed = np.array([2.0, 0.5, 0.6])
    np.testing.assert_allclose(point_estimates(held, confirmed), confirmed)


def test_a_stack_brings_in_sample_figures():
    members = [("linear", MODEL), ("logistic", LogisticRegression())]
    found = certify(StackedRatio(members, random_state=0), X, Y, random_state=0)
    assert found.held_out.in_sample.stacked
    low, high = balanced_accuracy_bounds(found.arc_length.value, 3)
    assert low - 1e-9 <= found.balanced_accuracy.value <= high + 1e-9


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "betting", "groups": np.arange(300) // 2}, "`groups` must be left out"),
        ({"method": "betting", "sample_weight": np.ones(300)}, "sample_weight"),
        ({"method": "betting", "cv": RepeatedStratifiedKFold(n_splits=2, n_repeats=1)}, "earlier"),
        ({"cv": 90}, "`cv=90` needs at least 90 rows of class 2; got 80: use cv=80"),
    ],
)
def test_what_is_not_covered_is_one_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        certify(MODEL, X, Y, random_state=0, **options)


def test_estimators_of_two_classes_say_so():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        certify(ArctanRatio(), X, Y)


def test_far_bounds_are_quantiles_within_the_span_of_each_figure():
    """A balanced accuracy lies in [0, 1]; on the arc length's [0, K] its tail would be lighter."""
    held = certify(MODEL, X, Y, cv="holdout", random_state=0).held_out
    far, figures = multiclass_certificate(held, 0.9999), main_figures(held)
    draws = figures.draws(np.random.default_rng(0), N_DRAWS)
    each = joint_error(figures, 1e-4, 0)
    assert far.balanced_accuracy.low == pytest.approx(draws.low(each)[1])
    assert far.mean_pairwise_auc.low == pytest.approx(draws.low(each)[2])


def test_shares_stay_within_their_range():
    """Of many rows draws are normal, and rounding lifts sums of means above one."""
    rows, labels = laws.GaussianFamily([[0.0], [7.0], [14.0]]).sample(
        [4000, 4000, 3500], random_state=2
    )
    far = certify(MODEL, rows, labels, cv="holdout", random_state=0)
    for many in (far.pairwise_auc, far.one_versus_rest_auc, far.recall, far.confusion):
        known = ~np.isnan(many.value)
        ends = (many.low[known], many.value[known], many.high[known])
        for lower, upper in pairwise([0.0, *ends, 1.0]):
            assert np.all(np.asarray(lower) <= upper)


def test_betting_is_not_advised_where_it_takes_no_such_rows():
    plain = certify(MODEL, X, Y, random_state=0)
    assert "method='betting' gives a theorem" in repr(plain)
    for given in ({"groups": np.arange(300)}, {"sample_weight": np.ones(300)}):
        assert "betting" not in repr(certify(MODEL, X, Y, random_state=0, **given))
    two = certify(MODEL, X, Y > 0, sample_weight=np.ones(300), cv=2, random_state=0)
    assert "betting" not in repr(two)
    found = audit(X, Y, sample_weight=np.ones(300), model="linear", fast=True).summary()
    assert "betting" not in found["method"]["guarantee_sentence"]


def test_a_certificate_as_numbers_and_as_a_picture(found):
    entries = json.loads(json.dumps(found.to_dict()))
    assert entries["balanced_accuracy"]["low"] == found.balanced_accuracy.low
    assert entries["pairwise_auc"]["low"][0][1] == found.pairwise_auc["amber", "blue"].low
    assert entries["pairwise_auc"]["value"][1][1] is None
    assert entries["classes"] == ["amber", "blue", "cyan"]
    assert (entries["rows"], entries["method"]) == (found.held_out.first.size, found.method)
    mpl = pytest.importorskip("matplotlib")
    mpl.use("agg")
    drawn = found.plot()
    assert len(drawn.ax_.texts) == 6
    assert drawn.data["value"][0][1] == found.pairwise_auc.value[0, 1]
    mpl.pyplot.close("all")
