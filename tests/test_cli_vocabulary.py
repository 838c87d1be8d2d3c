"""Sentences of the command line name options, those of Python name arguments, and never both."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from data_cli import run

import rocstar
from rocstar import cli
from rocstar.audits.partitions import collection_model
from rocstar.cli.vocabulary import OPTIONS, PHRASES, in_options
from rocstar.tables.partitions import read_partitions
from rocstar.tables.reading import read_table

SOURCE = Path(rocstar.__file__).parent
PYTHON = re.compile(
    r"(?<!Column )`(X|y|cv|alpha|groups|level|n_jobs|positive|random_state|sample_weight|scores)\b"
    r"|\bcv=|compute\(\)|ArctanRatio"
)


def seen(summary) -> list[str]:
    return [remark["text"] for remark in summary["data"]["warnings"]]


def frame(rows: int, positives: int, **columns: object) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    y = np.arange(rows) < positives
    return pd.DataFrame({"x": rng.normal(size=rows) + y, "y": y.astype(int)} | columns)


ROWS = np.arange(40)
# A table, options, and the whole sentence.
REJECTED = {
    "one row": (
        frame(10, 1),
        ["--fast"],
        "Only 1 row has y = 1; at least 2 are needed.",
    ),
    "one row to fit": (
        frame(10, 2),
        ["--fast", "--model", "linear"],
        "Each part that a model is fitted to must hold at least two rows of each class; "
        "got a class with one row: add rows of it.",
    ),
    "two columns of one score": (
        frame(40, 20, p=0.5, q=0.5),
        ["--score", "p,q"],
        "--score must name one column where the target has two classes; got p,q: name that of the "
        "positive class.",
    ),
    "too few columns of a score": (
        frame(40, 20, y=ROWS % 3, p_0=0.5, p_1=0.5),
        ["--score", "p_0,p_1"],
        "--score must name one column per class, of 3 classes; got 2 columns, p_0,p_1: let each "
        "name end with its class, as in p_0, or give them in the sorted order of the classes.",
    ),
    "one group per class": (
        frame(40, 20, g=np.minimum(ROWS // 20, 1)),
        ["--group", "g"],
        "--group must spread each class over two or more groups; group 0 holds every positive row, "
        "so no model could be trained on that class and judged on it: use finer groups.",
    ),
    "classes in order of time": (
        frame(40, 20, t=ROWS),
        ["--time", "t"],
        "Every part must hold both classes; the training part of split 0 has no negative row: "
        "add rows, use finer groups, or leave --time out.",
    ),
    "few times": (
        frame(4, 2, t=range(4)),
        ["--time", "t"],
        "--time needs at least 6 rows; got 4: use --fast, or add rows.",
    ),
    "no column": (
        frame(40, 20, time=np.nan),
        ["--drop", "x"],
        "`data.csv` has no column left to learn from: each is left out, empty or has one value "
        "only.",
    ),
    "weights and bets": (
        frame(40, 20, w=1.0),
        ["--weight", "w", "--method", "betting"],
        "--method betting takes no --weight: its proof does not cover weights; use "
        "--method dirichlet, or leave the weights out.",
    ),
    "groups in several periods": (
        frame(40, 20, t=ROWS, g=ROWS % 10),
        ["--time", "t", "--group", "g", "--method", "betting"],
        "--group must not reach from one period of --time into another for --method betting, "
        "which judges a group once; use --method dirichlet, or leave one of them out.",
    ),
    "groups, bets and three classes": (
        frame(40, 20, c=ROWS % 3, g=ROWS),
        ["-t", "c", "--group", "g", "--method", "betting"],
        "--group must be left out for --method betting with more than two classes: use "
        "--method dirichlet, or keep one row per group.",
    ),
    "a class per row": (
        frame(40, 20, c=[f"name {row}" for row in ROWS]),
        ["-t", "c"],
        "The target column `c` has 40 values, but 0 of them with 5 rows or more: leave out the "
        "rows of `name 0` (1 row), `name 1` (1 row), `name 2` (1 row), `name 3` (1 row) and 36 "
        "more, or join classes, or say which is positive with --positive.",
    ),
    "an order in time of three classes": (
        frame(40, 20, c=ROWS % 3),
        ["-t", "c", "--time", "x"],
        "Every part must hold every class; the held-out part of split 0 has no row of class 0: add "
        "rows, use finer groups, or leave --time out.",
    ),
}


@pytest.mark.parametrize("name", REJECTED)
def test_the_command_line_names_options(name, tmp_path, monkeypatch, capsys):
    table, options, sentence = REJECTED[name]
    table.to_csv(tmp_path / "data.csv", index=False)
    code, _, err = run(capsys, monkeypatch, "audit", tmp_path / "data.csv", "-t", "y", *options)
    assert (code, err) == (2, f"{sentence}\n")


def test_weights_of_one_class_are_rejected_by_their_option(tmp_path, monkeypatch, capsys):
    frame(40, 20, w=(ROWS >= 20) * 1.0).to_csv(tmp_path / "data.csv", index=False)
    options = ["-t", "y", "--weight", "w", "-o", tmp_path / "model.skops", "--model", "linear"]
    code, _, err = run(capsys, monkeypatch, "fit", tmp_path / "data.csv", *options)
    assert code == 2
    assert err == "--weight must give each class some weight; the positive class has none.\n"


def test_warnings_and_caveats_name_options(tmp_path, monkeypatch, capsys):
    table = frame(60, 30, id=[f"u{k:03}" for k in range(60)])
    pd.concat([table, table]).to_csv(tmp_path / "twice.csv", index=False)
    table.to_csv(tmp_path / "once.csv", index=False)
    for name, words in (
        ("once", "keep its rows together with --group"),
        ("twice", "remove the copies or keep them together with --group"),
    ):
        report = tmp_path / f"{name}.html"
        arguments = [
            "audit",
            tmp_path / f"{name}.csv",
            "-t",
            "y",
            "--model",
            "linear",
            "-o",
            report,
        ]
        code, out, _ = run(capsys, monkeypatch, *arguments, "--json", "-q")
        assert code == 0
        summary = json.loads(out)
        sentences = seen(summary) + summary["caveats"]
        assert any(words in sentence for sentence in sentences)
        proven = "--method betting gives bounds that are proven for every number of rows"
        assert any(proven in sentence for sentence in sentences)
        assert proven in summary["method"]["guarantee_sentence"]
        assert not any(PYTHON.search(sentence) for sentence in sentences)
        assert words in report.read_text()


def test_the_python_interface_names_no_options():
    table = frame(60, 30, id=[f"u{k:03}" for k in range(60)])
    features, y = table.drop(columns="y"), table["y"]
    for X, labels in ((features, y), (pd.concat([features] * 2), pd.concat([y] * 2))):
        summary = rocstar.audit(X, labels, model="linear", random_state=0).summary()
        assert summary["data"]["warnings"]
        assert not re.search(r"--[a-z]", " ".join(seen(summary) + summary["caveats"]))


def test_python_messages_of_files_name_no_options(tmp_path):
    path = tmp_path / "data.csv"
    frame(40, 20).to_csv(path, index=False)
    told = {}
    for name, read in {
        "large": lambda: read_table(path, max_memory=1e6),
        "folder": lambda: read_table(tmp_path),
        "cluster": lambda: read_partitions([str(path)]),
    }.items():
        with pytest.raises(ValueError, match="`") as found:
            read()
        told[name] = str(found.value)
    assert "--" not in " ".join(told.values())
    said = {name: in_options(sentence).rpartition(", or ")[2] for name, sentence in told.items()}
    assert said == {
        "large": "audit it as Parquet with --cluster local.",
        "folder": "use --cluster local for a folder of Parquet files.",
        "cluster": "leave --cluster out.",
    }
    assert "but 1.0 MB may be used (--max-memory):" in in_options(told["large"])


def test_models_of_partitions():
    with pytest.raises(ValueError, match=r"^`model` trees needs LightGBM") as told:
        collection_model("trees")
    assert in_options(str(told.value)).startswith("--model trees needs LightGBM")


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("`level` must lie in it.", "--level must lie in it."),
        ("`model` is empty.", "`model` is empty."),
        ("`model` needs more memory than 1 GB.", "`model` needs more memory than 1 GB."),
        ("`d.csv` has no column `level`.", "`d.csv` has no column `level`."),
        ("The score column `y` must hold numbers.", "The score column `y` must hold numbers."),
        (
            "`time` separates the classes almost alone.",
            "`time` separates the classes almost alone.",
        ),
        (
            "`y` must have enough rows: add rows, or pass X.compute() for folds.",
            "The target must have enough rows: add rows, or leave --cluster out.",
        ),
        ("`--cluster` must be local.", "--cluster must be local."),
        (
            "`max_memory` needs more memory than the 1.0 MB that may be used (`max_memory`): ...",
            "`max_memory` needs more memory than the 1.0 MB that may be used (--max-memory): ...",
        ),
    ],
)
def test_columns_and_files_keep_their_names(sentence, said):
    assert in_options(sentence) == said


def test_options_exist():
    """Every option that takes the place of an argument is one of ``audit`` or of ``watch``."""
    import typer

    commands = typer.main.get_command(cli.app).commands
    known = {
        option
        for command in ("audit", "watch")
        for parameter in commands[command].params
        for option in parameter.opts
    }
    named = {word for word in OPTIONS.values() if word.startswith("--")}
    named |= set(re.findall(r"--[a-z-]+[a-z]", " ".join(PHRASES.values())))
    assert named <= known


@pytest.mark.parametrize(
    "phrase",
    [
        "use fewer folds, or finer groups",
        r"pass X\.compute\(\)[^.]*",
    ],
)
def test_phrases_that_no_run_above_says_are_still_said(phrase):
    """A sentence that is written anew elsewhere must not slip past its translation."""
    assert phrase in PHRASES
    others = [path for path in SOURCE.rglob("*.py") if path.parent.name != "cli"]
    sentences = [text for path in others for text in _texts(ast.parse(path.read_text()))]
    assert any(re.search(phrase, text) for text in sentences)


def _texts(tree: ast.AST) -> list[str]:
    """The texts of a file as they are said, with … for what is filled in."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            found.append("".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return found
