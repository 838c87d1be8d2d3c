"""Is the head slower than its base? Four timings, as ratios, interleaved; exit 1 if one is.

    python benchmarks/gate.py [--base REF] [--limit 1.5] [--boosted 7] [--rounds 5]

The base is the merge base with ``origin/main`` or ``main``, or on that branch itself the parent
commit; it is checked out beside this tree with ``git worktree``. Each round times both sides once,
in turn, each in a process of its own with one thread, by CPU time: other work on the machine hits
both sides alike. Without history there is nothing to compare, and the gate says so and passes.

A certificate of the default stack is also set against five boosted fits to the same rows, measured
in the same process: slow steps that are each within the limit add up, and this ratio shows it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]

# Name of the certificate's timing, and of the unit it is held against.
CERTIFY, UNIT = "certify a stack, 500 + 500 x 10", "five boosted fits"

# Times four paths and the unit on the package in the folder given; it must run on old commits too.
PROBE = """
import json, sys, time, warnings
sys.path.insert(0, sys.argv[1])
warnings.simplefilter("ignore")
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import cross_val_predict
from rocstar import ArctanRatio, ArctanRatioCV, StackedRatio, auc_interval, certify
import rocstar
assert rocstar.__file__.startswith(sys.argv[1]), rocstar.__file__
rng = np.random.default_rng(0)
y = np.arange(100_000) % 2
X = rng.standard_normal((100_000, 20)) + 0.2 * y[:, None]
works = {
    "linear fit, 100,000 x 20": lambda: ArctanRatio().fit(X, y),
    "rbf with CV, 400 x 5": lambda: ArctanRatioCV("rbf", random_state=0).fit(X[:400, :5], y[:400]),
    "AUC bound, 2,000 rows": lambda: auc_interval(y[:2000], X[:2000, 0]),
    sys.argv[2]: lambda: certify(
        StackedRatio(random_state=0), X[:1000, :10], y[:1000], random_state=0
    ),
    sys.argv[3]: lambda: cross_val_predict(
        HistGradientBoostingClassifier(random_state=0), X[:1000, :10], y[:1000], cv=5
    ),
}
found = {}
for name, work in works.items():
    work()
    seconds = []
    for _ in range(2):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    found[name] = min(seconds)
print(json.dumps(found))
"""


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=ROOT)
    return done.stdout.strip() if done.returncode == 0 else ""


def base_commit(ref: str | None) -> str:
    """The commit to compare with; empty if there is none."""
    if ref is not None:
        return _git("rev-parse", "--verify", f"{ref}^{{commit}}")
    head = _git("rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        found = _git("merge-base", "HEAD", branch)
        if found and found != head:
            return found
    return _git("rev-parse", "--verify", "HEAD~1^{commit}")


def timed(source: Path) -> dict[str, float]:
    """CPU seconds of each work with the package in ``source``."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROBE, str(source), CERTIFY, UNIT]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return dict(json.loads(done.stdout.splitlines()[-1]))


def ratios(
    base: Callable[[], dict[str, float]], head: Callable[[], dict[str, float]], rounds: int
) -> dict[str, list[float]]:
    """Head over base of each work, once a round, who goes first alternating.

    The unit is not compared with itself: the head's certificate is, under the unit's name.
    """
    found: dict[str, list[float]] = {}
    for k in range(rounds):
        if k % 2:
            after, before = head(), base()
        else:
            before, after = base(), head()
        for name in before.keys() & after.keys() - {UNIT}:
            found.setdefault(name, []).append(after[name] / before[name])
        if UNIT in after:
            found.setdefault(UNIT, []).append(after[CERTIFY] / after[UNIT])
    return found


def verdict(
    found: dict[str, list[float]], limit: float, boosted: float = 7.0
) -> tuple[list[str], bool]:
    """A line for each work, and whether every median is within the limit."""
    lines, passed = [], True
    for name, values in sorted(found.items()):
        ordered = sorted(values)
        median = ordered[len(ordered) // 2]
        slow = median > (boosted if name == UNIT else limit)
        passed &= not slow
        spread = f"{ordered[0]:.2f} to {ordered[-1]:.2f}"
        work, other = (CERTIFY, UNIT) if name == UNIT else (name, "the base")
        lines.append(f"{work}: {median:.2f} times {other} ({spread}){' TOO SLOW' if slow else ''}")
    return lines, passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", help="commit to compare with")
    parser.add_argument("--limit", type=float, default=1.5)
    parser.add_argument("--boosted", type=float, default=7.0)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    base = base_commit(arguments.base)
    if not base:
        if arguments.base:
            print(f"`--base` must name a commit; got {arguments.base!r}.", file=sys.stderr)
            return 2
        print("No earlier commit to compare with: the speed gate is skipped.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "base")
        subprocess.run(
            ["git", "worktree", "add", "--quiet", "--detach", str(tree), base], cwd=ROOT, check=True
        )
        try:
            found = ratios(
                lambda: timed(tree / "src"), lambda: timed(ROOT / "src"), arguments.rounds
            )
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT)
    lines, passed = verdict(found, arguments.limit, arguments.boosted)
    print(
        f"Head against {base[:10]}, CPU time, limits on the medians: {arguments.limit} times the "
        f"base, {arguments.boosted:g} times {UNIT}."
    )
    print("\n".join(f"  {line}" for line in lines))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
