"""Curves of labelled scores against plain references, scikit-learn and the theory's identities."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from sklearn.metrics import roc_auc_score, roc_curve

from rocstar.bounds import auc_bounds
from rocstar.curves import (
    ecdf_weights,
    hull_angle,
    hull_arc_length,
    roc_auc,
    roc_hull,
    roc_points,
)

ROOT2 = np.sqrt(2)
H = np.pi / 2


@st.composite
def samples(draw, max_size=40, max_score=12, max_weight=0):
    """Labels with both classes, integer scores with many ties and, if asked, integer weights."""
    n = draw(st.integers(2, max_size))
    score = draw(st.lists(st.integers(0, max_score), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < n))
    if not max_weight:
        return np.array(y), np.array(score, float)
    weight = draw(st.lists(st.integers(0, max_weight), min_size=n, max_size=n))
    weight[y.index(0)] += 1  # each class needs some weight
    weight[y.index(1)] += 1
    return np.array(y), np.array(score, float), np.array(weight)


def objective(y, v, w=None):
    """The empirical J of theory §2 and §3."""
    w = np.ones(len(y)) if w is None else w
    return np.average(np.sin(v[y == 1]), weights=w[y == 1]) + np.average(
        np.cos(v[y == 0]), weights=w[y == 0]
    )


def polyline_length(fpr, tpr):
    return np.hypot(np.diff(fpr), np.diff(tpr)).sum()


def random_sample(n=2_000, seed=0, levels=None):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = rng.normal(size=n) + y
    return y, score if levels is None else np.round(score * levels), rng.exponential(size=n)


# --- theory §1: the staircase --------------------------------------------------------------------


@given(st.integers(2, 60).flatmap(lambda n: st.permutations(range(n))), st.data())
def test_staircase_without_cross_class_ties_has_length_two(score, data):
    n_pos = data.draw(st.integers(1, len(score) - 1))
    y = np.arange(len(score)) < n_pos
    fpr, tpr, _ = roc_points(y, score)
    assert polyline_length(fpr, tpr) == pytest.approx(2, abs=1e-12)


def test_staircase_length_says_nothing_even_for_identical_laws():
    rng = np.random.default_rng(0)
    y, score = np.repeat([0, 1], 500), rng.normal(size=1000)
    assert polyline_length(*roc_points(y, score)[:2]) == pytest.approx(2, abs=1e-12)
    assert hull_arc_length(y, score) < 1.43


def test_ties_within_one_class_keep_the_staircase_length():
    assert polyline_length(*roc_points([0, 0, 1, 1], [1, 1, 0, 0])[:2]) == 2


# --- ROC points and AUC against scikit-learn -----------------------------------------------------


@pytest.mark.parametrize("levels", [None, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_points_and_auc_agree_with_scikit_learn(levels, weighted):
    y, score, weight = random_sample(levels=levels)
    weight = weight if weighted else None
    ours = roc_points(y, score, sample_weight=weight)
    theirs = roc_curve(y, score, sample_weight=weight, drop_intermediate=False)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)
    assert roc_auc(y, score, sample_weight=weight) == pytest.approx(
        roc_auc_score(y, score, sample_weight=weight), rel=1e-12
    )


@given(samples(max_weight=3))
def test_auc_counts_pairs(sample):
    y, score, weight = sample
    pairs = np.multiply.outer(weight[y == 1], weight[y == 0])
    gap = np.subtract.outer(score[y == 1], score[y == 0])
    expected = (pairs * ((gap > 0) + 0.5 * (gap == 0))).sum() / pairs.sum()
    assert roc_auc(y, score, sample_weight=weight) == pytest.approx(expected, abs=1e-12)


# --- theory §6: the hull theorem -----------------------------------------------------------------


def hull_by_gift_wrapping(y, score, weight):
    """Exact vertices of the upper hull: from each, go to the farthest point of steepest slope."""
    total = [sum(int(w) for w in weight[y == k]) for k in (0, 1)]
    points = [(Fraction(0), Fraction(0))]
    for level in sorted(set(score[weight > 0]), reverse=True):
        at = score == level
        step = [Fraction(int(weight[at & (y == k)].sum()), total[k]) for k in (0, 1)]
        points.append((points[-1][0] + step[0], points[-1][1] + step[1]))
    vertices = [points[0]]
    while vertices[-1] != (1, 1):
        x, height = vertices[-1]
        ahead = [p for p in points if p[0] + p[1] > x + height]
        steepest = max(
            ahead, key=lambda p: ((p[1] - height) / (p[1] - height + p[0] - x), p[0] + p[1])
        )
        vertices.append(steepest)
    return np.array([[float(x), float(height)] for x, height in vertices]).T


@settings(max_examples=300)
@given(samples(max_weight=4))
def test_hull_vertices_are_those_of_gift_wrapping(sample):
    y, score, weight = sample
    hull = roc_hull(y, score, sample_weight=weight)
    fpr, tpr = hull_by_gift_wrapping(y, score, weight)
    np.testing.assert_allclose(hull.fpr, fpr, atol=1e-14)
    np.testing.assert_allclose(hull.tpr, tpr, atol=1e-14)


def best_monotone_value(y, score, grid_size=4_001):
    """Maximum of J over non-decreasing functions of the score into a grid of angles.

    Dynamic programming over the distinct scores; it knows nothing of hulls or pooling.
    """
    grid = np.linspace(0, H, grid_size)
    best = np.zeros(grid_size)
    for level in np.unique(score):
        positives = np.mean(score[y == 1] == level)
        negatives = np.mean(score[y == 0] == level)
        best = np.maximum.accumulate(best) + positives * np.sin(grid) + negatives * np.cos(grid)
    return best.max()


@settings(max_examples=100)
@given(samples())
def test_hull_length_is_the_best_monotone_value(sample):
    y, score = sample
    # The nearest grid angle costs at most half the squared half-step, twice.
    assert hull_arc_length(y, score) == pytest.approx(best_monotone_value(y, score), abs=1e-7)


@given(samples(max_weight=4))
def test_the_hull_angle_attains_the_hull_length(sample):
    y, score, weight = sample
    angle = hull_angle(y, score, sample_weight=weight)
    length = hull_arc_length(y, score, sample_weight=weight)
    assert objective(y, angle, weight) == pytest.approx(length, abs=1e-12)
    assert ROOT2 - 1e-12 <= length <= 2 + 1e-12


@given(samples(max_weight=4))
def test_the_hull_angle_is_a_function_of_the_score_that_never_falls(sample):
    y, score, weight = sample
    angle = hull_angle(y, score, sample_weight=weight)
    order = np.argsort(score)
    steps, ties = np.diff(angle[order]), np.diff(score[order]) == 0
    assert np.all(steps >= 0)
    assert np.all(steps[ties] == 0)
    assert angle.min() >= 0
    assert angle.max() <= H


@given(samples(max_weight=4))
def test_hull_is_consistent_with_its_parts(sample):
    y, score, weight = sample
    hull = roc_hull(y, score, sample_weight=weight)
    assert np.all(np.diff(hull.angle) < 0)
    slopes = np.arctan2(np.diff(hull.tpr), np.diff(hull.fpr))
    np.testing.assert_allclose(hull.angle, slopes, atol=1e-12)
    assert polyline_length(hull.fpr, hull.tpr) == pytest.approx(
        hull_arc_length(y, score, sample_weight=weight), abs=1e-12
    )
    for fpr, tpr, threshold in zip(hull.fpr, hull.tpr, hull.thresholds, strict=True):
        assert np.average(score[y == 0] >= threshold, weights=weight[y == 0]) == pytest.approx(fpr)
        assert np.average(score[y == 1] >= threshold, weights=weight[y == 1]) == pytest.approx(tpr)


@given(samples(max_weight=4))
def test_hull_lies_above_the_curve(sample):
    y, score, weight = sample
    hull = roc_hull(y, score, sample_weight=weight)
    points = roc_points(y, score, sample_weight=weight)
    # Compare along the anti-diagonal, where both curves are single valued even on vertical sides.
    across = np.interp(points.fpr + points.tpr, hull.fpr + hull.tpr, hull.tpr - hull.fpr)
    assert np.all(across >= points.tpr - points.fpr - 1e-12)


@given(samples(max_weight=4))
def test_sharp_auc_bounds_contain_the_hull_area(sample):
    y, score, weight = sample
    hull = roc_hull(y, score, sample_weight=weight)
    low, high = auc_bounds(hull_arc_length(y, score, sample_weight=weight))
    assert low - 1e-9 <= np.trapezoid(hull.tpr, hull.fpr) <= high + 1e-9


def test_equal_scores_are_one_block():
    y, score = [0, 1, 0, 1, 1], np.ones(5)
    assert hull_arc_length(y, score) == pytest.approx(ROOT2, abs=1e-15)
    np.testing.assert_allclose(hull_angle(y, score), np.pi / 4)
    hull = roc_hull(y, score)
    assert (hull.fpr.tolist(), hull.tpr.tolist()) == ([0, 1], [0, 1])
    assert hull.thresholds.tolist() == [np.inf, 1]
    assert roc_auc(y, score) == 0.5


def test_perfect_and_reversed_scores():
    y = [0, 0, 1, 1]
    assert hull_arc_length(y, [1, 2, 3, 4]) == 2
    assert hull_angle(y, [1, 2, 3, 4]).tolist() == [0, 0, H, H]
    assert hull_arc_length(y, [4, 3, 2, 1]) == pytest.approx(ROOT2)
    np.testing.assert_allclose(hull_angle(y, [4, 3, 2, 1]), np.pi / 4)


def test_a_score_that_does_not_rank_by_the_ratio_falls_short():
    """N(0,1) against N(0,9): the hull of x has length 1.489, but L* is 1.607 (theory §6)."""
    inside, outside = stats.norm(0, 1), stats.norm(0, 3)
    optimum, _ = quad(lambda x: np.hypot(inside.pdf(x), outside.pdf(x)), -30, 30, limit=200)
    levels = (np.arange(20_000) + 0.5) / 20_000
    score = np.concatenate([inside.ppf(levels), outside.ppf(levels)])
    y = np.repeat([0, 1], 20_000)
    assert optimum == pytest.approx(1.607, abs=5e-4)
    assert hull_arc_length(y, score) == pytest.approx(1.489, abs=1e-3)
    assert hull_arc_length(y, np.abs(score)) == pytest.approx(optimum, abs=1e-3)


def test_hull_length_of_a_gaussian_pair_tends_to_the_truth():
    levels = (np.arange(20_000) + 0.5) / 20_000
    score = np.concatenate([stats.norm.ppf(levels), stats.norm.ppf(levels) + 1])
    y = np.repeat([0, 1], 20_000)
    assert hull_arc_length(y, score) == pytest.approx(1.5464693366, abs=1e-4)
    assert roc_auc(y, score) == pytest.approx(0.7602499389, abs=1e-4)


# --- weights, symmetry, transforms ---------------------------------------------------------------


def everything(y, score, weight=None):
    """All results in one flat array per kind, for comparing two ways to the same answer."""
    angle = np.clip(score / 12, 0, H)
    return {
        "points": np.concatenate(roc_points(y, score, sample_weight=weight)[:2]),
        "hull": np.concatenate(roc_hull(y, score, sample_weight=weight)[:2]),
        "length": hull_arc_length(y, score, sample_weight=weight),
        "auc": roc_auc(y, score, sample_weight=weight),
        "angle": hull_angle(y, score, sample_weight=weight),
        "ecdf": ecdf_weights(y, score, angle=angle, sample_weight=weight),
    }


def assert_same(one, other):
    for kind in one:
        np.testing.assert_allclose(one[kind], other[kind], atol=1e-12, err_msg=kind)


@given(samples(max_weight=4))
def test_integer_weights_equal_repetition(sample):
    y, score, weight = sample
    weighted = everything(y, score, weight)
    repeated = everything(np.repeat(y, weight), np.repeat(score, weight))
    for kind in ("angle", "ecdf"):
        weighted[kind] = np.repeat(weighted[kind], weight)
    assert_same(weighted, repeated)


@given(samples(max_weight=4), st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_rescaled_weights_and_class_weights_change_nothing(sample, positive, negative):
    y, score, weight = sample
    assert_same(
        everything(y, score, weight),
        everything(y, score, weight * np.where(y == 1, positive, negative)),
    )


def test_a_row_without_weight_takes_the_angle_of_its_block():
    y, score = np.array([0, 0, 1, 1, 1, 1]), np.array([1.0, 2.0, 3.0, 0.0, 2.5, 9.0])
    weight = np.array([1, 1, 1, 0, 0, 0])
    np.testing.assert_allclose(
        hull_angle(y, score, sample_weight=weight), [0, 0, H, 0, 0, H], atol=1e-15
    )
    assert roc_points(y, score, sample_weight=weight).thresholds.tolist() == [np.inf, 3, 2, 1]


@given(samples())
def test_swapping_the_classes_turns_the_picture(sample):
    y, score = sample
    swapped = 1 - y
    np.testing.assert_allclose(hull_angle(swapped, -score), H - hull_angle(y, score), atol=1e-12)
    assert hull_arc_length(swapped, -score) == pytest.approx(hull_arc_length(y, score), abs=1e-12)
    assert roc_auc(swapped, -score) == pytest.approx(roc_auc(y, score), abs=1e-12)


@given(samples())
def test_only_the_order_of_the_scores_matters(sample):
    y, score = sample
    moved = np.exp(score / 3) - 7
    assert hull_arc_length(y, score) == hull_arc_length(y, moved)
    assert roc_auc(y, score) == roc_auc(y, moved)
    np.testing.assert_array_equal(hull_angle(y, score), hull_angle(y, moved))


@given(samples(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(sample, random):
    y, score = sample
    rows = list(range(len(y)))
    random.shuffle(rows)
    moved = everything(y[rows], score[rows])
    original = everything(y, score)
    for kind in ("angle", "ecdf"):
        original[kind] = original[kind][rows]
    assert_same(original, moved)


def test_extreme_imbalance_and_tiny_weights_keep_their_accuracy():
    score = np.concatenate([np.linspace(0, 1, 100_000), [0.5, 0.75, 2.0]])
    y = score.size - np.arange(score.size) <= 3
    length = hull_arc_length(y, score)
    assert objective(y.astype(int), hull_angle(y, score)) == pytest.approx(length, abs=1e-12)
    tiny = hull_arc_length(y, score, sample_weight=np.where(y, 1e-200, 1e-3))
    assert tiny == pytest.approx(length, abs=1e-12)


def test_rounding_leaves_no_vertex_on_a_straight_side():
    """Levels on one line, with weights that are not binary fractions, still give strict turns."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        size = rng.integers(1, 1000, 12).astype(float)
        positives = 0.1 * size * rng.random()
        positives[:2] += [0.01, -0.01]  # one violation, so that blocks are pooled at all
        y, score = np.repeat([1, 0], 12), np.tile(np.arange(12.0), 2)
        weight = np.concatenate([np.maximum(positives, 0), 0.3 * size])
        assert np.all(np.diff(roc_hull(y, score, sample_weight=weight).angle) < 0)
        assert np.all(np.diff(hull_angle(y, score, sample_weight=weight)[:12]) >= 0)


