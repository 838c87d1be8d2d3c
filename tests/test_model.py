"""Models of tables as classifiers of frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data_tables import frame
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import ArctanRatio, audit, certify, compare
from rocstar.audits.audit import audit_table
from rocstar.checks import InputError
from rocstar.curves import roc_auc
from rocstar.estimators.classifier import ClassifierRatio
from rocstar.estimators.members import MANY_ROWS, MOST_GUIDED_ROWS, default_members
from rocstar.tables.columns import TableEncoder
from rocstar.tables.model import TableModel, table_model
from rocstar.tables.model_files import load, save
from rocstar.tables.table import prepare


@pytest.fixture(scope="module")
def fitted() -> tuple[TableModel, pd.DataFrame]:
    return TableModel().fit_table(prepare(frame(), target="target")), frame(seed=1)


def test_scores_are_what_the_estimator_says_and_finite(fitted):
    model, new = fitted
    far = new.assign(age=np.where(new["age"] > 40, 1e6, -1e6))
    for table in (new, far):
        scores, X = model.scores(table), model.encoder_.transform(table)
        np.testing.assert_array_equal(scores["angle"], model.ratio_.predict_angle(X))
        np.testing.assert_array_equal(scores["ratio"], model.ratio_.predict_ratio(X))
        np.testing.assert_array_equal(scores["probability"], model.ratio_.predict_proba(X)[:, 1])
        assert scores["probability"].between(0, 1, inclusive="neither").all()
        assert np.isfinite(np.log(scores["ratio"])).all()


def test_scores_rank_the_classes(fitted):
    model, new = fitted
    scores = model.scores(new)
    positive = new["target"] == 1
    assert scores["angle"][positive].mean() > scores["angle"][~positive].mean() + 0.1
    assert scores["probability"].between(0, 1).all()
    np.testing.assert_allclose(scores["ratio"], np.tan(scores["angle"]))


def curved(n, seed):
    """Ten columns of which five matter, with an interaction; and labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    z = X[:, 0] + 0.8 * X[:, 1] * X[:, 2] + 0.6 * np.sin(2 * X[:, 3]) - 0.5 * X[:, 4] ** 2
    return X, (rng.random(n) < 1 / (1 + np.exp(0.55 - 0.9 * z))).astype(int)


TREES = {
    "table": lambda rows: table_model("trees", rows=rows),
    "fast table": lambda rows: table_model("trees", rows=rows, fast=True),
    "stack": lambda rows: dict(default_members(0, rows))["trees"],
    "wrapper": lambda rows: ClassifierRatio(),
}


@pytest.mark.parametrize("kind", TREES)
def test_trees_are_as_good_just_above_ten_thousand_rows(kind):
    X, y = curved(10_100, 0)
    fresh, labels = curved(10_000, 1)
    aucs = []
    for rows in (9_900, 10_100):
        model = TREES[kind](rows).fit(X[:rows], y[:rows])
        aucs.append(roc_auc(labels, model.predict_angle(fresh)))
        assert model.estimator_.n_iter_ == model.estimator_.max_iter
    assert aucs[1] > aucs[0] - 0.003


def test_steps_of_trees_grow_with_the_rows():
    for fast, leaves in ((False, [24] * 6), (True, [15, 24, 24, 24, 24, 24])):
        trees = [
            table_model("trees", rows=rows, fast=fast).estimator
            for rows in (500, 2_000, 3_000, 5_000, 20_000, 10**6)
        ]
        way = [model.learning_rate * model.max_iter for model in trees]
        np.testing.assert_allclose(way, 4.8 * np.array([1, 1, 1.5, 2.5, 2.5, 2.5]))
        assert [model.max_leaf_nodes for model in trees] == leaves


def test_unknown_kind_of_model():
    with pytest.raises(InputError, match="`model` must be auto, linear, rbf or trees; got forest"):
        table_model("forest", rows=10)


def test_saving_needs_no_target_column_later(fitted):
    model, new = fitted
    assert len(model.scores(new.drop(columns="target"))) == len(new)
    assert isinstance(model.encoder_, TableEncoder)


