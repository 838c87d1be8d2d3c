"""Who is judged by whom in an audit, and how its progress is reported."""

from __future__ import annotations

import numpy as np
import pytest
from data_audit import LAW
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression

from rocstar import audit, certify, compare
from rocstar.audits.judge import _some_rows, difference_test, row_splits
from rocstar.checks import InputError
from rocstar.tables.table import table_of


def test_progress_never_goes_back_and_names_its_stages(sample):
    seen: list[tuple[str, float]] = []
    audit(*sample, model="linear", random_state=0, progress=lambda *step: seen.append(step))
    shares = [done for _, done in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    at = dict(reversed(seen))  # when each stage begins
    assert at["importance"] < at["scores"] < at["figures"] < 1
    assert {"columns", "certify", "learning curve", "test", "figures"} <= {s for s, _ in seen}


def test_progress_counts_the_fits_of_all_repeats(few):
    done = np.array([share for stage, share in few[4] if stage == "certify"])
    assert np.unique(done).size == 6 * 5 + 2  # none, each fold of each repeat, one to all rows
    assert done[-1] < 1


def test_repeats_are_reported(few):
    _, _, found, once, _ = few
    said = [f.summary()["method"]["splits"] for f in (found, once)]
    assert said == [
        "5 folds repeated 6 times; stratified by class",
        "5 folds; stratified by class",
    ]


def test_groups_stay_together():
    X, y = LAW.sample(200, 200, random_state=0)
    groups = np.arange(400) % 40
    table = table_of(X, y, groups=groups)
    for train, test in row_splits(table, 5, 0):
        assert not set(groups[train]) & set(groups[test])
    found = audit(X, y, groups=groups, model="linear", random_state=0)
    splits = found.summary()["method"]["splits"]
    assert splits == "5 folds repeated 6 times; groups kept together"
    single = audit(X, y, model="linear", random_state=0).summary()["figures"]["roc"]["low"]
    band = found.summary()["figures"]["roc"]["low"]
    assert 0.3 < np.mean(band) < np.mean(single)  # forty groups know less than 400 rows


@pytest.mark.parametrize("cv", [4, "holdout"])
def test_time_trains_on_the_strict_past(cv):
    X, y = LAW.sample(200, 200, random_state=0)
    time = np.random.default_rng(0).integers(0, 30, 400)
    table = table_of(X, y, time=time)
    splits = row_splits(table, cv, 0)
    assert len(splits) == (1 if cv == "holdout" else 4)
    for train, test in splits:
        assert time[train].max() < time[test].min()
    found = audit(X, y, time=time, model="linear", cv=cv, random_state=0)
    assert (found.certificate.fold == -1).any()


def test_time_and_groups_together_keep_both_promises():
    X, y = LAW.sample(200, 200, random_state=0)
    rng = np.random.default_rng(0)
    time, groups = rng.permutation(400), rng.integers(0, 300, 400)
    for train, test in row_splits(table_of(X, y, time=time, groups=groups), 3, 0):
        assert time[train].max() < time[test].min()
        assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize("given", [{}, {"groups": np.arange(240) // 2}, {"time": np.arange(240)}])
def test_bets_judge_rows_in_turn(given):
    X, y = LAW.sample(120, 120, random_state=0)
    order = np.random.default_rng(0).permutation(240)
    table = table_of(X[order], y[order], **given)
    seen = np.zeros(240, dtype=bool)
    splits = row_splits(table, None, 0, "betting")
    assert len(splits) == (7 if "time" in given else 5)
    for train, test in splits:
        seen[train] = True
        assert not seen[test].any()
        seen[test] = True
        if "time" in given:
            assert train.max() < test.min()


def test_audit_by_betting_is_a_theorem_and_says_so():
    X, y = LAW.sample(150, 150, random_state=0)
    scores = {"first": X[:, 0]}
    found = audit(X, y, scores=scores, model="linear", method="betting", random_state=0)
    summary = found.summary()
    assert found.certificate.guarantee == summary["method"]["guarantee"] == "theorem"
    assert summary["method"]["method"] == "betting"
    assert summary["method"]["splits"] == "5 parts, each judged by a model of all earlier rows"
    sentence = "The lower bounds are proven for every law, every learner and every number of rows."
    assert summary["method"]["guarantee_sentence"] == sentence
    assert sentence in summary["caveats"]
    assert sentence in found.to_markdown()
    assert sentence in found.to_html()
    assert found.auc.low < LAW.auc
    assert found.pvalue < 1e-6
    usual = audit(X, y, scores=scores, model="linear", random_state=0).summary()
    assert summary["scores"][0]["auc"] != usual["scores"][0]["auc"]


def test_with_groups_the_sentence_leaves_the_curve_out():
    """The five bounds are proven with groups too; the curve, and what is read off it, are not."""
    X, y = LAW.sample(150, 150, random_state=0)
    options = {"model": "linear", "method": "betting", "random_state": 0}
    found = audit(X, y, groups=np.arange(300) // 2, **options)
    summary = found.summary()
    assert found.certificate.curve.guarantee == "asymptotic"
    sentence = summary["method"]["guarantee_sentence"]
    assert sentence.endswith(
        "With groups, the certified ROC curve and what is read off it "
        "(precision, net benefit, cost) hold for large samples."
    )
    assert sentence in summary["caveats"]


def test_betting_keeps_the_model_of_the_most_rows():
    X, y = LAW.sample(80, 80, random_state=0)
    found = audit(X, y, model="linear", method="betting", random_state=0)
    last = found.certificate.held_out.models[-1]
    assert found.model.predict_angle(X) == pytest.approx(last.predict_angle(X))
    compared = compare(X[y == 0], X[y == 1], model="linear", method="betting", random_state=0)
    assert compared.certificate.guarantee == "theorem"


def test_a_stack_in_turn_has_numbers_that_json_can_hold():
    X, y = LAW.sample(60, 60, random_state=0)
    found = audit(X, y, method="betting", random_state=0)
    lengths = [member["arc_length"] for member in found.summary()["members"]]
    assert np.isfinite(lengths).all()
    assert '"theorem"' in found.to_json()


def test_parts_in_turn_are_tested_together():
    X, y = LAW.sample(60, 60, random_state=0)
    held = audit(X, y, model="linear", method="betting", random_state=0).certificate.held_out
    alone = [difference_test(held.entries(held.fold == k), 0, in_turn=False) for k in (0,)]
    tests = []
    for k in range(held.n_splits):
        part = held.entries(held.fold == k)
        part.fold[:] = 0
        tests.append(difference_test(part, 0))
    whole = difference_test(held, 0, in_turn=True)
    assert alone[0]["pvalue"] == tests[0]["pvalue"]
    fisher = -2 * np.log([test["pvalue"] for test in tests]).sum()
    assert whole["pvalue"] == pytest.approx(chi2.sf(fisher, 2 * held.n_splits))
    assert whole["n_permutations"] == 5 * 999


def test_bets_reject_groups_of_several_periods():
    X, y = LAW.sample(60, 60, random_state=0)
    rng = np.random.default_rng(0)
    given = {"time": rng.permutation(120), "groups": np.arange(120) % 20}
    with pytest.raises(InputError, match="`groups` must not reach from one period of `time`"):
        audit(X, y, method="betting", **given)


@pytest.mark.parametrize("counts", [[20_000, 5], [5_005, 5_004, 1], [338] * 29 + [208]])
def test_a_large_part_is_tested_on_some_rows_of_every_class(counts):
    """Few rows more than are tested, and classes of few rows."""
    y = np.repeat(np.arange(len(counts)), counts)
    if len(counts) == 2:
        y = y > 0
    rows = _some_rows(y, 10_000, 0)
    assert np.unique(rows).size == 10_000
    drawn = np.unique(y[rows], return_counts=True)[1]
    assert drawn.size == len(counts)
    assert np.all(np.abs(drawn - 10_000 * np.array(counts) / y.size) < 1)


def test_a_part_just_above_the_rows_of_a_test():
    """Two classes of 10,001 held-out rows: one row is left out of the test."""
    X, y = LAW.sample(10_001, 10_001, random_state=0)
    held = certify(LogisticRegression(), X, y, cv="holdout", random_state=0).held_out
    assert difference_test(held, 0)["pvalue"] == 0.001
