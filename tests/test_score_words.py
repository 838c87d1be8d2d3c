"""Sentences on scores."""

from __future__ import annotations

from data_summary import estimate, interval

from rocstar.report.score_words import (
    calibration_sentence,
    gain_sentence,
    score_sentence,
    segment_sentence,
)


def test_a_difference_is_claimed_only_if_its_interval_is() -> None:
    pair = {"name": "a", "other": "b"}
    assert gain_sentence(pair | {"gain": interval(0.02, 0.0101, 0.0299)}) == (
        "`a` ranks better than `b` by 0.020 AUC (0.010 to 0.030)."
    )
    assert gain_sentence(pair | {"gain": interval(0.01, -0.0101, 0.0299)}) == (
        "`a` and `b` cannot be told apart: they differ by 0.010 AUC (−0.011 to 0.030)."
    )


def test_a_segment_without_a_bound_claims_nothing() -> None:
    segment = {"score": "s", "segment": "`a` = x", "rows": 0.18, "loss": 0.6}
    sure = segment_sentence(segment | {"headroom": estimate(0.05, 0.0219)})
    assert sure == (
        "`a` = x: 18 % of rows, 60 % of what `s` loses; here it is at least 0.021 AUC below the "
        "best achievable (95 % confidence, all segments together)."
    )
    assert "no headroom was certified" in segment_sentence(
        segment | {"headroom": estimate(0.05, 0)}
    )


def test_recalibration() -> None:
    entry = {"name": "p", "brier": 0.2, "recalibrated": 0.19, "gain": interval(0.01, 0.005, 0.015)}
    assert "recalibrated it has 0.1900, a gain of 0.0100 (0.0050 to 0.0150)" in (
        calibration_sentence(entry)
    )
    none = calibration_sentence(entry | {"gain": interval(0.0001, -0.001, 0.001)})
    assert "but no gain is shown" in none


def test_a_reversed_score_is_called_reversed() -> None:
    score = {"name": "s", "auc": interval(0.3, 0.25, 0.35), "suspicious": False}
    score["headroom"] = estimate(0.4, 0.3)
    assert score_sentence(score, 0.75).startswith("`s` has an AUC of 0.300 (0.250 to 0.350):")
