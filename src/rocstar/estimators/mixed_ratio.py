"""Mixtures of several estimators' angles: what they predict, and those whose shares are given."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from rocstar.checks import IntArray, group_units, is_collection
from rocstar.estimators.angle import arc_length_score
from rocstar.estimators.classifier import MOST_JUDGED_ROWS
from rocstar.estimators.directions import has_many_classes
from rocstar.estimators.fits import fitted_clone
from rocstar.estimators.many_stack import ManyMixture
from rocstar.estimators.members import overshoot, takes_collections
from rocstar.estimators.protocol import Member, declared
from rocstar.estimators.unwrap import predict_angle
from rocstar.fitting.arrays import Array
from rocstar.fitting.features import landmarks
from rocstar.fitting.losses import HALF_PI
from rocstar.fitting.rows import one_blas_thread
from rocstar.scale.columns import store_features
from rocstar.sklearn_private import safe_indexing


class Mixture(ManyMixture):
    """A convex combination of its members' angles; a subclass fits them and finds their shares."""

    n_jobs: int | None
    estimators_: dict[str, Any]
    # The share of each member; they sum to one.
    weights_: dict[str, float]
    # Out-of-fold J of each member, where folds were made.
    member_arc_length_: dict[str, float]

    def shortcuts(self) -> list[str]:
        """Those of the members."""
        return [text for m in self.estimators_.values() for text in declared(m).shortcuts()]

    def members(self) -> list[Member]:
        """The share, out-of-fold J and fitted model of each member."""
        self._check_is_fitted()
        reached = getattr(self, "member_arc_length_", {})
        return [
            Member(name, share, reached.get(name, float("nan")), self.estimators_[name])
            for name, share in self.weights_.items()
        ]

    def predict_angle(self, X: Any) -> Array:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        self._require_two("predict_angle")
        X = X if is_collection(X) else self._lenient_input(X, reset=False)
        return self._mixed(self._shared(lambda name: predict_angle(self.estimators_[name], X)))

    def decision_function(self, X: Any) -> Array:
        """The mixed angle, positive where `predict` says positive.

        Rows whose members all say 0, or all π/2, would tie; those are ranked by how far the
        members' unclipped scores lie outside.
        """
        self._check_is_fitted()
        if self._many:
            return super().decision_function(X)
        return self.score_given_angle(X, self.predict_angle(X))

    def score_given_angle(self, X: Any, angle: Array) -> Array:
        """What `decision_function` would say of rows whose angles are known already."""
        score = angle - self._even_angle()
        clipped = (angle <= 0) | (angle >= HALF_PI)
        if is_collection(X):
            return score + np.where(clipped, self._overshoot(X), 0.0)
        if clipped.any():
            rows = np.flatnonzero(clipped)
            score[rows] += self._overshoot(safe_indexing(self._lenient_input(X, reset=False), rows))
        return np.asarray(score)

    def _shared(self, of: Callable[[str], Any]) -> dict[str, Any]:
        """Something of each member that has a share."""
        return {name: of(name) for name, share in self.weights_.items() if share > 0}

    def _mixed(self, angles: dict[str, Array]) -> Array:
        mixed = [self.weights_[name] * angle for name, angle in angles.items()]
        return np.clip(sum(mixed), 0.0, HALF_PI)

    def _overshoot(self, X: Any) -> Array:
        """How far the members' unclipped scores lie outside [0, π/2], mixed like their angles."""
        outside = self._shared(lambda name: overshoot(self.estimators_[name], X))
        return sum(self.weights_[name] * beyond for name, beyond in outside.items())

    def _fit_to(
        self, X: Any, codes: NDArray[Any], sample_weight: Any, units: IntArray | None
    ) -> Callable[..., Any]:
        """What fits a clone of a member to all rows in memory, or to some."""
        return partial(
            fitted_clone,
            X=X,
            y=self.classes_[codes.astype(int)],
            sample_weight=None if sample_weight is None else np.asarray(sample_weight),
            groups=units,
        )

    def _fit_on_workers(self, members: dict[str, Any], X: Any, y: Any, sample_weight: Any) -> None:
        """Fit every member where the rows of a Dask collection are."""
        fitted = [clone(model).fit(X, y, sample_weight=sample_weight) for model in members.values()]
        self.estimators_ = dict(zip(members, fitted, strict=True))
        self.classes_, self.prior_ = fitted[0].classes_, fitted[0].prior_
        self.effective_counts_ = fitted[0].effective_counts_
        store_features(self, X, fitted[0].n_features_in_)

    def _in_threads(self, jobs: Iterable[Any]) -> list[Any]:
        # scikit-learn changes the warning filters for a while, which threads share: without this
        # they may be left as some thread had them.
        limited = nullcontext() if self.n_jobs in (None, 1) else one_blas_thread()
        with warnings.catch_warnings(), limited:
            return list(Parallel(n_jobs=self.n_jobs, prefer="threads")(jobs))


class MixedRatio(Mixture):
    """Members mixed by given shares: what `StackedRatio` fits once it has chosen."""

    def __init__(
        self, estimators: list[tuple[str, Any]], shares: list[float], *, n_jobs: int | None = None
    ) -> None:
        self.estimators = estimators
        self.shares = shares
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> MixedRatio:
        """Fit every member, once."""
        members = dict(self.estimators)
        self.weights_ = dict(zip(members, self.shares, strict=True))
        if is_collection(X):
            self._fit_on_workers(members, X, y, sample_weight)
            return self
        if has_many_classes(y):
            many: MixedRatio = self._fit_given_shares(members, X, y, sample_weight, groups)
            return many
        X = self._lenient_input(X, reset=True)
        positive, frequencies = self._fit_labels(y, sample_weight, X)
        units = None if groups is None else group_units(groups, len(positive))
        fit = self._fit_to(X, positive, sample_weight, units)
        fitted = self._in_threads(delayed(fit)(model) for model in members.values())
        self.estimators_ = dict(zip(members, fitted, strict=True))
        if len(positive) > MOST_JUDGED_ROWS:
            rows = landmarks(positive, frequencies, MOST_JUDGED_ROWS, 0)
            X, positive, frequencies = safe_indexing(X, rows), positive[rows], frequencies[rows]
        angle = self.predict_angle(X)
        self.arc_length_ = arc_length_score(positive, angle, sample_weight=frequencies)
        return self

    @property
    def takes_collections(self) -> bool:  # type: ignore[override]
        """Whether every member leaves the rows of a Dask collection where they are."""
        return all(takes_collections(model) for _, model in self.estimators)
