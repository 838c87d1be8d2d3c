"""Progress and messages of a command while it runs."""

from __future__ import annotations

import io
import json
import sys
import warnings
from time import sleep

from data_cli import QUICK, command

from rocstar.cli.session import plain_lines, session


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


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
    # A log gets lines of progress if the machine is slow, and nothing else.
    assert all(" % done in " in line for line in done.stderr.splitlines())


def test_a_log_gets_a_line_every_few_seconds(capsys):
    times = iter([0.0, 1.0, 12.0, 60.0, 62.0, 4000.0])
    progress = plain_lines(clock=lambda: next(times))
    for stage, done in (
        ("read", 0.0),
        ("certify", 0.0),
        ("certify", 0.2),
        ("certify", 0.3),
        ("learning", 0.5),
    ):
        progress(stage, done)
    assert capsys.readouterr().err.splitlines() == [
        "Certify: 20 % done in 0:01:00, 20 % per minute, about 0:04:00 left.",
        "Learning: 50 % done in 1:06:40, 0.8 % per minute, about 1:06:40 left.",
    ]


def terminal(monkeypatch):
    """What a terminal of 100 columns is sent; no fixture, since pytest captures each phase anew."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("warnings.showwarning", warnings.showwarning)
    return shown


def test_a_terminal_gets_a_bar_with_a_rate(monkeypatch):
    shown = terminal(monkeypatch)
    with session(quiet=False) as (stages, _):
        stages.progress("certify", 0.5)
    assert "50 %" in shown.getvalue()
    assert "% per minute" in shown.getvalue()


def test_a_full_bar_has_no_time_left(monkeypatch):
    shown = terminal(monkeypatch)
    with session(quiet=False) as (stages, _):
        stages.progress("certify", 0.5)
        sleep(1.1)  # the time spent, which is not the time left
        stages.progress("figures", 1.0)
    last = shown.getvalue().rsplit("100 %", 1)[1]
    assert "0:00:00" in last
