"""The tutorial: its notebook runs, and is the script that the documentation shows."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="module")
def cells():
    notebook = json.loads((EXAMPLES / "tutorial.ipynb").read_text(encoding="utf-8"))
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]


def test_the_notebook_runs_from_top_to_bottom(cells, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        exec(compile(cell, f"cell {number}", "exec"), names)
    # What the reader is told: a gap is certified, and the drifted column is found.
    assert names["audit"].summary()["scores"][0]["headroom"]["low"] > 0
    assert 0.7 < names["audit"].auc.low < names["law"].auc


def test_the_notebook_is_made_from_the_script(cells):
    """If not: make notebook."""
    script = ast.parse((EXAMPLES / "tutorial" / "plot_tutorial.py").read_text(encoding="utf-8"))
    shown = [ast.dump(node) for cell in cells for node in ast.parse(cell).body]
    assert shown == [ast.dump(node) for node in script.body[1:]]  # without its docstring
