"""Interrupted, run twice at once, copied, pickled: files stay whole and answers the same."""

from __future__ import annotations

import copy
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import rocstar
from rocstar import baselines, laws
from rocstar.tables.model_files import load
from rocstar.tables.table import prepare

FAST = ("--model", "linear", "--fast")


def frame(n: int = 200) -> pd.DataFrame:
    X, y = laws.GaussianPair([1.0, 1.0], [0.0, 0.0]).sample(n, n, random_state=0)
    return pd.DataFrame(X, columns=["age", "income"]).assign(left=y)


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("data") / "table.csv"
    frame().to_csv(path, index=False)
    return path


def start(*arguments: object, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "rocstar", *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(running: subprocess.Popen[str]) -> int:
    """The exit code of a command; its pipe is closed."""
    running.communicate(timeout=1200)
    return running.returncode


@pytest.fixture(scope="module")
def model(table, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    running = start("fit", table, "-t", "left", "-o", "m.skops", "--model", "linear", folder=folder)
    assert ended(running) == 0
    return folder / "m.skops"


def commands(table: Path, model: Path) -> dict[str, tuple[list[object], str]]:
    return {
        "audit": (["audit", table, "-t", "left", *FAST, "-o", "out.json"], "out.json"),
        "fit": (["fit", table, "-t", "left", "--model", "linear", "-o", "out.skops"], "out.skops"),
        "score": (["score", model, table, "-o", "out.csv"], "out.csv"),
    }


def is_whole(path: Path) -> bool:
    """Whether a written file can be used."""
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))["kind"] == "audit"
    if path.suffix == ".skops":
        return load(path).target_ == "left"
    return len(pd.read_csv(path)) == 400


# When a command is stopped, as shares of the time it takes: most of them towards the end, where it
# computes and writes; the start is all imports.
MOMENTS = (0.1, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name
)
@pytest.mark.parametrize("command", ["audit", "fit", "score"])
def test_the_old_file_or_the_new_one(command, stop, table, model, tmp_path):
    arguments, name = commands(table, model)[command]
    output = tmp_path / name
    begun = time.perf_counter()
    assert ended(start(*arguments, folder=tmp_path)) == 0
    taken = time.perf_counter() - begun
    assert is_whole(output)
    for moment in MOMENTS:
        output.write_text("old")
        running = start(*arguments, folder=tmp_path)
        time.sleep(moment * taken)
        running.send_signal(stop)
        ended(running)
        assert output.read_bytes() == b"old" or is_whole(output)


WRITING = """
import os, signal, sys
import rocstar.tables.writing
from pathlib import Path

real, moment, stop = os.replace, sys.argv[1], getattr(signal, sys.argv[2])

def stopped(source, target):
    if moment == "after":
        real(source, target)
    os.kill(os.getpid(), stop)
    if moment == "before":
        real(source, target)

os.replace = stopped
rocstar.tables.writing.replace_file("out.txt", b"new" * 1_000_000)
"""


