"""Who is judged by a model of whom: made once, labelled truly, groups whole, weights counted."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    StackedRatio,
    audit,
    certify,
    compare,
    headroom,
    roc_auc,
    two_sample_test,
)
from rocstar.audits.judge import difference_test
from rocstar.checks import InputError
from rocstar.estimators import splits
from rocstar.estimators.splits import default_repeats, split_rows
from rocstar.inference.two_sample import combined_pvalue
from rocstar.laws import GaussianPair

LAW = GaussianPair([0.0, 0.0], [1.0, 0.0])


@pytest.fixture(scope="module")
def data():
    return LAW.sample(100, 100, random_state=0)


def last_point(found):
    return found.summary()["learning_curve"][-1]["auc"]


def held_out_auc(found):
    certificate = found.certificate
    folds = [certificate.fold == k for k in range(certificate.fold.max() + 1)]
    aucs = [roc_auc(certificate.y[rows], certificate.score[rows]) for rows in folds]
    return np.average(aucs, weights=[certificate.y[rows].sum() for rows in folds])


@pytest.mark.parametrize("seed", [None, 0])
@pytest.mark.parametrize("options", [{"fast": True}, {"cv": "holdout"}, {"cv": 3}, {"cv": None}])
def test_an_audit_splits_once(data, options, seed):
    X, y = data
    # The learning curve ends with the very models that the certificate judged, on the same rows.
    found = audit(X, y, model="linear", random_state=seed, **options)
    assert_allclose(last_point(found), held_out_auc(found))


def test_a_comparison_of_equal_samples_finds_no_importance():
    X = np.random.default_rng(0).normal(size=(400, 3))
    # A model judged on its own training rows would find some in every column, 0.1 on average.
    found = [compare(X[::2], X[1::2], model="trees", fast=True) for _ in range(4)]
    most = [max(column["importance"] for column in f.columns_importance) for f in found]
    assert np.mean(most) < 0.05


@pytest.mark.parametrize(
    "cv",
    [
        "holdout",
        PredefinedSplit(np.where(np.arange(200) % 2, 0, -1)),
        [(np.arange(0, 200, 2), np.arange(1, 200, 2))],
    ],
    ids=["name", "splitter", "splits"],
)
def test_one_split_is_a_hold_out(data, cv):
    certificate = certify(ArctanRatio(), *data, cv=cv, random_state=0)
    assert certificate.strict
    assert certificate.cv == "holdout"
    assert "judged on one held-out part" in repr(certificate)


def test_no_cv_is_five_shuffled_stratified_folds(data):
    X, y = data  # sorted by class
    folds = [certify(ArctanRatio(), X, y, cv=cv, random_state=0).fold for cv in (None, 5)]
    assert_array_equal(*folds)
    assert [len(split_rows(cv, y == 1, random_state=0, inner=True)) for cv in (None, 5)] == [5, 5]


def test_default_folds_are_repeated_by_the_size_of_the_rarer_class_alone():
    found = [default_repeats(n, 300) for n in (5, 10, 25, 50, 70, 71, 5000)]
    assert found == [16, 16, 16, 4, 2, 1, 1]
    # Many rows of the other class make every fit slow.
    assert [default_repeats(25, n) for n in (5000, 12_000, 10**6)] == [4, 1, 1]


def test_few_rows_of_a_class_repeat_the_default_folds_and_no_others():
    y = np.repeat([True, False], [25, 75])
    default = split_rows(None, y, random_state=3)
    assert len(default) == 16 * 5
    for k in range(16):
        held = np.concatenate([test for _, test in default[5 * k : 5 * k + 5]])
        assert_array_equal(np.sort(held), np.arange(100))
    once = split_rows(5, y, random_state=3)
    assert len(once) == 5
    for (_, first), (_, test) in zip(default, once, strict=False):
        assert_array_equal(first, test)  # so that what rests on the first fold is the same
    assert not np.array_equal(default[0][1], default[5][1])
    assert len(split_rows(None, y, random_state=3, inner=True)) == 5
    # Groups are what is drawn, so it is they that are few.
    groups = np.arange(100) // 2
    assert len(split_rows(None, y, groups=groups, random_state=0)) == 16 * 5


def test_repeats_of_the_same_folds_are_left_out():
    """Groups that all differ in size are dealt into folds in one way, whatever the seed."""
    groups = np.repeat(np.arange(12), np.arange(3, 27, 2))
    y = np.append(True, np.diff(groups) > 0)
    assert len(split_rows(None, y, groups=groups, random_state=0)) == 5


def test_repeats_that_lack_a_class_are_left_out(monkeypatch):
    y = np.repeat([True, False], [20, 80])
    own = splits._own_splits

    def some_lack_positives(*given):
        found = own(*given)
        return found if given[-1] == 0 else [(train, test[~y[test]]) for train, test in found]

    monkeypatch.setattr(splits, "_own_splits", some_lack_positives)
    assert len(split_rows(None, y, random_state=0)) == 5


def test_rows_are_held_out_equally_often(data):
    X, y = data
    with pytest.raises(ValueError, match="hold out each row equally often; got between 1 and"):
        certify(ArctanRatio(), X, y, cv=StratifiedShuffleSplit(4, random_state=0))
    group = np.arange(200) // 4
    folds = [
        split for seed in (0, 1) for split in split_rows(3, y == 1, groups=group, random_state=seed)
    ]
    found = certify(ArctanRatio(), X, y, cv=folds, groups=group, random_state=0)
    assert found.held_out.n_repeats == 2


def test_masks_are_splits_too(data):
    X, y = data
    mask = np.arange(200) % 2 == 0
    by_mask, by_number = (
        certify(ArctanRatio(), X, y, cv=[split], random_state=0).fold
        for split in ((mask, ~mask), (np.flatnonzero(mask), np.flatnonzero(~mask)))
    )
    assert_array_equal(by_mask, by_number)


@pytest.mark.parametrize("cv", [KFold(5), 1, 0, "halves", [(np.arange(100), np.arange(100, 200))]])
def test_time_says_who_is_judged_by_whom(data, cv):
    X, y = data
    with pytest.raises(InputError, match="`cv` must be 'holdout' or a number of at least 2 where"):
        audit(X, y, time=np.random.default_rng(0).permutation(200), cv=cv, model="linear")


@pytest.mark.dask
def test_a_collection_says_what_it_cannot_do(data):
    array = pytest.importorskip("dask.array")
    X, y = (array.from_array(values, chunks=50) for values in data)
    refused = [({"cv": 10}, "`cv` must be 'holdout'"), ({"cv": KFold(3)}, "`cv` must be 'holdout'")]
    refused += [({"n_jobs": 2}, "`n_jobs` must be None for a Dask collection")]
    for options, sentence in refused:
        for answer in (certify, lambda _, X, y, **kw: audit(X, y, model="linear", **kw)):
            with pytest.raises(ValueError, match=sentence):
                answer(ArctanRatio(), X, y, **options)
    assert certify(ArctanRatio(), X, y, cv="holdout", random_state=0).strict


# Groups


def grouped(seed, n_groups=12, rows=8):
    """Groups that hold rows of both classes."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n_groups * rows, 2)), rng.integers(0, 2, n_groups * rows)
    X[:, 0] += y
    return X, y, np.repeat(np.arange(n_groups), rows)


