"""ROC, precision–recall and decision curves in matplotlib, with certified regions."""

from __future__ import annotations

import matplotlib as mpl

mpl.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import cross_validate

from rocstar import (
    ArctanRatio,
    DecisionCurveDisplay,
    PrecisionRecallDisplay,
    RocDisplay,
    certify,
    laws,
    roc_band,
)
from rocstar.geometry.polygons import Polygon
from rocstar.measures import NetBenefit, Precision
from rocstar.report.curve_displays import THRESHOLDS, best_benefit, precision_recall

DISPLAYS = [RocDisplay, PrecisionRecallDisplay, DecisionCurveDisplay]
X, y = laws.GaussianPair([2.0, 1.0], [0.0, 0.0]).sample(120, 180, random_state=0)


@pytest.fixture(scope="module")
def certificate():
    return certify(ArctanRatio(), X, y, cv="holdout", random_state=0)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def labels(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_certificate_shades_what_it_certifies(display, certificate):
    _, ax = plt.subplots()
    drawn = display.from_certificate(certificate, ax=ax)
    assert drawn.ax_ is ax
    assert "certified for the best (95 % confidence)" in labels(drawn)
    assert "best classifier found" in labels(drawn)
    assert len(ax.collections) == 1
    assert drawn.data["prevalence"] == pytest.approx(np.mean(certificate.held_out.y))


@pytest.mark.parametrize("display", DISPLAYS)
def test_predictions_estimators_and_folds(display, certificate):
    model = LogisticRegression().fit(X, y)
    one = display.from_estimator(model, X, y, certificate=certificate, prevalence=0.1)
    assert "LogisticRegression" in labels(one)
    assert one.data["prevalence"] == 0.1
    same = display.from_predictions(y, model.predict_proba(X)[:, 1], name="mine")
    np.testing.assert_array_equal(same.data["scores"][0]["tpr"], one.data["scores"][0]["tpr"])
    assert "mine" in labels(same)
    found = cross_validate(RidgeClassifier(), X, y, return_estimator=True, return_indices=True)
    folds = display.from_cv_results(found, X, y)
    assert [s["name"] for s in folds.data["scores"]] == [f"fold {k}" for k in range(1, 6)]
    with pytest.raises(ValueError, match="`cv_results` must have estimator and indices"):
        display.from_cv_results({}, X, y)
    with pytest.raises(ValueError, match="`prevalence` must lie strictly between 0 and 1"):
        display.from_predictions(y, X[:, 0], prevalence=10)
    with pytest.raises(TypeError, match="must be a classifier with predict_proba"):
        display.from_estimator(object(), X, y)


def test_precision_is_that_of_the_measure(certificate):
    recall, precision = precision_recall(certificate.curve, 0.05)
    at = np.interp([0.3, 0.7], recall, precision)
    expected = [certificate.curve.measure(Precision(r, 0.05)) for r in (0.3, 0.7)]
    np.testing.assert_allclose(at, expected, atol=2e-3)
    assert recall[0] == 0
    assert precision[-1] == pytest.approx(0.05)


def test_a_probability_is_judged_at_the_threshold_itself():
    chance = np.clip(0.5 + 0.2 * X[:, 0], 0, 1)
    display = DecisionCurveDisplay.from_predictions(y, chance, prevalence=0.2)
    drawn = display.ax_.lines[-1].get_ydata()
    for k in (5, 40, 80):
        called = chance >= THRESHOLDS[k]
        tpr, fpr = called[y == 1].mean(), called[y == 0].mean()
        assert drawn[k] == pytest.approx(NetBenefit(THRESHOLDS[k], 0.2).at(fpr, tpr))
    ranked = DecisionCurveDisplay.from_predictions(y, 100 * chance, prevalence=0.2)
    points = display.data["scores"][0]
    best = best_benefit(Polygon(points["fpr"], points["tpr"]), 0.2)
    np.testing.assert_allclose(ranked.ax_.lines[-1].get_ydata(), best)
    assert (best >= drawn - 1e-12).all()


def test_bands_and_certificates_draw_themselves(certificate):
    both = roc_band(y, X[:, 0], side="two-sided").plot()
    assert labels(both) == ["empirical curve", "band"]
    assert "upper band" in labels(roc_band(y, X[:, 0], side="upper").plot())
    assert "lower band" in labels(roc_band(y, X[:, 0]).plot())
    assert isinstance(certificate.plot(), RocDisplay)
