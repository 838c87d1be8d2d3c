"""The benchmark's own machinery: rows, rivals, standings, goals and the speed gate."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from rocstar import laws

pd = pytest.importorskip("pandas")
BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    """Import a module of the benchmarks folder by name."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    # Other folders of scripts have modules of these names too.
    for script in BENCHMARKS.glob("*.py"):
        monkeypatch.delitem(sys.modules, script.stem, raising=False)
    yield importlib.import_module
    for script in BENCHMARKS.glob("*.py"):
        sys.modules.pop(script.stem, None)


@pytest.fixture
def team(bench, tmp_path):
    team = bench("harness").Team(tmp_path, tmp_path / "log.txt")
    yield team
    team.close()


@pytest.fixture
def sample():
    X, y = laws.GaussianPair([1, 0], [0, 0]).sample(40, 40, random_state=0)
    return {"X": X, "y": y, "fold": np.arange(80) % 4}


def test_an_adapter_answers_in_its_own_process(team, sample):
    found = team.ask("with_sklearn", "angles", "logistic CV", sample)
    assert found["status"] == "done"
    assert found["cpu_s"] > 0
    assert "scikit-learn" in found["versions"]
    for name in ("inside", "outside"):
        angle = found["arrays"][name]
        assert angle.shape == (80,)
        assert ((angle >= 0) & (angle <= np.pi / 2)).all()
    only = team.ask("with_sklearn", "angles", "logistic CV", sample, {"in_sample_only": True})
    assert list(only["arrays"]) == ["inside"]


def test_a_failing_job_is_a_row_and_the_process_goes_on(team, sample):
    broken = {**sample, "y": np.zeros(80, dtype=int)}
    found = team.ask("with_sklearn", "angles", "logistic CV", broken)
    assert found["status"].startswith("failed: ValueError")
    assert team.ask("with_sklearn", "angles", "kNN", sample)["status"] == "done"


def test_a_rival_that_is_not_installed_is_a_row_that_says_so(team, sample, tmp_path):
    found = team.ask("with_densratio", "angles", "densratio uLSIF", sample)
    assert found["status"].startswith("not installed")
    (tmp_path / "hyppo.failed").write_text("ERROR: no such package\n")
    found = team.ask("with_hyppo", "test", "hyppo energy", sample)
    assert found["status"] == "not installed: ERROR: no such package"


def test_every_adapter_has_its_file_and_environment(bench):
    harness, setup = bench("harness"), bench("rivals.setup")
    files = {path.stem for path in (BENCHMARKS / "rivals").glob("with_*.py")}
    assert files == set(harness.ADAPTERS)
    assert {name for name in harness.ADAPTERS.values() if name} <= set(setup.ENVIRONMENTS)


def test_a_table_keeps_finished_rows_and_retries_absent_rivals(bench, tmp_path):
    Table = bench("harness").Table
    table = Table(tmp_path / "t.csv", ("law", "method"))
    table.add({"law": "a", "method": "m", "status": "done"})
    table.add({"law": "b", "method": "m", "status": "not installed: no network"})
    again = Table(tmp_path / "t.csv", ("law", "method"))
    assert again.has("a", "m")
    assert not again.has("b", "m")
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 3


def _rows(law: str, estimates: dict[str, np.ndarray], oracle: np.ndarray) -> pd.DataFrame:
    rows = []
    for method, values in {"oracle": oracle, **estimates}.items():
        for repetition, value in enumerate(values):
            row = {"law": law, "n": 1000, "repetition": repetition, "method": method, "how": "x"}
            rows.append({**row, "arc_length": value, "tv": value, "auc": value, "status": "done"})
    return pd.DataFrame(rows)


def test_rmse_is_unbiased_and_less_noisy_than_the_plain_one(bench):
    standings = bench("standings")
    law, n = "gaussian-1d", 1000
    truth, sd = laws.suite()[law].arc_length, 0.01
    variances = pd.DataFrame({q: {law: sd**2 * n} for q in standings.QUANTITIES})
    rng = np.random.default_rng(0)
    found = []
    for _ in range(300):
        error = rng.normal(0, sd, 4)
        # Biased, noisy, and correlated with the oracle's error.
        mine = 0.5 * error + rng.normal(0.02, 0.005, 4)
        table = standings.errors(
            _rows(law, {"rocstar stack": truth + error + mine}, truth + error), variances
        )
        row = table[(table["method"] == "rocstar stack") & (table["quantity"] == "arc_length")]
        found.append(row[["rmse", "plain_rmse"]].to_numpy()[0] ** 2)
    exact = 1.5**2 * sd**2 + 0.02**2 + 0.005**2
    square, plain = np.array(found).T
    assert abs(square.mean() - exact) < 4 * square.std() / np.sqrt(300)
    assert square.std() < 0.6 * plain.std()


