"""Some forty numbers on fixed seeds: a change of structure leaves every one of them as it was.

``python tests/test_pins.py`` writes them anew, after a change that is meant to move them; the
difference then shows in the commit.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import rocstar
from rocstar.laws import GaussianPair

FILE = Path(__file__).parent / "reference" / "pins.json"
LAW = GaussianPair.shifted(1.5, dim=4)


def sample(n=150):
    X, y = LAW.sample(n, 2 * n, random_state=0)
    rng = np.random.default_rng(0)
    order = rng.permutation(y.size)
    return X[order], y[order], rng.uniform(0.5, 2.0, y.size), rng.integers(0, 60, y.size)


def of_estimates(prefix, found):
    names = ("arc_length", "auc", "tv")
    return {
        f"{prefix} {name} {end}": getattr(getattr(found, name), end)
        for name in names
        for end in ("value", "low")
    }


def intervals():
    X, y, w, g = sample()
    score, angle = LAW.log_ratio(X), LAW.angle(X)
    given = {"sample_weight": w, "groups": g}
    band = rocstar.roc_band(y, score)
    return {
        "mean low": rocstar.mean_interval(np.sin(angle), side="lower").low,
        "arc length low": rocstar.arc_length_interval(y, angle, side="lower").low,
        "arc length low, weights and groups": rocstar.arc_length_interval(
            y, angle, side="lower", **given
        ).low,
        "auc low": rocstar.auc_interval(y, score, side="lower").low,
        "auc low, weights": rocstar.auc_interval(y, score, sample_weight=w, side="lower").low,
        "auc low, groups": rocstar.auc_interval(y, score, groups=g, side="lower").low,
        "auc low, DeLong": rocstar.auc_interval(y, score, method="delong").low,
        "gain low": rocstar.auc_gain(y, score, X[:, 0], side="lower").low,
        "youden low": rocstar.youden_interval(y, angle > np.pi / 4, side="lower").low,
        "band at .1": float(band.at(0.1)),
        "two-sample p-value": rocstar.two_sample_test(X[:60, :2], y[:60], random_state=0).pvalue,
    }


def coefficients():
    X, y, w, _ = sample()
    linear = rocstar.ArctanRatio(tol=1e-11).fit(X, y, w)
    log = rocstar.ArctanRatio(loss="log", tol=1e-11).fit(X, y)
    box = rocstar.ArctanRatio(loss="box", tol=1e-11).fit(X, y)
    rbf = rocstar.ArctanRatio("rbf", n_components=40, tol=1e-11, random_state=0).fit(X, y)
    tuned = rocstar.ArctanRatioCV(random_state=0).fit(X, y)
    two_step = rocstar.MaximalAUCClassifier(rocstar.ArctanRatio(tol=1e-11)).fit(X, y)
    return {
        "tangent slope": linear.coef_[0, 0],
        "tangent intercept": linear.intercept_[0],
        "log slope": log.coef_[0, 0],
        "box slope": box.coef_[0, 0],
        "box arc length": box.arc_length_,
        "rbf arc length": rbf.arc_length_,
        "tuned alpha": tuned.alpha_,
        "tuned arc length": tuned.arc_length_,
        "two-step arc length": two_step.arc_length_,
        "logistic arc length": rocstar.ClassifierRatio(LogisticRegression()).fit(X, y).arc_length_,
    }


def certificates():
    X, y, w, g = sample()
    model = rocstar.ArctanRatio()
    folds = rocstar.certify(model, X, y, random_state=0)
    whole = rocstar.certify(model, X, y, cv=5, groups=g, sample_weight=w, random_state=0)
    half = rocstar.certify(model, X, y, cv="holdout", random_state=0)
    return {
        **of_estimates("folds", folds),
        **of_estimates("weights and groups", whole),
        **of_estimates("hold-out", half),
        "headroom low": rocstar.headroom(y, X[:, 0], folds).low,
    }


def audits():
    X, y, _, _ = sample(100)
    table = pd.DataFrame(X, columns=list("abcd")).assign(e=np.where(X[:, 0] > 0, "up", "down"))
    table.iloc[::7, 1] = np.nan
    found = rocstar.audit(table, y, scores={"a": X[:, 0]}, random_state=0)
    moved = rocstar.compare(table[y == 0], table[y == 1], model="linear", random_state=0)
    return {
        **of_estimates("audit", found),
        "audit headroom": found.summary()["scores"][0]["headroom"]["low"],
        "audit p-value": found.pvalue,
        "comparison divergence": moved.divergence.low,
        "comparison importance": moved.columns_importance[0]["importance"],
    }


GROUPS = {
    "intervals": intervals,
    "coefficients": coefficients,
    "certificates": certificates,
    "audits": audits,
}


@pytest.mark.parametrize("group", GROUPS)
def test_numbers_are_what_they_were(group):
    expected, found = json.loads(FILE.read_text())[group], GROUPS[group]()
    assert set(found) == set(expected)
    # Libraries of other versions add numbers up in another order; audits fit trees besides.
    allowed = 2e-3 if group == "audits" else 1e-6
    for name, value in found.items():
        assert value == pytest.approx(expected[name], abs=allowed, rel=allowed), name


if __name__ == "__main__":
    numbers = {g: {k: float(v) for k, v in make().items()} for g, make in GROUPS.items()}
    FILE.write_text(json.dumps(numbers, indent=1) + "\n")