def test_groups_may_not_be_torn():
    X, y, groups = grouped(0)
    with pytest.raises(ValueError, match=r"`cv` must keep .* split 0 tears \d+ groups apart: use"):
        certify(ArctanRatio(), X, y, cv=StratifiedKFold(5), groups=groups)
    with pytest.raises(ValueError, match="`cv` must keep the rows of a group on one side"):
        StackedRatio([("a", ArctanRatio())], cv=StratifiedKFold(3)).fit(X, y, groups=groups)
    assert certify(ArctanRatio(), X, y, cv=GroupKFold(3), groups=groups).cv == "3"
    # No warning that groups are ignored where each row is a group of its own.
    certify(ArctanRatio(), X, y, cv=StratifiedKFold(3), groups=np.arange(len(y)))


@pytest.mark.parametrize(
    "answer",
    [
        lambda X, y, g: certify(ArctanRatio(), X, y, groups=g),
        lambda X, y, g: audit(X, y, groups=g, model="linear"),
        lambda X, y, g: ArctanRatioCV().fit(X, y, groups=g),
        lambda X, y, g: StackedRatio([("a", ArctanRatio())]).fit(X, y, groups=g),
    ],
    ids=["certify", "audit", "ArctanRatioCV", "StackedRatio"],
)
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda g: g[:-1], "one group for each of the 96 rows; got 95 names"),
        (lambda g: np.append(g, 1), "one group for each of the 96 rows; got 97 names"),
        (lambda g: np.where(g == 3, None, g), "got 8 missing: name those groups"),
        (lambda g: np.where(g == 3, np.nan, g), "got 8 missing: name those groups"),
        (lambda g: pd.Series(g).astype("Int64").where(g != 3), "got 8 missing: name those groups"),
    ],
    ids=["short", "long", "None", "NaN", "NA"],
)
def test_bad_groups_are_refused_everywhere(answer, change, sentence):
    X, y, groups = grouped(0)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        answer(X, y, change(groups))