def test_a_rival_beats_the_oracle_by_its_covariance_alone(bench):
    standings = bench("standings")
    law, n = "gaussian-1d", 1000
    truth, sd = laws.suite()[law].arc_length, 0.01
    variances = pd.DataFrame({q: {law: sd**2 * n} for q in standings.QUANTITIES})
    error = np.array([1.0, -1.0, 0.5, -0.5]) * sd
    rows = _rows(law, {"kNN": truth + 0.2 * error}, truth + error)
    table = standings.errors(rows, variances).query("quantity == 'arc_length'")
    assert not standings.duels(table, "oracle")["won"].any()
    assert standings.duels(table, "oracle", "steady_rmse")["won"].all()


def test_one_rival_is_met_on_the_samples_that_it_has(bench, tmp_path):
    standings = bench("standings")
    law = "gaussian-1d"
    truth, sd = laws.suite()[law].arc_length, 0.01
    error = np.array([1.0, -1.0, 0.5, -0.5]) * sd
    oracle = np.concatenate([error, error])
    # The stack is as good as the oracle on four samples, the rival's, and far off on the others.
    ours = oracle + np.repeat([0.0, 0.5], 4)
    rows = _rows(law, {"rocstar stack": truth + ours, "kNN": truth + oracle + 0.02}, truth + oracle)
    rows = rows[(rows["method"] != "kNN") | (rows["repetition"] < 4)]
    rows.to_csv(tmp_path / "values.csv", index=False)
    variance = dict.fromkeys(standings.QUANTITIES, sd**2 * 1000)
    pd.DataFrame([{"law": law, **variance}]).to_csv(tmp_path / "oracle.csv", index=False)
    found = standings.against_each(tmp_path).set_index("rival").loc["kNN"]
    assert found["median ratio"] < 0.5
    assert found["won by the oracle"] > 0
    assert standings.duels(standings.value_errors(tmp_path), "rocstar stack")["ratio"].min() > 2


def test_a_duel_is_lost_beyond_five_per_cent(bench):
    standings = bench("standings")
    keys = {"law": "a", "n": 1, "how": "x", "runs": 3, "bias": 0.0, "oracle_sd": 1.0}
    rows = [
        {**keys, "quantity": q, "method": m, "rmse": r}
        for q, mine in (("tv", 1.04), ("auc", 1.06))
        for m, r in (("rocstar stack", mine), ("kNN", 1.0), ("oracle", 0.5))
    ]
    duels = standings.duels(pd.DataFrame(rows), "rocstar stack").set_index("quantity")
    assert duels["won"].to_dict() == {"tv": True, "auc": False}


def test_oracle_variances_are_those_of_its_figures(bench):
    values, standings = bench("tracks.values"), bench("standings")
    law, n = laws.suite()["quadric-2d"], 100
    found = []
    for seed in range(400):
        X, y = law.sample(n, n, random_state=seed)
        found.append(values._figures(y, law.angle(X), law.log_ratio(X), None))
    spread = pd.DataFrame(found)[list(standings.QUANTITIES)].var()
    expected = pd.Series(standings._oracle_variance(law)) / n
    assert np.allclose(spread / expected, 1, atol=0.3)


def test_every_goal_has_a_verdict_and_missing_results_leave_it_open(bench, tmp_path):
    goals = bench("goals")
    rows = goals.judged(tmp_path)
    assert len(rows) > 30
    assert {row.verdict for row in rows} <= {goals.MET, goals.MISSED, goals.OPEN}
    assert all(row.verdict == goals.OPEN for row in rows if row.area == "peers")
    assert all(row.tried for row in rows if row.verdict == goals.MISSED)


def test_the_page_is_written_from_rows_alone(bench, tmp_path):
    rng = np.random.default_rng(1)
    law = laws.suite()["gaussian-1d"]
    noise = rng.normal(0, 0.01, (3, 4))
    rows = _rows(
        "gaussian-1d",
        {"rocstar stack": law.auc + noise[0], "kNN": law.auc + noise[1]},
        law.auc + noise[2],
    )
    rows.loc[rows["method"] == "rocstar stack", "how"] = "certify"
    for name in ("arc_length_low", "tv_low", "auc_low", "js"):
        rows[name] = 0.4
    rows[["wall_s", "cpu_s", "peak_mb"]] = 1.0
    rows["versions"], rows["commit"] = "x 1", "abc"
    rows.to_csv(tmp_path / "values.csv", index=False)
    variances = pd.DataFrame([{"law": "gaussian-1d", "arc_length": 0.1, "tv": 0.1, "auc": 0.1}])
    variances.to_csv(tmp_path / "oracle.csv", index=False)  # else those of the whole suite
    bench("page").write(tmp_path, tmp_path / "README.md", tmp_path / "plots")
    text = (tmp_path / "README.md").read_text()
    assert "{{" not in text
    assert "*Not run.*" in text
    assert (tmp_path / "plots" / "values_cells.png").stat().st_size > 1000


