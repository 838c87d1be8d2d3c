"""The command line as a process of its own: its help, and its end when interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from data_cli import command


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['rocstar', '--help']\n"
        "from rocstar import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pandas', 'sklearn', 'scipy', 'skrub', 'plotly'} & set(sys.modules)\n"
        "sys.exit(len(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0


def test_help_is_quick():
    def seconds() -> float:
        start = time.perf_counter()
        assert command("--help").returncode == 0
        return time.perf_counter() - start

    used = os.times()
    best = min(seconds() for _ in range(3))
    now = os.times()
    # On a crowded machine the processor time of the three runs tells more than the clock.
    own = (now.children_user + now.children_system - used.children_user - used.children_system) / 3
    assert min(best, own) < 0.5


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal to one process")
def test_interruption_leaves_no_file(tmp_path):
    output = tmp_path / "a.html"
    arguments = ["audit", "-o", str(output)]
    running = subprocess.Popen(
        [sys.executable, "-m", "rocstar", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    assert "diabetes" in running.stderr.readline()
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=300)
    assert running.returncode == 130
    assert err.endswith("Interrupted; nothing was written.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal to one process")
def test_an_interruption_of_executed_text_has_its_exit_code(tmp_path):
    """As when a signal comes while a dataclass is made: CPython marks it as unhandled."""
    (tmp_path / "stopped.py").write_text(
        "import rocstar.cli\n"
        "rocstar.cli.app = lambda **_: exec('raise KeyboardInterrupt')\n"
        "rocstar.cli.main()\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "stopped"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "Interrupted; nothing was written.\n")