@pytest.mark.parametrize("seed", range(30))
def test_the_test_of_no_difference_has_an_answer_for_every_seed(seed):
    X, y, groups = grouped(seed)
    certificate = certify(ArctanRatio(), X, y, groups=groups, random_state=seed)
    test = difference_test(certificate.held_out, seed)
    assert 0 < test["pvalue"] <= 1
    assert 0 <= test["statistic"] <= 2


def test_a_test_that_cannot_find_anything_is_a_caveat():
    X, y, groups = grouped(0, n_groups=6, rows=20)
    audits = [
        audit(X, y, groups=groups, model="linear", cv=3, random_state=seed).summary()
        for seed in range(6)
    ]
    for found in audits:
        powerless = found["test"]["n_permutations"] == 0
        assert powerless <= (found["test"]["pvalue"] == 1)
        assert powerless == any("takes one row per group" in told for told in found["caveats"])
    assert {found["test"]["n_permutations"] for found in audits} == {0, 999}


# Weights


def test_rows_of_weight_zero_count_as_absent(data):
    X, y = data
    weight = np.ones(200)
    weight[np.flatnonzero(y == 0)[3:]] = 0.0
    with pytest.raises(ValueError, match="5 negative rows of positive weight; got 3: use cv=3"):
        certify(ArctanRatio(), X, y, sample_weight=weight, cv=5, random_state=0)
    # The default makes as many folds as there are rows for.
    assert certify(ArctanRatio(), X, y, sample_weight=weight, random_state=0).fold.max() == 2
    weighted = certify(ArctanRatio(), X, y, sample_weight=weight, cv=3, random_state=0)
    rows = weight > 0
    left_out = certify(ArctanRatio(), X[rows], y[rows], cv=3, random_state=0)
    assert_array_equal(weighted.fold[rows], left_out.fold)
    assert (weighted.fold[~rows] == -1).all()
    assert_allclose(weighted.arc_length.low, left_out.arc_length.low)
    assert_allclose(weighted.arc_length.value, left_out.arc_length.value, rtol=1e-6)


@pytest.mark.parametrize("cv", [3, StratifiedKFold(3, shuffle=True, random_state=0)])
def test_members_leave_out_rows_of_weight_zero(data, cv):
    X, y = data
    weight = np.where((y == 1) | (np.arange(200) % 10 == 0), 1.0, 0.0)
    for train, test in split_rows(cv, y == 1, sample_weight=weight, random_state=0, inner=True):
        assert (weight[train] > 0).all()
        assert (weight[test] > 0).all()
    StackedRatio([("tuned", ArctanRatioCV(cv=3))], cv=3).fit(X, y, sample_weight=weight)


