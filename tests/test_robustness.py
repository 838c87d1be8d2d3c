"""Whatever numbers come in: a right answer or one clear sentence, no warning, no NaN.

Hypothesis draws the shape of a sample and a seed; the numbers come from the seed, so that thousands
of cases take a minute. ``ROCSTAR_CASES=50000`` makes the long run.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocstar
from rocstar import baselines

CASES = int(os.environ.get("ROCSTAR_CASES", "2000"))
ROOT2 = np.sqrt(2)
ULP = 1e-12

# Sentences of our own, and of the classifier that is passed in; any other warning is a leak.
OWN_WARNINGS = r"(ArctanRatio|MaximalAUCClassifier|PairwiseHingeAUC): |lbfgs failed to converge"


def cases(share: float):
    """So many of all cases; a share of the whole, so that the long run keeps the proportions."""
    # A case is a shape and a seed: a smaller one would be another case, not the same one shrunk.
    return settings(max_examples=max(1, round(share * CASES)), phases=[Phase.generate])


# Samples

COLUMNS = {
    "signal": lambda rng, y: rng.normal(size=y.size) + y,
    "noise": lambda rng, y: rng.normal(size=y.size),
    "separating": lambda rng, y: rng.uniform(size=y.size) + 2 * y,
    "constant": lambda rng, y: np.full(y.size, rng.normal()),
    "zero": lambda rng, y: np.zeros(y.size),
    "ties": lambda rng, y: np.round(rng.normal(size=y.size) + y),
    "binary": lambda rng, y: (rng.normal(size=y.size) + y > 0.5).astype(float),
    "heavy": lambda rng, y: np.clip(rng.standard_cauchy(y.size), -100, 100),
    "far": lambda rng, y: 100.0 + 1e-4 * rng.normal(size=y.size),
    "nearly constant": lambda rng, y: 1.0 + 1e-9 * rng.normal(size=y.size),
    "one outlier": lambda rng, y: 100.0 * (np.arange(y.size) == 0),
}
SIZES = st.sampled_from([1, 2, 3, 5, 8, 20])
FACTORS = st.sampled_from([1, 1, 1, 2, 10, 50])


@dataclass(frozen=True)
class Sample:
    """Rows of moderate size, and the powers of two by which their columns are to be scaled."""

    plain: np.ndarray
    y: np.ndarray
    powers: np.ndarray
    dtype: str
    kinds: list[str]

    @property
    def X(self) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            scaled = np.ldexp(self.plain, self.powers)
            if self.dtype.startswith("int"):
                most = np.iinfo(self.dtype).max // 2
                scaled = np.clip(np.round(scaled), -most, most)
            elif self.dtype == "float32":
                scaled = np.clip(scaled, -1e30, 1e30)
            elif self.dtype == "bool":
                scaled = scaled > np.median(scaled, axis=0)
            return scaled.astype(self.dtype)


@st.composite
def samples(draw, dtypes=("float64", "float64", "float32", "int64", "int8", "bool")):
    few, factor = draw(SIZES), draw(FACTORS)
    n_pos, n_neg = (few, few * factor) if draw(st.booleans()) else (few * factor, few)
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=4))
    # The columns reach 100, which times 2^491 is 1e150.
    power = st.sampled_from([0, 0, 0, -491, 491]) | st.integers(-491, 491)
    powers = draw(st.lists(power, min_size=len(kinds), max_size=len(kinds)))
    if draw(st.booleans()):
        kinds, powers = [*kinds, kinds[0]], [*powers, powers[0]]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.permutation(np.repeat([0, 1], [n_neg, n_pos]))
    plain = np.column_stack([COLUMNS[kind](rng, y) for kind in kinds])
    if len(kinds) > 1 and kinds[-1] == kinds[0]:
        plain[:, -1] = plain[:, 0]
    return Sample(plain, y, np.array(powers), draw(st.sampled_from(dtypes)), kinds)


def answer(function):
    """What a call returns, or None if it refuses in one clear sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=OWN_WARNINGS)
        try:
            return function()
        except ValueError as error:
            assert_clear(str(error))
            return None


def assert_clear(sentence: str) -> None:
    assert "\n" not in sentence, sentence
    assert len(sentence) < 300, sentence
    assert sentence.endswith((".", "?")), sentence
    assert sentence[0] == "`" or sentence[0].isupper(), sentence


