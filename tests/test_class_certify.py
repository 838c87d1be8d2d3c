"""Headroom of predictions of more than two classes, and rows judged in turn."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rocstar import ArctanRatio, Certificate, MulticlassCertificate, certify, headroom, laws
from rocstar.inference.class_figures import pairwise_gain
from rocstar.inference.class_held_out import pair_placements
from rocstar.inference.draws import N_DRAWS
from rocstar.inference.prequential import prequential_splits

LAW = laws.GaussianFamily([[0.0], [1.0], [2.0]])
X, Y = LAW.sample(300, random_state=0)
TRUE = LAW.direction(X)


@pytest.fixture(scope="module", params=["dirichlet", "betting"])
def certificate(request):
    return certify(ArctanRatio(loss="log"), X, Y, method=request.param, random_state=0)


def test_the_true_posterior_leaves_nothing(certificate):
    """Ranked by Hand and Till's π_i it would seem to leave 0.04 of the AUC."""
    room = headroom(Y, TRUE / TRUE.sum(axis=1, keepdims=True), certificate)
    assert room.balanced_accuracy.low == 0.0
    assert room.mean_pairwise_auc.low == 0.0
    assert room.mean_pairwise_auc.value < 0.01


def test_poor_predictions_leave_room(certificate):
    worse = TRUE[:, [0, 2, 1]]
    room = headroom(Y, worse, certificate)
    assert 0.02 < room.balanced_accuracy.low < room.balanced_accuracy.value
    assert 0.05 < room.mean_pairwise_auc.low < room.mean_pairwise_auc.value
    assert room.balanced_accuracy.low < LAW.balanced_accuracy - 0.2


def test_labels_have_no_ranking(certificate):
    room = headroom(Y, np.zeros(900, dtype=int), certificate)
    assert room.mean_pairwise_auc is None
    assert 0.15 < room.balanced_accuracy.low < LAW.balanced_accuracy - 1 / 3
    assert headroom(Y, Y, certificate).balanced_accuracy.low == 0.0


UNEQUAL = np.concatenate(
    [np.flatnonzero(Y == 0), np.flatnonzero(Y == 1)[:60], np.flatnonzero(Y == 2)[:60]]
)


@pytest.mark.parametrize(
    ("factor", "rule"), [([300, 60, 60], "likeliest at equal shares"), ([1, 1, 1], "likeliest")]
)
def test_no_false_claim_whatever_the_shares(factor, rule):
    """A posterior at the shares of the rows, and one at equal shares, both without headroom."""
    found = certify(ArctanRatio(loss="log"), X[UNEQUAL], Y[UNEQUAL], random_state=0)
    posterior = TRUE[UNEQUAL] * factor
    room = headroom(Y[UNEQUAL], posterior, found)
    assert room.balanced_accuracy.low == 0.0
    assert room.rule == rule
    right = headroom(Y[UNEQUAL], posterior, found, prior=factor)
    assert right.balanced_accuracy.value == room.balanced_accuracy.value
    # What is stated decides alone, also if it is wrong.
    wrong = headroom(
        Y[UNEQUAL], posterior, found, prior=factor[::-1] if factor[1] > 1 else [5, 1, 1]
    )
    assert wrong.balanced_accuracy.low > 0.02


def test_the_smaller_bound_is_that_of_either_rule():
    found = certify(ArctanRatio(loss="log"), X[UNEQUAL], Y[UNEQUAL], random_state=0)
    posterior = TRUE[UNEQUAL][:, [0, 2, 1]] * [300, 60, 60]
    shares = np.bincount(Y[UNEQUAL])
    rules = [headroom(Y[UNEQUAL], posterior, found, prior=p) for p in ("balanced", shares)]
    both = headroom(Y[UNEQUAL], posterior, found)
    assert both.balanced_accuracy.low == min(r.balanced_accuracy.low for r in rules) > 0.0
    assert both.balanced_accuracy.value == min(r.balanced_accuracy.value for r in rules)
    assert both.mean_pairwise_auc == rules[0].mean_pairwise_auc


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (np.ones((900, 2)), r"probabilities of shape \(900, 3\).*got shape \(900, 2\)"),
        (np.full(900, 7), "`score` must hold labels among those of `y`; got 7"),
        (TRUE[:, 0], r"or probabilities of all 3 classes, of shape \(n, 3\)"),
        (-np.ones((900, 3)), "finite probabilities of at least 0; got -1: pass what predict_proba"),
    ],
)
def test_wrong_predictions_are_named(certificate, given, sentence):
    with pytest.raises(ValueError, match=sentence):
        headroom(Y, given, certificate)


