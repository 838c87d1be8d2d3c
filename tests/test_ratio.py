"""`ArctanRatio`: truth, laws, scikit-learn's contract, bad input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data_gaussians import gaussians
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    StackedRatio,
    arc_length_scorer,
    laws,
    predict_angle,
)

H = np.pi / 2


@parametrize_with_checks(
    [
        ArctanRatio(),
        ArctanRatio(loss="log"),
        ArctanRatio("rbf", n_components=None),
        ArctanRatio("poly", degree=2),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# --- truth -------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["tangent", "log"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_held_out_arc_length_comes_near_the_truth(loss, kernel):
    law = laws.GaussianPair([1.5, 0.0], [0.0, 0.0])
    X, y = law.sample(2000, 2000, random_state=0)
    model = ArctanRatio(kernel, loss=loss, alpha=1e-4, random_state=0).fit(X, y)
    fresh, labels = law.sample(20_000, 20_000, random_state=1)
    assert model.score(fresh, labels) == pytest.approx(law.arc_length, abs=0.012)
    error = model.predict_angle(fresh) - law.angle(fresh)
    assert np.mean(error**2) < 0.01
    assert roc_auc_score(labels, model.decision_function(fresh)) > law.auc - 0.01


def test_log_loss_is_well_specified_for_an_exponential_family():
    law = laws.GaussianPair(0.0, 0.0, 4.0, 1.0)
    X, y = law.sample(20_000, 20_000, random_state=0)
    model = make_pipeline(
        PolynomialFeatures(2, include_bias=False), ArctanRatio(loss="log", alpha=0)
    )
    model.fit(X, y)
    grid = np.linspace(-2, 2, 9)[:, None]
    assert_allclose(
        model[-1].predict_log_ratio(model[:-1].transform(grid)), law.log_ratio(grid), atol=0.1
    )


def test_all_samples_solve_the_representer_problem():
    """z = Σ aᵢ k(x, xᵢ) + b with penalty α/2 aᵀKa, solved directly in the coefficients."""
    X, y = gaussians(25)
    model = ArctanRatio("rbf", gamma=0.7, alpha=0.05, n_components=None).fit(X, y)
    K = rbf_kernel(X, gamma=0.7)

    def objective(theta):
        a, b = theta[:-1], theta[-1]
        z = K @ a + b
        u = np.where(y == 1, z, H - z)
        value = -np.sin(np.clip(u, 0, H)) - np.minimum(u, 0)
        return value[y == 1].mean() + value[y == 0].mean() + 0.025 * a @ K @ a

    slow = minimize(objective, np.append(np.zeros(50), 0.8), method="BFGS", options={"gtol": 1e-7})
    assert_allclose(model.predict_angle(X), np.clip(K @ slow.x[:-1] + slow.x[-1], 0, H), atol=1e-4)
    assert model.solution_.value <= slow.fun + 1e-9


def test_identical_samples_give_the_angle_of_ratio_one():
    X, _ = gaussians(300)
    X = np.vstack([X, X])
    y = np.repeat([0, 1], 600)
    for model in (ArctanRatio(), ArctanRatio("rbf"), ArctanRatio(loss="log")):
        assert_allclose(model.fit(X, y).predict_angle(X), np.pi / 4, atol=1e-6)


# --- laws --------------------------------------------------------------------------------------

data = st.integers(0, 10**6).map(lambda seed: gaussians(30, 1.0, 3, seed))
models = st.sampled_from(
    [
        ArctanRatio(alpha=1e-2),
        ArctanRatio(alpha=1e-2, loss="log"),
        ArctanRatio("rbf", alpha=1e-2, gamma=0.3, n_components=None),
        ArctanRatio("laplacian", alpha=1e-2, gamma=0.3, n_components=None),
    ]
)


@given(data, models)
@settings(max_examples=30, deadline=None)
def test_swapping_the_classes_mirrors_the_angle(xy, model):
    X, y = xy
    one, other = clone(model).fit(X, y), clone(model).fit(X, 1 - y)
    assert_allclose(one.predict_angle(X), H - other.predict_angle(X), atol=1e-5)
    assert_allclose(one.arc_length_, other.arc_length_, atol=1e-7)


@given(data, models, st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_integer_weights_are_repetition_and_rows_have_no_order(xy, model, seed):
    X, y = xy
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, len(y))
    counts[[0, -1]] = 1
    order = rng.permutation(counts.sum())
    weighted = clone(model).fit(X, y, sample_weight=counts)
    repeated = clone(model).fit(np.repeat(X, counts, 0)[order], np.repeat(y, counts)[order])
    rescaled = clone(model).fit(X, y, sample_weight=counts * np.where(y == 1, 7.0, 0.5))
    assert_allclose(weighted.predict_angle(X), repeated.predict_angle(X), atol=1e-5)
    assert_allclose(weighted.predict_angle(X), rescaled.predict_angle(X), atol=1e-5)


@given(data)
@settings(max_examples=20, deadline=None)
def test_predictions_agree_with_each_other(xy):
    X, y = xy
    y = np.where(y == 1, "yes", "no")
    for model in (ArctanRatio(alpha=0.1), ArctanRatio(alpha=0.1, loss="log")):
        model.fit(X, y)
        v, p = model.predict_angle(X), model.predict_proba(X)
        assert v.min() >= 0
        assert v.max() <= H
        negatives, positives = model.effective_counts_
        v = np.clip(v, np.arctan(1 / (positives + 1)), H - np.arctan(1 / (negatives + 1)))
        assert_allclose(np.tan(v), model.predict_ratio(X))
        assert_allclose(np.log(np.tan(v)), model.predict_log_ratio(X), atol=1e-12)
        assert_array_equal(model.predict(X), model.classes_[(p[:, 1] > 0.5).astype(int)])
        assert_array_equal(model.predict(X) == "yes", model.decision_function(X) > 0)
        even = model.predict_proba(X, prior=0.5)[:, 1]
        assert_allclose(even, np.sin(v) / (np.sin(v) + np.cos(v)))
        assert model.score(X, y) == pytest.approx(model.arc_length_, abs=1e-12)


# --- inputs ------------------------------------------------------------------------------------


def test_coefficients_of_tiny_float32_columns_do_not_overflow():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.column_stack([rng.normal(size=60) + y, 1e-42 * rng.normal(size=60)]).astype(np.float32)
    model = ArctanRatio(alpha=0.0).fit(X, y)
    assert np.abs(model.coef_).max() > np.finfo(np.float32).max
    assert_allclose(model.predict_angle(X), model.predict_angle(X.astype(float)), atol=1e-6)


def test_sparse_float32_and_far_columns():
    X, y = gaussians(100, d=3)
    dense = ArctanRatio().fit(X, y)
    assert_allclose(ArctanRatio().fit(sparse.csr_matrix(X), y).coef_, dense.coef_, atol=1e-9)
    single = ArctanRatio().fit(X.astype(np.float32), y)
    assert single.predict_angle(X.astype(np.float32)).dtype == np.float32
    assert_allclose(single.coef_, dense.coef_, atol=1e-5)
    far = ArctanRatio().fit(X + 1e7, y)
    assert_allclose(far.predict_angle(X + 1e7), dense.predict_angle(X), atol=1e-5)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        ArctanRatio("rbf").fit(sparse.csr_matrix(X), y)


def test_many_rows_make_their_features_block_by_block(monkeypatch):
    X, y = gaussians(400)
    kept = ArctanRatio("rbf", n_components=30, random_state=0).fit(X, y)
    monkeypatch.setattr("rocstar.fitting.features.FEATURE_BYTES", 1000)
    lazy = ArctanRatio("rbf", n_components=30, random_state=0).fit(X, y)
    assert_allclose(lazy.dual_coef_, kept.dual_coef_, rtol=1e-4)
    assert len(lazy.components_) == 30


def test_landmarks_keep_a_rare_class():
    X, y = laws.GaussianPair([1.0, 0], [0.0, 0]).sample(15, 3000, random_state=0)
    model = ArctanRatio("rbf", n_components=40, random_state=0).fit(X, y)
    rare = {tuple(row) for row in X[y == 1]}
    assert sum(tuple(row) in rare for row in model.components_) == 15


def test_a_callable_kernel_is_the_kernel_it_computes():
    X, y = gaussians(60)
    gamma = 0.4
    mine = ArctanRatio(
        lambda a, b, g: float(np.exp(-g * np.sum((a - b) ** 2))), kernel_params={"g": gamma}
    ).fit(X, y)
    theirs = ArctanRatio("rbf", gamma=gamma).fit(X, y)
    assert_allclose(mine.predict_angle(X), theirs.predict_angle(X), atol=1e-6)


@pytest.mark.parametrize(
    ("kernel", "values", "least"),
    # What a constant reaches is 1.414, the truth 1.652; the direction of a row alone, or its
    # distances from the axes, tell less.
    [
        ("poly", np.copy, 1.63),
        ("laplacian", np.copy, 1.63),
        ("cosine", np.copy, 1.59),
        ("chi2", np.abs, 1.52),
    ],
)
def test_other_kernels_find_the_difference(kernel, values, least):
    X, y = gaussians(300)
    fresh, labels = gaussians(3000, seed=1)
    assert ArctanRatio(kernel).fit(values(X), y).score(values(fresh), labels) > least


def test_frames_pipelines_and_searches():
    X, y = gaussians(80)
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = ArctanRatio().fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    polar = ArctanRatio().fit(pl.DataFrame(frame.to_dict("list")), y)
    assert_allclose(polar.coef_, model.coef_)
    pipeline = make_pipeline(StandardScaler(), ArctanRatio())
    search = GridSearchCV(
        pipeline, {"arctanratio__alpha": [1e-3, 1.0]}, scoring=arc_length_scorer, cv=3
    ).fit(X, y)
    assert search.best_params_ == {"arctanratio__alpha": 1e-3}
    assert_allclose(predict_angle(search, X), predict_angle(search.best_estimator_, X))
    scores = cross_val_score(ArctanRatio(), X, y, scoring=arc_length_scorer)
    assert np.all(scores > np.sqrt(2))
    assert cross_val_predict(ArctanRatio(), X, y, method="predict_proba").shape == (160, 2)
    three = np.arange(160) % 3
    assert set(OneVsRestClassifier(ArctanRatio()).fit(X, three).predict(X)) <= {0, 1, 2}
    with pytest.raises(TypeError, match="wrap a probabilistic classifier"):
        predict_angle(LogisticRegression().fit(X, y), X)


def test_pickle_and_clone_round_trips():
    stack = StackedRatio([("linear", ArctanRatio()), ("rbf", ArctanRatio("rbf"))])
    X, y = gaussians(50)
    for model in (ArctanRatio("rbf"), ArctanRatioCV("rbf"), stack):
        fitted = clone(model).fit(X, y)
        again = pickle.loads(pickle.dumps(fitted))
        assert_array_equal(again.predict_angle(X), fitted.predict_angle(X))


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        (ArctanRatio(alpha=-1), {}, "'alpha' parameter of ArctanRatio must be a float"),
        (ArctanRatio("sigmoid"), {}, "'kernel' parameter of ArctanRatio"),
        (ArctanRatio(), {"X": np.full((4, 2), np.inf)}, "must be finite; got infinity in"),
        (ArctanRatio(), {"X": np.full((4, 2), np.nan)}, "has missing values"),
        (ArctanRatio(), {"y": [1, 1, 1, 1]}, "got one class"),
        (ArctanRatio(), {"y": [0, 1, 2, 1]}, "Only binary classification is supported"),
        (ArctanRatio(), {"sample_weight": [0, 0, 1, 1]}, "must give each class some weight"),
        (ArctanRatio(), {"sample_weight": [-1, 1, 1, 1]}, "[Nn]egative"),
    ],
)
def test_bad_input_gives_one_clear_sentence(model, change, message):
    given = {"X": np.array([[0.0, 1], [1, 0], [2, 1], [3, 3]]), "y": [0, 0, 1, 1], **change}
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(**given)


def test_wrong_width_at_predict():
    model = ArctanRatio().fit(*gaussians(20))
    with pytest.raises(ValueError, match="2 features"):
        model.predict_angle(np.zeros((3, 5)))


def test_no_convergence_is_one_warning_that_names_the_knob():
    X, y = gaussians(50)
    with pytest.warns(ConvergenceWarning, match=r"gradient norm is .* raise `max_iter`") as caught:
        ArctanRatio(max_iter=1, alpha=0).fit(X, y)
    assert len(caught) == 1
