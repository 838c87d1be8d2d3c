"""`StackedRatio` of more than two classes: log ratios mixed by the best shares (theory §15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils.parallel import delayed

from rocstar.checks import FloatArray, IntArray, group_units
from rocstar.estimators.additive import additive_classifier
from rocstar.estimators.directions import (
    DirectionClassifier,
    class_figures,
    mixed_directions,
    predict_direction,
)
from rocstar.estimators.fits import derived_seed
from rocstar.estimators.forest import RandomlyCutForest
from rocstar.estimators.protocol import declared, frozen, tunes_itself
from rocstar.estimators.shares import MixedLogRatios, stacking_folds
from rocstar.estimators.splits import Split, named
from rocstar.fitting.directions import class_landmarks
from rocstar.sklearn_private import safe_indexing

# Trees of one fit: every step of boosting grows one per class.
MOST_TREES = 400
LEAST_STEPS, MOST_STEPS = 15, 40
# The way of boosting: the number of steps times their length, as for two classes.
WAY = 4.8
# Curves along columns tell most where rows are few; of more rows trees find as much, and of more
# columns their logistic regression takes longer than all other members.
MOST_CURVED_ROWS, MOST_CURVED_COLUMNS = 10_000, 20
# Training rows that tell J in sample.
MOST_JUDGED_ROWS = 20_000


class ManyMixture(DirectionClassifier):
    """Members whose log ratios are mixed: what `StackedRatio` is for more than two classes."""

    weights_: dict[str, float]
    estimators_: dict[str, Any]

    def _direction(self, X: Any) -> FloatArray:
        rows = self._lenient_input(X, reset=False)
        used = {name: share for name, share in self.weights_.items() if share > 0}
        found = [self._member_direction(self.estimators_[name], rows) for name in used]
        return mixed_directions(found, np.array(list(used.values())))

    def _member_direction(self, model: Any, X: Any) -> FloatArray:
        """Directions without zeros, whose logarithms can be mixed."""
        u = predict_direction(model, X)
        u = np.maximum(u, u.max(axis=1, keepdims=True) / (self.effective_counts_ + 1))
        return np.asarray(u / np.linalg.norm(u, axis=1, keepdims=True))

    def _fit_many(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
        own: Any = self
        X = self._lenient_input(X, reset=True)
        codes, weights = self._fit_class_labels(y, sample_weight, X)
        seed = derived_seed(own.random_state)
        members = own._seeded_members(seed, X.shape[0], X.shape[-1], n_classes=self.priors_.size)
        units = None if groups is None else group_units(groups, codes.size)
        folds, own.n_stacking_rows_ = stacking_folds(
            own.cv, codes, units, weights, seed, named(self.classes_)
        )
        fit = own._fit_to(X, codes, sample_weight, units)
        directions = self._fit_class_members(members, X, fit, folds)
        held = ~np.isnan(next(iter(directions.values()))[:, 0])
        known = codes[held], weights[held] / np.bincount(codes[held], weights[held])[codes[held]]
        mixture = MixedLogRatios([u[held] for u in directions.values()], *known)
        shares = mixture.best_shares()
        self.weights_ = dict(zip(members, shares.tolist(), strict=True))
        alone = [mixture.arc_length(one) for one in np.eye(shares.size)]
        own.member_arc_length_ = dict(zip(members, alone, strict=True))
        own.stacked_arc_length_ = mixture.arc_length(shares)
        own.partly_in_sample_ = None
        if not own.n_stacking_rows_:
            own.partly_in_sample_ = self._in_sample_figures(members, directions, X, held, known)
        own.arc_length_ = self._training_arc_length(X, codes, weights)
        return self

    def _fit_given_shares(
        self, members: dict[str, Any], X: Any, y: Any, sample_weight: Any, groups: Any
    ) -> Any:
        """Fit every member once, to all rows."""
        own: Any = self
        X = self._lenient_input(X, reset=True)
        codes, weights = self._fit_class_labels(y, sample_weight, X)
        units = None if groups is None else group_units(groups, codes.size)
        fit = own._fit_to(X, codes, sample_weight, units)
        fitted = own._in_threads(delayed(fit)(model) for model in members.values())
        self.estimators_ = dict(zip(members, fitted, strict=True))
        own.arc_length_ = self._training_arc_length(X, codes, weights)
        return self

    def _training_arc_length(self, X: Any, codes: IntArray, weights: FloatArray) -> float:
        """J of the training rows, or of some of many."""
        rows = class_landmarks(codes, weights, MOST_JUDGED_ROWS, 0)
        direction = self._direction(safe_indexing(X, rows))
        return class_figures(codes[rows], direction, weights[rows])["arc_length"]

    def _fit_class_members(
        self, members: dict[str, Any], X: Any, fit: Callable[..., Any], folds: list[Split]
    ) -> dict[str, FloatArray]:
        """Fit each member to all rows; return the directions of rows that it has not seen.

        Of many rows, some are kept from the members, and nothing is fitted twice.
        """
        own: Any = self
        out = {name: np.full((X.shape[0], self.priors_.size), np.nan) for name in members}
        if own.n_stacking_rows_:
            ((train, test),) = folds
            done = own._in_threads(delayed(fit)(one, rows=train) for one in members.values())
            self.estimators_ = dict(zip(members, done, strict=True))
            for name, model in self.estimators_.items():
                out[name][test] = self._member_direction(model, safe_indexing(X, test))
            return out
        fitted = own._in_threads(delayed(fit)(model) for model in members.values())
        self.estimators_ = dict(zip(members, fitted, strict=True))
        # What is tuned is tuned once, on all rows.
        chosen = {
            name: frozen(self.estimators_[name]) if tunes_itself(model) else model
            for name, model in members.items()
        }

        def judged(model: Any, split: Split) -> FloatArray:
            train, test = split
            return self._member_direction(fit(model, rows=train), safe_indexing(X, test))

        for name, model in chosen.items():
            found = own._in_threads(delayed(judged)(model, split) for split in folds)
            for (_, test), direction in zip(folds, found, strict=True):
                out[name][test] = direction
        return out

    def _in_sample_figures(
        self,
        members: dict[str, Any],
        held_out: dict[str, FloatArray],
        X: Any,
        held: Any,
        known: Any,
    ) -> dict[str, float] | None:
        """Figures with smooth members in sample and the others out of fold."""
        used = {name: share for name, share in self.weights_.items() if share > 0}
        smooth = [name for name, model in members.items() if declared(model).smooth_class]
        if not smooth:
            return None
        found = [
            self._member_direction(self.estimators_[name], X)[held]
            if name in smooth
            else held_out[name][held]
            for name in used
        ]
        return class_figures(
            known[0], mixed_directions(found, np.array(list(used.values()))), known[1]
        )


def default_class_members(
    n_classes: int, seed: int | None = None, rows: int | None = None, columns: int = 1
) -> list[tuple[str, Any]]:
    """A linear class, a smooth one, boosted trees, a forest and, of few rows, curves."""
    from rocstar.estimators.classifier import ClassifierRatio
    from rocstar.estimators.cv import ArctanRatioCV
    from rocstar.estimators.members import MAX_COLUMNS

    smooth = [
        (kernel, ArctanRatioCV(kernel, loss="log", cv=3, max_columns=MAX_COLUMNS))
        for kernel in ("linear", "rbf")
    ]
    trees, forest = class_trees(n_classes, random_state=seed), class_forest(seed)
    members = {"trees": trees, "forest": forest}
    if suits_curves(rows, columns):
        members["additive"] = additive_classifier()
    return [*smooth, *((name, ClassifierRatio(model)) for name, model in members.items())]


def suits_curves(rows: int | None, columns: int) -> bool:
    """Whether a table is small enough for curves along its columns."""
    return (rows is None or rows <= MOST_CURVED_ROWS) and columns <= MOST_CURVED_COLUMNS


def class_trees(n_classes: int, **settings: Any) -> HistGradientBoostingClassifier:
    """Boosted trees whose steps are fewer and larger with more classes, to take as long."""
    steps = int(np.clip(MOST_TREES // n_classes, LEAST_STEPS, MOST_STEPS))
    return HistGradientBoostingClassifier(
        learning_rate=min(WAY / steps, 0.25),
        max_iter=steps,
        max_leaf_nodes=15,
        l2_regularization=1.0,
        early_stopping=False,
        **settings,
    )


def class_forest(seed: int | None) -> RandomlyCutForest:
    """A forest that looks at all columns: many classes may need many cuts of one of them."""
    from rocstar.estimators.members import MOST_FOREST_ROWS

    return RandomlyCutForest(
        min_samples_leaf=5, max_features=None, max_rows=MOST_FOREST_ROWS, random_state=seed
    )
