"""Commands run in this process or in one of their own, shared by the tests of the command line."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import pytest

from rocstar import cli


def run(capsys, monkeypatch, *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of one command in this process."""
    monkeypatch.setattr(sys, "argv", ["rocstar", *map(str, arguments)])
    monkeypatch.setattr("warnings.showwarning", warnings.showwarning)
    # However slow the machine, no line of progress.
    monkeypatch.setattr("rocstar.cli.session.SECONDS_BETWEEN_LINES", float("inf"))
    # The command line sets these for its own process only.
    for name in ("OMP_WAIT_POLICY", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, os.environ.get(name, "1"))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


QUICK = ("--model", "linear", "--fast")


def command(*arguments: object, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "rocstar", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **options,
    )