NEEDS_TWO_ROWS = "rows of weight zero leave a class with one row, on which nothing can be tuned"
# As the encoder takes categories, these checks round X, and take a rounded column for the labels.
ONE_ROW = "its labels have a class of one row, on which nothing can be tuned"
ONE_ROW_CHECKS = (
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
)


@parametrize_with_checks(
    [TableEncoder(), TableModel("linear"), TableModel("trees")],
    expected_failed_checks=lambda model: (
        {
            f"check_sample_weight_equivalence_on_{kind}_data": NEEDS_TWO_ROWS
            for kind in ("dense", "sparse")
        }
        | dict.fromkeys(ONE_ROW_CHECKS, ONE_ROW)
        if getattr(model, "kind", None) == "linear"
        else {}
    ),
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_fitting_to_a_frame_is_fitting_to_its_table(fitted):
    model, new = fitted
    features, target = frame().drop(columns="target"), frame()["target"]
    again = TableModel().fit(features, target.map({0: "stays", 1: "leaves"}) == "leaves")
    pd.testing.assert_frame_equal(again.scores(new), model.scores(new))
    assert (again.target_, again.positive_) == ("target", "True")
    np.testing.assert_array_equal(again.predict_proba(new)[:, 1], model.scores(new)["probability"])


def test_weights_and_groups_reach_the_estimator():
    seen = {}

    class Watched(ArctanRatio):
        def fit(self, X, y, sample_weight=None, *, groups=None):
            seen.update(weights=sample_weight, groups=groups)
            return super().fit(X, y, sample_weight)

    features, target = frame()[["plan"]], frame()["target"]
    weights, groups = np.linspace(1, 2, 240), np.repeat(["a", "b", "c"], 80)
    TableModel(Watched()).fit(features, target, weights, groups=groups)
    np.testing.assert_array_equal(seen["weights"], weights)
    np.testing.assert_array_equal(seen["groups"], np.repeat([0, 1, 2], 80))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_a_mixed_frame_is_certified(make):
    features, target = frame()[["age", "plan", "joined"]], frame()["target"]
    model = TableModel("linear")
    certificate = certify(model, make(features), target, cv=3, random_state=0)
    assert 0.6 < certificate.auc.low < certificate.auc.value < 0.95
    assert model.smooth_class
    assert not TableModel("trees").smooth_class


def test_frozen_models_of_tables_keep_the_tuned_penalty():
    features, target = frame()[["age", "plan"]], frame()["target"]
    model = TableModel("linear").fit(features, target)
    again = model.frozen().fit(features, target)
    assert again.ratio_.ratio_.ratio.alpha == model.ratio_.ratio_.alpha_
    np.testing.assert_allclose(again.predict_angle(features), model.predict_angle(features))


def test_a_frame_of_constants_is_refused():
    with pytest.raises(InputError, match="must have a column with two values or more"):
        TableModel().fit(pd.DataFrame({"a": ["x"] * 4}), [0, 1, 0, 1])


def test_auto_is_a_stack_of_the_others():
    assert [name for name, _ in table_model(rows=1000).estimators] == [
        "linear",
        "rbf",
        "trees",
        "quadratic",
        "shallow",
        "forest",
    ]
    assert [name for name, _ in table_model(rows=300).estimators] == [
        "linear",
        "rbf",
        "trees",
        "quadratic",
    ]
    fast = table_model(rows=1000, fast=True)
    assert [name for name, _ in fast.estimators] == ["linear", "trees"]
    many = [name for name, _ in table_model(rows=MANY_ROWS + 1).estimators]
    assert many[-2:] == ["guided", "forest"]
    for without in ({"rows": MOST_GUIDED_ROWS + 1}, {"rows": MANY_ROWS + 1, "fast": True}):
        assert "guided" not in dict(table_model(**without).estimators)
    guided = dict(table_model(rows=MANY_ROWS + 1, columns=301).estimators)["guided"].estimator
    assert len(guided.guides) == 1  # no normal laws of so many columns
    wide = table_model(rows=300, columns=301)
    assert [name for name, _ in wide.estimators] == ["linear", "rbf", "trees"]


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_the_model_of_an_audit_predicts_the_labels_of_the_table(positive, tmp_path):
    table = frame(80)[["age", "plan", "target"]]
    labels = np.where(table["target"] == 1, "yes", "no")
    prepared = prepare(table.assign(target=labels), target="target", positive=positive)
    model = audit_table(prepared, model="linear", fast=True, random_state=0).model
    assert model.classes_[1] == model.positive_ == positive
    assert (model.predict(table) == labels).mean() > 0.6
    save(TableModel("linear").fit_table(prepared), tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    assert set(loaded.predict(table)) == {"no", "yes"}
    assert loaded.positive_ == positive


def test_several_negative_classes_are_predicted_as_one():
    table = frame(60)[["age"]].assign(target=[0, 1, 2] * 20)
    model = TableModel("linear").fit_table(prepare(table, target="target", positive="2"))
    assert model.classes_.tolist() == ["not 2", "2"]


def test_the_model_of_a_comparison_predicts_the_names_of_the_samples():
    A, B = frame(60)[["age"]], frame(60, seed=1)[["age"]] + 100
    found = compare(A, B, names=("old", "new"), model="linear", fast=True, random_state=0)
    assert found.model.predict(B).tolist() == ["new"] * 60


def test_sizes_alone_decide_what_a_wide_table_is_spared():
    assert table_model(rows=4000, columns=1600).cv == "holdout"
    assert table_model(rows=300, columns=1600).cv == 3  # quick all the same
    assert table_model(rows=300_000, columns=40).cv == 3


def test_an_audit_says_what_a_wide_table_was_spared(monkeypatch):
    monkeypatch.setattr("rocstar.estimators.members.MAX_COLUMNS", 2)
    monkeypatch.setattr("rocstar.tables.model.MANY_CELLS", 100)
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 4)) + y[:, None]
    said = audit(X, y, fast=True, random_state=0).summary()["caveats"]
    assert sum("the 2 largest principal components of its 4 columns" in text for text in said) == 1
    assert sum("one held-out half of its rows" in text for text in said) == 1
    said = compare(X[y == 0], X[y == 1], fast=True, random_state=0).summary()["caveats"]
    assert sum("principal components" in text for text in said) == 1


