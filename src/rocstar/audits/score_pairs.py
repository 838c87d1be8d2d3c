"""Given scores beside each other: paired differences of their AUCs, and their calibration."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import norm

from rocstar.audits.decision_entry import is_probability
from rocstar.audits.judge import Judgement
from rocstar.audits.summary import estimate_entry
from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.inference.group_masses import dependent
from rocstar.inference.held_out import HeldOut
from rocstar.inference.intervals import auc_gain
from rocstar.report.score_words import calibration_sentence, gain_sentence

MOST_PAIRS = 15  # all pairs of six scores; of more, each is compared with the best
N_BINS = 10
FOLDS = 5  # of the rows on which a recalibration is learnt and judged


def gain_entries(judgement: Judgement) -> list[dict[str, Any]]:
    """AUC of one score less that of another on the same rows, the better one first."""
    held, level = judgement.held_out.once, judgement.certificate.level
    scores = {name: score[held.row] for name, score in judgement.scores.items()}
    aucs = {name: _auc(held, score) for name, score in scores.items()}
    order = sorted(scores, key=lambda name: -aucs[name])
    pairs = list(combinations(order, 2))
    each = level
    if len(pairs) > MOST_PAIRS:
        # The rows that choose the best score also judge it: intervals that hold for all pairs
        # together hold for those that are chosen.
        each = 1 - (1 - level) / len(pairs)
        pairs = [(order[0], other) for other in order[1:]]
    entries = []
    for better, other in pairs:
        found = auc_gain(
            held.y,
            scores[better],
            scores[other],
            level=each,
            sample_weight=held.weights if judgement.held_out.weighted else None,
            groups=held.groups,
        )
        entry = {
            "name": better,
            "other": other,
            "gain": estimate_entry(replace(found, level=level)),
        }
        entries.append({**entry, "sentence": gain_sentence(entry)})
    return entries


def _auc(held: HeldOut, score: FloatArray) -> float:
    from rocstar.geometry.curves import roc_auc

    return float(roc_auc(held.y, score, sample_weight=held.weights))


def calibration_entries(judgement: Judgement) -> list[dict[str, Any]]:
    """Each probability against what happened, and what its best recalibration would gain.

    The recalibration is isotonic regression, learnt on four fifths of the held-out rows and judged
    on the fifth; its gain is that of the Brier score, the mean squared error.
    """
    held, level = judgement.held_out.once, judgement.certificate.level
    entries = []
    for name, score in judgement.scores.items():
        given = score[held.row]
        if not is_probability(given):
            continue
        better = _recalibrated(held, given)
        squares = [(p - held.y) ** 2 for p in (given, better)]
        before, after = (float(np.average(s, weights=held.weights)) for s in squares)
        half = norm.isf((1 - level) / 2) * _error(held, squares[0] - squares[1])
        entry = {
            "name": name,
            "bins": _bins(held, given, level),
            "brier": before,
            "recalibrated": after,
            "gain": {
                "value": before - after,
                "low": before - after - half,
                "high": before - after + half,
                "level": level,
                "side": "two-sided",
            },
        }
        entries.append({**entry, "sentence": calibration_sentence(entry)})
    return entries


def _recalibrated(held: HeldOut, score: FloatArray) -> FloatArray:
    """Isotonic frequencies of the positives, each fifth by the others; groups in one piece."""
    units = np.arange(score.size) if held.groups is None else held.groups
    names, place = np.unique(units, return_inverse=True)
    fold = (np.random.default_rng(0).permutation(len(names)) % FOLDS)[place]
    out = np.empty(score.size)
    for k in range(FOLDS):
        train, test = np.flatnonzero(fold != k), fold == k
        order = train[np.argsort(score[train], kind="stable")]
        distinct, start = np.unique(score[order], return_index=True)
        mass = np.add.reduceat(held.weights[order], start)
        hits = np.add.reduceat(held.weights[order] * held.y[order], start)
        kept = mass > 0
        fitted = isotonic_regression(hits[kept] / mass[kept], weights=mass[kept]).x
        out[test] = np.interp(score[test], distinct[kept], fitted)
    return out


def _bins(held: HeldOut, score: FloatArray, level: float) -> list[dict[str, Any]]:
    """Tenths of the rows by probability: what was said, and what happened, with an interval."""
    order = np.argsort(score, kind="stable")
    ends = np.searchsorted(
        np.cumsum(held.weights[order]) / held.weights.sum(), np.arange(1, N_BINS) / N_BINS
    )
    # Equal probabilities stay in one bin.
    cuts = np.unique(score[order][np.minimum(ends, score.size - 1)])
    place = np.searchsorted(cuts, score, side="left")
    return [_bin(held, score, place == k, level) for k in np.unique(place)]


def _bin(held: HeldOut, score: FloatArray, rows: BoolArray, level: float) -> dict[str, Any]:
    weights = held.weights[rows]
    said, seen = (float(np.average(v[rows], weights=weights)) for v in (score, held.y))
    # Wilson's interval, with the rows that weights and groups leave.
    z, n = float(norm.isf((1 - level) / 2)), _effective(held, rows)
    middle, scale = (seen + z**2 / (2 * n)) / (1 + z**2 / n), 1 + z**2 / n
    half = z * np.sqrt(seen * (1 - seen) / n + z**2 / (4 * n**2)) / scale
    return {
        "rows": int(rows.sum()),
        "predicted": said,
        "observed": seen,
        "low": max(float(middle - half), 0.0),
        "high": min(float(middle + half), 1.0),
    }


def _effective(held: HeldOut, rows: BoolArray) -> float:
    """Observations that weigh as these rows do."""
    units: IntArray = np.arange(held.y.size) if held.groups is None else held.groups
    _, place = np.unique(units[rows], return_inverse=True)
    mass = np.bincount(place, held.weights[rows])
    return float(mass.sum() ** 2 / (mass**2).sum())


def _error(held: HeldOut, values: FloatArray) -> float:
    """Standard error of a weighted mean, rows of a group together."""
    share = held.weights / held.weights.sum()
    parts = share * (values - share @ values)
    units = dependent(held.groups, values.size)
    parts = parts if units is None else np.bincount(units, parts)
    return float(np.sqrt((parts**2).sum()))
