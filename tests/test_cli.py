"""The command line: every refusal is one sentence and exit code 2; results go to stdout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rocstar import cli, laws

DATA = Path(os.environ.get("ROCSTAR_DATA", "/nonexistent")) / "tabular"


def run(capsys, monkeypatch, *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of one command in this process."""
    monkeypatch.setattr(sys, "argv", ["rocstar", *map(str, arguments)])
    monkeypatch.setattr("warnings.showwarning", warnings.showwarning)
    # The command line sets these for its own process only.
    for name in ("OMP_WAIT_POLICY", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, os.environ.get(name, "1"))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


@pytest.fixture
def rocstar(capsys, monkeypatch):
    return lambda *arguments: run(capsys, monkeypatch, *arguments)


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    X, y = laws.GaussianPair([1.0, 1.0], [0.0, 0.0]).sample(120, 120, random_state=0)
    path = tmp_path_factory.mktemp("data") / "churn.csv"
    frame = pd.DataFrame(X, columns=["age", "income"])
    frame.assign(churned=np.where(y == 1, "yes", "no"), model_score=X[:, 0]).to_csv(
        path, index=False
    )
    return path


QUICK = ("--model", "linear", "--fast")


def test_audit_prints_the_summary(rocstar, table):
    code, out, err = rocstar("audit", table, "-t", "churned", "--score", "model_score", *QUICK)
    assert code == 0
    assert "Audit of churn.csv" in out
    assert "Best AUC" in out
    assert "model_score" in out
    assert err == ""


def test_json_goes_to_stdout_and_reports_to_files(rocstar, table, tmp_path):
    outputs = [tmp_path / name for name in ("a.html", "a.md", "a.json")]
    options = [item for path in outputs for item in ("-o", str(path))]
    code, out, err = rocstar("audit", table, "-t", "churned", "--json", *QUICK, *options)
    assert code == 0
    summary = json.loads(out)
    assert summary["data"]["positive"] == "yes"
    assert summary["method"]["seconds"].keys() >= {"read", "columns", "certify"}
    assert json.loads(outputs[2].read_text()) == summary
    assert all(f"Wrote {path}." in err for path in outputs)
    assert "<html" in outputs[0].read_text()


def test_quiet_says_nothing_on_stderr(rocstar, table, tmp_path):
    code, out, err = rocstar(
        "audit", table, "-t", "churned", "-q", *QUICK, "-o", tmp_path / "a.html"
    )
    assert (code, err) == (0, "")
    assert out


def test_the_seed_decides(rocstar, table):
    def lows(seed: int) -> float:
        _, out, _ = rocstar("audit", table, "-t", "churned", "--json", "--seed", seed, *QUICK)
        return json.loads(out)["auc"]["low"]

    assert lows(0) == lows(0)
    assert lows(0) != lows(1)