def mixed_classes(n=240):
    """A frame with a category and gaps, and three classes that differ in both columns."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    age = y + rng.normal(0, 0.7, n)
    age[::15] = np.nan
    city = np.where(rng.random(n) < 0.8, np.array(["bern", "genf", "zug"])[y], "bern")
    return pd.DataFrame({"age": age, "city": city}), np.array(["gold", "iron", "zinc"])[y]


def test_more_than_two_classes_in_a_mixed_frame(tmp_path):
    """What other estimators advise for text and gaps takes their classes, too."""
    frame, y = mixed_classes()
    with pytest.raises(ValueError, match=r"use rocstar.TableModel"):
        certify(ArctanRatio(loss="log"), frame, y)
    found = certify(TableModel("linear"), frame, y, random_state=0)
    assert found.balanced_accuracy.low > 0.6
    model = TableModel("linear").fit(frame, pd.Series(y, name="metal"))
    assert (model.predict(frame) == y).mean() > 0.7
    assert model.predict_direction(frame).shape == model.decision_function(frame).shape == (240, 3)
    assert model.target_ == "metal"
    scored = model.scores(frame)
    assert list(scored) == ["probability_gold", "probability_iron", "probability_zinc", "class"]
    np.testing.assert_array_equal(scored["class"], model.predict(frame))
    with pytest.raises(ValueError, match=r"`predict_angle` compares two classes.*fitted to 3"):
        model.predict_angle(frame)
    save(model, tmp_path / "metal.rocstar")
    again = load(tmp_path / "metal.rocstar")
    np.testing.assert_allclose(again.predict_proba(frame), model.predict_proba(frame))


def test_the_stack_of_a_mixed_frame_of_many_classes():
    frame, y = mixed_classes(120)
    model = TableModel(fast=True).fit(frame, y)
    assert list(model.ratio_.weights_) == ["linear", "trees"]
    assert TableModel(ArctanRatio()).__sklearn_tags__().classifier_tags.multi_class is False
    assert TableModel().__sklearn_tags__().classifier_tags.multi_class is True
