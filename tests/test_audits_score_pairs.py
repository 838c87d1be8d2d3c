"""Scores against each other and as probabilities: truth, ties, and what is no probability."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from rocstar import auc_gain
from rocstar.audits.score_pairs import calibration_entries, gain_entries
from rocstar.inference.held_out import of_one_part


def judgement(y, **scores):
    n = len(y)
    held = of_one_part(y, np.full(n, 0.7), np.zeros(n), np.ones(n), None)
    return SimpleNamespace(held_out=held, scores=scores, certificate=SimpleNamespace(level=0.95))


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    probability = rng.beta(1, 3, 4000)
    return rng.random(4000) < probability, probability


def test_the_better_score_comes_first_with_its_paired_interval(sample) -> None:
    y, p = sample
    noisy = p + np.random.default_rng(1).normal(0, 0.2, p.size)
    (entry,) = gain_entries(judgement(y, noisy=noisy, clean=p))
    assert (entry["name"], entry["other"]) == ("clean", "noisy")
    alone = auc_gain(y, p, noisy)
    assert (entry["gain"]["low"], entry["gain"]["high"]) == (alone.low, alone.high)
    assert entry["sentence"].startswith("`clean` ranks better than `noisy` by 0.0")
    assert gain_entries(judgement(y, alone=p)) == []


def test_many_scores_are_compared_with_the_best_only(sample) -> None:
    y, p = (part[:600] for part in sample)
    rng = np.random.default_rng(2)
    scores = {f"s{k}": p + rng.normal(0, 0.05 * k, 600) for k in range(7)}
    found = gain_entries(judgement(y, **scores))
    assert len(found) == 6
    assert len({entry["name"] for entry in found}) == 1
    # The best is chosen by the same rows, so intervals hold for all 21 pairs together.
    first = found[0]
    wide = auc_gain(y, scores[first["name"]], scores[first["other"]], level=1 - 0.05 / 21)
    assert (first["gain"]["low"], first["gain"]["level"]) == (wide.low, 0.95)


def test_a_calibrated_probability_needs_no_recalibration(sample) -> None:
    y, p = sample
    (entry,) = calibration_entries(judgement(y, p=p))
    assert sum(b["rows"] for b in entry["bins"]) == 4000
    assert len(entry["bins"]) == 10
    inside = [b["low"] <= b["predicted"] <= b["high"] for b in entry["bins"]]
    assert sum(inside) >= 8
    assert entry["gain"]["low"] <= 0
    assert "no gain is shown" in entry["sentence"]


def test_the_gain_of_recalibration_is_what_the_truth_gains(sample) -> None:
    y, p = sample
    off = p**2
    (entry,) = calibration_entries(judgement(y, off=off))
    true = float(np.mean((off - y) ** 2 - (p - y) ** 2))
    assert entry["gain"]["low"] <= true <= entry["gain"]["high"]
    assert entry["gain"]["value"] == pytest.approx(true, rel=0.1)
    assert entry["bins"][-1]["observed"] > entry["bins"][-1]["predicted"]
    assert "a gain of 0.0" in entry["sentence"]


def test_ties_share_a_bin_and_scores_outside_are_left_out(sample) -> None:
    y, p = sample
    coarse = np.round(p, 1)
    (entry,) = calibration_entries(judgement(y, coarse=coarse, rank=10 * p))
    assert len(entry["bins"]) == len({b["predicted"] for b in entry["bins"]})
    assert len(entry["bins"]) < 10


def test_groups_widen_the_intervals(sample) -> None:
    y, p = sample
    plain = judgement(y, p=p)
    from dataclasses import replace

    held = replace(plain.held_out, groups=np.arange(4000) // 10)
    (grouped,) = calibration_entries(
        SimpleNamespace(held_out=held, scores=plain.scores, certificate=plain.certificate)
    )
    (alone,) = calibration_entries(plain)
    widths = [np.mean([b["high"] - b["low"] for b in e["bins"]]) for e in (grouped, alone)]
    assert widths[0] > widths[1]
