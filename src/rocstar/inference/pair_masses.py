"""AUCs and differences of two under random masses of the rows (theory §8)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.inference.draws import N_DRAWS, Draws, spans
from rocstar.inference.group_masses import group_draws
from rocstar.inference.masses import MAX_CELLS, Masses, mean_draws, merged_starts

MAX_ROWS = 20_000
"""Above this, paired draws are linearised: what is dropped is of relative size 1/√n."""


def auc_draws(
    positive: BoolArray,
    score: FloatArray,
    weights: FloatArray,
    fold: IntArray,
    rng: np.random.Generator,
    n_draws: int = N_DRAWS,
) -> Draws:
    """Draws of the AUC, positives placed among the negatives of their own fold only."""
    # One set of masses runs over all positives plus one atom, and over all negatives plus one atom.
    # Within a fold the negatives' masses are rescaled to one minus the atom's share; with a single
    # fold this is the plain two-sample form.
    keep = weights > 0
    folds = [keep & (fold == k) for k in np.unique(fold[keep])]
    limit = max(MAX_CELLS // len(folds), 64)
    parts = [_placement(positive[rows], score[rows], weights[rows], limit) for rows in folds]
    heaviest = _heaviest(positive, weights)
    cells = sum(part.positives.shape.size + part.negatives.shape.size for part in parts)
    out = _PairSums(n_draws)
    for span in spans(n_draws, cells):
        size = span.stop - span.start
        for part in parts:
            g, h = part.positives.sample(rng, size), part.negatives.sample(rng, size)
            out.add(span, g, h, part.places(h))
    return out.draws(heaviest, rng)


def gain_draws(
    positive: BoolArray,
    score: FloatArray,
    baseline: FloatArray,
    weights: FloatArray,
    fold: IntArray,
    rng: np.random.Generator,
    n_draws: int = N_DRAWS,
) -> Draws:
    """Draws of AUC(score) − AUC(baseline), the same masses for both."""
    # A pair with an unseen member can count anything in [−1, 1].
    if positive.size > MAX_ROWS:
        return linear_gain(positive, score, baseline, weights, fold).draws(weights, rng, n_draws)
    order = np.lexsort((weights, baseline, score, positive))
    positive, score, baseline = positive[order], score[order], baseline[order]
    weights, fold = weights[order], fold[order]
    keep = weights > 0
    folds = [keep & (fold == k) for k in np.unique(fold[keep])]
    parts = [
        tuple(_by_row(positive[rows], s[rows], weights[rows]) for s in (score, baseline))
        for rows in folds
    ]
    out = _PairSums(n_draws)
    for span in spans(n_draws, positive.size):
        size = span.stop - span.start
        for first, second in parts:
            g, h = first.positives.sample(rng, size), first.negatives.sample(rng, size)
            out.add(span, g, h, first.places(h) - second.places(h))
    return out.draws(_heaviest(positive, weights), rng)


def repeated_draws(
    positive: BoolArray,
    scores: FloatArray,
    weights: FloatArray,
    folds: IntArray,
    rng: np.random.Generator,
    n_draws: int = N_DRAWS,
    baseline: FloatArray | None = None,
) -> Draws:
    """Draws of the mean AUC, or mean gain over a baseline, of rows held out once per column."""
    # A row has one mass in all repeats, since it is one observation however often it is judged.
    order = np.lexsort((weights, *scores.T[::-1], positive))
    order = order[weights[order] > 0]
    positive, scores, weights, folds = positive[order], scores[order], weights[order], folds[order]
    against = () if baseline is None else (baseline[order],)
    parts = []
    for score, fold in zip(scores.T, folds.T, strict=True):
        for k in np.unique(fold):
            rows = np.flatnonzero(fold == k)
            up, w = positive[rows], weights[rows]
            placed = [_by_row(up, values[rows], w) for values in (score, *against)]
            parts.append((rows[up], rows[~up], placed))
    out = _PairSums(n_draws)
    for span in spans(n_draws, positive.size):
        mass = rng.standard_exponential((positive.size, span.stop - span.start))
        mass *= weights[:, None]
        for ups, downs, (own, *others) in parts:
            g, h = mass[ups], mass[downs]
            places = own.places(h)
            for other in others:
                places -= other.places(h)
            out.add(span, g, h, places)
    return out.mean_of(scores.shape[1]).draws(_heaviest(positive, weights), rng)


class LinearAUC(NamedTuple):
    """First-order form of an AUC or a difference of two: one value per row, and the total."""

    # `values[i]` is row i's mean comparison with the other class of its fold, so that reweighting
    # rows moves the AUC by the reweighted class means, up to terms of relative size 1/√n.

    positive: BoolArray
    values: FloatArray

    def draws(
        self,
        weights: FloatArray,
        rng: np.random.Generator,
        n_draws: int,
        groups: IntArray | None = None,
    ) -> Draws:
        """Draws of the two class means put together, unseen pairs set apart."""
        up = self.positive
        total = float(np.average(self.values[up], weights=weights[up]))
        if groups is not None:
            return group_draws(up, self.values, weights, groups, rng, n_draws).pairs(total)
        first = mean_draws(self.values[up], weights[up], rng, n_draws)
        second = mean_draws(self.values[~up], weights[~up], rng, n_draws)
        shares = (1 - first.unseen) * (1 - second.unseen)
        centred = first.seen / (1 - first.unseen) + second.seen / (1 - second.unseen)
        return Draws(shares * (centred - total), 1 - shares)


def linear_auc(
    positive: BoolArray, score: FloatArray, weights: FloatArray, fold: IntArray
) -> LinearAUC:
    """Mean comparison of every row with the other class of its fold (ties count one half)."""
    values = np.zeros(score.size)
    totals = weights[positive].sum(), weights[~positive].sum()
    for k in np.unique(fold[weights > 0]):
        up, down = (fold == k) & positive, (fold == k) & ~positive
        values[up] = share_below(score[up], score[down], weights[down])
        centred = 1 - share_below(score[down], score[up], weights[up])
        centred -= np.average(centred, weights=weights[down])
        # A fold counts by its share of positives, whatever its share of negatives.
        shares = weights[up].sum() / totals[0], weights[down].sum() / totals[1]
        values[down] = centred * shares[0] / shares[1]
    values[~positive] += np.average(values[positive], weights=weights[positive])
    return LinearAUC(positive, values)


def linear_gain(
    positive: BoolArray,
    score: FloatArray,
    baseline: FloatArray,
    weights: FloatArray,
    fold: IntArray,
) -> LinearAUC:
    """First-order form of AUC(score) − AUC(baseline)."""
    first = linear_auc(positive, score, weights, fold)
    return LinearAUC(positive, first.values - linear_auc(positive, baseline, weights, fold).values)


class _PairSums:
    """Accumulates Σ g · placement over folds, per draw, until the atoms are known."""

    def __init__(self, n_draws: int) -> None:
        self.pairs = np.zeros(n_draws)
        self.positives = np.zeros(n_draws)
        self.negatives = np.zeros(n_draws)

    def add(self, span: slice, g: FloatArray, h: FloatArray, places: FloatArray) -> None:
        fold_total = h.sum(axis=0)
        self.pairs[span] += np.einsum("ij,ij->j", g, places) / fold_total
        self.positives[span] += g.sum(axis=0)
        self.negatives[span] += fold_total

    def mean_of(self, repeats: int) -> _PairSums:
        """The same of one repeat, where all of them were added."""
        for sums in (self.pairs, self.positives, self.negatives):
            sums /= repeats
        return self

    def draws(self, heaviest: tuple[float, float], rng: np.random.Generator) -> Draws:
        atoms = rng.standard_exponential((2, self.pairs.size))
        seen_positives = self.positives / (self.positives + heaviest[0] * atoms[0])
        seen_negatives = self.negatives / (self.negatives + heaviest[1] * atoms[1])
        seen_pairs = seen_positives * seen_negatives
        return Draws(self.pairs / self.positives * seen_pairs, 1 - seen_pairs)


class _Placement(NamedTuple):
    """Where each cell of positives falls among the cells of negatives, scores ascending."""

    positives: Masses
    negatives: Masses
    before: IntArray  # negative cells wholly below each positive cell
    after: IntArray  # the same, plus those that share its place
    inside: FloatArray  # share of the shared ones that counts as below: ½ for ties
    order: IntArray  # sorts the negatives as drawn into ascending score

    def places(self, negatives: FloatArray) -> FloatArray:
        """Mass of negatives below each positive cell, one column per draw, given their masses."""
        cumulated = np.cumsum(negatives[self.order], axis=0)
        padded = np.concatenate([np.zeros((1, cumulated.shape[1])), cumulated])
        below = padded[self.before]
        shared = np.flatnonzero(self.after > self.before)
        if shared.size:
            extra = padded[self.after[shared]] - below[shared]
            below[shared] += self.inside[shared, None] * extra
        return below


def _placement(
    positive: BoolArray, score: FloatArray, weights: FloatArray, limit: int
) -> _Placement:
    if (weights != weights[0]).any() and score.size <= 2 * MAX_CELLS:
        order = np.lexsort((weights, score))
        return _by_row(positive[order], score[order], weights[order])
    return _by_run(positive, score, weights, limit)


def _by_row(positive: BoolArray, score: FloatArray, weights: FloatArray) -> _Placement:
    """Every row its own cell, drawn in the order given; callers sort the rows first."""
    up, down = score[positive], score[~positive]
    order = np.argsort(down, kind="stable")
    before = np.searchsorted(down[order], up, side="left")
    after = np.searchsorted(down[order], up, side="right")
    masses = [Masses(np.ones(int(rows.sum())), weights[rows]) for rows in (positive, ~positive)]
    return _Placement(masses[0], masses[1], before, after, np.full(up.size, 0.5), order)


def _by_run(positive: BoolArray, score: FloatArray, weights: FloatArray, limit: int) -> _Placement:
    """One cell per run of one class along the score; runs merged when they exceed the limit."""
    order = np.argsort(score, kind="stable")
    values, ups = score[order], positive[order]
    per_row = np.stack([weights[order] * ups, weights[order] * ~ups])
    per_row = np.concatenate([per_row, weights[order] * per_row])  # sums, then sums of squares
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    levels = np.add.reduceat(per_row, starts, axis=1)
    tied = (levels[0] > 0) & (levels[1] > 0)
    fresh = tied | np.concatenate([[True], (levels[0] > 0)[1:] != (levels[0] > 0)[:-1]])
    fresh[1:] |= tied[:-1]
    runs = np.add.reduceat(levels, np.flatnonzero(fresh), axis=1)
    below = np.cumsum(runs[1]) - runs[1] / 2  # negatives below each run, ties counting one half
    starts = merged_starts([np.arange(runs.shape[1]), *np.cumsum(runs[:2], axis=1)], limit)
    cells = np.add.reduceat(runs, starts, axis=1)
    wins = np.add.reduceat(runs[0] * below, starts) - cells[0] * (np.cumsum(cells[1]) - cells[1])
    ups, downs = cells[0] > 0, cells[1] > 0
    after = np.cumsum(downs)[ups]
    inside = wins[ups] / np.where(downs[ups], cells[0][ups] * cells[1][ups], 1.0)
    return _Placement(
        Masses.of_sums(cells[0][ups], cells[2][ups]),
        Masses.of_sums(cells[1][downs], cells[3][downs]),
        after - downs[ups],
        after,
        inside,
        np.arange(int(downs.sum())),
    )


def share_below(score: FloatArray, others: FloatArray, weights: FloatArray) -> FloatArray:
    """Share of the others below each score (ties count one half)."""
    order = np.argsort(others, kind="stable")
    total = np.concatenate([[0.0], np.cumsum(weights[order])])
    low = np.searchsorted(others[order], score, side="left")
    high = np.searchsorted(others[order], score, side="right")
    share: FloatArray = (total[low] + total[high]) / (2 * total[-1])
    return share


def _heaviest(positive: BoolArray, weights: FloatArray) -> tuple[float, float]:
    return float(weights[positive].max()), float(weights[~positive].max())