# Estimators


def assert_sound(model, X, y) -> None:
    """Every prediction is a number in its range, and they agree with each other."""
    angle = np.asarray(model.predict_angle(X))
    assert np.isfinite(angle).all()
    assert angle.min() >= 0
    assert angle.max() <= np.pi / 2 + 1e-6  # π/2 in single precision
    proba = np.asarray(model.predict_proba(X))
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, atol=1e-6)
    assert not np.isnan(model.predict_ratio(X)).any()
    assert not np.isnan(model.predict_log_ratio(X)).any()
    score = np.asarray(model.decision_function(X))
    assert np.isfinite(score).all()
    assert set(np.asarray(model.predict(X)).tolist()) <= {0, 1}
    assert 0 <= model.score(X, y) <= 2 + 1e-6
    assert -ULP <= model.arc_length_ <= 2 + 1e-6


SINGLE_FITS = {
    "linear": lambda: rocstar.ArctanRatio(),
    "unpenalised": lambda: rocstar.ArctanRatio(alpha=0),
    "no intercept": lambda: rocstar.ArctanRatio(fit_intercept=False),
    "log": lambda: rocstar.ArctanRatio(loss="log"),
    "box": lambda: rocstar.ArctanRatio(loss="box"),
    "rbf": lambda: rocstar.ArctanRatio("rbf", n_components=20, random_state=0),
    "rbf box": lambda: rocstar.ArctanRatio("rbf", loss="box", n_components=20, random_state=0),
    "laplacian": lambda: rocstar.ArctanRatio("laplacian", n_components=20, random_state=0),
    "poly": lambda: rocstar.ArctanRatio(
        "poly", degree=2, alpha=0.1, n_components=20, random_state=0
    ),
    "cosine": lambda: rocstar.ArctanRatio("cosine", n_components=20, random_state=0),
    "maximal": lambda: rocstar.MaximalAUCClassifier(),
}
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())
SEVERAL_FITS = {
    "cv": lambda: rocstar.ArctanRatioCV(alphas=[0.1, 1e-3], cv=2, random_state=0),
    "cv rbf": lambda: rocstar.ArctanRatioCV(
        "rbf", alphas=[0.1], gammas=[0.1, 1.0], cv=2, n_components=20, random_state=0
    ),
    "cv box": lambda: rocstar.ArctanRatioCV(loss="box", alphas=[0.1], cv=2, random_state=0),
    "classifier": lambda: rocstar.ClassifierRatio(LOGISTIC),
    "isotonic": lambda: rocstar.ClassifierRatio(
        LOGISTIC, calibration="isotonic", cv=2, random_state=0
    ),
    "stack": lambda: rocstar.StackedRatio(
        [("ours", rocstar.ArctanRatio()), ("logistic", LOGISTIC)], cv=2, random_state=0
    ),
}


@cases(0.30)
@given(sample=samples(), name=st.sampled_from(sorted(SINGLE_FITS)))
def test_one_fit_answers_or_says_why_not(sample, name):
    X, y = sample.X, sample.y
    model = answer(lambda: SINGLE_FITS[name]().fit(X, y))
    # A polynomial of 1e150 overflows; nothing else may give up on two classes of finite numbers.
    assert model is not None or name == "poly"
    if model is not None:
        answer(lambda: assert_sound(model, X, y))


@cases(0.08)
@given(sample=samples(), name=st.sampled_from(sorted(SEVERAL_FITS)))
def test_several_fits_answer_or_say_why_not(sample, name):
    X, y = sample.X, sample.y
    model = answer(lambda: SEVERAL_FITS[name]().fit(X, y))
    assert model is not None or np.bincount(y).min() < 4
    if model is not None:
        answer(lambda: assert_sound(model, X, y))


RANKERS = {
    "squared": lambda: baselines.PairwiseSquaredAUC(),
    "hinge": lambda: baselines.PairwiseHingeAUC(),
    "online": lambda: baselines.SPAUC(n_epochs=2, random_state=0),
    "neyman-pearson": lambda: rocstar.NeymanPearsonClassifier(fpr=0.4, delta=0.4, random_state=0),
}


