"""The figures of a certificate of more than two classes, as class means of values per row."""

from __future__ import annotations

import numpy as np

from rocstar.checks import FloatArray, IntArray
from rocstar.inference.class_held_out import ClassHeldOut
from rocstar.inference.class_masses import ClassFigures
from rocstar.inference.group_masses import dependent


def main_figures(held: ClassHeldOut) -> ClassFigures:
    """Arc length, balanced accuracy and mean pairwise AUC."""
    k = held.n_classes
    right = (held.predicted == held.y).astype(np.float64)
    wins = mean_wins(held, held.placed)
    values = np.stack([held.terms, right, wins], axis=1)
    # Of the AUC the mean over the wins of both classes of a pair would count it twice.
    auc = held.mean_sum(wins) / 2
    shares = np.tile([1.0, 1 / k, 1.0], (k, 1))
    return _figures(held, values, shares, np.array([0.0, 0.0, auc]))


def mean_wins(held: ClassHeldOut, placed: FloatArray) -> FloatArray:
    """An entry's part of the mean pairwise AUC, twice which is their sum of class means."""
    k = held.n_classes
    return np.asarray(np.nansum(placed, axis=1) * 2 / (k * (k - 1)))


def accuracy_gain(held: ClassHeldOut, theirs: IntArray) -> ClassFigures:
    """Balanced accuracy of the found rule less that of given classes, one per entry."""
    k = held.n_classes
    gain = (held.predicted == held.y).astype(np.float64) - (theirs == held.y)
    return _figures(held, gain[:, None], np.full((k, 1), 1 / k), np.zeros(1))


def pairwise_gain(held: ClassHeldOut, theirs: FloatArray) -> ClassFigures:
    """Mean pairwise AUC less that of given placements."""
    gain = mean_wins(held, held.placed) - mean_wins(held, theirs)
    total = held.mean_sum(gain) / 2
    return _figures(held, gain[:, None], np.ones((held.n_classes, 1)), np.array([total]))


def pair_figures(held: ClassHeldOut) -> ClassFigures:
    """AUC of every pair of classes, in the order of `pairs_of`."""
    k = held.n_classes
    i, j = pairs_of(k)
    values, shares = np.zeros((held.y.size, i.size)), np.zeros((k, i.size))
    figure = np.arange(i.size)
    shares[i, figure] = shares[j, figure] = 1.0
    for c in range(k):
        rows = held.y == c
        mine = (i == c) | (j == c)
        other = np.where(i == c, j, i)[mine]
        values[np.ix_(rows, mine)] = held.placed[rows][:, other]
    return _halved(held, values, shares)


def rest_figures(held: ClassHeldOut) -> ClassFigures:
    """AUC of every class against the others in equal shares."""
    k = held.n_classes
    shares = np.where(np.eye(k) > 0, 1.0, 1 / (k - 1))
    return _halved(held, held.placed_one_versus_rest, shares)


def confusion_figures(held: ClassHeldOut) -> ClassFigures:
    """Share of each class that is given to each class, line by line."""
    k = held.n_classes
    given = np.eye(k)[held.predicted]
    values = np.zeros((held.y.size, k * k))
    shares = np.zeros((k, k * k))
    for c in range(k):
        own = slice(c * k, (c + 1) * k)
        values[held.y == c, own] = given[held.y == c]
        shares[c, own] = 1.0
    return _figures(held, values, shares, np.zeros(k * k))


def pairs_of(k: int) -> tuple[IntArray, IntArray]:
    """Both classes of every pair."""
    return np.triu_indices(k, 1)


def _halved(held: ClassHeldOut, values: FloatArray, shares: FloatArray) -> ClassFigures:
    """Figures that both sides' means would count twice, less one of the two."""
    twice = _figures(held, values, shares, np.zeros(values.shape[1]))
    return twice._replace(constant=twice.estimates() / 2)


def _figures(
    held: ClassHeldOut, values: FloatArray, shares: FloatArray, constant: FloatArray
) -> ClassFigures:
    first = held.first
    units = None if held.groups is None else dependent(held.groups[first], first.size)
    return ClassFigures(
        held.y[first], held.weights[first], units, held.per_row(values), shares, constant
    )
