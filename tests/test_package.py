"""The package as a whole: public names, what type checkers see, and a quick import."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import rocstar

SOURCE = Path(rocstar.__file__)


@pytest.mark.parametrize("name", rocstar.__all__)
def test_every_public_name_loads(name):
    assert getattr(rocstar, name) is not None
    assert name in dir(rocstar)


@pytest.mark.parametrize("name", rocstar._HOME)
def test_every_public_name_is_documented_with_an_example(name):
    text = getattr(rocstar, name).__doc__
    assert text
    assert ">>>" in text


def test_type_checkers_see_the_same_names():
    """Each lazy name is also imported as itself, the form that marks a re-export as meant."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if _is_own_import(node)]
    seen = {alias.asname: node.module for node in imports for alias in node.names}
    assert seen == {name: f"rocstar.{home}" for name, home in rocstar._HOME.items()}


def _is_own_import(node):
    return isinstance(node, ast.ImportFrom) and str(node.module).startswith("rocstar.")


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="module 'rocstar' has no attribute 'roc_and_roll'"):
        _ = rocstar.roc_and_roll


def test_importing_loads_nothing_heavy():
    """So that ``rocstar --help`` answers at once."""
    code = (
        "import sys, rocstar; print([m for m in ('numpy', 'scipy', 'sklearn') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_version_is_that_of_the_distribution():
    assert rocstar.__version__ == importlib.metadata.version("rocstar")


def test_types_are_declared():
    assert (SOURCE.parent / "py.typed").exists()


# Arguments that several functions share, in the one order in which they come.
ORDER = (
    *("estimator", "X", "y", "score", "angle", "decision", "baseline", "certificate", "scores"),
    *("model", "support", "level", "side", "method", "cv", "sample_weight", "groups", "folds"),
    *("time", "fast", "n_draws", "n_jobs", "random_state", "progress", "name", "names"),
)


@pytest.mark.parametrize("name", rocstar.__all__)
def test_shared_arguments_come_in_one_order(name):
    function = getattr(rocstar, name)
    if not inspect.isfunction(function) or name == "two_sample_test":  # whose estimator is optional
        return
    shared = [ORDER.index(p) for p in inspect.signature(function).parameters if p in ORDER]
    assert shared == sorted(shared)