# --- theory §7: ECDF weights ---------------------------------------------------------------------


@given(samples(max_weight=3))
def test_ecdf_weights_against_a_plain_reference(sample):
    y, score, weight = sample
    angle = score / 12 * H

    def mid_cdf(at, k):
        below = weight[(y == k) & (score < at)].sum() + weight[(y == k) & (score == at)].sum() / 2
        return below / weight[y == k].sum()

    expected = [
        np.sin(v + np.pi / 4) * abs(mid_cdf(at, 1) - mid_cdf(at, 0))
        for at, v in zip(score, angle, strict=True)
    ]
    ours = ecdf_weights(y, score, angle=angle, sample_weight=weight)
    np.testing.assert_allclose(ours, expected, atol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=8))
def test_ecdf_weights_at_the_true_angle_give_the_maximal_auc(counts):
    """½ + (√2/2) A = AUC* on any discrete pair: only mid-CDFs do this with atoms."""
    p, q = np.array(counts, float).T + np.eye(len(counts))[0]
    p, q = p / p.sum(), q / q.sum()
    k = len(counts)
    y, angle = np.repeat([1, 0], k), np.tile(np.arctan2(p, q), 2)
    mass = np.concatenate([p, q])
    w = ecdf_weights(y, angle, sample_weight=mass)
    area = np.sum(p * w[:k] * np.sin(angle[:k])) + np.sum(q * w[k:] * np.cos(angle[k:]))
    cross = np.outer(p, q)
    maximal_auc = 0.5 + np.abs(cross - cross.T).sum() / 4
    assert 0.5 + area / ROOT2 == pytest.approx(maximal_auc, abs=1e-12)


