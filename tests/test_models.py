"""Models of tables, and the files they are kept in."""

from __future__ import annotations

import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import ArctanRatio, certify
from rocstar.checks import InputError
from rocstar.curves import roc_auc
from rocstar.estimators.classifier import ClassifierRatio
from rocstar.estimators.cv import ArctanRatioCV
from rocstar.estimators.members import default_members
from rocstar.tables.columns import TableEncoder
from rocstar.tables.dense import DenseRatio
from rocstar.tables.model import (
    FORMAT,
    TRUSTED,
    TableModel,
    load,
    save,
    table_model,
)
from rocstar.tables.table import prepare
from rocstar.tables.writing import replace_file


def frame(n: int = 240, seed: int = 0) -> pd.DataFrame:
    """Numbers, categories, dates and text, of which the first two tell the classes apart."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, 2, n)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D")
    table = pd.DataFrame(
        {
            "age": rng.normal(40 + 10 * target, 10),
            "plan": np.where(rng.random(n) < 0.3 + 0.4 * target, "plus", "basic"),
            "joined": day,
            "city": [f"{word}ville" for word in rng.integers(0, 10**6, n)],
            "target": target,
        }
    )
    table.loc[:9, "age"] = np.nan
    return table


@pytest.fixture(scope="module")
def fitted() -> tuple[TableModel, pd.DataFrame]:
    return TableModel().fit_table(prepare(frame(), target="target")), frame(seed=1)


def test_a_saved_model_scores_as_before(fitted, tmp_path):
    model, new = fitted
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    pd.testing.assert_frame_equal(loaded.scores(new), model.scores(new))
    assert (loaded.target_, loaded.positive_) == ("target", "1")


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


@pytest.mark.parametrize("kind", ["linear", "rbf", "trees"])
def test_single_members_are_saved_too(kind, tmp_path):
    model = TableModel(kind).fit_table(prepare(frame(), target="target"))
    save(model, tmp_path / "model.skops")
    pd.testing.assert_frame_equal(
        load(tmp_path / "model.skops").scores(frame()), model.scores(frame())
    )


def test_model_files_are_compressed_and_hold_no_pickle(fitted, tmp_path):
    path = tmp_path / "model.skops"
    save(fitted[0], path)
    with zipfile.ZipFile(path) as archive:
        schema = archive.getinfo("schema.json")
        assert schema.compress_size < schema.file_size / 5
        assert all(name == "schema.json" or name.endswith(".npy") for name in archive.namelist())


def test_scores_rank_the_classes(fitted):
    model, new = fitted
    scores = model.scores(new)
    positive = new["target"] == 1
    assert scores["angle"][positive].mean() > scores["angle"][~positive].mean() + 0.1
    assert scores["probability"].between(0, 1).all()
    np.testing.assert_allclose(scores["ratio"], np.tan(scores["angle"]))


class Evil:
    """Runs a command when pickled and loaded; skops must not even look."""

    def __reduce__(self):
        return (print, ("owned",))


def test_foreign_types_are_refused_by_name(fitted, tmp_path, capsys):
    model, _ = fitted
    path = tmp_path / "evil.skops"
    path.write_bytes(
        skops.io.dumps({"rocstar_model": FORMAT, "encoder": model.encoder_, "ratio": Evil()})
    )
    with pytest.raises(InputError, match=r"^`evil.skops` is refused: it asks for .*Evil") as e:
        load(path)
    assert "\n" not in str(e.value)
    assert "owned" not in capsys.readouterr().out


def test_a_schema_that_names_a_dangerous_function_is_refused(fitted, tmp_path):
    path, evil = tmp_path / "model.skops", tmp_path / "evil.skops"
    save(fitted[0], path)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(evil, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "schema.json":
                schema = json.loads(content)
                schema["content"]["ratio"] = {
                    "__class__": "system",
                    "__module__": "os",
                    "__loader__": "FunctionNode",
                    "__id__": 1,
                    "content": {"module_path": "os", "function": "system"},
                }
                content = json.dumps(schema).encode()
            target.writestr(name, content)
    with pytest.raises(InputError, match=r"^`evil.skops` is refused: it asks for os.system"):
        load(evil)


@pytest.mark.parametrize(
    "content",
    [b"", b"not a zip", pickle.dumps({"a": 1}), skops.io.dumps([1, 2]), skops.io.dumps({"a": 1})],
    ids=["empty", "text", "pickle", "list", "dict"],
)
def test_other_files_are_refused_in_one_sentence(content, tmp_path):
    path = tmp_path / "model.skops"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"^`model.skops` is not a model file of rocstar\.$"):
        load(path)


def test_another_format_says_to_fit_again(tmp_path):
    path = tmp_path / "model.skops"
    path.write_bytes(skops.io.dumps({"rocstar_model": FORMAT - 1, "ratio": None}))
    with pytest.raises(InputError, match="fit it again"):
        load(path)


def test_the_allow_list_names_no_module_wholesale():
    assert all("*" not in name and name.count(".") >= 1 for name in TRUSTED)
    assert not {name.split(".")[0] for name in TRUSTED} & {"os", "sys", "subprocess", "builtins"}


def test_files_are_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(path, b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_unwritable_output_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"^`.*out.txt` cannot be written: .*\.$"):
        replace_file(tmp_path / "missing" / "out.txt", b"")


# DenseRatio


def coded(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    table = prepare(frame(n), target="target", drop=["joined", "city"])
    return table.X, table.y


def test_dense_columns_are_numbers_a_gap_column_and_one_per_category():
    X, y = coded()
    model = DenseRatio(ArctanRatioCV(random_state=0), categorical=[1]).fit(X, y)
    assert model.ratio_.n_features_in_ == 1 + 1 + 2


def test_a_large_table_is_sampled_but_keeps_its_prior():
    X, y = coded(600)
    y = y & (np.arange(600) >= 500)
    model = DenseRatio(ArctanRatioCV(random_state=0), categorical=[1], max_rows=100).fit(X, y)
    assert model.prior_ == pytest.approx(y.mean())
    assert model.predict_angle(X).shape == (600,)


def test_frozen_keeps_the_tuned_penalty():
    X, y = coded()
    model = DenseRatio(ArctanRatioCV("rbf", random_state=0), categorical=[1]).fit(X, y)
    again = clone(model.frozen()).fit(X, y)
    assert again.ratio_.ratio.alpha == model.ratio_.alpha_
    assert not hasattr(again.ratio_, "cv_results_")
    np.testing.assert_allclose(again.predict_angle(X), model.predict_angle(X), atol=1e-5)


def test_integer_weights_equal_repetition():
    X, y = coded(200)
    ratio = ArctanRatioCV(alphas=[1e-2], random_state=0)
    # Medians and scales of the numbers do not know weights, so only codes are used here.
    X, times = X[:, 1:], np.where(np.arange(200) % 3 == 0, 2, 1)
    weighted = DenseRatio(ratio, categorical=[0]).fit(X, y, sample_weight=times)
    repeated = DenseRatio(ratio, categorical=[0]).fit(np.repeat(X, times, 0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict_angle(X), repeated.predict_angle(X), atol=1e-6)


def curved(n, seed):
    """Ten columns of which five matter, with an interaction; and labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    z = X[:, 0] + 0.8 * X[:, 1] * X[:, 2] + 0.6 * np.sin(2 * X[:, 3]) - 0.5 * X[:, 4] ** 2
    return X, (rng.random(n) < 1 / (1 + np.exp(0.55 - 0.9 * z))).astype(int)


