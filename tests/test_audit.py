"""Audits and comparisons: what they find on data whose truth is known, and what they hand out."""

from __future__ import annotations

import json
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from rocstar import ArctanRatio, auc_interval, audit, compare, laws, roc_band
from rocstar.audits.compare import columns_importance
from rocstar.audits.judge import Stages, row_splits
from rocstar.audits.summary import FPR_GRID
from rocstar.checks import InputError
from rocstar.tables.model import table_model
from rocstar.tables.table import table_of

sys.path.insert(0, str(Path(__file__).parent))
from data_summary import audit_summary, comparison_summary

sys.path.pop(0)

LAW = laws.GaussianPair([1.0, 1.0], [0.0, 0.0])


@pytest.fixture(scope="module")
def sample():
    X, y = LAW.sample(300, 300, random_state=0)
    return pd.DataFrame(X, columns=["first", "second"]), pd.Series(y, name="ill")


@pytest.fixture(scope="module")
def result(sample):
    X, y = sample
    scores = {"half": X["first"].to_numpy(), "best": X.sum(axis=1).to_numpy()}
    return audit(X, y, scores=scores, model="linear", random_state=0)


@pytest.fixture(scope="module")
def comparison():
    X, y = laws.GaussianPair([0.0, 1.5, 0.0], [0.0, 0.0, 0.0]).sample(300, 200, random_state=0)
    frame = pd.DataFrame(X, columns=["same", "moved", "also same"])
    old, new = frame[y == 0], frame[y == 1].assign(added=1)
    return compare(old, new, model="linear", random_state=0, names=("old", "new"))


def test_bounds_hold_and_estimates_are_close(result):
    assert result.auc.low < LAW.auc
    assert result.arc_length.low < LAW.arc_length
    assert result.tv.low < LAW.tv
    assert result.auc.value == pytest.approx(LAW.auc, abs=0.03)
    assert result.arc_length.value == pytest.approx(LAW.arc_length, abs=0.03)
    assert result.pvalue == 0.001


def test_a_poor_score_has_room_above_it_and_the_best_has_none(result):
    half, best = result.summary()["scores"]
    assert half["headroom"]["low"] > 0.01
    assert "is at least 0.0" in half["sentence"]
    assert best["headroom"]["low"] < 5e-4
    assert "cannot be told apart from the best model found" in best["sentence"]
    # The verdict speaks of the best of the given scores.
    assert "`best`" in result.verdict


def test_given_scores_are_never_features(sample):
    X, y = sample
    cheat = y.to_numpy() + 0.0
    plain = audit(X, y, model="linear", random_state=0)
    judged = audit(X, y, scores={"cheat": cheat}, model="linear", random_state=0)
    np.testing.assert_array_equal(plain.certificate.angle, judged.certificate.angle)
    assert judged.summary()["scores"][0]["auc"]["value"] == 1
    assert judged.summary()["scores"][0]["headroom"]["low"] == 0


def test_noise_gives_no_difference():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 2)), np.repeat([0, 1], 100)
    found = audit(X, y, model="linear", random_state=0)
    assert found.pvalue > 0.05
    assert found.verdict.startswith("No model was shown to beat guessing at `y` (p = ")


def keys(value: object, depth: int = 0) -> object:
    """Shape of a summary: keys of dicts, shape of the first item of lists."""
    if isinstance(value, dict) and not {"rocstar", "certify"} & set(value):
        return {name: keys(item, depth + 1) for name, item in sorted(value.items())}
    if isinstance(value, list):
        return [keys(value[0])] if value else []
    return None


def test_summaries_have_the_shape_of_the_examples(result, comparison):
    real = result.summary()
    real["data"]["warnings"] = [{"severity": "note", "text": "one"}]
    assert keys(real) == keys(audit_summary())
    real = comparison.summary()
    example = comparison_summary()
    for part in (real, example):
        part["learning_curve"] = []
    assert keys(real) == keys(example)


def test_summary_is_json_and_cannot_be_changed_from_outside(result):
    summary = result.summary()
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    summary["auc"]["low"] = 0
    assert result.summary()["auc"]["low"] > 0.5
    with pytest.raises(FrozenInstanceError):
        result.certificate = None


