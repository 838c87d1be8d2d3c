"""The action for workflows: its script with stand-ins for rocstar and for GitHub's program."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
SCRIPT = ROOT / ".github" / "action" / "run.sh"

ROCSTAR = """#!{python}
import os, sys
open("called", "w", encoding="utf-8").write("\\n".join(sys.argv[1:]))
code = int(os.environ["CODE"])
if code != 2:
    for path in [a for before, a in zip(sys.argv, sys.argv[1:]) if before == "--output"]:
        open(path, "w", encoding="utf-8").write("# The report\\n")
sys.exit(code)
"""
GH = """#!{python}
import os, sys
open("asked", "a", encoding="utf-8").write(" ".join(sys.argv[1:]) + "\\n")
if "--paginate" in sys.argv and os.environ.get("EARLIER"):
    print(os.environ["EARLIER"])
"""

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None, reason="stand-ins are Unix programs"
)


@pytest.fixture
def run(tmp_path):
    for name, text in (("rocstar", ROCSTAR), ("gh", GH)):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(text.format(python=sys.executable), encoding="utf-8")
        program.chmod(0o755)

    def run(code=0, **given):
        given = {"COMMAND": "compare", "ARGUMENTS": "", "COMMENT": "true", "NAME": "", **given}
        environment = {
            "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(tmp_path / "temp"),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "GITHUB_REPOSITORY": "owner/name",
            "PULL_REQUEST": "7",
            "CODE": str(code),
        }
        command = ["bash", str(SCRIPT)]
        done = subprocess.run(command, cwd=tmp_path, env={**environment, **given}, check=False)
        assert done.returncode == code
        texts = {}
        for name in ("called", "asked", "output", "summary"):
            path = tmp_path / name
            texts[name] = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return texts

    return run


def test_arguments_are_split_like_words_of_a_shell_and_never_run(run, tmp_path):
    called = run(ARGUMENTS="old.csv 'new table.csv' --drop $(touch\\ owned) ;")["called"]
    assert called[:5] == ["compare", "old.csv", "new table.csv", "--drop", "$(touch owned)"]
    assert called[5] == ";"
    assert not (tmp_path / "owned").exists()


def test_the_report_is_commented_and_summarised(run):
    seen = run()
    assert seen["summary"] == ["# The report"]
    assert seen["output"][0] == "exit-code=0"
    look, write = seen["asked"]
    assert look.startswith("api --paginate repos/owner/name/issues/7/comments")
    assert write.startswith("api --silent repos/owner/name/issues/7/comments --field body=@")


def test_a_later_run_replaces_the_comment(run):
    _, write = run(EARLIER="11\n12")["asked"]
    assert write.startswith("api --silent --method PATCH repos/owner/name/issues/comments/11 ")


def test_an_exceeded_limit_is_commented_and_fails(run):
    seen = run(code=3)
    assert seen["output"][0] == "exit-code=3"
    assert len(seen["asked"]) == 2


@pytest.mark.parametrize("given", [{"COMMENT": "false"}, {"PULL_REQUEST": ""}])
def test_no_comment_where_none_is_wanted_or_possible(run, given):
    seen = run(**given)
    assert seen["asked"] == []
    assert seen["summary"] == ["# The report"]


def test_bad_input_fails_without_a_comment(run):
    assert run(code=2)["asked"] == []


def test_inputs_reach_scripts_as_variables_only():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(ACTION["inputs"])
