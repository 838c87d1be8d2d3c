"""Audits at a prevalence: truth on a known law, thresholds as given and at their best, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from data_audit import LAW
from scipy.stats import norm

from rocstar import audit
from rocstar.audits.decision_entry import is_probability
from rocstar.measures import Cost, NetBenefit, Precision

PREVALENCE = 0.02
COSTS = {"prevalence": PREVALENCE, "cost_fn": 50.0, "cost_fp": 1.0}
SHIFT = np.sqrt(2)  # between the two classes, along the best score


@pytest.fixture(scope="module")
def data():
    X, y = LAW.sample(400, 600, random_state=0)
    score = X.sum(axis=1)
    # The true probability at the prevalence, one with doubled log odds, and a rank.
    log_odds = LAW.log_ratio(X) + np.log(PREVALENCE / (1 - PREVALENCE))
    probability, sure = (1 / (1 + np.exp(-scale * log_odds)) for scale in (1.0, 2.0))
    return X, y, {"probability": probability, "too sure": sure, "rank": score}


@pytest.fixture(scope="module")
def found(data):
    X, y, scores = data
    return audit(X, y, scores=scores, model="linear", random_state=0, cv=3, **COSTS)


def points(found, at):
    return {p["name"]: p for p in found.summary()["decision"]["points"] if p["at"] == at}


def test_certified_numbers_hold_at_the_truth(found):
    fpr = np.linspace(0, 1, 20_001)
    tpr = norm.cdf(norm.ppf(fpr) + SHIFT)
    decision = found.summary()["decision"]
    truth = [Precision(r, PREVALENCE)(fpr, tpr) for r in decision["precision_recall"]["recall"]]
    assert (np.array(decision["precision_recall"]["low"]) <= np.array(truth) + 1e-3).all()
    curve = decision["curve"]
    best = [NetBenefit(t, PREVALENCE)(fpr, tpr) for t in curve["threshold"]]
    assert (np.array(curve["low"]) <= np.array(best) + 1e-9).all()
    assert np.allclose(curve["found"], best, atol=0.004)
    cost = 1000 * Cost(50.0, 1.0, PREVALENCE)(fpr, tpr)
    assert points(found, "best")["certified"]["cost"] >= cost
    assert points(found, "best")["found"]["cost"] == pytest.approx(cost, rel=0.1)


def test_a_probability_is_judged_as_given_and_at_its_best(found):
    best, given = points(found, "best"), points(found, "as given")
    assert set(given) == {"probability", "too sure"}
    for name in given:
        assert given[name]["cost"] >= best[name]["cost"] - 1e-9
    # The ranks are the same, so are the best points; cut as given, too sure a probability is dear.
    assert best["too sure"]["cost"] == pytest.approx(best["probability"]["cost"])
    assert given["too sure"]["cost"] > given["probability"]["cost"] + 10
    assert given["probability"]["cost"] == pytest.approx(best["probability"]["cost"], rel=0.08)


def test_headroom_in_cost_is_certified_only_where_there_is_some(data):
    X, y, scores = data
    given = {"first": X[:, 0], "best": scores["rank"]}
    found = audit(X, y, scores=given, model="linear", random_state=0, cv=3, **COSTS)
    first, best = found.summary()["decision"]["headroom"]
    assert (first["name"], best["name"]) == ("first", "best")
    assert best["low"] == 0
    assert 0 <= first["low"] < first["value"]
    cost = {name: p["cost"] for name, p in points(found, "best").items()}
    assert first["value"] == pytest.approx(cost["first"] - cost["found"], rel=0.15)


def test_points_are_consistent(found):
    for p in found.summary()["decision"]["points"]:
        called = PREVALENCE * p["recall"] + (1 - PREVALENCE) * p["fpr"]
        assert p["precision"] == pytest.approx(PREVALENCE * p["recall"] / called)
        assert p["lift"] == pytest.approx(p["precision"] / PREVALENCE)
        errors = 50 * PREVALENCE * (1 - p["recall"]) + (1 - PREVALENCE) * p["fpr"]
        assert p["cost"] == pytest.approx(1000 * errors)


def test_sentences_and_page_say_it(found):
    first, trivial, *scores = found.summary()["decision"]["sentences"]
    assert first.startswith(
        "At a prevalence of 2 %, with costs of 50 per missed positive and 1 per"
    )
    assert "(95 % confidence); the best model found costs " in first
    assert trivial == "Calling no case positive costs 1,000 per 1,000 cases, calling all 980."
    assert [s.partition(" costs")[0] for s in scores] == ["`probability`", "`too sure`", "`rank`"]
    assert "if cases with a score of at least 0.020 are called positive" in scores[0]
    assert "score of at least" not in scores[2]
    page = found.to_html()
    assert "At your prevalence" in page
    assert "Net benefit (decision curve)" in page


def test_the_prevalence_of_the_table_is_the_default(data):
    X, y, scores = data
    found = audit(
        X, y, scores={"p": scores["probability"]}, model="linear", cv="holdout", threshold=0.3,
        random_state=0,
    ).summary()["decision"]  # fmt: skip
    assert not found["given"]
    assert found["prevalence"] == pytest.approx(0.4, abs=0.02)
    assert found["threshold"] == 0.3
    assert found["cost_fn"] is None
    assert "(that of the table) and a threshold of 0.300" in found["sentences"][0]
    assert "some rule has a net benefit of at least" in found["sentences"][0]


def test_nothing_is_added_unless_asked(data):
    X, y, _ = data
    plain = audit(X[::5], y[::5], model="linear", cv="holdout", random_state=0)
    assert plain.summary()["decision"] is None
    assert "At your prevalence" not in plain.to_markdown()


def test_what_may_be_a_probability():
    assert is_probability(np.array([0.0, 0.2, 1.0]))
    assert not is_probability(np.array([0.0, 1.0, 1.0]))
    assert not is_probability(np.array([0.1, 0.2, 1.1]))


def test_the_command_line_takes_the_same(rocstar, churn):
    code, out, _ = rocstar(
        *("audit", churn, "-t", "churned", "--model", "linear", "--fast"),
        *("--prevalence", "5%", "--cost-fn", "500", "--cost-fp", "10"),
    )
    assert code == 0
    text = " ".join(out.split())
    assert "At a prevalence of 5 %, with costs of 500 per missed positive and 10 per" in text
