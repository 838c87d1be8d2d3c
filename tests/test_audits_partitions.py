"""Audits of Dask collections."""

import pytest
from data_scale import LAW, X, Y, arrays, column, mixed_labels, mixed_table
from sklearn.linear_model import LogisticRegression

from rocstar import audit
from rocstar.checks import InputError

pytestmark = pytest.mark.dask


def test_audit_of_a_dask_dataframe():
    dd = pytest.importorskip("dask.dataframe")
    frame = mixed_table()
    table = dd.from_pandas(frame, npartitions=5)
    features, others = frame.columns[:7].tolist(), ["old", "weight", "left"]
    found = audit(
        table[features],
        table["left"],
        scores={"old": table["old"]},
        sample_weight=table["weight"],
        model="linear",
        random_state=0,
        name="big",
    )
    host = audit(
        frame[features],
        frame["left"],
        scores={"old": frame["old"]},
        sample_weight=frame["weight"],
        model="linear",
        cv="holdout",
        random_state=0,
        name="big",
    )
    ours, theirs = found.summary(), host.summary()
    assert ours.keys() == theirs.keys()
    for part in ("data", "method", "figures", "test"):
        assert ours[part].keys() == theirs[part].keys(), part
    same = ("rows", "positives", "negatives", "features", "positive", "target")
    assert all(ours["data"][key] == theirs["data"][key] for key in same)
    # Every row was in the sample, so that the records of the columns are those of all rows.
    assert ours["data"]["columns"] == theirs["data"]["columns"]
    assert found.certificate.strict
    assert found.auc.value == pytest.approx(host.auc.value, abs=0.03)
    assert found.auc.low == pytest.approx(host.auc.low, abs=0.04)
    assert ours["scores"][0]["headroom"]["low"] > 0.02
    assert [point["rows"] for point in ours["learning_curve"]] == pytest.approx(
        [len(Y) / 4, len(Y) / 2], rel=0.15
    )
    assert "rows at random" in ours["method"]["splits"]
    assert "Audit of big" in found.to_html()
    assert others[0] in found.to_markdown()


def test_audit_of_a_dask_array_stacks_two_members(no_loading, monkeypatch):
    monkeypatch.setattr("rocstar.tables.partitions.SAMPLE_ROWS", 300)
    found = audit(*arrays(), random_state=0)
    summary = found.summary()
    assert [member["name"] for member in summary["members"]] == ["linear", "rbf"]
    assert found.auc.low < LAW.auc < found.auc.value + 0.05
    assert found.pvalue <= 0.05
    assert summary["data"]["columns"][3]["name"] == "x3"
    assert summary["data"]["columns"][3]["distinct"] < 400
    assert any("drawn at random" in caveat for caveat in summary["caveats"])
    assert summary["data"]["rows"] == len(Y)


def test_audit_of_a_dask_array_by_betting_is_a_theorem():
    found = audit(*arrays(), model="linear", method="betting", random_state=0)
    assert found.summary()["method"]["guarantee"] == found.certificate.guarantee == "theorem"
    assert 0.5 < found.auc.low < LAW.auc


def test_audit_refuses_what_needs_memory():
    x, y = arrays()
    with pytest.raises(ValueError, match="`groups` needs all rows in memory"):
        audit(x, y, groups=y)
    with pytest.raises(ValueError, match="`time` needs all rows in memory"):
        audit(x, y, time=y)
    with pytest.raises(ValueError, match="trees needs LightGBM or XGBoost"):
        audit(x, y, model="trees")
    with pytest.raises(TypeError, match="ArctanRatio"):
        audit(x, y, model=LogisticRegression())


def test_targets_of_two_kinds_and_scores_in_memory_are_refused():
    pytest.importorskip("skrub")
    x, _ = arrays(300)
    with pytest.raises(InputError, match="text in some rows and numbers in others"):
        audit(x, column(mixed_labels()), fast=True)
    x, y = arrays(300)
    with pytest.raises(ValueError, match="`old` must be a Dask array, dataframe or series"):
        audit(x, y, scores={"old": X[:, 0]}, fast=True)