def test_constant_scores_have_zero_ecdf_weights():
    np.testing.assert_array_equal(ecdf_weights([0, 1, 1], [1.0, 1.0, 1.0]), 0)


def test_ecdf_weights_ask_for_the_clipped_angle():
    sentence = r"^`score` must lie in \[0, π/2\]; got values from -1 to 3: pass the clipped ones as"
    with pytest.raises(ValueError, match=sentence):
        ecdf_weights([0, 1], [-1.0, 3.0])
    with pytest.raises(
        ValueError, match=r"^`angle` must lie in \[0, π/2\]; got values from 0 to 2"
    ):
        ecdf_weights([0, 1], [-1.0, 3.0], angle=[0.0, 2.0])


def test_single_precision_angles_are_accepted():
    angle = np.float32([0, np.pi / 2])
    assert float(angle[1]) > np.pi / 2
    np.testing.assert_allclose(ecdf_weights([0, 1], angle), np.sqrt(0.5) / 2, rtol=1e-6)


# --- cost ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("function", [roc_points, roc_hull, hull_angle, hull_arc_length, roc_auc])
def test_ten_million_scores_take_well_under_ten_seconds(function):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 10_000_000)
    score = rng.normal(size=y.size) + y
    start = time.process_time()
    function(y, score)
    assert time.process_time() - start < 8


@pytest.mark.parametrize("function", [roc_auc, roc_points, hull_angle])
def test_options_of_curves_are_named(function):
    y, score = [0, 1, 1], [0.1, 0.4, 0.3]
    by_name = function(y=y, score=score, sample_weight=[1.0, 1.0, 1.0])
    assert type(by_name) is type(function(y, score))
    with pytest.raises(TypeError, match="positional"):
        function(y, score, [1.0, 1.0, 1.0])