@pytest.mark.parametrize("stop", ["SIGINT", "SIGKILL"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_stopped_in_the_middle_of_writing(moment, stop, tmp_path):
    """The worst moments: the new file is complete beside the old one, and just renamed."""
    output = tmp_path / "out.txt"
    output.write_text("old")
    subprocess.run(
        [sys.executable, "-c", WRITING, moment, stop],
        cwd=tmp_path,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    assert output.read_text() == ("old" if moment == "before" else "new" * 1_000_000)


def test_an_interrupted_command_says_so_and_keeps_the_old_report(tmp_path):
    output = tmp_path / "out.html"
    output.write_text("old")
    running = start("audit", "-o", "out.html", folder=tmp_path)
    assert running.stderr is not None
    assert "diabetes" in running.stderr.readline()  # it has read its data and goes on to fit
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=1200)
    assert running.returncode == 130
    assert told == "Interrupted; nothing was written.\n"
    assert output.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.html"]


# At once


@pytest.mark.slow
def test_two_audits_at_once_in_one_folder(table, tmp_path):
    """Both finish, in no more than three times the time of one alone."""
    arguments = ["audit", table, "-t", "left", "--seed", "1"]

    def seconds(outputs: list[str]) -> float:
        begun = time.perf_counter()
        running = [start(*arguments, "-o", output, folder=tmp_path) for output in outputs]
        assert [ended(process) for process in running] == [0] * len(outputs)
        return time.perf_counter() - begun

    alone = seconds(["one.json"])
    together = seconds(["a.json", "b.json"])
    assert together < 3 * alone + 2
    # Two that write one file leave one whole report.
    seconds(["same.json", "same.json"])
    found = [json.loads((tmp_path / f"{name}.json").read_text()) for name in ("a", "b", "same")]
    assert found[0]["arc_length"] == found[1]["arc_length"] == found[2]["arc_length"]
    assert sorted(os.listdir(tmp_path)) == ["a.json", "b.json", "one.json", "same.json"]


def test_threads_wait_politely_before_scikit_learn_is_loaded():
    code = (
        "import os, sys; sys.argv = ['rocstar', '--version']\n"
        "os.environ.pop('OMP_WAIT_POLICY', None)\n"
        "import rocstar.cli as cli\n"
        "assert 'sklearn' not in sys.modules\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "assert 'sklearn' not in sys.modules\n"
        "print(os.environ['OMP_WAIT_POLICY'])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split()[-1] == "PASSIVE"


# Copies

ESTIMATORS = {
    "ArctanRatio": lambda: rocstar.ArctanRatio("rbf", n_components=20, random_state=0),
    "ArctanRatio box": lambda: rocstar.ArctanRatio(loss="box"),
    "ArctanRatioCV": lambda: rocstar.ArctanRatioCV(alphas=[0.1], cv=2, random_state=0),
    "ClassifierRatio": lambda: rocstar.ClassifierRatio(LogisticRegression()),
    "QuadraticRatio": lambda: rocstar.QuadraticRatio(random_state=0),
    "StackedRatio": lambda: rocstar.StackedRatio(
        [("ours", rocstar.ArctanRatio()), ("logistic", LogisticRegression())], cv=2, random_state=0
    ),
    "MaximalAUCClassifier": lambda: rocstar.MaximalAUCClassifier(),
    "NeymanPearsonClassifier": lambda: rocstar.NeymanPearsonClassifier(fpr=0.2, random_state=0),
    "RatioOutlierDetector": lambda: rocstar.RatioOutlierDetector(
        rocstar.ArctanRatio(), random_state=0
    ),
    "TableModel": lambda: rocstar.TableModel("linear"),
    "PairwiseSquaredAUC": lambda: baselines.PairwiseSquaredAUC(),
    "PairwiseHingeAUC": lambda: baselines.PairwiseHingeAUC(),
    "SPAUC": lambda: baselines.SPAUC(n_epochs=2, random_state=0),
}


def sample() -> tuple[np.ndarray, np.ndarray]:
    return laws.GaussianPair([1.0, 1.0], [0.0, 0.0]).sample(60, 60, random_state=0)


def fitted(name: str):
    X, y = sample()
    return ESTIMATORS[name]().fit(X, y)


def scores(model) -> np.ndarray:
    return np.asarray(model.decision_function(sample()[0]))


def test_every_public_estimator_is_copied_here():
    public = {
        name
        for home in (rocstar, baselines)
        for name in home.__all__
        if hasattr(getattr(home, name), "predict")
    }
    assert public <= {name.split()[0] for name in ESTIMATORS}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_copies_of_an_estimator_answer_alike(name):
    model = fitted(name)
    expected = scores(model)
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), copy.copy(model)):
        np.testing.assert_array_equal(scores(copied), expected)
    fresh = clone(model)
    assert not [key for key in vars(fresh) if key.endswith("_")]
    np.testing.assert_array_equal(scores(fresh.fit(*sample())), expected)


def results() -> dict:
    X, y = sample()
    certificate = rocstar.certify(rocstar.ArctanRatio(), X, y, cv=2, random_state=0)
    return {
        "Interval": rocstar.tv_bounds(1.7),
        "RocPoints": rocstar.roc_points(y, X[:, 0]),
        "RocHull": rocstar.roc_hull(y, X[:, 0]),
        "Estimate": rocstar.auc_interval(y, X[:, 0]),
        "RocBand": rocstar.roc_band(y, X[:, 0]),
        "Certificate": certificate,
        "TwoSampleTest": rocstar.two_sample_test(X, y, n_permutations=19, random_state=0),
        "Audit": rocstar.audit(X, y, model="linear", fast=True, random_state=0),
        "Comparison": rocstar.compare(X, X + 0.5, model="linear", fast=True, random_state=0),
        "Law": laws.GaussianPair([1.0, 1.0], [0.0, 0.0]),
        "Table": prepare(frame(20), target="left"),
        "Solution": rocstar.ArctanRatio().fit(X, y).solution_,
    }


@pytest.fixture(scope="module")
def made() -> dict:
    return results()


@pytest.mark.parametrize(
    "name",
    [
        *("Interval", "RocPoints", "RocHull", "Estimate", "RocBand", "Certificate"),
        *("TwoSampleTest", "Audit", "Comparison", "Law", "Table", "Solution"),
    ],
)
def test_copies_of_a_result_say_the_same(name, made):
    result = made[name]
    for copied in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert type(copied) is type(result)
        assert repr(copied) == repr(result)


def test_estimators_work_in_processes():
    X, y = sample()
    names = ["ArctanRatio", "ArctanRatioCV", "StackedRatio", "MaximalAUCClassifier"]
    found = Parallel(n_jobs=2)(delayed(ESTIMATORS[name]().fit)(X, y) for name in names)
    for name, model in zip(names, found, strict=True):
        np.testing.assert_allclose(scores(model), scores(fitted(name)), atol=1e-12)
