"""Same seed, same numbers: whatever the number of threads, jobs and blocks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rocstar import ArctanRatio, ArctanRatioCV, MaximalAUCClassifier, StackedRatio, laws
from rocstar.fitting import rows as blocks

MEANS = np.zeros(4), np.array([1.0, 0.5, 0.0, 0.0])

NUMBERS = """
import json, sys
import numpy as np
import rocstar
from rocstar import laws
from threadpoolctl import threadpool_info

X, y = laws.GaussianPair(np.zeros(4), [1.0, 0.5, 0.0, 0.0]).sample(700, 700, random_state=0)
models = {
    "linear": rocstar.ArctanRatio(random_state=0),
    "rbf": rocstar.ArctanRatio("rbf", random_state=0),
    "log": rocstar.ArctanRatio("rbf", loss="log", random_state=0),
    "box": rocstar.ArctanRatio(loss="box", random_state=0),
    "tuned": rocstar.ArctanRatioCV("rbf", cv=2, random_state=0),
    "trees": rocstar.ClassifierRatio(random_state=0),
    "maximal": rocstar.MaximalAUCClassifier(rocstar.ArctanRatio("rbf", random_state=0)),
}
found = {name: model.fit(X, y).predict_angle(X).tolist() for name, model in models.items()}
stack = rocstar.StackedRatio(cv=2, n_jobs=int(sys.argv[1]), random_state=0)
certificate = rocstar.certify(stack, X, y, cv=2, random_state=0)
found["certificate"] = [
    end
    for name in ("arc_length", "auc", "tv")
    for end in (getattr(certificate, name).low, getattr(certificate, name).value)
]
found["test"] = [rocstar.two_sample_test(X, y, n_permutations=99, random_state=0).pvalue]
threads = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
print(json.dumps({"threads": max(threads), "numbers": found}))
"""


def numbers(threads: int) -> dict:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    shown = subprocess.run(
        [sys.executable, "-c", NUMBERS, str(threads)],
        env={**os.environ, **dict.fromkeys(names, str(threads))},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(shown.stdout)
    assert found["threads"] == threads
    return found["numbers"]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
def test_one_thread_or_two():
    one, two = numbers(1), numbers(2)
    for name, values in one.items():
        np.testing.assert_allclose(two[name], values, rtol=0, atol=1e-10, err_msg=name)


@pytest.fixture(scope="module")
def sample():
    return laws.GaussianPair(*MEANS).sample(2000, 2000, random_state=0)


MODELS = {
    "linear": lambda **how: ArctanRatio(**how),
    "log": lambda **how: ArctanRatio(loss="log", **how),
    "rbf": lambda **how: ArctanRatio("rbf", n_components=30, random_state=0, **how),
    "maximal": lambda **how: MaximalAUCClassifier(ArctanRatio(**how)),
}


def in_blocks(size: int, monkeypatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    monkeypatch.setattr(blocks, "PASS_BLOCKS", 10**9)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("tol", "agreement"), [(1e-8, 1e-8), (1e-11, 1e-10)])
def test_any_blocks(name, tol, agreement, sample, monkeypatch):
    """Other blocks mean another start, too; what is left of that is bounded by the tolerance."""
    X, y = sample
    whole = MODELS[name](tol=tol).fit(X, y).predict_angle(X)
    for size in (2**14, 2**12):  # 128 and 64 rows: the latter enough blocks to thin them
        in_blocks(size, monkeypatch)
        parts = MODELS[name](tol=tol).fit(X, y).predict_angle(X)
        np.testing.assert_allclose(parts, whole, rtol=0, atol=agreement)


def test_any_number_of_jobs(sample):
    X, y = sample[0][::5], sample[1][::5]
    members = [("rbf", ArctanRatioCV("rbf", cv=2)), ("logistic", LogisticRegression())]
    one, two = (
        StackedRatio(members, cv=2, n_jobs=n, random_state=0).fit(X, y).predict_angle(X)
        for n in (1, 2)
    )
    np.testing.assert_allclose(two, one, rtol=0, atol=1e-10)


def test_threads_leave_the_warning_filters_alone(sample):
    X, y = sample[0][::10], sample[1][::10]
    before = list(warnings.filters)
    StackedRatio(cv=2, n_jobs=2, random_state=0).fit(X, y)
    assert list(warnings.filters) == before