TREES = {
    "table": lambda rows: table_model("trees", rows=rows),
    "fast table": lambda rows: table_model("trees", rows=rows, fast=True),
    "stack": lambda rows: dict(default_members(0))["trees"],
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
    # Fewer and larger steps cost a little.
    assert aucs[1] > aucs[0] - (0.006 if kind == "fast table" else 0.003)


def test_steps_of_trees_grow_with_the_rows():
    for fast in (False, True):
        trees = [
            table_model("trees", rows=rows, fast=fast).estimator
            for rows in (500, 10_000, 10_001, 20_000, 40_000, 10**6)
        ]
        way = [model.learning_rate * model.max_iter for model in trees]
        np.testing.assert_allclose(way, [5, 5, 5, 5 * np.sqrt(2), 10, 10], rtol=0.01)
        assert len({model.max_leaf_nodes for model in trees}) == 1


def test_unknown_kind_of_model():
    with pytest.raises(InputError, match="`model` must be auto, linear, rbf or trees; got forest"):
        table_model("forest", rows=10)


def test_saving_needs_no_target_column_later(fitted):
    model, new = fitted
    assert len(model.scores(new.drop(columns="target"))) == len(new)
    assert isinstance(model.encoder_, TableEncoder)


# TableModel as an estimator of scikit-learn

NEEDS_TWO_ROWS = "rows of weight zero leave a class with one row, on which nothing can be tuned"


@parametrize_with_checks(
    [TableEncoder(), TableModel("linear"), TableModel("trees")],
    expected_failed_checks=lambda model: (
        {
            f"check_sample_weight_equivalence_on_{kind}_data": NEEDS_TWO_ROWS
            for kind in ("dense", "sparse")
        }
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


def test_labels_are_predicted_as_they_came_and_saved_with_the_kind(tmp_path):
    features, target = frame().drop(columns="target"), frame()["target"]
    model = TableModel("linear").fit(features, target.map({0: "no", 1: "yes"}))
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    assert loaded.kind == "linear"
    assert set(loaded.predict(features)) == {"no", "yes"}
    np.testing.assert_array_equal(loaded.predict(features), model.predict(features))
    assert (loaded.predict(features) == target.map({0: "no", 1: "yes"})).mean() > 0.65
    # A loaded model can be fitted to a table of other columns.
    assert loaded.fit(features[["plan"]], target).predict(features).dtype == target.dtype


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
