"""The built distributions as users get them: ``python tools/try_wheel.py DIST PYTHON ...``.

For every Python, the wheel is installed where nothing else is, and has to import and to show its
help at once and to audit its example. Then the wheel runs by uvx and pipx, and the sdist installs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = "Scripts" if os.name == "nt" else "bin"
INSTALL = ("-m", "pip", "install", "--quiet")
FETCH = ("-m", "pip", "wheel", "--quiet", "--wheel-dir")
AUDIT = ("audit", "--fast", "--model", "linear", "--quiet", "--json")
IMPORT_SECONDS, HELP_SECONDS = 0.1, 0.5
# CPU seconds of a command, the least of five: others may be at work on the same cores.
TIMER = """
import resource, subprocess, sys
def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
times = []
for _ in range(5):
    before = spent()
    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
    times.append(spent() - before)
print(min(times))
"""


def main(dist: Path, pythons: list[str]) -> None:
    [wheel], [sdist] = dist.glob("*.whl"), dist.glob("*.tar.gz")
    wheel, sdist = wheel.resolve(), sdist.resolve()
    with tempfile.TemporaryDirectory() as folder:
        for number, python in enumerate(dict.fromkeys(pythons)):
            here = Path(folder) / str(number)
            run(python, "-m", "venv", here)
            programs = here / PROGRAMS
            run(programs / "python", *INSTALL, f"{wheel}[cli]", cwd=folder)
            shown = run(programs / "python", "--version")
            print(f"{shown.strip()}: {checked_install(programs, folder)}", flush=True)
        run(programs / "python", *INSTALL, "--force-reinstall", "--no-deps", sdist, cwd=folder)
        print("from the sdist:", run(programs / "rocstar", "--version", cwd=folder).strip())
        # uv does not know where pip was told to look for packages; so pip fetches them for both.
        wheels = f"{folder}/wheels"
        run(programs / "python", *FETCH, wheels, f"{wheel}[cli]", cwd=folder)
        environment = {**os.environ, "PIPX_HOME": f"{folder}/pipx"}
        ours = Path(sys.executable).parent
        newest = ["--quiet", "--python", pythons[-1]]
        local = ["--no-index", "--find-links", wheels]
        once = {
            "uvx": [*newest, *local, "--from", "rocstar[cli]"],
            "pipx": ["run", *newest, "--pip-args", " ".join(local), "--spec", f"{wheel}[cli]"],
        }
        for program, how in once.items():
            command = [ours / program, *how, "rocstar", "--version"]
            print(f"by {program}:", run(*command, cwd=folder, env=environment).strip(), flush=True)


def checked_install(programs: Path, folder: str) -> str:
    """What an installation takes to start, and what it finds in its example."""
    python, rocstar = programs / "python", programs / "rocstar"
    told = []
    if os.name != "nt":  # which does not count the time of child processes
        bare, imported, helped = (
            float(run(python, "-c", TIMER, *command, cwd=folder))
            for command in (
                (python, "-c", "pass"),
                (python, "-c", "import rocstar"),
                (rocstar, "--help"),
            )
        )
        assert imported - bare < IMPORT_SECONDS, f"the import takes {imported - bare:.2f} s of CPU"
        assert helped < HELP_SECONDS, f"--help takes {helped:.2f} s of CPU"
        told.append(f"import {imported - bare:.3f} s, --help {helped:.2f} s of CPU")
    summary = json.loads(run(rocstar, *AUDIT, cwd=folder))
    assert summary["auc"]["low"] > 0.5
    return "; ".join([*told, f"audit: AUC at least {summary['auc']['low']:.3f}"])


def run(*command: object, **settings: object) -> str:
    """What a command prints; its failure is ours."""
    arguments = [str(part) for part in command]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, encoding="utf-8", **settings)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} failed with {done.returncode}.")
    printed: str = done.stdout
    return printed


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
