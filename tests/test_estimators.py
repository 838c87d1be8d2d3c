"""The ratio estimators: truth, laws, scikit-learn's contract, bad input."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    ClassifierRatio,
    StackedRatio,
    arc_length_score,
    arc_length_scorer,
    hull_arc_length,
    laws,
    predict_angle,
)

H = np.pi / 2
CHEAP_STACK = StackedRatio(
    [("linear", ArctanRatio()), ("rbf", ArctanRatio("rbf", n_components=20))], random_state=0
)


@parametrize_with_checks(
    [
        ArctanRatio(),
        ArctanRatio(loss="log"),
        ArctanRatio("rbf", n_components=None),
        ArctanRatio("poly", degree=2),
        ArctanRatioCV(),
        ArctanRatioCV("rbf", cv=2, alphas=[1e-3, 1e-1], gammas=[0.1]),
        ClassifierRatio(LogisticRegression()),
        ClassifierRatio(LogisticRegression(), calibration="isotonic"),
        CHEAP_STACK,
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def gaussians(n=200, delta=1.5, d=2, seed=0):
    mean = np.zeros(d)
    mean[0] = delta
    return laws.GaussianPair(mean, np.zeros(d)).sample(n, n, random_state=seed)


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


def test_simulation_of_the_paper():
    """N(1, 1) against N(−1, 1), 100 + 100 samples, rbf with CV: 12 of the 72 runs."""
    law = laws.GaussianPair(1.0, -1.0)
    grid = np.linspace(-6, 6, 601)[:, None]
    mass = np.exp(-((grid - 1) ** 2) / 2) + np.exp(-((grid + 1) ** 2) / 2)
    truth = law.angle(grid)
    errors = []
    for seed in range(12):
        model = ArctanRatioCV("rbf", random_state=seed)
        model.fit(*law.sample(100, 100, random_state=seed))
        squares = (model.predict_angle(grid) - truth) ** 2
        errors.append(float(squares @ mass[:, 0] / mass.sum()))
    assert np.mean(errors) <= 0.0065


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


def test_callable_and_other_kernels():
    X, y = gaussians(60)
    gamma = 0.4
    mine = ArctanRatio(
        lambda a, b, g: float(np.exp(-g * np.sum((a - b) ** 2))), kernel_params={"g": gamma}
    ).fit(X, y)
    theirs = ArctanRatio("rbf", gamma=gamma).fit(X, y)
    assert_allclose(mine.predict_angle(X), theirs.predict_angle(X), atol=1e-6)
    for kernel, values in [("cosine", X), ("poly", X), ("laplacian", X), ("chi2", np.abs(X))]:
        assert ArctanRatio(kernel).fit(values, y).arc_length_ > np.sqrt(2)


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
    X, y = gaussians(50)
    for model in (ArctanRatio("rbf"), ArctanRatioCV("rbf"), CHEAP_STACK):
        fitted = clone(model).fit(X, y)
        again = pickle.loads(pickle.dumps(fitted))
        assert_array_equal(again.predict_angle(X), fitted.predict_angle(X))


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        (ArctanRatio(alpha=-1), {}, "'alpha' parameter of ArctanRatio must be a float"),
        (ArctanRatio("sigmoid"), {}, "'kernel' parameter of ArctanRatio"),
        (ArctanRatio(), {"X": np.full((4, 2), np.inf)}, "contains infinity"),
        (ArctanRatio(), {"X": np.full((4, 2), np.nan)}, "contains NaN"),
        (ArctanRatio(), {"y": [1, 1, 1, 1]}, "got one class"),
        (ArctanRatio(), {"y": [0, 1, 2, 1]}, "Only binary classification is supported"),
        (ArctanRatio(), {"sample_weight": [0, 0, 1, 1]}, "must give each class some weight"),
        (ArctanRatio(), {"sample_weight": [-1, 1, 1, 1]}, "[Nn]egative"),
        (ArctanRatioCV(), {"y": [0, 0, 0, 1]}, "at least two rows of each class"),
        (ArctanRatioCV(), {"y": [0, 1, 2, 1]}, "Only binary classification is supported"),
        (ClassifierRatio(LinearSVC()), {}, 'use calibration="isotonic"'),
        (ClassifierRatio(StandardScaler()), {}, "must be a classifier"),
        (StackedRatio([]), {}, "must name one member that is not dropped"),
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


# --- tuning, classifiers, stacks ----------------------------------------------------------------


def test_the_search_keeps_its_whole_surface_and_picks_its_best():
    X, y = gaussians(100)
    model = ArctanRatioCV("rbf", alphas=[1e-3, 1e-1], gammas=[0.1, 1.0], random_state=0).fit(X, y)
    results = model.cv_results_
    best = np.argmax(results["mean_test_score"])
    assert results["rank_test_score"][best] == 1
    assert (model.alpha_, model.gamma_) == (
        results["param_alpha"][best],
        results["param_gamma"][best],
    )
    plain = [
        cross_val_score(
            make_pipeline(
                StandardScaler(), ArctanRatio("rbf", alpha=a, gamma=g, n_components=None)
            ),
            X,
            y,
            cv=[(np.r_[0:50, 100:150], np.r_[50:100, 150:200])],
            scoring=arc_length_scorer,
        )[0]
        for a, g in zip(results["param_alpha"], results["param_gamma"], strict=True)
    ]
    one_split = ArctanRatioCV(
        "rbf",
        alphas=[1e-3, 1e-1],
        gammas=[0.1, 1.0],
        cv=[(np.r_[0:50, 100:150], np.r_[50:100, 150:200])],
    ).fit(X, y)
    # The search standardises and places landmarks once for all folds: equal to 0.01, not exactly.
    assert_allclose(one_split.cv_results_["mean_test_score"], plain, atol=0.01)


def test_the_best_score_is_that_of_the_chosen_pair():
    X, y = gaussians(60)
    model = ArctanRatioCV("rbf", random_state=0).fit(X, y)
    assert model.alpha_ not in model.cv_results_["param_alpha"]
    # The same pair on the same folds, as the only pair of a grid.
    alone = ArctanRatioCV("rbf", alphas=[model.alpha_], gammas=[model.gamma_], random_state=0)
    assert_allclose(model.best_score_, alone.fit(X, y).best_score_, rtol=1e-12)
    linear = ArctanRatioCV(random_state=0).fit(X, y)
    assert linear.best_score_ == linear.cv_results_["mean_test_score"].max()


def test_the_scorer_takes_plain_classifiers_at_their_word():
    X, y = gaussians(100)
    model = LogisticRegression().fit(X, y)
    assert_allclose(arc_length_scorer(model, X, y), ClassifierRatio(model).fit(X, y).score(X, y))
    weight = np.where(y == 1, 3.0, 1.0)
    weighted = LogisticRegression().fit(X, y, sample_weight=weight)
    ratio = ClassifierRatio(LogisticRegression()).fit(X, y, sample_weight=weight)
    assert_allclose(arc_length_scorer(weighted, X, y, weight), ratio.score(X, y, weight))
    search = GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression__C": [1e-6, 1.0]},
        scoring=arc_length_scorer,
        cv=3,
    ).fit(X, y)
    assert search.best_params_ == {"logisticregression__C": 1.0}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    with pytest.raises(TypeError, match="must predict angles or probabilities; got LinearSVC: wr"):
        arc_length_scorer(LinearSVC().fit(X, y), X, y)


def test_the_scorer_takes_part_in_metadata_routing():
    X, y = gaussians(100)
    weight = np.random.default_rng(0).integers(1, 5, 200).astype(float)
    grid = {"alpha": [1e-3, 1.0]}
    with sklearn.config_context(enable_metadata_routing=True):
        asking = arc_length_scorer.set_score_request(sample_weight=True)
        one = ArctanRatio().set_fit_request(sample_weight=True)
        routed = GridSearchCV(one, grid, scoring=asking, cv=2).fit(X, y, sample_weight=weight)
        with pytest.raises(ValueError, match="not explicitly set as requested"):
            GridSearchCV(one, grid, scoring=arc_length_scorer, cv=2).fit(X, y, sample_weight=weight)
    plain = GridSearchCV(ArctanRatio(), grid, scoring=arc_length_scorer, cv=2)
    expected = plain.fit(X, y, sample_weight=weight).cv_results_["mean_test_score"]
    assert_allclose(routed.cv_results_["mean_test_score"], expected)
    assert arc_length_scorer.sample_weight is None
    assert pickle.loads(pickle.dumps(asking)).sample_weight is True


def test_tuning_rows_and_groups_and_threads():
    X, y = gaussians(400)
    few = ArctanRatioCV(max_tuning_rows=100, random_state=0).fit(X, y)
    assert few.arc_length_ > 1.5
    groups = np.arange(800) // 8
    with_groups = ArctanRatioCV(random_state=0).fit(X, y, groups=groups)
    threads = ArctanRatioCV("rbf", n_jobs=2, random_state=0).fit(X, y)
    serial = ArctanRatioCV("rbf", random_state=0).fit(X, y)
    assert with_groups.best_score_ > 1.5
    assert_allclose(threads.cv_results_["mean_test_score"], serial.cv_results_["mean_test_score"])
    with pytest.raises(ValueError, match="`groups` must spread each class over two or more groups"):
        ArctanRatioCV().fit(X, y, groups=y)


def test_a_classifier_gives_the_same_ratio_whatever_its_class_weights():
    X, y = laws.GaussianPair(1.0, -1.0).sample(500, 4000, random_state=0)
    plain = ClassifierRatio(LogisticRegression()).fit(X, y)
    balanced = ClassifierRatio(LogisticRegression(class_weight="balanced")).fit(X, y)
    weighted = ClassifierRatio(LogisticRegression()).fit(X, y, np.where(y == 1, 8.0, 1.0))
    ratio = plain.predict_log_ratio([[0.5]])[0]
    assert ratio == pytest.approx(1.0, abs=0.2)
    assert balanced.predict_log_ratio([[0.5]])[0] == pytest.approx(ratio, abs=0.1)
    assert weighted.predict_log_ratio([[0.5]])[0] == pytest.approx(ratio, abs=0.1)
    resampled = ClassifierRatio(LogisticRegression(class_weight="balanced"), prior=0.5).fit(X, y)
    assert_allclose(resampled.predict_angle(X), balanced.predict_angle(X))


def test_isotonic_calibration_reaches_the_hull_and_serves_scores():
    X, y = gaussians(500)
    forest = RandomForestClassifier(50, max_depth=3, random_state=0)
    raw = ClassifierRatio(forest).fit(X, y)
    calibrated = ClassifierRatio(forest, calibration="isotonic", random_state=0).fit(X, y)
    fresh, labels = gaussians(2000, seed=1)
    hull = hull_arc_length(labels, raw.decision_function(fresh))
    assert calibrated.score(fresh, labels) == pytest.approx(hull, abs=0.03)
    svc = ClassifierRatio(LinearSVC(), calibration="isotonic").fit(X, y)
    assert svc.score(fresh, labels) > 1.6


def test_the_stack_is_the_best_mixture_of_its_members():
    X, y = gaussians(150)
    stack = clone(CHEAP_STACK).fit(X, y)
    assert sum(stack.weights_.values()) == pytest.approx(1.0)
    assert stack.stacked_arc_length_ >= max(stack.member_arc_length_.values()) - 1e-9
    mixed = sum(
        share * predict_angle(stack.estimators_[name], X) for name, share in stack.weights_.items()
    )
    assert_allclose(stack.predict_angle(X), np.clip(mixed, 0, H), atol=1e-12)


def test_a_stack_ranks_rows_beyond_the_box():
    X = np.r_[np.linspace(-4, -3, 30), np.linspace(3, 4, 30)][:, None]
    stack = StackedRatio([("linear", ArctanRatio(alpha=1e-6))], random_state=0)
    stack.fit(X, np.repeat([0, 1], 30))
    far = np.array([[-9.0], [-8.0], [8.0], [9.0]])
    assert_array_equal(stack.predict_angle(far), [0, 0, H, H])
    assert np.all(np.diff(stack.decision_function(far)) > 0)


def test_stack_shares_match_a_grid_search():
    from rocstar.estimators.shares import MixtureArcLength

    rng = np.random.default_rng(0)
    positive = np.arange(200) < 80
    truth = np.where(positive, 1.0, 0.5)
    angles = np.clip(truth + rng.normal(0, [[0.2], [0.4], [0.8]], (3, 200)), 0, H)
    terms = MixtureArcLength(angles, positive, np.ones(200))
    grid = [(a, b, 1 - a - b) for a in np.linspace(0, 1, 101) for b in np.linspace(0, 1 - a, 101)]
    best = max(terms.arc_length(np.array(shares)) for shares in grid)
    assert terms.arc_length(terms.best_shares()) >= best - 1e-9


def test_default_stack_runs_without_a_warning():
    X, y = gaussians(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stack = StackedRatio(random_state=0).fit(X, y, groups=np.arange(120) // 2)
    assert set(stack.weights_) == {"linear", "rbf", "trees"}
    assert 1.2 < stack.score(X, y) <= 2


def test_arc_length_score_checks_its_input():
    assert arc_length_score([0, 1], [0.0, H]) == pytest.approx(2.0)
    assert arc_length_score([0, 1, 1], [0, H, 0], sample_weight=[1, 3, 1]) == pytest.approx(1.75)
    with pytest.raises(ValueError, match=r"must lie in \[0, π/2\]"):
        arc_length_score([0, 1], [0.0, 3.0])