def test_roles_are_passed_on(rocstar, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    frame = pd.DataFrame({"x": rng.normal(y), "id": range(240), "w": 1.0, "g": np.arange(240) // 2})
    frame["y"] = np.array(["a", "b", "c"])[y]
    frame.to_parquet(tmp_path / "d.parquet")
    code, out, _ = rocstar(
        *("audit", tmp_path / "d.parquet", "-t", "y", "--positive", "c", "--drop", "id"),
        *("--weight", "w", "--group", "g", "--json", *QUICK),
    )
    assert code == 0
    data = json.loads(out)["data"]
    assert {column["name"]: column["type"] for column in data["columns"]} == {
        "x": "number",
        "id": "dropped",
        "w": "weight",
        "g": "group",
    }
    assert data["positive"] == "c"


def test_time_orders_the_rows(rocstar, table, tmp_path):
    frame = pd.read_csv(table).sample(frac=1, random_state=0)
    frame["day"] = pd.date_range("2024-01-01", periods=len(frame))
    frame.to_csv(tmp_path / "d.csv", index=False)
    code, out, _ = rocstar(
        "audit", tmp_path / "d.csv", "-t", "churned", "--time", "day", "--json", *QUICK
    )
    assert code == 0
    assert "the later half" in json.loads(out)["method"]["splits"]


def test_warnings_are_told(rocstar, table, tmp_path):
    frame = pd.read_csv(table)
    frame["leak"] = (frame["churned"] == "yes") * 1.0
    frame.to_csv(tmp_path / "d.csv", index=False)
    _, out, _ = rocstar("audit", tmp_path / "d.csv", "-t", "churned", *QUICK)
    assert "likely leak" in " ".join(out.split())


# compare


def test_compare_has_an_exit_code_of_its_own_for_drift(rocstar, table, tmp_path):
    frame = pd.read_csv(table).drop(columns="churned")
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    frame[:120].assign(only=1).to_parquet(old)
    frame[120:].assign(age=lambda f: f["age"] + 3).to_parquet(new)
    code, out, err = rocstar("compare", old, new, *QUICK, "--fail-above", "0.05")
    assert code == 3
    assert "`only` is only in old.parquet" in " ".join(out.split()).replace("only is", "`only` is")
    assert "The ROC divergence is at least 0." in err
    assert rocstar("compare", old, new, *QUICK, "--fail-above", "0.58")[0] == 0
    code, out, _ = rocstar("compare", old, old, *QUICK, "--json", "--fail-above", "0.05")
    assert code == 0
    assert json.loads(out)["test"]["pvalue"] > 0.05


def test_compare_refuses_to_drop_what_is_not_there(rocstar, table):
    code, _, err = rocstar("compare", table, table, "--drop", "aeg")
    assert code == 2
    assert err == f"`{table}` has no column `aeg`; did you mean `age`?\n"


# fit and score


@pytest.mark.parametrize("suffix", ["parquet", "csv", "CSV", "feather"])
def test_fit_then_score(rocstar, table, tmp_path, suffix):
    model, scored = tmp_path / "model.skops", tmp_path / f"scored.{suffix}"
    code, out, err = rocstar(
        "fit", table, "-t", "churned", "-o", model, "--model", "linear", "--drop", "model_score"
    )
    assert (code, out) == (0, "")
    assert err == f"Fitted to 240 rows; wrote {model}.\n"
    code, out, err = rocstar("score", model, table, "-o", scored)
    assert (code, out) == (0, "")
    result = getattr(pd, f"read_{suffix.lower()}")(scored)
    assert list(result.columns) == [
        *("age", "income", "churned", "model_score"),
        *("rocstar_angle", "rocstar_ratio", "rocstar_probability"),
    ]
    yes = result["churned"] == "yes"
    assert result["rocstar_angle"][yes].mean() > result["rocstar_angle"][~yes].mean()


def test_score_prints_csv_without_an_output(rocstar, table, tmp_path):
    model = tmp_path / "model.skops"
    rocstar("fit", table, "-t", "churned", "-o", model, "--model", "linear")
    code, out, err = rocstar("score", model, table)
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 241


def test_score_refuses_other_files(rocstar, table, tmp_path):
    (tmp_path / "model.skops").write_bytes(b"no")
    code, _, err = rocstar("score", tmp_path / "model.skops", table)
    assert (code, err) == (2, "`model.skops` is not a model file of rocstar.\n")


# Bad input


def bad(path: Path, name: str) -> list[str]:
    """Arguments of an audit that must be refused."""
    rows = pd.DataFrame({"age": range(40), "y": [0, 1] * 20})
    options = ["-t", "y"]
    file = path / "data.csv"
    if name == "missing file":
        file = path / "dota.csv"
        rows.to_csv(path / "data.csv")
    elif name == "empty file":
        file.write_bytes(b"")
    elif name == "no such column":
        rows.to_csv(file)
        options = ["-t", "Y "]
    elif name == "one class":
        rows.assign(y=1).to_csv(file, index=False)
    elif name == "three classes":
        rows.assign(y=np.arange(40) % 3).to_csv(file, index=False)
    elif name == "all-missing column":
        rows.assign(gap=np.nan).to_csv(file, index=False)
    elif name == "target with missing values":
        rows.assign(y=[0, 1, None, 1] * 10).to_csv(file, index=False)
    elif name == "duplicate names":
        file.write_text("age,age,y\n1,2,0\n2,3,1\n")
    elif name == "truncated Parquet":
        file = path / "data.parquet"
        rows.to_parquet(file)
        file.write_bytes(file.read_bytes()[:-50])
    elif name == "binary named csv":
        file.write_bytes(os.urandom(64) + b"\x00" * 64)
    elif name == "not UTF-8":
        file.write_bytes("âge,y\n1,0\n2,1\n".encode("latin1"))
    elif name == "unwritable output":
        rows.to_csv(file, index=False)
        options += ["-o", str(path / "no" / "folder.html")]
    elif name == "odd output":
        rows.to_csv(file, index=False)
        options += ["-o", str(path / "report.pdf")]
    elif name == "too large":
        rows.to_csv(file, index=False)
        options += ["--max-memory", "1MB"]
    elif name == "odd size":
        rows.to_csv(file, index=False)
        options += ["--max-memory", "much"]
    elif name == "odd level":
        rows.to_csv(file, index=False)
        options += ["--level", "95"]
    elif name == "odd model":
        rows.to_csv(file, index=False)
        options += ["--model", "forest"]
    elif name == "odd seed":
        rows.to_csv(file, index=False)
        options += ["--seed", "-1"]
    elif name == "odd option":
        options += ["--colour", "red"]
    elif name == "no target":
        rows.to_csv(file, index=False)
        options = []
    elif name == "too few rows":
        rows.iloc[:5].assign(y=[0, 0, 0, 0, 1]).to_csv(file, index=False)
    return [str(file), *options]


TOLD = {
    "missing file": "did you mean `",
    "empty file": "`data.csv` is empty.",
    "no such column": "did you mean `y`?",
    "one class": "has one class only, 1.",
    "three classes": "has 3 classes (0, 1, 2); say which is positive with --positive.",
    "all-missing column": "Column `gap` of `data.csv` has no value in any row",
    "target with missing values": "has 10 missing values",
    "duplicate names": "has two columns named `age`",
    "truncated Parquet": "is not a complete Parquet file",
    "binary named csv": "is binary data, not CSV text.",
    "not UTF-8": "is not UTF-8 text (byte 0xe2)",
    "unwritable output": "cannot be written: there is no folder",
    "odd output": "must end in .html or .md or .json.",
    "too large": "needs about 0.3 GB of memory, but 0.0 GB may be used",
    "odd size": "--max-memory must be a size such as 8GB; got much.",
    "odd level": "--level must lie strictly between 0 and 1; got 95.",
    "odd model": "'--model': 'forest' is not one of 'auto', 'linear', 'rbf', 'trees'.",
    "odd seed": "'--seed': ",
    "odd option": "No such option: --colour",
    "no target": "Name the column with the classes with --target",
    "too few rows": "needs at least",
}


@pytest.mark.parametrize("name", TOLD)
def test_bad_input_is_one_sentence_and_exit_code_2(rocstar, tmp_path, name):
    code, out, err = rocstar("audit", *bad(tmp_path, name))
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert TOLD[name] in err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("*.html"))


def test_an_output_that_is_a_folder(rocstar, table, tmp_path):
    (tmp_path / "a.html").mkdir()
    code, _, err = rocstar("audit", table, "-t", "churned", "-o", tmp_path / "a.html")
    assert (code, err.count("\n")) == (2, 1)


def test_options_are_checked_before_the_table_is_read(rocstar, monkeypatch):
    monkeypatch.setattr("rocstar.tables.reading.read_table", None)
    for option in (("--level", "1"), ("--max-memory", "nan"), ("--model", "x"), ("-o", "a.pdf")):
        code, _, err = rocstar("audit", "data.csv", "-t", "y", *option)
        assert (code, err.count("\n")) == (2, 1)


def test_an_unexpected_failure_is_exit_code_1(rocstar, table, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr("rocstar.audits.audit.audit_table", broken)
    code, _, err = rocstar("audit", table, "-t", "churned")
    assert code == 1
    assert err.startswith("Unexpected failure: RuntimeError: boom")
    assert err.count("\n") == 1


def test_a_missing_extra_is_one_sentence(rocstar, table, monkeypatch):
    def missing(*_, **__):
        raise ModuleNotFoundError("No module named 'skrub'", name="skrub")

    monkeypatch.setattr("rocstar.tables.reading.read_table", missing)
    code, _, err = rocstar("audit", table, "-t", "churned")
    assert (code, err) == (1, "skrub is missing: pip install 'rocstar[cli]'.\n")


# As a process of its own


def command(*arguments: object, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "rocstar", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **options,
    )


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


def test_a_pipe_and_no_terminal(table):
    done = command(*("audit", "-", "-t", "churned", *QUICK, "--json"), input=table.read_text())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["data"]["source"] == "standard input"
    # No progress where nobody watches.
    assert done.stderr == ""


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
    assert err == "Interrupted; nothing was written.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="ROCSTAR_DATA names no folder with tabular data")
@pytest.mark.parametrize("path", sorted(DATA.glob("*.parquet")), ids=lambda path: path.stem)
def test_every_real_table_runs_end_to_end(path, tmp_path):
    output = tmp_path / "a.html"
    done = command("audit", path, "-t", "target", "--fast", "--json", "-o", output)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert 0.5 < summary["auc"]["low"] <= summary["auc"]["value"] <= 1
    assert output.stat().st_size < 6e6