def test_the_same_seed_gives_the_same_answer(sample, result):
    X, y = sample
    scores = {"half": X["first"].to_numpy(), "best": X.sum(axis=1).to_numpy()}
    again = audit(X, y, scores=scores, model="linear", random_state=0).summary()
    first = result.summary()
    again["method"].pop("seconds")
    first["method"].pop("seconds")
    assert again == first


def test_representations_read_well_and_escape(sample):
    X, y = sample
    name = "<b>x</b>"
    found = audit(X, y, scores={name: X["first"]}, model="linear", random_state=0, name="a & b")
    assert "Best AUC" in repr(found)
    assert found.verdict in repr(found)
    html = found._repr_html_()
    assert name not in html
    assert "a &amp; b" in html


def test_renderings_are_written_whole(result, tmp_path):
    assert result.to_json(tmp_path / "a.json") == (tmp_path / "a.json").read_text()
    assert "ill" in result.to_markdown(tmp_path / "a.md")
    page = result.to_html(tmp_path / "a.html")
    assert page == (tmp_path / "a.html").read_text()
    assert len(page) < 6e6
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.filterwarnings("ignore:.*non-GUI.*")
def test_displays_draw_their_data(result):
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    roc = result.plot_roc()
    assert roc.data == result.summary()["figures"]["roc"]
    # Diagonal, estimate, hull and two scores.
    assert len(roc.ax_.lines) == 5
    _, ax = plt.subplots()
    angles = result.plot_angles(ax)
    assert angles.ax_ is ax
    assert angles.figure_ is ax.figure
    assert sum(angles.data["positive"]) == pytest.approx(1)
    plt.close("all")


def test_figures_are_curves(result):
    roc = result.summary()["figures"]["roc"]
    fpr, tpr, low = (np.asarray(roc[key]) for key in ("fpr", "tpr", "low"))
    assert (np.diff(fpr) > 0).all()
    assert (np.diff(tpr) >= 0).all()
    assert (low <= tpr + 1e-9).all()
    hull = np.interp(fpr, roc["hull"]["fpr"], roc["hull"]["tpr"])
    assert (hull >= tpr - 1e-6).all()
    true = LAW.roc(fpr)
    assert (low <= true + 1e-9).all()


def test_learning_curve_doubles_its_rows(result):
    rows = [point["rows"] for point in result.summary()["learning_curve"]]
    assert rows == [60, 120, 240, 480]


