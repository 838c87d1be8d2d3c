"""The files that models of tables are kept in."""

from __future__ import annotations

import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
import skops.io
from data_tables import DAY_FIRST, frame

from rocstar.checks import InputError
from rocstar.estimators.members import MANY_ROWS
from rocstar.estimators.protocol import tunes_itself
from rocstar.tables.columns import TableEncoder
from rocstar.tables.model import TableModel
from rocstar.tables.model_files import FORMAT, TRUSTED, load, save
from rocstar.tables.table import prepare


@pytest.fixture(scope="module")
def fitted() -> tuple[TableModel, pd.DataFrame]:
    return TableModel().fit_table(prepare(frame(), target="target")), frame(seed=1)


def test_the_format_of_dates_is_saved_with_a_model(tmp_path):
    frame = pd.DataFrame({"d": DAY_FIRST})
    encoder = TableEncoder()
    whole = encoder.fit_transform(frame)
    save(TableModel.of_parts(encoder, None), tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops").encoder_
    np.testing.assert_array_equal(loaded.transform(frame[1:]), whole[1:])


def test_a_saved_model_scores_as_before(fitted, tmp_path):
    model, new = fitted
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    pd.testing.assert_frame_equal(loaded.scores(new), model.scores(new))
    assert (loaded.target_, loaded.positive_) == ("target", "1")


@pytest.mark.parametrize("kind", ["linear", "rbf", "trees"])
def test_single_members_are_saved_too(kind, tmp_path):
    model = TableModel(kind).fit_table(prepare(frame(), target="target"))
    save(model, tmp_path / "model.skops")
    pd.testing.assert_frame_equal(
        load(tmp_path / "model.skops").scores(frame()), model.scores(frame())
    )


@pytest.mark.parametrize("rows", [400, MANY_ROWS + 1])
def test_all_members_of_the_default_are_saved(rows, tmp_path):
    """A forest, a kernel that was not worth tuning and, of many rows, trees with guides."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(size=rows), "b": rng.choice(list("uvw"), rows)})
    y = X["a"] + (X["b"] == "u") + rng.normal(0, 0.3, rows) > 1
    X.loc[:9, "a"] = np.nan
    model = TableModel().fit(X, y)
    assert {"forest", *(["guided"] if rows > MANY_ROWS else [])} <= set(model.ratio_.estimators_)
    assert not tunes_itself(model.ratio_.estimators_["rbf"])
    model.ratio_.weights_ = dict.fromkeys(model.ratio_.weights_, 0.2)
    save(model, tmp_path / "model.skops")
    pd.testing.assert_frame_equal(load(tmp_path / "model.skops").scores(X), model.scores(X))


def test_model_files_are_compressed_and_hold_no_pickle(fitted, tmp_path):
    path = tmp_path / "model.skops"
    save(fitted[0], path)
    with zipfile.ZipFile(path) as archive:
        schema = archive.getinfo("schema.json")
        assert schema.compress_size < schema.file_size / 5
        assert all(name == "schema.json" or name.endswith(".npy") for name in archive.namelist())


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


def test_a_missing_file_is_one_sentence():
    with pytest.raises(InputError, match=r"^There is no file `/no/such/model\.skops`\.$"):
        load("/no/such/model.skops")
