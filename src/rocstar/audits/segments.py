"""Where a given score loses: segments of the table in which the model found ranks better.

Segments are found on one half of the held-out rows and judged on the other. AUCs of segments do not
add up, since most pairs of rows cross them; arc lengths do, so shares of the loss are in these.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from rocstar.audits.judge import Judgement
from rocstar.audits.readable import Feature, readable_features
from rocstar.checks import BoolArray, FloatArray
from rocstar.geometry.curves import hull_angle
from rocstar.inference.betting_bounds import headroom_bound
from rocstar.inference.held_figures import Bounded, held_pair_draws
from rocstar.inference.held_out import HeldOut
from rocstar.inference.pair_masses import linear_gain
from rocstar.report.score_words import segment_sentence
from rocstar.tables.table import LabelledTable

# A shallow tree: rules of at most two conditions, each of a twentieth of the rows or more.
DEPTH, SMALLEST_SHARE = 2, 0.05
MOST_SEGMENTS = 3  # of each score
# Rows of either class, in each half and in a segment, below which nothing is said.
FEWEST, FEWEST_IN_SEGMENT = 60, 20


class _Found(NamedTuple):
    """A segment of one score as its half found it, and what the other half says of it."""

    score: str
    rule: str
    rows: BoolArray  # of the judging half
    share: float
    lost: float


def segment_entries(table: LabelledTable, judgement: Judgement) -> list[dict[str, Any]]:
    """Segments in which each score loses most, with bounds that hold for all of them together."""
    held = judgement.held_out.once
    finding = _half(held)
    if min(np.sum(finding & c) for c in (held.y, ~held.y)) < FEWEST:
        return []
    features = readable_features(table, held.row)
    if not features:
        return []
    found = [
        segment
        for name, score in judgement.scores.items()
        for segment in _segments(held, name, score[held.row], features, finding)
    ]
    level = judgement.certificate.level
    error = (1 - level) / max(len(found), 1)
    entries = []
    for segment in found:
        theirs = judgement.scores[segment.score][held.row]
        inside = _judgeable(held, segment.rows)
        proven = judgement.certificate.method == "betting"
        value, low = _headroom(held.entries(inside), theirs[inside], error, proven)
        entry = {
            "score": segment.score,
            "segment": segment.rule,
            "rows": segment.share,
            "positives": int(held.y[inside].sum()),
            "loss": segment.lost,
            "headroom": {"value": max(value, low), "low": low, "level": level, "side": "lower"},
        }
        entries.append({**entry, "sentence": segment_sentence(entry)})
    return entries


def _half(held: HeldOut) -> BoolArray:
    """A random half of the observations, groups in one piece."""
    units = np.arange(held.y.size) if held.groups is None else held.groups
    names, place = np.unique(units, return_inverse=True)
    drawn = np.random.default_rng(0).permutation(len(names)) < len(names) / 2
    return np.asarray(drawn[place], dtype=np.bool_)


def _segments(
    held: HeldOut, name: str, score: FloatArray, features: list[Feature], finding: BoolArray
) -> list[_Found]:
    """Leaves of a tree of the loss on one half, as rows of the other half."""
    loss = _loss(held, score, finding)
    share = np.empty(held.y.size)
    for half in (finding, ~finding):
        for rows in (half & held.y, half & ~held.y):
            share[rows] = held.weights[rows] / held.weights[rows].sum() / 2
    X = np.column_stack([feature.values for feature in features])
    smallest = max(int(SMALLEST_SHARE * finding.sum()), FEWEST_IN_SEGMENT)
    tree = DecisionTreeRegressor(max_depth=DEPTH, min_samples_leaf=smallest, random_state=0)
    weights = share[finding] * finding.sum()
    tree.fit(X[finding].astype(np.float32), loss[finding], sample_weight=weights)
    leaf = tree.apply(X.astype(np.float32))
    total = float((share * loss)[~finding].sum())
    found = []
    for k, rule in _rules(tree.tree_, features):
        lost = float((share * loss)[finding & (leaf == k)].sum())
        rows = ~finding & (leaf == k)
        enough = _judgeable(held, rows)
        if lost > 0 and min((enough & c).sum() for c in (held.y, ~held.y)) >= FEWEST_IN_SEGMENT:
            part = float(held.weights[rows].sum() / held.weights[~finding].sum())
            judged = float((share * loss)[rows].sum())
            of_all = judged / total if total > 0 else 0.0
            found.append((lost, _Found(name, rule, rows, part, float(np.clip(of_all, 0, 1)))))
    found.sort(key=lambda pair: -pair[0])
    return [segment for _, segment in found[:MOST_SEGMENTS] if segment.rule]


def _loss(held: HeldOut, score: FloatArray, finding: BoolArray) -> FloatArray:
    """Arc length that each row loses by the score, whose angles are learnt from one half."""
    order = np.argsort(score[finding], kind="stable")
    angle = hull_angle(held.y[finding], score[finding], sample_weight=held.weights[finding])
    theirs = np.interp(score, score[finding][order], angle[order])
    own, given = (
        np.where(held.y, np.sin(angles), np.cos(angles)) for angles in (held.angle, theirs)
    )
    return np.asarray(own - given)


def _judgeable(held: HeldOut, rows: BoolArray) -> BoolArray:
    """The rows in folds where the segment has both classes, so that pairs can be formed."""
    kept = rows.copy()
    for k in np.unique(held.fold[rows]):
        inside = rows & (held.fold == k)
        if not 0 < (inside & held.y).sum() < inside.sum():
            kept &= held.fold != k
    return kept


def _headroom(held: HeldOut, theirs: FloatArray, error: float, proven: bool) -> tuple[float, float]:
    """What the model found ranks better than the score among these rows, and its lower limit."""
    linear = linear_gain(held.y, held.score, theirs, held.weights, held.fold)
    gain = float(np.average(linear.values[held.y], weights=held.weights[held.y]))
    if proven:
        return gain, headroom_bound(held, theirs, error)
    draws = held_pair_draws(held, linear.values, theirs)
    return gain, Bounded(draws, gain, 1.0, held.n_splits).low(error, 0.0, worst=-1.0)


def _rules(tree: Any, features: list[Feature]) -> list[tuple[int, str]]:
    """Each leaf with its path in words; the root alone is no segment."""
    found: list[tuple[int, str]] = []

    def walk(node: int, path: dict[str, tuple[float, float, bool]]) -> None:
        if tree.children_left[node] < 0:
            rule = " and ".join(by_name[key].words(*ends) for key, ends in path.items())
            found.append((node, rule))
            return
        feature, cut = features[tree.feature[node]], float(tree.threshold[node])
        low, high, gaps = path.get(feature.name, (-np.inf, np.inf, True))
        gaps_left = bool(tree.missing_go_to_left[node])
        walk(
            tree.children_left[node],
            path | {feature.name: (low, min(high, cut), gaps and gaps_left)},
        )
        walk(
            tree.children_right[node],
            path | {feature.name: (max(low, cut), high, gaps and not gaps_left)},
        )

    by_name = {feature.name: feature for feature in features}
    walk(0, {})
    return found
