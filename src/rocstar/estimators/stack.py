"""`StackedRatio`: the convex combination of several estimators' angles that maximises J."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import get_tags
from sklearn.utils.parallel import delayed

from rocstar.checks import BoolArray, FloatArray, group_units, is_collection
from rocstar.estimators.angle import on_the_processor
from rocstar.estimators.classifier import MOST_JUDGED_ROWS, with_angles
from rocstar.estimators.directions import has_many_classes, takes_many_classes
from rocstar.estimators.fits import derived_seed, seeded
from rocstar.estimators.member_changes import (
    ChangedMembers,
    all_pairs,
    default_names,
    default_pairs,
    with_more_changes,
)
from rocstar.estimators.members import (
    LEAST_SHARE,
    checked_members,
    checked_pairs,
    class_rows,
    collection_members,
    judge,
    stand_ins,
    takes_collections,
)
from rocstar.estimators.mixed_ratio import MixedRatio, Mixture
from rocstar.estimators.numeric_input import member_error
from rocstar.estimators.protocol import declared, frozen, tunes_itself
from rocstar.estimators.shares import (
    MOST_STACKING_ROWS,
    MOST_STACKING_SHARE,
    MixtureArcLength,
    stacking_folds,
    training_figures,
)
from rocstar.estimators.splits import Split
from rocstar.estimators.unwrap import predict_angle
from rocstar.fitting.features import landmarks
from rocstar.scale.random_split import RandomSplit
from rocstar.sklearn_private import (
    BaseComposition,
    StrOptions,
    safe_indexing,
    validates_parameters,
)


class StackedRatio(BaseComposition, Mixture):  # type: ignore[misc]
    r"""The mixture of several estimators' angles that maximises out-of-fold J (theory §6).

    A convex combination of angles is an angle, and J is concave along it, so the weights are the
    unique best ones up to ties. Of more than two classes log ratios are mixed, and the weights are
    the best that were found from several starts (theory §15).

    Parameters
    ----------
    estimators : list of (name, estimator), optional
        Ratio estimators, or classifiers, which are wrapped in `ClassifierRatio`. By default
        ``linear``, an `ArctanRatioCV` that is linear in the log ratio, ``rbf``, one with an rbf
        kernel, ``quadratic``, a `QuadraticRatio`, of up to 300 columns, ``trees`` and ``shallow``,
        histogram gradient boosting of large and of small trees, and ``forest``, extremely
        randomised trees; of fewer than 400 rows, without the last two. Of more than
        10,000 and at most 25,000 rows also ``guided``, boosted trees that see two smooth scores as
        further columns: those of an untuned ``rbf`` and of ``quadratic`` as they are by default,
        unless they are left out or replaced.
        With 400 rows or more, trees have small leaves if the rarer class has fewer than 200. Of
        more than two classes, ``linear``, ``rbf``, ``trees``, ``forest`` and, of up to 10,000 rows
        and 20 columns, ``additive``, logistic regression on splines along each column.
        Parameters of a member are set as in ``set_params(rbf__cv=3)``; ``set_params(rbf="drop")``
        leaves one out.
    cv : int, "holdout", splitter or iterable of splits, default=3
        Makes the out-of-fold angles that choose the weights; "holdout" judges one half of the rows
        by members of the other half, which takes less time. A number counts folds where the rarer
        class has fewer than 5,000 rows, or groups; see the notes for more.
    n_jobs : int, optional
        Threads over members and folds.
    random_state : int, RandomState or None, default=None
        Shuffles the folds, and seeds the members wherever they leave a ``random_state`` open, also
        inside wrapped classifiers and pipelines: an integer fixes the fit, None draws a fresh seed
        per fit.

    Attributes
    ----------
    estimators_ : dict of fitted estimators
        On all rows.
    weights_ : dict of float
        The share of each member; they sum to one.
    member_arc_length_ : dict of float
        Out-of-fold J of each member.
    stacked_arc_length_ : float
        J of the mixture on the very angles that chose its weights: not held out.
    n_stacking_rows_ : int
        Rows of a large table or of a Dask collection that were kept from the members; else 0.
    partly_in_sample_ : dict of float or None
        Arc length, AUC and TPR − FPR of the training rows, with members of smooth classes in
        sample and the others out of fold; None if no member is of a smooth class, or if rows were
        kept from the members. `certify` compares it with held-out figures: the optimism of trees
        is not informative, that of the others is.
    arc_length_, classes_, prior_, effective_counts_, n_features_in_, feature_names_in_
        As in `ArctanRatio`.

    Notes
    -----
    A member that tunes itself, such as `ArctanRatioCV`, is tuned once on all rows; the fits
    behind the out-of-fold angles keep that choice. From 400 rows on, a kernel is first tried
    untuned, with 100 landmarks: if its share is below 0.05, it stays as it is.

    Of a Dask collection, and of rows in memory whose rarer class has 5,000 or more (of more than
    two classes, of 16,000 rows or more), a tenth of the rows but at most about 130,000 are kept
    from the members and choose the shares; nothing is fitted twice. Pass a splitter as ``cv`` for
    folds of any number of rows. The members for a Dask collection must leave rows where they are:
    `ArctanRatio`, `ArctanRatioCV`, `MaximalAUCClassifier` and a `ClassifierRatio` of LightGBM's or
    XGBoost's Dask classifier.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from rocstar import ArctanRatioCV, StackedRatio, laws
    >>> X, y = laws.GaussianPair(0.0, 2.0).sample(200, 200, random_state=0)
    >>> members = [("rbf", ArctanRatioCV("rbf")), ("logistic", LogisticRegression())]
    >>> stack = StackedRatio(members, random_state=0).fit(X, y)
    >>> print(f"{sum(stack.weights_.values()):.3f}")
    1.000
    """

    seeds_members = True
    tunes_itself = True
    estimators_: dict[str, Any]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimators": [list, None],
        "cv": ["cv_object", StrOptions({"holdout"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimators: list[tuple[str, Any]] | None = None,
        *,
        cv: Any = 3,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the stack and, if ``deep``, its members and theirs."""
        own: dict[str, Any] = self._get_params("estimators", deep=deep)
        if not deep or not self._by_default:
            return own
        return {**StackedRatio(all_pairs(self._changed)).get_params(), **own}

    def set_params(self, **params: Any) -> StackedRatio:
        """Set parameters of the stack, of its members, or a member to an estimator or "drop"."""
        if self._by_default and "estimators" not in params:
            # Which members there will be depends on the classes: the changes wait for them.
            names = default_names()
            ours = {key: params.pop(key) for key in [*params] if key.partition("__")[0] in names}
            if ours:
                self.estimators = with_more_changes(self._changed, ours)
        self._set_params("estimators", **params)
        return self

    @property
    def _by_default(self) -> bool:
        """Whether the members are those by default, changed or not."""
        return self.estimators is None or self._changed is not None

    @property
    def _changed(self) -> ChangedMembers | None:
        return self.estimators if isinstance(self.estimators, ChangedMembers) else None

    @validates_parameters(skip_nested=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> StackedRatio:
        """Fit every member, and the weights to their out-of-fold angles.

        Parameters
        ----------
        X : array-like
            Whatever the members take.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        groups : array-like of shape (n_samples,), optional
            Rows of a group stay in one fold, also in the folds of members that make their own.

        Returns
        -------
        self
        """
        self.n_stacking_rows_ = 0
        if is_collection(X):
            return self._fit_collection(X, y, sample_weight, groups)
        on_the_processor(self, X)
        if has_many_classes(y):
            fitted: StackedRatio = self._fit_many(X, y, sample_weight, groups)
            return fitted
        X = self._lenient_input(X, reset=True)
        positive, frequencies = self._fit_labels(y, sample_weight, X)
        seed = derived_seed(self.random_state)
        rows, rarer = class_rows(positive, frequencies)
        members = self._seeded_members(seed, rows, X.shape[-1], rarer=rarer)
        units = None if groups is None else group_units(groups, len(positive))
        folds, self.n_stacking_rows_ = stacking_folds(self.cv, positive, units, frequencies, seed)
        fit = self._fit_to(X, positive, sample_weight, units)
        try:
            angles = self._fit_members(members, X, fit, folds, positive, frequencies)
        except (TypeError, ValueError) as error:
            # All that more rows would have: this stack may be that of a fold.
            explained = member_error(self._seeded_members(seed), X, error)
            if explained is None:
                raise
            raise explained from error
        held_out = ~np.isnan(next(iter(angles.values())))
        known = positive[held_out], frequencies[held_out]
        self._share_out({name: angle[held_out] for name, angle in angles.items()}, *known)
        self.partly_in_sample_ = None
        if self.n_stacking_rows_:
            some = landmarks(positive, frequencies, MOST_JUDGED_ROWS, 0)
            X, positive, frequencies = safe_indexing(X, some), positive[some], frequencies[some]
        own = self._shared(lambda name: predict_angle(self.estimators_[name], X))
        self.arc_length_ = training_figures(self._mixed(own), positive, frequencies)["arc_length"]
        smooth = {name for name, model in members.items() if declared(model).smooth_class}
        # Also where none of these has a share: figures must not jump as a share goes to zero.
        if smooth and not self.n_stacking_rows_:
            half = self._mixed({name: (own if name in smooth else angles)[name] for name in own})
            self.partly_in_sample_ = training_figures(half[held_out], *known)
        return self

    def fit_members(
        self,
        X: Any,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        like: StackedRatio | None = None,
        share: float = 1.0,
        rows: int | None = None,
        rarer: int | None = None,
    ) -> StackedRatio:
        """Fit every member to all rows, with equal shares until `share_out` sets others."""
        # Members by default are those for so many rows, of both classes and of the rarer one: where
        # shares are chosen by what stacks of several parts of a sample say, all must have the same.
        # What members tune is taken over from a stack that is fitted already, if one is given;
        # these rows are then that share of its rows.
        X = self._lenient_input(X, reset=True)
        positive, _ = self._fit_labels(y, None, X)
        seed = derived_seed(self.random_state)
        members = self._seeded_members(seed, rows, X.shape[-1], rarer=rarer)
        if like is not None:
            tuned = {name for name in members if tunes_itself(members[name])}
            members |= {name: frozen(like.estimators_[name], share) for name in tuned}
        units = None if groups is None else group_units(groups, len(positive))
        fit = self._fit_to(X, positive, None, units)
        jobs = [delayed(fit)(member) for member in members.values()]
        self.estimators_ = dict(zip(members, self._in_threads(jobs), strict=True))
        self.weights_ = dict.fromkeys(members, 1 / len(members))
        self.member_arc_length_ = dict.fromkeys(members, float("nan"))
        self.partly_in_sample_ = None
        return self

    def member_angles(self, X: Any) -> FloatArray:
        """Angles of rows by each member, one line per member."""
        X = self._lenient_input(X, reset=False)
        return np.stack([predict_angle(model, X) for model in self.estimators_.values()])

    def share_out(self, angles: FloatArray, positive: BoolArray) -> None:
        """Choose the shares by members' angles of rows that no member has learnt from."""
        named = dict(zip(self.estimators_, angles, strict=True))
        self._share_out(named, positive, np.ones(positive.size))

    def _fit_members(
        self,
        members: dict[str, Any],
        X: Any,
        fit: Callable[..., Any],
        folds: list[Split],
        positive: BoolArray,
        weights: FloatArray,
    ) -> dict[str, FloatArray]:
        """Fit each member to all rows; return the angles of rows that it has not seen."""
        cheap = stand_ins(members, int(np.count_nonzero(weights)))
        fitted, angles = self._fit_and_judge(members | cheap, X, fit, folds)
        if cheap:
            held_out = ~np.isnan(angles[next(iter(cheap))])
            said = np.stack([angle[held_out] for angle in angles.values()])
            mixture = MixtureArcLength(said, positive[held_out], weights[held_out])
            shares = dict(zip(angles, mixture.best_shares(), strict=True))
            worth = {name: members[name] for name in cheap if shares[name] >= LEAST_SHARE}
            for known, better in zip(
                (fitted, angles), self._fit_and_judge(worth, X, fit, folds), strict=True
            ):
                known.update(better)
        self.estimators_ = fitted
        return angles

    def _fit_and_judge(
        self, members: dict[str, Any], X: Any, fit: Callable[..., Any], folds: list[Split]
    ) -> tuple[dict[str, Any], dict[str, FloatArray]]:
        """Each member fitted to all rows, and the angles of rows that it has not seen."""
        n_rows = X.shape[0]
        angles = {name: np.full(n_rows, np.nan) for name in members}
        if self.n_stacking_rows_:
            ((train, test),) = folds
            done = self._in_threads(delayed(fit)(one, rows=train) for one in members.values())
            kept = safe_indexing(X, test)
            for name, model in zip(members, done, strict=True):
                angles[name][test] = predict_angle(model, kept)
            return dict(zip(members, done, strict=True)), angles
        angles_of = partial(judge, fit=fit, X=X)
        # What is tuned is tuned once, on all rows; the folds of the others need not wait for that.
        tuned = [name for name in members if tunes_itself(members[name])]
        others = [name for name in members if name not in tuned]
        names = [*others, *tuned]
        jobs = [delayed(fit)(members[name]) for name in names]
        jobs += [delayed(angles_of)(members[name], split) for name in others for split in folds]
        done = self._in_threads(jobs)
        fitted = dict(zip(names, done, strict=False))
        chosen = [frozen(fitted[name]) for name in tuned]
        held = done[len(names) :]
        held += self._in_threads(
            delayed(angles_of)(one, split) for one in chosen for split in folds
        )
        for (name, (_, test)), angle in zip(product(names, folds), held, strict=True):
            angles[name][test] = angle
        return {name: fitted[name] for name in members}, angles

    def check_collections(self) -> None:
        """Raise an error if a member needs all rows in memory."""
        self._collection_members(0)

    def _fit_collection(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> StackedRatio:
        """Fit every member where the rows are, and the shares to rows kept from all members."""
        if groups is not None:
            raise ValueError(
                "`groups` must be None for a Dask collection, whose rows are kept back one by one; "
                "pass X.compute() to keep groups together."
            )
        seed = derived_seed(self.random_state)
        members = self._collection_members(seed)
        parted = RandomSplit.of(
            y,
            sample_weight,
            seed,
            most_rows=MOST_STACKING_ROWS,
            most_share=MOST_STACKING_SHARE,
        )
        weight = parted.training_weights()
        with parted.both_classes_on_both_sides():
            self._fit_on_workers(members, X, y, weight)
            angles = [model.predict_angle(X) for model in self.estimators_.values()]
            labels, frequencies, *kept = parted.held(parted.y, parted.weights, *angles)
            positive = labels == self.classes_[1]
            self._share_out(dict(zip(members, kept, strict=True)), positive, frequencies)
        self.n_stacking_rows_ = len(labels)
        self.partly_in_sample_ = None
        self.arc_length_ = self.score(X, y, sample_weight)
        return self

    def _share_out(
        self, angles: dict[str, FloatArray], positive: BoolArray, weights: FloatArray
    ) -> None:
        """The best share of each member, and what each reaches alone."""
        mixture = MixtureArcLength(np.stack(list(angles.values())), positive, weights)
        shares = mixture.best_shares()
        self.weights_ = dict(zip(angles, shares.tolist(), strict=True))
        own = [mixture.arc_length(share) for share in np.eye(len(angles))]
        self.member_arc_length_ = dict(zip(angles, own, strict=True))
        self.stacked_arc_length_ = mixture.arc_length(shares)

    def shortcuts(self) -> list[str]:
        """Those of the members, and whether one part of the rows chose the shares."""
        said = super().shortcuts()
        if self.n_stacking_rows_:
            said.append(
                f"The shares of the models in the stack were chosen on {self.n_stacking_rows_:,} "
                "of its rows, from which the models did not learn."
            )
        elif isinstance(self.cv, str):
            said.append(
                "The shares of the models in the stack were chosen on one held-out half of its "
                "rows."
            )
        return said

    def frozen(self, share: float = 1.0) -> MixedRatio:
        """An unfitted mixture that keeps the shares, and what its members have tuned."""
        self._check_is_fitted()
        kept = self._shared(lambda name: frozen(self.estimators_[name], share))
        shares = [self.weights_[name] for name in kept]
        return MixedRatio(list(kept.items()), shares, n_jobs=self.n_jobs)

    def _seeded_members(
        self,
        seed: int,
        rows: int | None = None,
        columns: int = 1,
        n_classes: int = 2,
        rarer: int | None = None,
    ) -> dict[str, Any]:
        """Named estimators but those dropped, classifiers wrapped, their open seeds set."""
        given = self._pairs()
        if self._by_default:
            given = default_pairs(self._changed, seed, rows, columns, n_classes, rarer)
        kept = checked_members(given, reserved=set(self.get_params(deep=False)))
        return {name: seeded(with_angles(model), seed) for name, model in kept}

    def _pairs(self) -> list[tuple[str, Any]]:
        return checked_pairs(self.estimators or [])

    @property
    def takes_collections(self) -> bool:  # type: ignore[override]
        """Whether every member leaves the rows of a Dask collection where they are."""
        return self.estimators is None or all(
            map(takes_collections, self._seeded_members(0).values())
        )

    def _collection_members(self, seed: int) -> dict[str, Any]:
        """The members; without those of the default that need all rows in memory."""
        given = self.estimators is not None
        return collection_members(self._seeded_members(seed), given=given)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        kept = [model for _, model in self._pairs() if model != "drop"]
        given = [get_tags(model).input_tags for model in kept]
        asked = default_pairs(self._changed, n_classes=3) if self._by_default else self._pairs()
        tags.classifier_tags.multi_class = all(
            takes_many_classes(model) for _, model in asked if model != "drop"
        )
        tags.input_tags.sparse = bool(given) and all(t.sparse for t in given)
        tags.input_tags.allow_nan = bool(given) and all(t.allow_nan for t in given)
        return tags
