"""Which columns carry an answer: what the model found loses when they are shuffled.

It is a statement about that model, on rows it has not seen, and bounds nothing about the best one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import norm, rankdata
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import gen_batches

from rocstar.audits.judge import ClassJudgement, Judgement
from rocstar.checks import BoolArray, FloatArray, IntArray, group_units, nonnegative_weights
from rocstar.estimators.directions import predict_direction
from rocstar.estimators.splits import Split
from rocstar.estimators.unwrap import predict_angle
from rocstar.inference.group_masses import dependent
from rocstar.inference.pair_masses import linear_gain
from rocstar.report.words import listed
from rocstar.tables.class_table import AnyTable

Lost = Literal["auc", "arc_length", "balanced_accuracy"]

# Rows that are shuffled, and calls of the model: about a tenth of what an audit costs.
MOST_ROWS, FEWEST_ROWS = 2000, 500
CALLS, MOST_REPEATS = 60, 5
MOST_FOLD_CALLS = 100
# Numbers of shuffled copies that a model is asked about at once.
MOST_NUMBERS = 2_000_000
# Columns of at least this rank correlation, on average, stand in for each other.
CORRELATED = 0.7
# Of a category, so many of its values can show what it goes along with.
VALUES = 8
# A tree of one column: enough leaves for any shape, enough rows in each for a sober ratio.
LEAVES, ROWS_PER_LEAF = 32, 20
# Trees of all columns together, and folds of each column at least, where a fold has few rows.
MOST_TREES, FEWEST_FOLDS = 400, 5
# Rows of every class that judge a column alone: more make its figure hardly steadier.
ENOUGH_ROWS = 300


def columns_importance(
    table: AnyTable, judgement: Judgement | ClassJudgement, lost: Lost = "auc"
) -> list[dict[str, Any]]:
    """What each group of correlated columns carries, the most important first.

    ``importance`` is what the model found loses of ``lost`` when they are shuffled among held-out
    rows, with an interval of its own at the audit's level. For samples that are compared,
    ``divergence`` is that of the columns alone, by small trees judged on held-out rows.
    """
    rng, level = np.random.default_rng(0), judgement.certificate.level
    test = judgement.splits[judgement.shown][1]
    blocks = correlated_columns(table, _some(test, table.y, MOST_ROWS, rng))
    folds = _folds_alone(table, judgement.splits, len(blocks), rng)
    judged = _judged_rows(table, judgement, len(blocks), rng)
    parts = [np.flatnonzero(np.isin(table.encoder.owner_, columns)) for columns in blocks]
    entries = []
    for columns, block, said in zip(blocks, parts, judged.shuffled(parts, rng), strict=True):
        names = [str(table.encoder.feature_names_in_[k]) for k in columns]
        entry: dict[str, Any] = {"name": _named(names), "columns": names}
        entry |= judged.importance(said, lost, level)
        if lost == "arc_length":
            entry["divergence"] = _divergence_alone(table, block, folds)
        entries.append(entry)
    return sorted(entries, key=lambda entry: (-entry["importance"], entry["name"]))


def correlated_columns(table: AnyTable, rows: IntArray) -> list[IntArray]:
    """Columns of the table that a model is given, those that stand in for each other together."""
    parts, owners = [], []
    for k, owner in enumerate(table.encoder.owner_):
        values = table.X[rows, k]
        if k in table.encoder.categorical_:
            codes, counts = np.unique(values[~np.isnan(values)], return_counts=True)
            common = codes[np.argsort(-counts, kind="stable")[:VALUES]]
            found = [(values == code).astype(np.float64) for code in common]
        else:
            filled = np.where(np.isnan(values), _median(values), values)
            found = [rankdata(filled)]
        parts += found
        owners += [owner] * len(found)
    columns, starts = np.unique(owners, return_index=True)
    if len(columns) < 2:
        return [np.atleast_1d(k) for k in columns]
    Z = np.column_stack(parts)
    Z -= Z.mean(axis=0)
    size = np.sqrt((Z**2).sum(axis=0))
    Z /= np.where(size > 0, size, 1.0)
    alike = np.abs(Z.T @ Z)
    alike = np.maximum.reduceat(np.maximum.reduceat(alike, starts, axis=0), starts, axis=1)
    distance = np.clip(1 - alike, 0.0, 1.0)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), method="average")
    cluster = fcluster(tree, 1 - CORRELATED, criterion="distance")
    return [columns[cluster == c] for c in dict.fromkeys(cluster.tolist())]


class Judged(NamedTuple):
    """Held-out rows of some folds, with the model of each and the angles or directions it gives."""

    X: FloatArray
    y: BoolArray | IntArray
    weights: FloatArray
    units: IntArray | None
    fold: IntArray
    said: FloatArray
    models: list[Any]
    repeats: int
    n_classes: int

    def importance(self, shuffled: FloatArray, lost: Lost, level: float) -> dict[str, float]:
        """What shuffling has cost, by the answers of all repeats, with a two-sided interval."""
        lost_by_row = np.mean([self._lost(said, lost) for said in shuffled], axis=0)
        value, error = 0.0, np.zeros(len(self.y))
        # An arc length is the sum of class means, a balanced accuracy their mean. An AUC is one
        # class mean, seen from either class, and errs with the rows of both.
        part = 1 / self.n_classes if lost == "balanced_accuracy" else 1.0
        counted = 0.5 if lost == "auc" else part
        for k in range(self.n_classes):
            rows = self.y == k
            share = self.weights[rows] / self.weights[rows].sum()
            mean = float(share @ lost_by_row[rows])
            value += counted * mean
            error[rows] = part * share * (lost_by_row[rows] - mean)
        units = np.arange(error.size) if self.units is None else self.units
        half = float(norm.isf((1 - level) / 2) * np.sqrt((np.bincount(units, error) ** 2).sum()))
        return {"importance": value, "low": value - half, "high": value + half}

    def shuffled(self, blocks: Sequence[IntArray], rng: np.random.Generator) -> FloatArray:
        """What is said, by block and repeat, of rows with columns of others."""
        columns = [block for block in blocks for _ in range(self.repeats)]
        folds = [np.flatnonzero(self.fold == k) for k in range(len(self.models))]
        orders = [[rng.permutation(rows.size) for rows in folds] for _ in columns]
        said = np.empty((len(columns), *self.said.shape))
        for k, (model, rows) in enumerate(zip(self.models, folds, strict=True)):
            X = self.X[rows]
            # Few rows are answered in hardly less time than many.
            for some in gen_batches(len(columns), max(MOST_NUMBERS // X.size, 1)):
                copies = np.stack([X] * len(columns[some]))
                for copy, block, order in zip(copies, columns[some], orders[some], strict=True):
                    copy[:, block] = X[np.ix_(order[k], block)]
                answers = _said(model, copies.reshape(-1, X.shape[1]), self.n_classes)
                said[some, rows] = answers.reshape(-1, *said[0, rows].shape)
        return said.reshape(len(blocks), self.repeats, *self.said.shape)

    def _lost(self, shuffled: FloatArray, lost: Lost) -> FloatArray:
        if lost == "auc":
            positive = self.y.astype(bool)
            return linear_gain(positive, self.said, shuffled, self.weights, self.fold).values
        terms = _right if lost == "balanced_accuracy" else _terms
        before, after = terms(self.y, self.said), terms(self.y, shuffled)
        return before - after


def _said(model: Any, X: FloatArray, n_classes: int) -> FloatArray:
    """Angles of two classes, directions of more."""
    return predict_angle(model, X) if n_classes == 2 else predict_direction(model, X)


def _terms(y: BoolArray | IntArray, said: FloatArray) -> FloatArray:
    """What each row adds to the arc length."""
    if said.ndim == 2:
        return np.asarray(said[np.arange(y.size), y])
    return np.where(y, np.sin(said), np.cos(said))


def _right(y: BoolArray | IntArray, direction: FloatArray) -> FloatArray:
    """One where the likeliest class is the row's own."""
    return np.asarray(direction.argmax(axis=1) == y, dtype=np.float64)


