"""Audits of more than two classes, in Python, on the command line, and as pages."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from rocstar import ClassAudit, audit, laws, report
from rocstar.checks import InputError
from rocstar.cli import app
from rocstar.report import SCHEMA

LAW = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
X, Y = LAW.sample([70, 60, 50], random_state=0)
NAMES = np.array(["amber", "blue", "c<b>"])[Y]


@pytest.fixture(scope="module")
def found():
    given = {
        "mine": NAMES[np.argmax(LAW.direction(X)[:, [0, 2, 1]], axis=1)],
        "true": LAW.direction(X),
    }
    return audit(X, pd.Series(NAMES, name="colour"), scores=given, model="linear", random_state=0)


def test_the_answer(found):
    assert isinstance(found, ClassAudit)
    assert 0.6 < found.balanced_accuracy.low < LAW.balanced_accuracy
    assert found.arc_length.low < LAW.arc_length
    assert found.pvalue == 0.001
    low = found.summary()["balanced_accuracy"]["low"]
    assert (
        f"at least {np.floor(low * 1000) / 1000:.3f} on the 3 classes of `colour`" in found.verdict
    )
    assert "cannot be told apart from the best model found" in found.verdict


def test_given_predictions(found):
    mine, true = found.summary()["scores"]
    assert mine["headroom"]["low"] > 0.2
    assert mine["auc_headroom"] is None
    assert true["headroom"]["low"] == 0.0
    assert "`mine` has a balanced accuracy of 0." in mine["sentence"]


@pytest.mark.parametrize(("prior", "below"), [(None, 0.0), ("balanced", 0.0), ([99, 1, 1], 0.02)])
def test_probabilities_of_class_weights(prior, below):
    """Balanced probabilities are divided by no shares, unless shares are stated."""
    rows, y = LAW.sample([300, 60, 60], random_state=0)
    labels, given = NAMES[[0, 70, 130]][y], {"weighted": LAW.direction(rows)}
    mine = audit(
        rows, labels, scores=given, prior=prior, model="linear", fast=True, random_state=0
    ).summary()["scores"][0]
    assert (mine["headroom"]["low"] > below) == (below > 0)
    assert (mine["rule"] == "likeliest") == (prior is None)
    assert "by its likeliest class" in mine["sentence"]
    with pytest.raises(InputError, match="`prior` is for more than two classes"):
        audit(X, Y == 0, prior="balanced")


def test_the_curve_ends_at_the_model_found(found):
    """Half of the 40 training rows of the rarest class, and all of them."""
    summary = found.summary()
    curve, best = summary["learning_curve"], summary["balanced_accuracy"]
    assert [point["rows"] for point in curve] == [72, 144]
    held = found.certificate.held_out
    recalls = [(held.predicted == held.y)[held.y == k].mean() for k in range(3)]
    assert curve[-1]["balanced_accuracy"] == pytest.approx(np.mean(recalls))
    assert best["value"] == pytest.approx(np.mean(recalls))
    assert curve[0]["balanced_accuracy_low"] <= curve[0]["balanced_accuracy"]
    assert summary["more_rows"]["verdict"] in ("cannot tell", "little", "helps")
    assert "balanced accuracy" in summary["more_rows"]["sentence"]
    text = found.to_markdown()
    assert "mean held-out balanced accuracy of models" in text
    assert "| training rows |  | arc length | balanced accuracy |" in text


def test_a_rare_class_keeps_the_curve():
    rows, labels = LAW.sample([200, 200, 10], random_state=1)
    rare = audit(rows, labels, model="linear", random_state=0).summary()
    assert len(rare["learning_curve"]) == 3


def test_columns_that_matter():
    noise = np.random.default_rng(0).normal(size=(180, 1))
    wide = audit(np.hstack([noise, X]), NAMES, model="linear", random_state=0).summary()
    entries = {entry["name"]: entry for entry in wide["columns_importance"]}
    assert min(entries["x1"]["low"], entries["x2"]["low"]) > 0.02
    assert entries["x0"]["low"] < 0 < entries["x0"]["high"] < 0.1
    assert "Importance is the balanced accuracy that" in report.markdown(wide)


def test_rows_are_judged_by_older_ones():
    order = np.random.default_rng(0).permutation(180)
    dated = audit(X[order], NAMES[order], time=np.arange(180), model="linear", random_state=0)
    held = dated.certificate.held_out
    assert dated.summary()["data"]["ordered"] is True
    assert held.row.min() >= 30  # the oldest sixth is judged by nobody


def test_every_rendering_says_the_same(found, tmp_path):
    summary = found.summary()
    json.loads(found.to_json())
    page, text, shown = (
        found.to_html(tmp_path / "a.html"),
        found.to_markdown(),
        report.terminal(summary),
    )
    for part in (text, shown, repr(found)):
        assert "Hardest pair" in part
    assert "<b>" not in page.split("</style>")[1].split("<script")[0].replace("<b>audit", "")
    assert "c&lt;b&gt;" in page
    # Six cells and six samples of the colour scale, for a desk and for a phone.
    assert page.count("fill-opacity=") == 2 * (6 + 6)
    assert "Confusion matrix" in page
    assert "| class | amber | blue |" in text
    assert "Which classes can be told apart" in text
    assert "Recall of each class" in text
    assert (tmp_path / "a.html").exists()


def test_summaries_follow_their_schema(found):
    jsonschema = pytest.importorskip("jsonschema")
    path = files("rocstar") / "schemas" / str(SCHEMA) / "multiclass.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(found.to_json()), schema)
    assert set(found.summary()) == set(schema["properties"])


def test_nothing_to_find():
    rng = np.random.default_rng(0)
    nothing = audit(X, rng.permutation(NAMES), model="linear", random_state=0)
    assert nothing.verdict.startswith("No model was shown to beat guessing at the 3 classes")
    assert "Nothing above guessing is certified for" in nothing.to_markdown()


@pytest.mark.parametrize("options", [{"fast": True}, {"method": "betting"}])
def test_other_ways(options):
    other = audit(X, NAMES, model="linear", random_state=0, **options)
    assert other.balanced_accuracy.low < LAW.balanced_accuracy
    assert other.certificate.guarantee == ("theorem" if "method" in options else "conjecture")


def test_groups_and_weights():
    grouped = audit(
        X,
        NAMES,
        model="linear",
        groups=np.arange(180) // 2,
        sample_weight=np.ones(180),
        random_state=0,
    )
    assert grouped.summary()["data"]["groups"] == 90
    assert "weighted" in grouped.to_markdown()


def test_a_seed_fixes_the_audit():
    once, again = (audit(X, NAMES, fast=True, random_state=3).summary() for _ in range(2))
    for key in ("balanced_accuracy", "columns_importance", "learning_curve", "members"):
        assert once[key] == again[key]


def test_what_asks_for_a_positive_class_is_refused():
    with pytest.raises(InputError, match="`prevalence` needs a target of two values"):
        audit(X, NAMES, prevalence=0.1)


def test_command_line(tmp_path):
    table = pd.DataFrame(X, columns=["x", "z"]).assign(colour=NAMES, mine=NAMES)
    table.to_csv(tmp_path / "t.csv", index=False)
    run = ["audit", str(tmp_path / "t.csv"), "--target", "colour", "--model", "linear", "--quiet"]
    out = CliRunner().invoke(app, [*run, "--score", "mine", "-o", str(tmp_path / "r.md")])
    assert out.exit_code == 0, out.output
    assert "Best balanced accuracy" in out.output
    assert "Recall of each class" in (tmp_path / "r.md").read_text()
    law = pd.DataFrame(
        LAW.direction(X), columns=[f"p_{name}" for name in ("amber", "blue", "c<b>")]
    )
    table.join(law).to_csv(tmp_path / "s.csv", index=False)
    other = [run[0], str(tmp_path / "s.csv"), *run[2:], "--drop", "mine"]
    out = CliRunner().invoke(app, [*other, "--score", "p_amber,p_blue,p_c<b>"])
    assert "`p`, by its likeliest class, has a balanced accuracy" in " ".join(out.output.split())
    out = CliRunner().invoke(app, [*other, "--score", "p_amber", "--score", "p_blue"])
    assert "name a column of predicted classes, or one column per class" in str(out.exception)
    assert "p_blue must" not in str(out.exception)
    failed = CliRunner().invoke(app, [*run, "--drop", "mine", "--fail-below", "0.99"])
    assert failed.exit_code not in (0, 1)
    table.assign(price=np.arange(180) / 7).to_csv(tmp_path / "p.csv", index=False)
    refused = CliRunner().invoke(app, ["audit", str(tmp_path / "p.csv"), "--target", "price"])
    assert refused.exit_code == 1
    assert "looks like a measurement" in str(refused.exception)


def test_labels_that_do_not_sort_as_text():
    """8, 9, 10 and 11 as text come in the order 10, 11, 8, 9."""
    law = laws.GaussianFamily([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 4.0]])
    rows, labels = law.sample(40, random_state=0)
    result = audit(rows, labels + 8, scores={"perfect": labels + 8}, model="linear", fast=True)
    (perfect,) = result.summary()["scores"]
    assert perfect["balanced_accuracy"] == 1.0
    assert perfect["headroom"]["low"] == 0.0