def test_other_labels_are_refused(certificate):
    with pytest.raises(ValueError, match="`y` must be the labels the certificate was made with"):
        headroom(np.roll(Y, 1), TRUE, certificate)


def test_bets_need_rows_judged_in_turn():
    folds = certify(ArctanRatio(loss="log"), X, Y, random_state=0)
    with pytest.raises(ValueError, match=r"method='betting' or cv='holdout'.*got one of 5 folds"):
        headroom(Y, TRUE, folds, method="betting")
    half = certify(ArctanRatio(loss="log"), X, Y, cv="holdout", random_state=0)
    assert headroom(Y, TRUE[:, ::-1], half, method="betting").balanced_accuracy.low > 0.05


def test_no_model_has_seen_what_it_judges():
    seen: set[int] = set()
    turns = prequential_splits(None, Y, X=X, random_state=0, classes=["a", "b", "c"])
    assert len(turns) == 5
    for train, test in turns:
        assert not set(test) & set(train)
        assert not set(test) & seen
        seen |= set(test)
        assert set(Y[test]) == {0, 1, 2}


def test_probabilities_made_at_other_shares():
    """A posterior at equal shares leaves nothing, though the rows have other shares."""
    found = certify(ArctanRatio(loss="log"), X[UNEQUAL], Y[UNEQUAL], random_state=0)
    for prior in ("balanced", [0.2, 0.2, 0.2]):
        room = headroom(Y[UNEQUAL], TRUE[UNEQUAL], found, prior=prior)
        assert room.balanced_accuracy.low == 0.0
    with pytest.raises(ValueError, match=r"`prior` must hold 3 positive shares.*got \[1, 0, 0\]"):
        headroom(Y[UNEQUAL], TRUE[UNEQUAL], found, prior=[1, 0, 0])


def test_lower_bounds_of_the_best_posterior_seldom_miss():
    """True posteriors at the shares of the rows and at equal shares: no headroom to be found."""
    sizes = [90, 40, 20]
    for factor in (sizes, [1, 1, 1]):
        misses = 0
        for seed in range(40):
            rows, labels = LAW.sample(sizes, random_state=seed)
            found = certify(ArctanRatio(loss="log"), rows, labels, cv="holdout", random_state=seed)
            room = headroom(labels, LAW.direction(rows) * factor, found)
            misses += room.balanced_accuracy.low > 0
        assert misses <= 5  # the level allows 2; 6 or more has a chance of 1.4 %


def test_what_an_unseen_row_can_cost_the_mean_pairwise_auc():
    """At worst it loses all K − 1 of its pairs, of the K(K − 1)/2 over which the mean is taken."""
    law = laws.GaussianFamily([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0], [4.0, 16.0]])
    rows, labels = law.sample(20, random_state=0)
    found = certify(ArctanRatio(loss="log"), rows, labels, cv="holdout", random_state=0)
    held = found.held_out
    wrong = 1 / np.maximum(found.direction, 1e-30)
    wrong[np.isnan(wrong)] = 1.0  # rows that were never held out
    figures = pairwise_gain(held, pair_placements(held, np.log(wrong[held.row])))
    assert figures.values.max() == pytest.approx(2 / 5)
    low = figures.draws(np.random.default_rng(0), N_DRAWS).low(0.05, -2 / 5, (-1, 1))[0]
    room = headroom(labels, wrong / wrong.sum(axis=1, keepdims=True), found).mean_pairwise_auc
    assert room.low == pytest.approx(low, abs=1e-3)
    assert room.low > 0.3


def test_what_both_certificates_have_is_documented():
    """Names that `certify` says both have, and those that only one has."""
    both = {*dir(Certificate), *Certificate.__annotations__}
    many = {*dir(MulticlassCertificate), *MulticlassCertificate.__annotations__}
    shared, _, other = certify.__doc__.partition("Both have")[2].partition("In place of")
    alone, _, more = other.partition("it has")
    names = re.compile("``([a-z_]+)``")
    assert {*names.findall(shared)} <= both & many
    assert {*names.findall(alone)} <= both - many
    assert {*names.findall(more.partition(";")[0])} == {n for n in many - both if n[0] != "_"}
