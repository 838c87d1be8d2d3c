"""Audits: what they find on data whose truth is known, and what they take."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from data_audit import LAW
from sklearn.linear_model import LogisticRegression

from rocstar import audit


def test_bounds_hold_and_estimates_are_close(result):
    assert result.auc.low < LAW.auc
    assert result.arc_length.low < LAW.arc_length
    assert result.tv.low < LAW.tv
    assert result.auc.value == pytest.approx(LAW.auc, abs=0.03)
    assert result.arc_length.value == pytest.approx(LAW.arc_length, abs=0.03)
    assert result.pvalue == 0.001


def test_a_poor_score_has_room_above_it_and_the_best_has_none(result):
    half, best = result.summary()["scores"]
    assert half["headroom"]["low"] > 0.01
    assert "is at least 0.0" in half["sentence"]
    assert best["headroom"]["low"] < 5e-4
    assert "cannot be told apart from the best model found" in best["sentence"]
    # The verdict speaks of the best of the given scores.
    assert "`best`" in result.verdict


def test_given_scores_are_never_features(sample):
    X, y = sample
    cheat = y.to_numpy() + 0.0
    plain = audit(X, y, model="linear", random_state=0)
    judged = audit(X, y, scores={"cheat": cheat}, model="linear", random_state=0)
    np.testing.assert_array_equal(plain.certificate.angle, judged.certificate.angle)
    assert judged.summary()["scores"][0]["auc"]["value"] == 1
    assert judged.summary()["scores"][0]["headroom"]["low"] == 0


def test_noise_gives_no_difference():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 2)), np.repeat([0, 1], 100)
    found = audit(X, y, model="linear", random_state=0)
    assert found.pvalue > 0.05
    assert found.verdict.startswith("No model was shown to beat guessing at `y` (p = ")


def test_the_same_seed_gives_the_same_answer(sample, result):
    X, y = sample
    best = X.sum(axis=1).to_numpy()
    scores = {"half": X["first"].to_numpy(), "best": 1 / (1 + np.exp(1 - best))}
    costs = {"prevalence": 0.1, "cost_fn": 50, "cost_fp": 10}
    again = audit(X, y, scores=scores, model="linear", **costs, random_state=0).summary()
    first = result.summary()
    again["method"].pop("seconds")
    first["method"].pop("seconds")
    assert again == first


def test_learning_curve_doubles_its_rows(result):
    rows = [point["rows"] for point in result.summary()["learning_curve"]]
    assert rows == [60, 120, 240, 480]


def test_any_estimator_may_be_given(sample):
    found = audit(*sample, model=LogisticRegression(), random_state=0)
    assert found.auc.value == pytest.approx(LAW.auc, abs=0.03)
    assert found.summary()["method"]["model"] == "LogisticRegression"


def test_copies_in_one_group_do_not_tighten_the_bound():
    X, y = LAW.sample(100, 100, random_state=0)
    once = audit(X, y, model="linear", random_state=0, cv=2)
    times = 4
    many = audit(
        np.repeat(X, times, 0),
        np.repeat(y, times),
        groups=np.repeat(np.arange(200), times),
        model="linear",
        random_state=0,
        cv=2,
    )
    assert many.auc.low < once.auc.low + 0.03


def test_weights_reach_the_certificate():
    X, y = LAW.sample(150, 150, random_state=0)
    weights = np.where(X[:, 0] > 0, 3.0, 1.0)
    plain = audit(X, y, model="linear", random_state=0)
    weighted = audit(X, y, sample_weight=weights, model="linear", random_state=0)
    assert weighted.auc.value != plain.auc.value
    assert any("weighted" in caveat for caveat in weighted.summary()["caveats"])


def test_missing_values_and_categories_are_taken_as_they_come():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = pd.DataFrame(
        {
            "n": np.where(rng.random(300) < 0.2, np.nan, rng.normal(y)),
            "c": np.where(rng.random(300) < 0.2 + 0.5 * y, "x", "y"),
        }
    )
    found = audit(X, y, fast=True, random_state=0)
    assert found.auc.value > 0.75


def test_wrong_arguments_are_told_in_one_sentence(sample):
    X, y = sample
    with pytest.raises(ValueError, match=r"^`y` must have one label for each of the 600 rows"):
        audit(X, y[:-1])
    with pytest.raises(ValueError, match=r"^`level` must lie strictly between 0 and 1"):
        audit(X, y, level=2, model="linear")
    with pytest.raises(ValueError, match="`model` must be auto, linear, rbf or trees"):
        audit(X, y, model="forest")


def test_the_model_of_an_audit_scores_frames():
    X, y = LAW.sample(150, 150, random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(c=np.where(X[:, 0] > 0, "up", "down"))
    found = audit(frame, y, model="linear", cv="holdout", random_state=0)
    rows = found.certificate.fold == 0
    np.testing.assert_allclose(
        found.model.predict_angle(frame)[rows], found.certificate.angle[rows], atol=1e-12
    )
    assert found.model.predict_proba(frame).shape == (300, 2)