def _judged_rows(
    table: AnyTable, judgement: Judgement | ClassJudgement, n_blocks: int, rng: np.random.Generator
) -> Judged:
    """As many held-out rows and folds as the calls of the model allow."""
    n_classes = len(table.classes)
    most = int(np.clip(MOST_ROWS * MOST_FOLD_CALLS // n_blocks, FEWEST_ROWS, MOST_ROWS))
    # The model that is shown is the first of the folds, or the last of a sequence of chunks.
    first, folds = judgement.shown, max(MOST_FOLD_CALLS // n_blocks, 1)
    chosen: list[IntArray] = []
    for _, test in judgement.splits[first : first + folds]:
        left = most - sum(map(len, chosen))
        rows = _some(test, table.y, left, rng)
        if chosen and (left < FEWEST_ROWS // 10 or np.unique(table.y[rows]).size < n_classes):
            break
        chosen.append(rows)
    row = np.concatenate(chosen)
    fold = np.repeat(np.arange(len(chosen)), list(map(len, chosen)))
    models = list(judgement.held_out.models[first : first + len(chosen)])
    groups = None if table.groups is None else group_units(table.groups, len(table.y))[row]
    # A row that was held out several times is one observation.
    units = dependent(row if groups is None else groups, len(row))
    parts = zip(models, chosen, strict=True)
    said = np.concatenate([_said(model, table.X[rows], n_classes) for model, rows in parts])
    weights = nonnegative_weights(table.sample_weight, len(table.y))[row]
    repeats = int(np.clip(CALLS // (n_blocks * len(chosen)), 1, MOST_REPEATS))
    return Judged(
        table.X[row], table.y[row], weights, units, fold, said, models, repeats, n_classes
    )  # fmt: skip


def _some(rows: IntArray, y: BoolArray | IntArray, most: int, rng: np.random.Generator) -> IntArray:
    """At most so many rows, equally many of each class where there are enough."""
    parts = [rows[y[rows] == k] for k in np.unique(y)[::-1]]
    kept, left = [], most
    # What rare classes leave of their shares goes to the others.
    for done, part in enumerate(sorted(parts, key=len)):
        kept.append(rng.permutation(part)[: max(left // (len(parts) - done), 0)])
        left -= len(kept[-1])
    return np.sort(np.concatenate(kept))


def _folds_alone(
    table: AnyTable, splits: Sequence[Split], n_blocks: int, rng: np.random.Generator
) -> list[Split]:
    """Folds that judge columns alone: as many as give rows enough, or as trees are allowed."""
    # Of chunks that are judged in turn, the first ones train on too few rows to say anything.
    most = max(len(train) for train, _ in splits)
    splits = [split for split in splits if 2 * len(split[0]) >= most]
    folds: list[Split] = []
    judged = np.zeros(len(table.classes), dtype=np.intp)
    for train, test in splits[: max(MOST_TREES // n_blocks, FEWEST_FOLDS)]:
        left = 2 * MOST_ROWS - int(judged.sum())
        if folds and (left < FEWEST_ROWS // 10 or judged.min() >= ENOUGH_ROWS):
            break
        some = _some(train, table.y, 2 * MOST_ROWS, rng), _some(test, table.y, left, rng)
        folds.append(some)
        judged += np.bincount(table.y[some[1]].astype(np.intp), minlength=len(judged))
    return folds


def _divergence_alone(table: AnyTable, block: IntArray, folds: list[Split]) -> float:
    """That of trees of some columns; a single fold of few rows would leave it to chance."""
    n_classes, codes = len(table.classes), table.y.astype(np.intp)
    parts = []
    for train, test in folds:
        leaf = min(max(ROWS_PER_LEAF, len(train) // 100), max(len(train) // 4, 1))
        tree = DecisionTreeClassifier(max_leaf_nodes=LEAVES, min_samples_leaf=leaf, random_state=0)
        tree.fit(table.X[np.ix_(train, block)], codes[train])
        u = tree.predict_proba(table.X[np.ix_(test, block)]) / np.bincount(codes[train])
        parts.append(u[np.arange(len(test)), codes[test]] / np.linalg.norm(u, axis=1))
    terms, y = np.concatenate(parts), codes[np.concatenate([test for _, test in folds])]
    length = sum(float(terms[y == k].mean()) for k in range(n_classes))
    return max(length - sqrt(n_classes), 0.0)


def _named(names: list[str]) -> str:
    """A group of columns as a chart labels it."""
    if len(names) <= 3:
        return listed(names)
    return f"{names[0]}, {names[1]} and {len(names) - 2} more"


def _median(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else 0.0