@cases(0.04)
@given(sample=samples(), name=st.sampled_from(sorted(RANKERS)))
def test_rankers_answer_or_say_why_not(sample, name):
    def scores():
        model = RANKERS[name]().fit(sample.X, sample.y)
        assert set(model.predict(sample.X).tolist()) <= {0, 1}
        return model.decision_function(sample.X)

    found = answer(scores)
    assert found is None or np.isfinite(found).all()


@cases(0.08)
@given(
    sample=samples(dtypes=("float64",)),
    loss=st.sampled_from(["tangent", "box"]),
    power=st.sampled_from([-240, 240]) | st.integers(-240, 240),
)
def test_units_do_not_matter_to_the_linear_class(sample, loss, power):
    """X 2ᵏ at the penalty α 4ᵏ is one problem for all k, and scaling by 2ᵏ does not round."""
    X, y = sample.plain, sample.y
    model = answer(lambda: rocstar.ArctanRatio(loss=loss, alpha=0.1).fit(X, y))
    scaled = answer(
        lambda: rocstar.ArctanRatio(loss=loss, alpha=np.ldexp(0.1, 2 * power)).fit(
            np.ldexp(X, power), y
        )
    )
    np.testing.assert_allclose(
        scaled.predict_angle(np.ldexp(X, power)), model.predict_angle(X), atol=1e-7
    )


@cases(0.03)
@given(sample=samples(dtypes=("float64",)))
def test_units_do_not_matter_where_columns_are_standardised(sample):
    def angles(X):
        model = rocstar.ArctanRatioCV(alphas=[0.1, 1e-2], cv=2, random_state=0).fit(X, sample.y)
        return model.predict_angle(X)

    plain, scaled = answer(lambda: angles(sample.plain)), answer(lambda: angles(sample.X))
    assert (plain is None) == (scaled is None)
    if plain is not None:
        np.testing.assert_allclose(scaled, plain, atol=1e-7)


@cases(0.05)
@given(sample=samples(dtypes=("float64",)), value=st.floats(-100, 100))
def test_a_constant_column_changes_nothing(sample, value):
    X, y = sample.plain, sample.y
    more = np.column_stack([X, np.full(len(X), value)])
    models = [answer(lambda X=X: rocstar.ArctanRatio(alpha=0.1).fit(X, y)) for X in (X, more)]
    np.testing.assert_allclose(models[1].predict_angle(more), models[0].predict_angle(X), atol=2e-6)


@cases(0.002)
@given(
    seed=st.integers(0, 2**32 - 1),
    rare=st.integers(1, 3),
    rare_label=st.sampled_from([0, 1]),
    loss=st.sampled_from(["tangent", "log", "box"]),
)
def test_one_in_a_hundred_thousand(seed, rare, rare_label, loss):
    rng = np.random.default_rng(seed)
    y = np.full(10**5 + rare, 1 - rare_label)
    y[rng.choice(y.size, rare, replace=False)] = rare_label
    # Far enough apart that one unlucky row of the rare class is not among the others.
    X = (rng.normal(size=y.size) + 8 * y)[:, None]
    model = answer(lambda: rocstar.ArctanRatio(loss=loss, alpha=1e-2).fit(X, y))
    assert_sound(model, X, y)
    angle = model.predict_angle(X)
    # Each class counts one half, so the rare one is not drowned.
    assert angle[y == 1].mean() > angle[y == 0].mean() + 0.5


# Functions of scores


@st.composite
def scored(draw):
    """Labels, scores with ties or without, weights or none, and a power of two."""
    few, factor = draw(SIZES), draw(FACTORS)
    counts = (few, few * factor) if draw(st.booleans()) else (few * factor, few)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.permutation(np.repeat([0, 1], counts))
    score = rng.normal(size=y.size) + draw(st.sampled_from([0, 1, 10])) * y
    if draw(st.booleans()):
        score = np.round(score)
    weights = draw(st.sampled_from([None, "uniform", "integer", "extreme"]))
    weights = {
        None: None,
        "uniform": rng.uniform(0.1, 1, y.size),
        "integer": 1.0 + rng.integers(0, 3, y.size),
        "extreme": np.exp(10 * rng.normal(size=y.size)),
    }[weights]
    return y, score, weights, draw(st.sampled_from([-498, 498]) | st.integers(-498, 498))