def test_progress_never_goes_back_and_names_its_stages(sample):
    seen: list[tuple[str, float]] = []
    audit(*sample, model="linear", random_state=0, progress=lambda *step: seen.append(step))
    shares = [done for _, done in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert {"columns", "certify", "learning curve", "test", "figures"} <= {s for s, _ in seen}


def test_any_estimator_may_be_given(sample):
    found = audit(*sample, model=LogisticRegression(), random_state=0)
    assert found.auc.value == pytest.approx(LAW.auc, abs=0.03)
    assert found.summary()["method"]["model"] == "LogisticRegression"


def test_the_stack_tells_its_members():
    X, y = LAW.sample(80, 80, random_state=0)
    found = audit(X, y, fast=True, random_state=0).summary()
    assert [member["name"] for member in found["members"]] == ["linear", "trees"]
    assert sum(member["weight"] for member in found["members"]) == pytest.approx(1)
    assert found["method"]["cv"] == "holdout"


# Few positives: folds are repeated


@pytest.fixture(scope="module")
def few():
    X, y = LAW.sample(40, 120, random_state=1)
    reports = []
    given = {"scores": {"first": X[:, 0]}, "model": "linear", "random_state": 0}
    found = audit(X, y, **given, progress=lambda stage, done: reports.append((stage, done)))
    return X, y, found, audit(X, y, **given, cv=5), reports


def test_repeats_are_reported(few):
    _, _, found, once, _ = few
    said = [f.summary()["method"]["splits"] for f in (found, once)]
    assert said == [
        "5 folds repeated 3 times; stratified by class",
        "5 folds; stratified by class",
    ]


def test_a_score_is_judged_on_every_row_once(few):
    """Its rows do not become more numerous because they are judged more often."""
    X, y, found, _, _ = few
    entry = found.summary()["scores"][0]["auc"]
    alone = auc_interval(y, X[:, 0])
    assert entry["value"] == pytest.approx(alone.value)
    assert (entry["low"], entry["high"]) == pytest.approx((alone.low, alone.high), abs=0.01)


def test_a_band_of_repeats_is_no_tighter_than_its_rows_allow(few):
    _, _, found, once, _ = few
    lows = [np.array(f.summary()["figures"]["roc"]["low"]) for f in (found, once)]
    assert abs(np.mean(lows[0] - lows[1])) < 0.02
    held = found.certificate.held_out
    naive = roc_band(held.y, held.angle).at(FPR_GRID)
    assert np.mean(naive) > np.mean(lows[0]) + 0.03


def test_progress_counts_the_fits_of_all_repeats(few):
    done = np.array([share for stage, share in few[4] if stage == "certify"])
    assert np.unique(done).size == 3 * 5 + 2  # none, each fold of each repeat, one to all rows
    assert done[-1] < 1


# Groups, time, weights


def test_groups_stay_together():
    X, y = LAW.sample(200, 200, random_state=0)
    groups = np.arange(400) % 40
    table = table_of(X, y, groups=groups)
    for train, test in row_splits(table, 5, 0):
        assert not set(groups[train]) & set(groups[test])
    found = audit(X, y, groups=groups, model="linear", random_state=0)
    splits = found.summary()["method"]["splits"]
    assert splits == "5 folds repeated 3 times; groups kept together"
    single = audit(X, y, model="linear", random_state=0).summary()["figures"]["roc"]["low"]
    band = found.summary()["figures"]["roc"]["low"]
    assert 0.3 < np.mean(band) < np.mean(single)  # forty groups know less than 400 rows


def test_copies_in_one_group_do_not_tighten_the_bound():
    X, y = LAW.sample(100, 100, random_state=0)
    once = audit(X, y, model="linear", random_state=0, cv=2)
    times = 4
    many = audit(
        np.repeat(X, times, 0),
        np.repeat(y, times),
        groups=np.repeat(np.arange(200), times),
        model="linear",
        random_state=0,
        cv=2,
    )
    assert many.auc.low < once.auc.low + 0.03


@pytest.mark.parametrize("cv", [4, "holdout"])
def test_time_trains_on_the_strict_past(cv):
    X, y = LAW.sample(200, 200, random_state=0)
    time = np.random.default_rng(0).integers(0, 30, 400)
    table = table_of(X, y, time=time)
    splits = row_splits(table, cv, 0)
    assert len(splits) == (1 if cv == "holdout" else 4)
    for train, test in splits:
        assert time[train].max() < time[test].min()
    found = audit(X, y, time=time, model="linear", cv=cv, random_state=0)
    assert (found.certificate.fold == -1).any()


def test_time_and_groups_together_keep_both_promises():
    X, y = LAW.sample(200, 200, random_state=0)
    rng = np.random.default_rng(0)
    time, groups = rng.permutation(400), rng.integers(0, 300, 400)
    for train, test in row_splits(table_of(X, y, time=time, groups=groups), 3, 0):
        assert time[train].max() < time[test].min()
        assert not set(groups[train]) & set(groups[test])


def test_weights_reach_the_certificate():
    X, y = LAW.sample(150, 150, random_state=0)
    weights = np.where(X[:, 0] > 0, 3.0, 1.0)
    plain = audit(X, y, model="linear", random_state=0)
    weighted = audit(X, y, sample_weight=weights, model="linear", random_state=0)
    assert weighted.auc.value != plain.auc.value
    assert any("weighted" in caveat for caveat in weighted.summary()["caveats"])


def test_missing_values_and_categories_are_taken_as_they_come():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = pd.DataFrame(
        {
            "n": np.where(rng.random(300) < 0.2, np.nan, rng.normal(y)),
            "c": np.where(rng.random(300) < 0.2 + 0.5 * y, "x", "y"),
        }
    )
    found = audit(X, y, fast=True, random_state=0)
    assert found.auc.value > 0.75


# Comparison


def test_comparison_finds_the_column_that_moved(comparison):
    assert comparison.pvalue <= 0.01
    first = comparison.columns_importance[0]
    assert first["name"] == "moved"
    assert first["importance"] > 0.05
    law = laws.GaussianPair(1.5, 0.0)
    assert first["divergence"] == pytest.approx(law.arc_length - np.sqrt(2), abs=0.07)
    others = comparison.columns_importance[1:]
    assert all(abs(other["importance"]) < 0.02 for other in others)
    assert "Most of it shows in `moved`" in comparison.verdict
    assert comparison.divergence.low < law.arc_length - np.sqrt(2)
    assert 0.2 < comparison.share_different < 0.8


def test_columns_that_do_not_match_are_named(comparison):
    (seen,) = comparison.summary()["data"]["warnings"]
    assert seen == {"severity": "warning", "text": "`added` is only in new and was left out."}
    assert comparison.summary()["data"]["names"] == ["old", "new"]


def test_samples_of_one_law_do_not_differ():
    X, _ = LAW.sample(1, 400, random_state=3)
    found = compare(X[:200], X[200:], model="linear", random_state=0)
    assert found.verdict.startswith("No difference between the two samples was found")


def test_swapping_the_samples_changes_little(comparison):
    X, y = laws.GaussianPair([1.0], [0.0]).sample(200, 200, random_state=0)
    one = compare(X[y == 0], X[y == 1], model="linear", random_state=0)
    other = compare(X[y == 1], X[y == 0], model="linear", random_state=0)
    assert one.arc_length.value == pytest.approx(other.arc_length.value, abs=0.01)


def test_nothing_in_common():
    with pytest.raises(InputError, match="no column in common"):
        compare(pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"b": [1, 2]}))


