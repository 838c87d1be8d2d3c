"""One hypothesis profile for all tests, all places where rows can live, rows in partitions."""

import importlib.util
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import settings

# Of signals that Windows does not have.
collect_ignore = ["test_interruption.py"] if sys.platform == "win32" else []

# Repeatable, so that a red run is a red tree; no deadline, since shared machines stall.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def same_draws_every_time(request):
    """What `random_state=None` draws comes from NumPy's own generator: the same in every run."""
    np.random.seed(0)  # noqa: NPY002
    # A generator of a whole file would draw other numbers where another test has not run before.
    if isinstance(getattr(request.module, "RNG", None), np.random.Generator):
        request.module.RNG = np.random.default_rng(0)


class Home(NamedTuple):
    """A place for rows: how to bring them there as a problem's rows."""

    name: str
    rows: Callable[[Any], Any]


def _as_they_are(rows):
    return rows


def _read_only(rows):
    arrays = [np.array(a) for a in (rows.phi, rows.sign, rows.weights)]
    for array in arrays:
        array.setflags(write=False)
    return type(rows)(*arrays)


def _strict(rows):
    import array_api_strict

    return type(rows)(*map(array_api_strict.asarray, (rows.phi, rows.sign, rows.weights)))


def _torch(rows):
    import torch

    return type(rows)(*map(torch.asarray, (rows.phi, rows.sign, rows.weights)))


def _dask(rows):
    import dask.array

    from rocstar.scale.overview import overview
    from rocstar.scale.partitions import partitions
    from rocstar.scale.rows import ClusterRows

    size = max(1, len(rows.sign) // 7)
    arrays = (rows.phi, rows.sign, rows.weights)
    parts = partitions(*(dask.array.from_array(a, chunks=size) for a in arrays))
    return ClusterRows.of(parts, overview(parts, 10, 0), None, None)


_HOMES = {
    "numpy": (_as_they_are, None),
    "read-only": (_read_only, None),
    "array_api_strict": (_strict, None),
    "torch": (_torch, pytest.mark.torch),
    "dask": (_dask, pytest.mark.dask),
}


@pytest.fixture(
    params=[pytest.param(name, marks=mark or ()) for name, (_, mark) in _HOMES.items()],
)
def xp(request):
    """Each place where the rows of a problem can live."""
    name = request.param
    if name in ("torch", "dask") and importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    return Home(name, _HOMES[name][0])


@pytest.fixture
def no_loading(monkeypatch):
    """Whoever makes NumPy of a whole Dask array, or of a dataframe, fails."""
    da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")

    def refuse(*_, **__):
        raise AssertionError("a Dask collection was silently loaded")

    for kind in (da.Array, dd.DataFrame, dd.Series):
        monkeypatch.setattr(kind, "__array__", refuse)


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    """A folder: one file without rows, one of one class, one with other dtypes."""
    from data_scale import mixed_table

    folder = tmp_path_factory.mktemp("big")
    frame = mixed_table()
    parts = [frame.iloc[i : i + 300] for i in range(0, len(frame), 300)]
    parts[1] = parts[1].assign(visits=parts[1].visits.astype(float), a=parts[1].a.astype("float32"))
    one_class = frame.iloc[900:].left == "yes"
    parts[3:] = [parts[3][one_class], parts[3][~one_class], parts[3][:0]]
    for i, part in enumerate(parts):
        part.to_parquet(folder / f"{i}.parquet")
    return folder


@pytest.fixture
def rocstar(capsys, monkeypatch):
    """The command line: exit code, standard output and standard error of its arguments."""
    from data_cli import run

    return lambda *arguments: run(capsys, monkeypatch, *arguments)


@pytest.fixture(scope="module")
def churn(tmp_path_factory):
    """A file with two numbers, two classes and a score."""
    import pandas as pd

    from rocstar import laws

    X, y = laws.GaussianPair([1.0, 1.0], [0.0, 0.0]).sample(120, 120, random_state=0)
    path = tmp_path_factory.mktemp("data") / "churn.csv"
    frame = pd.DataFrame(X, columns=["age", "income"])
    frame.assign(churned=np.where(y == 1, "yes", "no"), model_score=X[:, 0]).to_csv(
        path, index=False
    )
    return path


@pytest.fixture(params=["audit", "comparison"])
def summary(request):
    """An example of what an audit, or a comparison, finds."""
    from data_summary import audit_summary, comparison_summary

    return {"audit": audit_summary, "comparison": comparison_summary}[request.param]()


@pytest.fixture(scope="session")
def sample():
    """A frame of two columns and its labels, of a known law."""
    import pandas as pd
    from data_audit import LAW

    X, y = LAW.sample(300, 300, random_state=0)
    return pd.DataFrame(X, columns=["first", "second"]), pd.Series(y, name="ill")


@pytest.fixture(scope="session")
def result(sample):
    """An audit of that sample and of two scores."""
    from rocstar import audit

    X, y = sample
    best = X.sum(axis=1).to_numpy()
    scores = {"half": X["first"].to_numpy(), "best": 1 / (1 + np.exp(1 - best))}
    costs = {"prevalence": 0.1, "cost_fn": 50, "cost_fp": 10}
    return audit(X, y, scores=scores, model="linear", **costs, random_state=0)


@pytest.fixture(scope="session")
def comparison():
    """A comparison of two samples that differ in one column."""
    import pandas as pd

    from rocstar import compare, laws

    X, y = laws.GaussianPair([0.0, 1.5, 0.0], [0.0, 0.0, 0.0]).sample(300, 200, random_state=0)
    frame = pd.DataFrame(X, columns=["same", "moved", "also same"])
    old, new = frame[y == 0], frame[y == 1].assign(added=1)
    return compare(old, new, model="linear", random_state=0, names=("old", "new"))


@pytest.fixture(scope="session")
def few():
    """Few positives: an audit whose folds are repeated, one without repeats, and its progress."""
    from data_audit import LAW

    from rocstar import audit

    X, y = LAW.sample(40, 120, random_state=1)
    reports = []
    given = {"scores": {"first": X[:, 0]}, "model": "linear", "random_state": 0}
    found = audit(X, y, **given, progress=lambda stage, done: reports.append((stage, done)))
    return X, y, found, audit(X, y, **given, cv=5), reports
