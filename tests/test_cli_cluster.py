"""`rocstar audit --cluster`: a running scheduler, workers of its own, refusals."""

import json

import pytest
from data_cli import run
from data_scale import Y

pytestmark = pytest.mark.dask


@pytest.mark.filterwarnings("ignore")  # of sockets, when a cluster is closed
def test_command_on_a_cluster(parquet, tmp_path, capsys, monkeypatch):
    distributed = pytest.importorskip("distributed")
    report = tmp_path / "a.html"
    options = ["-t", "left", "--score", "old", "--weight", "weight", "--drop", "since", "--json"]
    options += ["--model", "linear", "--positive", "yes", "--level", "0.9", "-q"]
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        address = ["--cluster", cluster.scheduler_address]
        files = sorted(map(str, parquet.glob("*.parquet")))
        code, out, err = run(capsys, monkeypatch, "audit", *files, *options, *address, "-o", report)
    assert (code, err) == (0, "")
    summary = json.loads(out)
    assert summary["level"] == 0.9
    assert summary["data"]["rows"] == len(Y)
    assert summary["data"]["positives"] == int((Y == 0).sum())
    assert summary["data"]["source"] == "0.parquet and 5 more"
    assert summary["scores"][0]["name"] == "old"
    assert {c["name"]: c["type"] for c in summary["data"]["columns"]}["since"] == "dropped"
    assert 0.7 < summary["auc"]["low"] < 0.9
    assert "<html" in report.read_text()
    # The same seed, in processes of its own: the same numbers.
    local = ["--cluster", "local:1", "--max-memory", "2GB"]
    code, out, err = run(capsys, monkeypatch, "audit", parquet, *options, *local)
    assert (code, err) == (0, "")
    assert json.loads(out)["auc"]["low"] == pytest.approx(summary["auc"]["low"], abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--cluster", "local", "--group", "plan"], "--group cannot be used with --cluster"),
        (["--cluster", "local", "--time", "since"], "--time cannot be used with --cluster"),
        (["--cluster", "local:none"], "must be local, local:WORKERS"),
        (["--cluster", "tcp://a:1", "--max-memory", "1GB"], "--max-memory applies to --cluster"),
        (["--cluster", "local:²"], "must be local, local:WORKERS"),
        (["--cluster", "local:2", "--max-memory", "100MB"], "each of 2 workers 150 MB at least"),
        (["--cluster", "what://127.0.0.1:9"], "No scheduler answers"),
        (["--cluster", "tcp://127.0.0.1:9"], "No scheduler answers"),
        (["{folder}/1.parquet"], "add --cluster local"),
    ],
)
def test_command_refusals_on_a_cluster(arguments, sentence, parquet, capsys, monkeypatch):
    if "tcp://127.0.0.1:9" in arguments:
        monkeypatch.setattr("rocstar.scale.client.PATIENCE", 0.5)
    code, out, err = run(
        *(capsys, monkeypatch, "audit", parquet / "0.parquet", "-t", "left"),
        *(argument.format(folder=parquet) for argument in arguments),
    )
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    # No half-made client is left as the default.
    assert pytest.importorskip("dask").config.get("scheduler", None) is None