def test_importance_shuffles_all_columns_of_a_date_together():
    rng = np.random.default_rng(0)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 400), unit="D")
    y = (day.day_of_year + rng.normal(0, 30, 400) > 150).astype(int)
    table = table_of(pd.DataFrame({"day": day, "noise": rng.normal(size=400)}), y)
    model = table_model("trees", rows=400).fit(table.X[:200], table.y[:200])
    entries = columns_importance(table, model, (np.arange(200), np.arange(200, 400)))
    assert entries[0]["name"] == "day"
    assert entries[0]["importance"] > 0.3


def test_wrong_arguments_are_told_in_one_sentence(sample):
    X, y = sample
    with pytest.raises(ValueError, match=r"^`y` must have one label for each of the 600 rows"):
        audit(X, y[:-1])
    with pytest.raises(ValueError, match=r"^`level` must lie strictly between 0 and 1"):
        audit(X, y, level=2, model="linear")
    with pytest.raises(ValueError, match="`model` must be auto, linear, rbf or trees"):
        audit(X, y, model="forest")


def test_stages_add_up():
    stages = Stages(total=2)
    with stages("a"):
        stages.tick()
    with stages("a"):
        stages.tick(3)
    assert list(stages.seconds) == ["a"]
    assert stages.done == 4


def test_the_model_of_an_audit_scores_frames():
    X, y = LAW.sample(150, 150, random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(c=np.where(X[:, 0] > 0, "up", "down"))
    found = audit(frame, y, model="linear", cv="holdout", random_state=0)
    rows = found.certificate.fold == 0
    np.testing.assert_allclose(
        found.model.predict_angle(frame)[rows], found.certificate.angle[rows], atol=1e-12
    )
    assert found.model.predict_proba(frame).shape == (300, 2)


def test_a_solver_that_stops_early_reaches_the_summary():
    X, y = LAW.sample(150, 150, random_state=0)
    with pytest.warns(ConvergenceWarning):
        found = audit(X, y, model=ArctanRatio(max_iter=1, tol=1e-12), cv=2, random_state=0)
    assert any("stopped early in 2 of 2" in caveat for caveat in found.summary()["caveats"])
