"""Random reweighting of labelled samples, with room for what the sample did not show (theory §8).

Each draw gives the rows of a class, and one atom that stands for the unseen, masses that are
uniform on the simplex (Dirichlet(1, …, 1), normalised exponentials). Placing the atoms as badly as
possible and taking a low quantile over the draws gives Gaffke's lower bound of a mean, and its
two-sample form for the AUC. Where rows belong to groups, whole groups get one mass each, and one
unseen group is bad in the way that costs most.

Rows that cannot be told apart are drawn as one: a sum of k unit exponentials is Gamma(k). That
makes the cost depend on how often the classes alternate along the score, not on the sample size.
Rows are sorted before masses are drawn, so that their order changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocstar.checks import BoolArray, FloatArray, IntArray

N_DRAWS = 4000
"""A 5 % quantile of 4,000 draws has level 5 % ± 0.35 % (one standard error)."""

MAX_CELLS = 256
"""Cells per class; drawing more rows as one loses a share of about 1/256² of the variance."""

MAX_ROWS = 20_000
"""Above this, paired draws are linearised: what is dropped is of relative size 1/√n."""

UNSEEN_CASES = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
"""How bad an unseen group may be among positives and negatives: in one class, or half in both."""

CHUNK = 1 << 20
"""Random numbers held at once (8 MiB), so that memory stays flat whatever the sample size."""


class Draws(NamedTuple):
    """Draws of a figure: what the seen rows contribute, and the share the unseen holds.

    Arrays of two dimensions hold one row for each place the unseen may take; the worst one counts.

    Examples
    --------
    >>> draws = Draws(np.array([0.7, 0.8]), np.array([0.2, 0.1]))
    >>> draws.low(0.05, worst=0.0), draws.high(0.05, best=1.0)
    (0.7, 0.9)
    """

    seen: FloatArray
    unseen: FloatArray

    def low(self, error: float, worst: float) -> float:
        """Lower confidence limit when the unseen takes the value ``worst``."""
        drawn = np.atleast_2d(self.seen + worst * self.unseen).min(axis=0)
        return float(np.quantile(drawn, error, method="lower"))

    def high(self, error: float, best: float) -> float:
        """Upper confidence limit when the unseen takes the value ``best``."""
        drawn = np.atleast_2d(self.seen + best * self.unseen).max(axis=0)
        return float(np.quantile(drawn, 1 - error, method="higher"))

    def spread(self, typical: float) -> float:
        """Standard deviation of the figure when the unseen takes the value ``typical``."""
        return float(np.std(self.seen + typical * self.unseen, axis=-1).mean())

    def minus(self, constant: float) -> Draws:
        """Draws of the figure less a constant."""
        return Draws(self.seen - constant, self.unseen)


class Masses(NamedTuple):
    """Gamma laws of the masses of some cells; exact where the rows of a cell weigh the same."""

    shape: FloatArray
    scale: FloatArray

    @classmethod
    def of_sums(cls, weights: FloatArray, squares: FloatArray) -> Masses:
        """Match mean and variance of a weighted sum of unit exponentials."""
        return cls(weights**2 / squares, squares / weights)

    def sample(self, rng: np.random.Generator, n_draws: int) -> FloatArray:
        """One row per cell, one column per draw."""
        out = np.empty((self.shape.size, n_draws))
        single = self.shape == 1.0
        out[single] = rng.standard_exponential((int(single.sum()), n_draws))
        sums = self.shape[~single, None]
        out[~single] = rng.standard_gamma(sums, size=(sums.size, n_draws))
        if (self.scale != 1.0).any():
            out *= self.scale[:, None]
        return out


def mean_draws(
    values: FloatArray, weights: FloatArray, rng: np.random.Generator, n_draws: int = N_DRAWS
) -> Draws:
    """Draws of the weighted mean of one sample.

    The atom weighs as much as the heaviest row: an unseen row might.

    Examples
    --------
    >>> draws = mean_draws(np.ones(10), np.ones(10), np.random.default_rng(0))
    >>> abs(draws.low(0.05, worst=0.0) - 0.05 ** (1 / 10)) < 0.01
    True
    """
    values, weights = values[weights > 0], weights[weights > 0]
    cells, masses = _value_cells(values, weights)
    seen, unseen = np.empty(n_draws), np.empty(n_draws)
    for part in _parts(n_draws, cells.size):
        size = part.stop - part.start
        mass = masses.sample(rng, size)
        atom = weights.max() * rng.standard_exponential(size)
        total = mass.sum(axis=0) + atom
        seen[part] = cells @ mass / total
        unseen[part] = atom / total
    return Draws(seen, unseen)


def sum_draws(
    positive: BoolArray,
    values: FloatArray,
    weights: FloatArray,
    rng: np.random.Generator,
    n_draws: int = N_DRAWS,
    groups: IntArray | None = None,
) -> Draws:
    """Draws of the mean over the positives plus the mean over the negatives.

    Rows are independent unless ``groups`` says which of them are not; then whole groups are.

    Examples
    --------
    >>> y, values = np.array([True, True, False]), np.array([0.1, 0.2, 0.3])
    >>> sum_draws(y, values, np.ones(3), np.random.default_rng(0), 50).seen.shape
    (50,)
    """
    if groups is not None:
        return _group_draws(positive, values, weights, groups, rng, n_draws).sums()
    first = mean_draws(values[positive], weights[positive], rng, n_draws)
    second = mean_draws(values[~positive], weights[~positive], rng, n_draws)
    return Draws(first.seen + second.seen, first.unseen + second.unseen)


def auc_draws(
    positive: BoolArray,
    score: FloatArray,
    weights: FloatArray,
    fold: IntArray,
    rng: np.random.Generator,
    n_draws: int = N_DRAWS,
) -> Draws:
    """Draws of the AUC, positives placed among the negatives of their own fold only.

    One set of masses runs over all positives plus one atom, and over all negatives plus one atom.
    Within a fold the negatives' masses are rescaled to one minus the atom's share; with a single
    fold this is the plain two-sample form.

    Examples
    --------
    >>> y = np.array([True] * 10 + [False] * 500)
    >>> fold, ones = np.zeros(510, dtype=np.intp), np.ones(510)
    >>> draws = auc_draws(y, y * 1.0, ones, fold, np.random.default_rng(0))
    >>> 0.72 < draws.low(0.05, worst=0.0) < 0.75  # at most 0.05 ** (1 / 10) = 0.741
    True
    """
    keep = weights > 0
    folds = [keep & (fold == k) for k in np.unique(fold[keep])]
    limit = max(MAX_CELLS // len(folds), 64)
    parts = [_placement(positive[rows], score[rows], weights[rows], limit) for rows in folds]
    heaviest = _heaviest(positive, weights)
    cells = sum(part.positives.shape.size + part.negatives.shape.size for part in parts)
    out = _PairSums(n_draws)
    for span in _parts(n_draws, cells):
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
    """Draws of AUC(score) − AUC(baseline), the same masses for both.

    A pair with an unseen member can count anything in [−1, 1].

    Examples
    --------
    >>> y = np.array([True] * 10 + [False] * 500)
    >>> fold, ones = np.zeros(510, dtype=np.intp), np.ones(510)
    >>> draws = gain_draws(y, y * 1.0, y * 1.0, ones, fold, np.random.default_rng(0))
    >>> draws.low(0.05, worst=-1.0) < -0.2, float(abs(draws.seen).max())
    (True, 0.0)
    """
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
    for span in _parts(n_draws, positive.size):
        size = span.stop - span.start
        for first, second in parts:
            g, h = first.positives.sample(rng, size), first.negatives.sample(rng, size)
            out.add(span, g, h, first.places(h) - second.places(h))
    return out.draws(_heaviest(positive, weights), rng)


class LinearAUC(NamedTuple):
    """First-order form of an AUC or a difference of two: one value per row, and the total.

    ``values[i]`` is row i's mean comparison with the other class of its fold, so that reweighting
    rows moves the AUC by the reweighted class means, up to terms of relative size 1/√n.

    Examples
    --------
    >>> y, fold = np.array([True, False, False]), np.zeros(3, dtype=np.intp)
    >>> linear_auc(y, np.array([1.0, 0.0, 2.0]), np.ones(3), fold).values.tolist()
    [0.5, 1.0, 0.0]
    """

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
            return _group_draws(up, self.values, weights, groups, rng, n_draws).pairs(total)
        first = mean_draws(self.values[up], weights[up], rng, n_draws)
        second = mean_draws(self.values[~up], weights[~up], rng, n_draws)
        shares = (1 - first.unseen) * (1 - second.unseen)
        centred = first.seen / (1 - first.unseen) + second.seen / (1 - second.unseen)
        return Draws(shares * (centred - total), 1 - shares)


def linear_auc(
    positive: BoolArray, score: FloatArray, weights: FloatArray, fold: IntArray
) -> LinearAUC:
    """Mean comparison of every row with the other class of its fold (ties count one half).

    Examples
    --------
    >>> y, fold = np.array([True, False]), np.zeros(2, dtype=np.intp)
    >>> linear_auc(y, np.array([1.0, 1.0]), np.ones(2), fold).values.tolist()
    [0.5, 0.5]
    """
    values = np.zeros(score.size)
    totals = weights[positive].sum(), weights[~positive].sum()
    for k in np.unique(fold[weights > 0]):
        up, down = (fold == k) & positive, (fold == k) & ~positive
        values[up] = _share_below(score[up], score[down], weights[down])
        centred = 1 - _share_below(score[down], score[up], weights[up])
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
    """First-order form of AUC(score) − AUC(baseline).

    Examples
    --------
    >>> y, fold = np.array([True, False]), np.zeros(2, dtype=np.intp)
    >>> linear_gain(y, np.array([1.0, 0.0]), np.zeros(2), np.ones(2), fold).values.tolist()
    [0.5, 0.5]
    """
    first = linear_auc(positive, score, weights, fold)
    return LinearAUC(positive, first.values - linear_auc(positive, baseline, weights, fold).values)


class _GroupDraws(NamedTuple):
    """Class means under masses of whole groups, and the mass of one unseen group in each class.

    Rows of shape (2, n_draws): positives, then negatives. The unseen group is bad in one class, or
    half as heavy and bad in both, whichever costs most. To be bad in both at full weight its score
    would have to be reversed; a group whose scores are all too high or all too low is bad in one.
    """

    mean: FloatArray
    mass: FloatArray
    atom: FloatArray

    def seen_shares(self) -> FloatArray:
        """Share of each class that was seen, in each of the three cases: shape (3, 2, n_draws)."""
        return np.asarray(self.mass / (self.mass + UNSEEN_CASES[:, :, None] * self.atom))

    def sums(self) -> Draws:
        """Draws of the sum of the class means."""
        seen = self.seen_shares()
        return Draws((seen * self.mean).sum(axis=1), (1 - seen).sum(axis=1))

    def pairs(self, total: float) -> Draws:
        """Draws of an AUC or a difference of two, from the means of its linear form."""
        seen = self.seen_shares().prod(axis=1)
        return Draws(seen * (self.mean.sum(axis=0) - total), 1 - seen)


def _group_draws(
    positive: BoolArray,
    values: FloatArray,
    weights: FloatArray,
    groups: IntArray,
    rng: np.random.Generator,
    n_draws: int,
) -> _GroupDraws:
    """Unit exponentials for each group of rows and for one unseen group."""
    keep = weights > 0
    unit = np.unique(groups[keep], return_inverse=True)[1]
    positive, values, weights = positive[keep], values[keep], weights[keep]
    classes = (positive, ~positive)
    size = np.array([np.bincount(unit, weights * rows) for rows in classes], dtype=np.float64)
    sums = np.stack([np.bincount(unit, weights * rows * values) for rows in classes])
    n_groups = size.shape[1]
    totals, mass = np.empty((2, n_draws)), np.empty((2, n_draws))
    for part in _parts(n_draws, n_groups):
        drawn = rng.standard_exponential((n_groups, part.stop - part.start))
        totals[:, part], mass[:, part] = sums @ drawn, size @ drawn
    atom = unseen_group(size)[:, None] * rng.standard_exponential(n_draws)
    return _GroupDraws(totals / mass, mass, atom)


def unseen_group(size: FloatArray) -> FloatArray:
    """Weight of an unseen group in each class, given those of the seen ones in each class.

    It is as heavy as the heaviest, and of a class it holds the share that the group of a typical
    row of that class holds: all of it, where groups are of one class.
    """
    whole = size.sum(axis=0)
    return np.asarray(whole.max() * (size**2 / whole).sum(axis=1) / size.sum(axis=1))


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
    starts = _merged_starts([np.arange(runs.shape[1]), *np.cumsum(runs[:2], axis=1)], limit)
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


def _value_cells(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, Masses]:
    """Equal values of equal weight, or neighbours when there are many, drawn as one."""
    order = np.lexsort((weights, values))
    values, weights = values[order], weights[order]
    fresh = (values[1:] != values[:-1]) | (weights[1:] != weights[:-1])
    starts = np.flatnonzero(np.concatenate([[True], fresh]))
    if starts.size > MAX_CELLS:
        starts = _merged_starts([np.arange(values.size), values - values[0]], MAX_CELLS)
    sums = np.add.reduceat(weights, starts)
    cells = np.add.reduceat(weights * values, starts) / sums
    return cells, Masses.of_sums(sums, np.add.reduceat(weights**2, starts))


def _merged_starts(rulers: list[npt.NDArray[Any]], limit: int) -> IntArray:
    """Starts of at most ``limit`` groups of neighbours, none of them long on any ruler.

    Rulers are non-decreasing. Equal counts alone would hide a few stragglers in a crowd, which can
    carry most of the variance; equal widths alone would lump the crowd together.
    """
    n = rulers[0].size
    if n <= limit:
        return np.arange(n)
    # All values may be equal, if their weights differ.
    place = np.mean([(r - r[0]) / ((r[-1] - r[0]) or 1) for r in rulers], axis=0)
    group = np.minimum((place * limit).astype(np.intp), limit - 1)
    return np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))


def _share_below(score: FloatArray, others: FloatArray, weights: FloatArray) -> FloatArray:
    order = np.argsort(others, kind="stable")
    total = np.concatenate([[0.0], np.cumsum(weights[order])])
    low = np.searchsorted(others[order], score, side="left")
    high = np.searchsorted(others[order], score, side="right")
    share: FloatArray = (total[low] + total[high]) / (2 * total[-1])
    return share


def _heaviest(positive: BoolArray, weights: FloatArray) -> tuple[float, float]:
    return float(weights[positive].max()), float(weights[~positive].max())


def _parts(n_draws: int, cells: int) -> Iterator[slice]:
    step = max(1, CHUNK // max(cells, 1))
    for start in range(0, n_draws, step):
        yield slice(start, min(start + step, n_draws))