@cases(0.25)
@given(data=scored())
def test_curves_know_the_order_only(data):
    y, score, weights, power = data
    far = np.ldexp(score, power)
    area, length = (
        answer(lambda f=f: f(y, score, sample_weight=weights))
        for f in (rocstar.roc_auc, rocstar.hull_arc_length)
    )
    assert -ULP <= area <= 1 + ULP
    assert ROOT2 - ULP <= length <= 2 + ULP
    assert rocstar.roc_auc(y, far, sample_weight=weights) == area
    assert rocstar.hull_arc_length(y, far, sample_weight=weights) == length
    np.testing.assert_allclose(
        rocstar.roc_auc(y, -score, sample_weight=weights), 1 - area, atol=ULP
    )
    angle = rocstar.hull_angle(y, score, sample_weight=weights)
    assert np.isfinite(angle).all()
    assert rocstar.arc_length_score(y, angle, sample_weight=weights) == pytest.approx(length)
    assert length <= rocstar.auc_bounds(length).low + 2  # finite, whatever the length
    low, high = rocstar.auc_bounds(min(max(length, ROOT2), 2.0))
    assert 0.5 - ULP <= low <= high <= 1 + ULP


@cases(0.13)
@given(data=scored(), level=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_intervals_are_ordered_and_hold_their_value(data, level):
    y, score, weights, power = data
    score, common = np.ldexp(score, power), {"level": level, "sample_weight": weights}
    angle = rocstar.hull_angle(y, score, sample_weight=weights)
    draws = {"n_draws": 200}
    for call, limits in [
        (lambda: rocstar.auc_interval(y, score, **common, **draws), (0, 1)),
        (lambda: rocstar.arc_length_interval(y, angle, **common, **draws), (0, 2)),
        (lambda: rocstar.auc_gain(y, score, -score, **common, **draws), (-1, 1)),
        (lambda: rocstar.youden_interval(y, score > 0, **common, **draws), (-1, 1)),
    ]:
        found = answer(call)
        if found is None:
            continue
        assert limits[0] - ULP <= found.low <= found.value + ULP
        assert found.value - ULP <= found.high <= limits[1] + ULP


@cases(0.005)
@given(data=scored(), level=st.sampled_from([0.5, 0.95, 0.999]))
def test_bands_are_curves_below_the_empirical_one(data, level):
    y, score, _, power = data
    band = answer(lambda: rocstar.roc_band(y, np.ldexp(score, power), level=level))
    grid = np.linspace(0, 1, 21)
    heights = band.at(grid)
    assert np.isfinite(heights).all()
    assert (np.diff(heights) >= -ULP).all()
    assert heights.min() >= -ULP
    assert heights.max() <= 1 + ULP


# Certificates, tests and audits


@cases(0.03)
@given(sample=samples(), cv=st.sampled_from([2, "holdout"]))
def test_certificates_are_ordered(sample, cv):
    model = rocstar.ArctanRatioCV(alphas=[0.1], cv=2, random_state=0)
    found = answer(lambda: rocstar.certify(model, sample.X, sample.y, cv=cv, random_state=0))
    assert found is not None or np.bincount(sample.y).min() < 4
    if found is None:
        return
    for estimate, least, most in [
        (found.arc_length, ROOT2, 2),
        (found.divergence, 0, 2 - ROOT2),
        (found.auc, 0.5, 1),
        (found.tv, 0, 1),
        (found.balanced_accuracy, 0.5, 1),
    ]:
        assert least - ULP <= estimate.low <= estimate.value + ULP
        assert estimate.value - ULP <= estimate.high <= most + ULP
    room = answer(lambda: rocstar.headroom(sample.y, sample.X[:, 0], found))
    assert room is None or 0 <= room.low <= room.value <= 1


@cases(0.015)
@given(sample=samples())
def test_pvalues_are_pvalues(sample):
    found = answer(
        lambda: rocstar.two_sample_test(
            sample.X,
            sample.y,
            estimator=rocstar.ArctanRatio(),
            n_permutations=19,
            random_state=0,
        )
    )
    assert found is None or 0 < found.pvalue <= 1


@st.composite
def frames(draw):
    """Tables as they come: numbers of any unit, categories, dates, text, booleans and gaps."""
    n = draw(st.sampled_from([4, 12, 40, 80]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    power = draw(st.integers(-498, 498))
    columns = {
        "number": lambda: np.ldexp(rng.normal(size=n), power),
        "integer": lambda: rng.integers(-5, 5, n),
        "category": lambda: rng.choice(["a", "b", "ç", ""], n),
        "text": lambda: [f"word{k} of {k % 7}" for k in rng.integers(0, 10**6, n)],
        "date": lambda: pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), "D"),
        "boolean": lambda: rng.random(n) < 0.5,
        "constant": lambda: np.full(n, 7),
        "empty": lambda: np.full(n, np.nan),
        "infinite": lambda: np.where(rng.random(n) < 0.2, np.inf, rng.normal(size=n)),
        "mixed": lambda: [1 if r < 0.5 else "one" for r in rng.random(n)],
    }
    kinds = draw(st.lists(st.sampled_from(sorted(columns)), min_size=1, max_size=4))
    frame = pd.DataFrame({f"{kind} {k}": columns[kind]() for k, kind in enumerate(kinds)})
    if draw(st.booleans()):
        frame = frame.astype(object).mask(rng.random(frame.shape) < 0.2)
    rare = draw(st.sampled_from([0.5, 0.5, 0.1]))
    y = rng.permutation(np.arange(n) < max(1, round(rare * n)))
    return frame, y


@cases(0.004)
@given(table=frames(), model=st.sampled_from(["linear", "trees"]))
def test_audits_answer_or_say_why_not(table, model):
    frame, y = table
    found = answer(lambda: rocstar.audit(frame, y, model=model, fast=True, random_state=0))
    if found is None:
        return
    assert ROOT2 - ULP <= found.arc_length.low <= found.arc_length.high <= 2 + ULP
    assert "nan" not in found.to_json().lower().replace("nancy", "")
    assert found.to_html().startswith("<!doctype html>")


def test_a_kernel_of_no_rank_prints_nothing(capfd):
    """Rows that are all zero have no direction; LAPACK must not be asked for their Gram matrix."""
    model = rocstar.ArctanRatio("cosine").fit(np.zeros((4, 2)), [0, 1, 0, 1])
    np.testing.assert_allclose(model.predict_angle(np.zeros((1, 2))), np.pi / 4)
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


def test_log_angles_of_single_precision_do_not_overflow():
    X = np.array([[-1e30], [1.0], [2.0], [1e30]], dtype=np.float32)
    model = rocstar.ArctanRatio(loss="log", alpha=0).fit(X, [0, 0, 1, 1])
    assert np.isfinite(model.predict_angle(X)).all()


@pytest.mark.parametrize("loss", ["tangent", "box"])
def test_a_tiny_unit_beside_an_ordinary_one(loss):
    """A coefficient of 1e120 that moves no angle is a wrong answer, and was one."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = np.column_stack([rng.normal(size=40) + y, 1e-147 * rng.normal(size=40)])
    model = rocstar.ArctanRatio(loss=loss).fit(X, y)
    assert abs(model.coef_[0, 1]) < 1e-100
    alone = rocstar.ArctanRatio(loss=loss).fit(X[:, :1], y)
    np.testing.assert_allclose(model.predict_angle(X), alone.predict_angle(X[:, :1]), atol=1e-6)


def test_equal_columns_beside_others_of_far_units():
    rng = np.random.default_rng(17)
    y = rng.permutation(np.repeat([0, 1], 8))
    outlier = 100.0 * (np.arange(16) == 0)
    columns = [outlier, rng.normal(size=16) + y, rng.normal(size=16), rng.normal(size=16) + y]
    X = np.column_stack([*columns, outlier]) * 2.0 ** np.array([-491, -491, 491, -15, -491])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=OWN_WARNINGS)
        assert_sound(rocstar.ArctanRatio(loss="box").fit(X, y), X, y)


@pytest.mark.parametrize("power", [-491, -300, 300, 491])
def test_online_steps_do_not_depend_on_the_unit(power):
    y = np.arange(150) % 2
    X = 1.0 + 1e-9 * np.random.default_rng(0).normal(size=(150, 1))
    plain, scaled = (
        baselines.SPAUC(alpha=0.0, n_epochs=2, random_state=0).fit(X * unit, y)
        for unit in (1.0, 2.0**power)
    )
    np.testing.assert_allclose(scaled.coef_ * 2.0**power, plain.coef_, rtol=1e-9)
