"""What the documentation promises: examples that run, measured numbers, pages that fit."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import re
import subprocess
import sys
from inspect import isfunction
from pathlib import Path

import numpy as np
import pytest

import rocstar

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GALLERY = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
CASES = sorted((DOCS / "case-studies").glob("*.py"))
PAGES = [
    path
    for path in sorted([*DOCS.glob("*.md"), *(DOCS / "readers").glob("*.md")])
    if ">>>" in path.read_text(encoding="utf-8")
]


PUBLIC = [f"rocstar.{name}" for name in rocstar._HOME] + [
    f"rocstar.{module}.{name}"
    for module in rocstar._MODULES
    for name in importlib.import_module(f"rocstar.{module}").__all__
]
DISPLAYS = [
    f"rocstar.report.displays.{name}"
    for name in ("AngleDisplay", "PairwiseDisplay", "PValueDisplay", "TimelineDisplay")
]


@pytest.mark.parametrize("name", [*PUBLIC, *DISPLAYS])
def test_every_public_name_has_an_example_that_runs(name):
    """`make test` runs the examples of all modules; here none may be missing or skipped."""
    module, _, attribute = name.rpartition(".")
    thing = getattr(importlib.import_module(module), attribute)
    found = doctest.DocTestParser().get_examples(thing.__doc__ or "")
    run = [example for example in found if not example.options.get(doctest.SKIP)]
    assert run, f"`{name}` has no example in its docstring"


# Examples for those who work on the package; users meet these through other names, if at all.
NOT_LISTED = {
    *DISPLAYS,
    "rocstar.audits.audit.audit_partitions",
    "rocstar.audits.audit.audit_table",
    "rocstar.audits.audit.refuse_on_partitions",
    "rocstar.audits.summary.rounded_seconds",
    "rocstar.audits.summary.versions",
    "rocstar.sklearn_private.validates_parameters",
}


def test_the_reference_lists_every_public_name_once(monkeypatch):
    """Public is what has an example in its docstring, found by a walk through all sources."""
    monkeypatch.syspath_prepend(DOCS)
    page = importlib.import_module("reference").reference_page()
    listed = re.findall(r"^   (rocstar\..+)$", page, flags=re.MULTILINE)
    assert sorted(map(home_of, listed)) == sorted(with_examples() - NOT_LISTED)
    # Names of the package as `rocstar.name`, others as `rocstar.module.name`.
    short = [name for name in listed if hasattr(rocstar, name.rpartition(".")[2])]
    assert {name.count(".") for name in short} == {1}
    assert {name.count(".") for name in set(listed) - set(short)} == {2}


def home_of(name: str) -> str:
    """Where a public thing, or the class of a public object, is written."""
    module, _, attribute = name.rpartition(".")
    thing = getattr(importlib.import_module(module), attribute)
    thing = thing if isinstance(thing, type) or isfunction(thing) else type(thing)
    return f"{thing.__module__}.{thing.__name__}"


def with_examples() -> set[str]:
    """Functions and classes of all modules that have an example, by where they are written."""
    source = Path(rocstar.__file__).parent
    found = set()
    for path in source.rglob("*.py"):
        parts = path.relative_to(source.parent).with_suffix("").parts
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                documented = "\nExamples\n" in (ast.get_docstring(node) or "")
                found |= {".".join((*parts, node.name))} if documented else set()
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_examples_on_pages_run(page, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)  # they write reports
    # A closing fence would be read as output.
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    failed, attempted = runner.run(examples)
    assert attempted > 0
    assert failed == 0


def test_the_quick_start_has_examples():
    assert "quickstart.md" in [page.name for page in PAGES]


def test_the_quick_start_shows_what_an_audit_prints():
    page = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
    shown = re.search(r"```text\n(.*?)```", page, flags=re.DOTALL)
    assert shown is not None
    command = [sys.executable, "-c", "from rocstar.cli import main; main()", "audit", "--quiet"]
    environment = {**os.environ, "COLUMNS": "80"}
    printed = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    texts = shown[1], printed.stdout
    number = r"[0-9]+(?:[.][0-9]+)?"
    # The bar moves with its number.
    words = [re.sub(rf"{number}|[├┤━─●]+|\s+", " ", text).split() for text in texts]
    assert words[0] == words[1]
    values = [[float(x) for x in re.findall(number, text)] for text in texts]
    # Not to the last digit: other versions of other libraries round otherwise.
    np.testing.assert_allclose(*values, atol=0.02)


def test_the_gallery_is_a_gallery():
    """`make docs` runs every example and fails with the first that does."""
    assert len(GALLERY) >= 10


@pytest.mark.parametrize("path", [*GALLERY, *CASES], ids=lambda path: path.stem)
def test_examples_use_public_names_only(path):
    """So that renaming one fails here, long before the documentation is built."""
    imports = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)]
    own = [node for node in imports if str(node.module).split(".")[0] == "rocstar"]
    assert own
    for node in own:
        public = importlib.import_module(node.module).__all__
        assert {alias.name for alias in node.names} <= set(public)


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_gallery_examples_draw(path):
    text = path.read_text(encoding="utf-8")
    assert "plt.show()" in text
    assert ast.get_docstring(ast.parse(text)).splitlines()[1].startswith("===")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_numbers_of_case_studies_were_measured(path):
    """Each decimal number of the page is in the output of the script beside it."""
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    measured = (path.parent / "results" / f"{path.stem}.txt").read_text(encoding="utf-8")
    quoted = set(re.findall(r"\d\.\d{2,}", prose))
    assert quoted
    assert quoted <= set(re.findall(r"\d\.\d{2,}", measured))
    assert f"python docs/case-studies/{path.name} --data" in page


def test_the_design_page_stays_short():
    words = (DOCS / "design.md").read_text(encoding="utf-8").split()
    assert len(words) <= 1000  # two printed pages


def test_the_citation_names_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {rocstar.__version__}\n" in citation
