"""Rows judged by models of earlier rows: who sees whom, stacks in turn, and the certificate."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, TimeSeriesSplit
from sklearn.neighbors import KNeighborsClassifier

from rocstar import ArctanRatio, ArctanRatioCV, StackedRatio, certify, laws
from rocstar.estimators.shares import MixtureArcLength
from rocstar.inference.prequential import PARTS, prequential_splits

LAW = laws.GaussianPair([1.0, 1.0], [0.0, 0.0])
MEMBERS = [("linear", ArctanRatio()), ("logistic", LogisticRegression())]


@pytest.mark.parametrize("groups", [None, np.arange(160) // 2])
def test_no_row_is_judged_by_a_model_that_has_seen_it(groups):
    positive = np.random.default_rng(0).permutation(np.arange(160) < 60)
    splits = prequential_splits(None, positive, groups=groups, random_state=0)
    units = np.arange(160) if groups is None else groups
    seen = splits[0][0]
    for train, test in splits:
        assert_array_equal(train, np.sort(seen))
        assert not np.isin(units[test], units[seen]).any()
        assert 0 < positive[test].sum() < test.size
        seen = np.concatenate([seen, test])
    assert_array_equal(np.sort(seen), np.arange(160))
    # Five folds train on four times the rows.
    assert sum(train.size for train, _ in splits) < 4 * 160


def test_sorted_rows_are_shuffled_by_the_seed():
    positive = np.arange(200) < 100
    first, again, other = (
        prequential_splits(None, positive, random_state=seed)[0][1] for seed in (0, 0, 1)
    )
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.ptp(first[first < 100]) > 50


def test_few_rows_make_fewer_parts():
    positive = np.arange(60) < 5
    splits = prequential_splits(None, positive, random_state=0)
    assert len(splits) < PARTS
    assert positive[splits[0][0]].sum() >= 2


def test_order_of_time_is_kept():
    positive = np.arange(120) % 2 == 0
    splits = prequential_splits(TimeSeriesSplit(4), positive)
    assert [test[0] for _, test in splits] == [24, 48, 72, 96]
    with pytest.raises(ValueError, match="`cv` must train on earlier rows than it judges"):
        prequential_splits(KFold(4), positive)


def test_groups_are_not_judged_after_they_were_learnt():
    positive, groups = np.arange(8) % 2 == 0, np.array([0, 0, 1, 1, 2, 2, 1, 1])
    splits = [(np.arange(4), np.array([4, 5])), (np.array([4, 5]), np.array([6, 7]))]
    with pytest.raises(ValueError, match="an earlier split has trained on rows that split 1"):
        prequential_splits(splits, positive, groups=groups)


def test_certificate_by_betting_is_a_theorem():
    X, y = LAW.sample(150, 150, random_state=0)
    found = certify(ArctanRatio(), X, y, method="betting", random_state=0)
    assert found.guarantee == "theorem"
    assert "judged in 5 chunks by models of earlier rows" in repr(found)
    assert "Guarantee: theorem" in repr(found)
    assert np.isnan(found.angle).sum() == 300 - found.held_out.row.size > 0
    for name in ("arc_length", "auc", "tv"):
        estimate = getattr(found, name)
        assert getattr(LAW, name) - 0.2 < estimate.low < getattr(LAW, name)
        assert estimate.low < estimate.value < estimate.high
    assert certify(ArctanRatio(), X, y, random_state=0).guarantee == "asymptotic"
    assert certify(ArctanRatio(), X, y, cv="holdout", random_state=0).guarantee == "conjecture"
    strict = certify(ArctanRatio(), X, y, cv="holdout", method="betting", random_state=0)
    assert strict.guarantee == "theorem"


def test_identical_laws_and_a_learner_that_remembers_its_rows():
    # One nearest neighbour knows every row it has seen; a row on both sides would show at once.
    misses, runs = 0, 12
    for seed in range(runs):
        X = np.random.default_rng(seed).normal(size=(120, 2))
        y = np.arange(120) % 2
        found = certify(KNeighborsClassifier(1), X, y, method="betting", random_state=seed)
        misses += found.auc.low > 0.5 or found.tv.low > 0 or found.arc_length.low > 2**0.5
    assert misses <= binom.isf(0.001, runs, 0.05)


def test_stack_is_shared_out_by_earlier_parts():
    X, y = LAW.sample(120, 120, random_state=0)
    found = certify(StackedRatio(MEMBERS), X, y, method="betting", random_state=0).held_out
    models = found.models
    assert set(models[0].weights_.values()) == {0.5}
    before = found.entries(found.fold < 2)
    angles = [models[k].member_angles(X[before.row[before.fold == k]]) for k in (0, 1)]
    mixture = MixtureArcLength(np.concatenate(angles, axis=1), before.y, np.ones(before.y.size))
    assert_allclose(list(models[2].weights_.values()), mixture.best_shares(), atol=1e-6)
    own = found.entries(found.fold == 2)
    assert_allclose(own.angle, models[2].predict_angle(X[own.row]))


def test_members_of_a_stack_are_tuned_when_the_rows_have_doubled():
    X, y = LAW.sample(60, 60, random_state=0)
    stack = StackedRatio([("tuned", ArctanRatioCV(alphas=[0.1, 0.01], cv=2))])
    models = certify(stack, X, y, method="betting", random_state=0).held_out.models
    tuned = [isinstance(model.estimators_["tuned"], ArctanRatioCV) for model in models]
    assert tuned == [True, True, False, True, False]


def test_summary_and_report_state_the_guarantee():
    from rocstar import audit

    X, y = LAW.sample(60, 60, random_state=0)
    found = audit(X, y, model="linear", random_state=0)
    assert found.summary()["method"]["guarantee"] == "asymptotic"
    assert "asymptotic (several folds; for large samples)" in found.to_markdown()


def test_weights_and_unknown_methods_are_rejected():
    X, y = LAW.sample(40, 40, random_state=0)
    with pytest.raises(ValueError, match="`method='betting'` takes no `sample_weight`"):
        certify(ArctanRatio(), X, y, method="betting", sample_weight=np.ones(80))
    with pytest.raises(ValueError, match="`method` must be one of 'dirichlet', 'betting'"):
        certify(ArctanRatio(), X, y, method="luck")
