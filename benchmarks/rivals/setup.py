"""Make one virtual environment per rival: ``python benchmarks/rivals/setup.py DIR [NAME ...]``.

A rival that cannot be installed leaves ``DIR/NAME.failed`` with the reason, and becomes a row that
says so.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ENVIRONMENTS = {
    "densratio": ["densratio==0.4.0"],
    "adapt": ["adapt==0.4.5", "tensorflow<2.16"],
    "npeet": ["npeet_plus==0.2.0"],
    "boosting": ["lightgbm==4.*", "xgboost==3.*", "scikit-learn"],
    "catboost": ["catboost==1.*", "scikit-learn"],
    "automl": ["flaml[automl]==2.*", "autogluon.tabular[lightgbm,xgboost,catboost]==1.*"],
    "libauc": ["torch==2.13.0", "libauc==2.0.1"],
    "hyppo": ["hyppo==0.5.2"],
    "alibi": ["alibi-detect==0.13.0", "torch==2.13.0"],
    "ipopt": ["cyipopt>=1.5,<2", "scikit-learn"],
}


def install(folder: Path, name: str) -> str:
    """Make the environment unless it is there; return what went wrong, or nothing."""
    home, failed = folder / name, folder / f"{name}.failed"
    if (home / ".installed").exists():
        return ""
    failed.unlink(missing_ok=True)
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", *ENVIRONMENTS[name]]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode == 0:
        (home / ".installed").touch()
        return ""
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    reason = (errors or done.stderr.strip().splitlines() or ["pip gave no reason"])[0]
    failed.write_text(reason + "\n")
    return reason


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ENVIRONMENTS))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or ENVIRONMENTS:
        reason = install(arguments.folder, name)
        print(f"{name}: {f'not installed: {reason}' if reason else 'ready'}", flush=True)


if __name__ == "__main__":
    main()