def test_the_gate_fails_on_a_slow_head_and_only_then(bench):
    gate = bench("gate")
    same = gate.ratios(lambda: {"fit": 1.0}, lambda: {"fit": 1.1}, rounds=3)
    assert gate.verdict(same, 1.5)[1]
    slow = gate.ratios(lambda: {"fit": 1.0, "cv": 1.0}, lambda: {"fit": 1.0, "cv": 2.0}, rounds=3)
    lines, passed = gate.verdict(slow, 1.5)
    assert not passed
    assert next(line for line in lines if "TOO SLOW" in line).startswith("cv")


def test_one_unlucky_round_does_not_fail_the_gate(bench):
    gate = bench("gate")
    seconds = iter([1.0, 9.0, 1.0])
    found = gate.ratios(lambda: {"fit": 1.0}, lambda: {"fit": next(seconds)}, rounds=3)
    assert gate.verdict(found, 1.5)[1]


def test_the_gate_sets_a_certificate_against_the_base_and_against_boosted_fits(bench):
    gate = bench("gate")

    def timings(certify, unit):
        return lambda: {"fit": 1.0, gate.CERTIFY: certify, gate.UNIT: unit}

    found = gate.ratios(timings(4.0, 1.0), timings(6.0, 2.0), rounds=2)
    assert found == {"fit": [1.0, 1.0], gate.CERTIFY: [1.5, 1.5], gate.UNIT: [3.0, 3.0]}
    # A base from before the unit is compared by what it has.
    found = gate.ratios(lambda: {"fit": 1.0}, timings(6.0, 2.0), rounds=1)
    assert found == {"fit": [1.0], gate.UNIT: [3.0]}
    for ratio, passed in ((9.0, True), (11.0, False)):
        lines, fine = gate.verdict({"fit": [1.0], gate.UNIT: [ratio]}, 1.5, 10.0)
        assert fine is passed
        assert f"{gate.CERTIFY}: {ratio:.2f} times {gate.UNIT}" in " ".join(lines)


def test_the_gate_knows_its_base(bench, tmp_path, monkeypatch):
    gate = bench("gate")
    monkeypatch.setattr(gate, "ROOT", tmp_path)
    assert gate.base_commit(None) == ""
    monkeypatch.setattr(sys, "argv", ["gate.py"])
    assert gate.main() == 0
    monkeypatch.setattr(sys, "argv", ["gate.py", "--base", "nonsense"])
    assert gate.main() == 2


def test_scores_have_the_auc_they_claim(bench):
    intervals = bench("tracks.intervals")
    rng = np.random.default_rng(0)
    for law in intervals.LAWS:
        pos, neg = intervals.scores(law, 0.95, 400, 20, rng)
        share = np.mean([(p[:, None] > q[None, :]).mean() for p, q in zip(pos, neg, strict=True)])
        assert share == pytest.approx(0.95, abs=0.005)


def ranked(**aucs):
    """Rows of one table: by method, AUC by split, nothing where it was not run."""
    return pd.DataFrame(
        {"positives": "24", "table": "t", "split": k, "method": name, "auc": auc, "status": "done"}
        for name, found in aucs.items()
        for k, auc in enumerate(found)
        if auc is not None
    ).replace({"method": {"stack": "rocstar stack"}})


def test_ranks_of_equal_splits_are_those_of_the_means(bench):
    standings = bench("standings")
    rows = ranked(stack=[0.8, 0.9], a=[0.7, 0.9], b=[0.9, 0.9], c=[0.8, 0.8])
    table = standings.ranking(rows).query("positives == '24'").set_index("method")
    means = rows.groupby("method")["auc"].mean()
    pd.testing.assert_series_equal(table["auc"], means, check_names=False)
    expected = means.rank(ascending=False)
    pd.testing.assert_series_equal(table["rank"], expected, check_names=False)


def test_methods_are_compared_on_the_splits_that_both_have(bench):
    standings = bench("standings")
    # On the split that it has, "a" is ahead; the mean of the others is higher.
    rows = ranked(stack=[0.6, 0.9], a=[0.7, None], b=[None, 0.8])
    table = standings.ranking(rows).query("positives == '24'").set_index("method")
    assert table["auc"].round(9).to_dict() == {"rocstar stack": 0.75, "a": 0.85, "b": 0.65}
    assert table["rank"].to_dict() == {"rocstar stack": 2.0, "a": 1.5, "b": 2.5}
    gap, _ = standings.paired_difference(rows, "a", "rocstar stack")
    assert gap == pytest.approx(0.1)
