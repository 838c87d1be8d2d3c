"""What a release promises: one version, one address, metadata that agree, text read as UTF-8."""

from __future__ import annotations

import ast
import re
import shutil
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

import rocstar

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
STATED = ("pyproject.toml", "CHANGELOG.md", "CITATION.cff", "conda/recipe.yaml")


@pytest.fixture
def release(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    import release

    return release


@pytest.fixture
def ready(tmp_path, release):
    """A copy of the files that state a version, with everything filled in."""
    for name in (*STATED, "src/rocstar/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    number = release.version(ROOT)
    edit(tmp_path / "pyproject.toml", r'^repository = ".*"', 'repository = "https://example.org/r"')
    edit(tmp_path / "CHANGELOG.md", rf"^## \[{number}\] - .*", f"## [{number}] - 2026-01-31")
    return tmp_path


def edit(path, pattern, replacement):
    text = path.read_text(encoding="utf-8")
    changed, count = re.subn(pattern, replacement, text, count=1, flags=re.MULTILINE)
    assert count == 1, f"{path.name} has no {pattern}"
    path.write_text(changed, encoding="utf-8")


def test_the_version_has_one_place(release):
    assert "version" in PROJECT["dynamic"]
    assert release.version(ROOT) == rocstar.__version__


def test_nothing_is_open_once_all_is_filled_in(ready, release):
    number = release.version(ready)
    assert release.open_points(ready, f"v{number}") == []


@pytest.mark.parametrize(
    ("name", "pattern", "replacement", "sentence"),
    [
        ("pyproject.toml", r'^repository = ".*"', 'repository = ""', "`repository` in pyproject"),
        ("CHANGELOG.md", r"^## \[(.*)\] - .*", r"## [\1] - unreleased", "no dated entry"),
        ("CITATION.cff", r"^version: .*", "version: 0.0.9", "CITATION.cff does not give"),
        ("conda/recipe.yaml", r"^  version: .*", '  version: "0.0.9"', "recipe.yaml does not give"),
    ],
)
def test_what_is_missing_is_named(ready, release, name, pattern, replacement, sentence):
    edit(ready / name, pattern, replacement)
    [point] = release.open_points(ready)
    assert sentence in point


def test_a_tag_of_another_version_is_an_error(ready, release, monkeypatch, capsys):
    monkeypatch.setattr(release, "ROOT", ready)
    monkeypatch.setattr(sys, "argv", ["release.py", "--tag", "v9.9.9"])
    with pytest.raises(SystemExit, match="cannot be published"):
        release.main()
    assert "v9.9.9 does not belong" in capsys.readouterr().out


def test_the_recipe_asks_for_what_the_package_asks_for():
    recipe = yaml.safe_load((ROOT / "conda/recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == rocstar.__version__
    python, *others = recipe["requirements"]["run"]
    assert python == f"python {PROJECT['requires-python']}"
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["cli"]]
    assert [name.replace(" ", "") for name in others] == wanted


def test_every_supported_python_is_tested_and_classified():
    tests = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))
    tested = tests["jobs"]["test"]["strategy"]["matrix"]["python"]
    stated = re.findall(r"Python :: (3[.]\d+)", "\n".join(PROJECT["classifiers"]))
    assert tested == stated
    assert PROJECT["requires-python"] == f">={tested[0]}"


def test_workflows_call_targets_that_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    called = set()
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        called |= set(re.findall(r"run: make ([a-z-]+)", text))
        called |= set(re.findall(r"target: ([a-z-]+)", text))
        for names in re.findall(r"target: \[(.+)\]", text):
            called |= set(names.split(", "))
    assert {"test", "lint", "minimum", "newest", "nightly", "docs", "release-check"} <= called
    assert called <= targets


def test_pictures_and_links_of_the_description_become_absolute(monkeypatch):
    stand_in = SimpleNamespace(MetadataHookInterface=object)  # hatchling is there in builds only
    monkeypatch.setitem(sys.modules, "hatchling.metadata.plugin.interface", stand_in)
    monkeypatch.syspath_prepend(ROOT)
    import hatch_build

    page = '[a](docs/a.md) [b](https://b.org) ![c](c.svg) <img src="d/d.png"> [e](#e)'
    home = "https://example.org/r"
    assert hatch_build.with_absolute_targets(page, home, "v1") == (
        f"[a]({home}/blob/v1/docs/a.md) [b](https://b.org) ![c]({home}/raw/v1/c.svg) "
        f'<img src="{home}/raw/v1/d/d.png"> [e](#e)'
    )


def test_links_are_found_to_be_broken(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "tools")
    import check_links

    monkeypatch.setattr(check_links, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "# One heading\n(named)=\n[a](page.md#one-heading) [b](#named) `[c](no.md)`\n"
        "[d](no.md) [e](page.md#two) [f](https://f.org)\n",
        encoding="utf-8",
    )
    assert check_links.broken_inside(page) == [
        "page.md: there is no no.md",
        "page.md: page.md has no #two",
    ]


SOURCES = sorted(Path(rocstar.__file__).parent.rglob("*.py"))


def test_text_is_read_and_written_with_a_stated_encoding():
    """Elsewhere than on Linux and macOS the default is not UTF-8."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and opens_text(node):
                stated = {keyword.arg for keyword in node.keywords}
                assert "encoding" in stated, f"{path.name}:{node.lineno}"


def opens_text(call):
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if ast.unparse(call.func) == "os.open":
        return False  # a handle, no text
    modes = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    binary = any(isinstance(mode, str) and "b" in mode for mode in modes)
    if name == "read_text" and not isinstance(call.func, ast.Attribute):
        return False  # the reader of tables of that name
    return name in ("read_text", "write_text", "open") and not binary
