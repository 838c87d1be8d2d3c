"""The certified curve: concave, under ROC*, from pooled folds of equal weight."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from rocstar import ArctanRatio, certify, laws, roc_band
from rocstar.inference.certified_curve import certified_curve, held_polygon

LAW = laws.GaussianPair(0.0, 2.0)
X, y = LAW.sample(150, 250, random_state=0)


@pytest.fixture(scope="module")
def certificate():
    return certify(ArctanRatio(), X, y, random_state=0)


@pytest.fixture(scope="module")
def strict():
    return certify(ArctanRatio(), X, y, cv="holdout", random_state=0)


def test_the_curve_is_concave_and_lies_under_the_best_one(certificate):
    curve, grid = certificate.curve, np.linspace(0, 1, 201)
    assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)
    slopes = np.diff(curve.tpr) / np.maximum(np.diff(curve.fpr), 1e-300)
    assert (np.diff(slopes) < 0).all()
    assert (curve(grid) >= grid - 1e-12).all()
    assert (curve(grid) <= LAW.roc(grid) + 1e-9).all()
    assert 0.8 < curve.area() < certificate.auc.low
    assert curve.level == certificate.level
    assert certificate.curve is curve  # drawn once


def test_one_held_out_part_is_the_majorant_of_its_band(strict):
    held = strict.held_out
    band, curve = roc_band(held.y, held.score), strict.curve
    assert curve.guarantee == "conjecture"
    assert (curve(band.fpr) >= np.maximum(band.low, band.fpr) - 1e-12).all()
    on_band = np.isin(curve.fpr[1:-1], band.fpr)
    assert on_band.all()


def test_several_folds_say_that_they_are_asymptotic(certificate):
    assert certificate.curve.guarantee == "asymptotic"
    assert repr(certificate.curve).startswith("CertifiedCurve(")
    assert "\n" not in repr(certificate.curve)


def test_folds_of_unequal_shares_do_not_make_a_perfect_curve(certificate):
    """Fold 0 all positives but one at a high angle, fold 1 all negatives but one at a low one."""
    n = 200
    label = np.repeat([True, False], n // 2)
    fold = np.where(label, 0, 1)
    fold[[0, -1]] = [1, 0]  # one row of the other class in each
    held = replace(
        certificate.held_out,
        row=np.arange(n),
        y=label,
        angle=np.where(fold == 0, 1.5, 0.1),
        score=np.zeros(n),
        fold=fold,
        repeat=np.zeros(n, dtype=np.intp),
        weights=np.ones(n),
        n_rows=n,
    )
    naive = replace(held, fold=np.zeros(n, dtype=np.intp), score=held.angle)
    assert held_polygon(naive).area() > 0.95
    # Each model says the same of all its rows, so each fold's own curve is the diagonal.
    assert held_polygon(held).area() == pytest.approx(0.5)
    assert certified_curve(held, 0.95).area() == 0.5


def test_identical_laws_certify_the_diagonal():
    same = laws.GaussianPair(0.0, 0.0)
    areas = []
    for seed in range(4):
        rows, label = same.sample(80, 80, random_state=seed)
        areas.append(certify(ArctanRatio(alpha=1e-3), rows, label, random_state=0).curve.area())
    assert areas == [0.5] * 4


def test_groups_and_weights_reach_the_band():
    rng = np.random.default_rng(0)
    plain = certify(ArctanRatio(), X, y, cv="holdout", random_state=0).curve
    rows, label = np.repeat(X, 3, axis=0), np.repeat(y, 3)
    grouped = certify(
        ArctanRatio(), rows, label, cv="holdout", groups=np.repeat(np.arange(y.size), 3),
        random_state=0,
    ).curve  # fmt: skip
    copies = certify(ArctanRatio(), rows, label, cv="holdout", random_state=0).curve
    assert grouped.area() < copies.area() - 0.01
    weight = rng.lognormal(sigma=1.0, size=y.size)
    weighted = certify(
        ArctanRatio(), X, y, cv="holdout", sample_weight=weight, random_state=0
    ).curve
    assert weighted.area() < plain.area()


def test_curves_compare_by_content_and_travel(certificate):
    again = certified_curve(certificate.held_out, certificate.level)
    assert again == certificate.curve
    assert hash(again) == hash(certificate.curve)
    assert pickle.loads(pickle.dumps(again)) == again
    with pytest.raises(ValueError, match=r"`fpr` must lie in \[0, 1\]"):
        again([0.5, 1.5])