def test_given_splits_are_checked_without_rows_of_weight_zero(data):
    _, y = data
    weight = np.where(np.arange(200) < 120, 1.0, (y == 1) * 1.0)
    halves = [(np.arange(0, 200, 2), np.arange(1, 200, 2))]
    lopsided = np.where((np.arange(200) % 2 == 1) & (y == 0), 0.0, 1.0)
    with pytest.raises(ValueError, match="held-out part of split 0 has no negative row"):
        split_rows(halves, y == 1, sample_weight=lopsided)
    assert len(split_rows(halves, y == 1, sample_weight=weight)) == 1


# Scores are judged where the model is


def test_headroom_needs_the_judged_rows_only(data):
    X, y = data
    certificate = certify(ArctanRatio(), X, y, cv="holdout", random_state=0)
    assert np.isnan(certificate.score).sum() == 100
    assert headroom(y, certificate.score, certificate).low == 0
    spoilt = np.where(certificate.fold == 0, np.nan, 1.0)
    row = int(np.argmax(certificate.fold == 0))
    with pytest.raises(ValueError, match=f"`score` must be finite; got nan in row {row}"):
        headroom(y, spoilt, certificate)


@pytest.mark.parametrize("options", [{"cv": "holdout"}, {"time": np.arange(200) % 97, "cv": 3}])
def test_scores_are_judged_on_held_out_rows(data, options):
    X, y = data
    found = audit(X, y, scores={"first": X[:, 0]}, model="linear", random_state=0, **options)
    rows = found.certificate.fold >= 0
    assert 0 < rows.sum() < 200
    entry = found.summary()["scores"][0]
    assert_allclose(entry["auc"]["value"], roc_auc(y[rows], X[rows, 0]))
    # Changing the score of rows that were not held out changes nothing.
    moved = np.where(rows, X[:, 0], -X[:, 0])
    again = audit(X, y, scores={"first": moved}, model="linear", random_state=0, **options)
    assert again.summary()["scores"] == found.summary()["scores"]
    assert again.summary()["figures"] == found.summary()["figures"]
    said = f"Given scores were judged on the {rows.sum()} held-out rows of 200."
    assert said in found.summary()["caveats"]


def test_with_folds_scores_are_judged_on_all_rows(data):
    X, y = data
    found = audit(X, y, scores={"first": X[:, 0]}, model="linear", random_state=0).summary()
    assert_allclose(found["scores"][0]["auc"]["value"], roc_auc(y, X[:, 0]))
    assert not any("Given scores were judged" in told for told in found["caveats"])


# One split has an exact p-value


def test_one_pvalue_is_itself():
    assert combined_pvalue([0.3]) == 0.3
    assert combined_pvalue([0.03, 0.03]) == pytest.approx(0.06)


def test_one_split_holds_its_level_exactly():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    pvalues = np.array(
        [
            two_sample_test(
                rng.normal(size=(40, 1)),
                y,
                estimator=LogisticRegression(),
                n_permutations=19,
                random_state=seed,
            ).pvalue
            for seed in range(200)
        ]
    )
    # Uniform on 1/20, …, 1: twice the p-value would be at most 0.1 in 5 % of the trials, not 10 %.
    assert 0.06 < (pvalues <= 0.1).mean() < 0.16
    assert 0.4 < (pvalues <= 0.5).mean() < 0.6


def test_a_hold_out_is_one_half_and_inner_folds_are_as_many_as_the_rows_allow():
    [(train, test)] = split_rows("holdout", np.array([True, False] * 5), random_state=0)
    assert (train.size, test.size) == (5, 5)
    few = np.array([True, False, False] * 3)
    assert len(split_rows(5, few, inner=True, random_state=0)) == 3
