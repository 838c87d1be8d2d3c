"""Progress and messages of a command while it runs."""

from __future__ import annotations

import json

from data_cli import QUICK, command


def test_quiet_says_nothing_on_stderr(rocstar, churn, tmp_path):
    code, out, err = rocstar(
        "audit", churn, "-t", "churned", "-q", *QUICK, "-o", tmp_path / "a.html"
    )
    assert (code, err) == (0, "")
    assert out


def test_a_pipe_and_no_terminal(churn):
    done = command(*("audit", "-", "-t", "churned", *QUICK, "--json"), input=churn.read_text())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["data"]["source"] == "standard input"
    # No progress where nobody watches.
    assert done.stderr == ""
