"""Summaries of audits and comparisons: their shape, and what their entries say."""

from __future__ import annotations

import numpy as np
import pytest
from data_audit import LAW
from data_summary import audit_summary, comparison_summary
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from rocstar import ArctanRatio, StackedRatio, auc_interval, audit, roc_band
from rocstar.audits.summary import FPR_GRID


def keys(value: object, depth: int = 0) -> object:
    """Shape of a summary: keys of dicts, shape of the first item of lists."""
    if isinstance(value, dict) and not {"rocstar", "certify"} & set(value):
        return {name: keys(item, depth + 1) for name, item in sorted(value.items())}
    if isinstance(value, list):
        return [keys(value[0])] if value else []
    return None


def test_summaries_have_the_shape_of_the_examples(result, comparison):
    real = result.summary()
    real["data"]["warnings"] = [{"severity": "note", "text": "one"}]
    assert keys(real) == keys(audit_summary())
    real = comparison.summary()
    example = comparison_summary()
    for part in (real, example):
        part["learning_curve"] = []
    assert keys(real) == keys(example)


def test_figures_are_curves(result):
    roc = result.summary()["figures"]["roc"]
    fpr, tpr, low = (np.asarray(roc[key]) for key in ("fpr", "tpr", "low"))
    assert (np.diff(fpr) > 0).all()
    assert (np.diff(tpr) >= 0).all()
    assert (low <= tpr + 1e-9).all()
    hull = np.interp(fpr, roc["hull"]["fpr"], roc["hull"]["tpr"])
    assert (hull >= tpr - 1e-6).all()
    true = LAW.roc(fpr)
    assert (low <= true + 1e-9).all()


def test_the_stack_tells_its_members():
    X, y = LAW.sample(80, 80, random_state=0)
    found = audit(X, y, fast=True, random_state=0).summary()
    assert [member["name"] for member in found["members"]] == ["linear", "trees"]
    assert sum(member["weight"] for member in found["members"]) == pytest.approx(1)
    assert found["method"]["cv"] == "holdout"


def test_folds_whose_stacks_have_other_members_are_averaged_by_name():
    """Four fifths of 499 rows are 399 or 400, and a stack by default has more members of 400."""
    X, y = LAW.sample(249, 250, random_state=0)
    found = audit(X, y, model=StackedRatio(random_state=0), cv=5, random_state=0)
    models = [model.weights_ for model in found.certificate.held_out.models]
    assert {len(weights) for weights in models} == {4, 6}
    shares = {member["name"]: member["weight"] for member in found.summary()["members"]}
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["forest"] == pytest.approx(np.mean([w.get("forest", 0.0) for w in models]))


def test_a_score_is_judged_on_every_row_once(few):
    """Its rows do not become more numerous because they are judged more often."""
    X, y, found, _, _ = few
    entry = found.summary()["scores"][0]["auc"]
    alone = auc_interval(y, X[:, 0])
    assert entry["value"] == pytest.approx(alone.value)
    assert (entry["low"], entry["high"]) == pytest.approx((alone.low, alone.high), abs=0.01)


def test_a_band_of_repeats_is_no_tighter_than_its_rows_allow(few):
    _, _, found, once, _ = few
    lows = [np.array(f.summary()["figures"]["roc"]["low"]) for f in (found, once)]
    assert abs(np.mean(lows[0] - lows[1])) < 0.02
    held = found.certificate.held_out
    naive = roc_band(held.y, held.angle).at(FPR_GRID)
    assert np.mean(naive) > np.mean(lows[0]) + 0.03


class Contrary(ClassifierMixin, BaseEstimator):
    """Calls every row what most rows it has learnt from are not."""

    def fit(self, X, y):
        self.classes_, share = np.unique(y), np.mean(y)
        self.angle_ = (1 - share) * np.pi / 2
        return self

    def predict_angle(self, X):
        return np.full(len(X), self.angle_)

    def predict(self, X):
        return self.classes_[(self.predict_angle(X) > np.pi / 4).astype(int)]


def test_folds_of_unequal_shares_give_no_curve_above_the_best():
    """One fold of positives and one of negatives: pooled as they are, noise looks like skill."""
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = np.repeat([0, 1], 100)
    first = np.r_[0:10, 100:190]
    rest = np.setdiff1d(np.arange(200), first)
    found = audit(X, y, model=Contrary(), cv=[(rest, first), (first, rest)], random_state=0)
    roc = found.summary()["figures"]["roc"]
    assert_allclose(roc["tpr"], np.asarray(roc["fpr"]), atol=1e-9)
    assert (np.asarray(roc["low"]) <= np.asarray(roc["fpr"]) + 1e-9).all()


def test_a_solver_that_stops_early_reaches_the_summary():
    X, y = LAW.sample(150, 150, random_state=0)
    with pytest.warns(ConvergenceWarning):
        found = audit(X, y, model=ArctanRatio(max_iter=1, tol=1e-12), cv=2, random_state=0)
    assert any("stopped early in 2 of 2" in caveat for caveat in found.summary()["caveats"])
