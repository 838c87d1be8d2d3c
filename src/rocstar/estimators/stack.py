"""`StackedRatio`: the convex combination of several estimators' angles that maximises J."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import partial
from itertools import product
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from sklearn.base import _fit_context, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.parallel import Parallel, delayed

from rocstar.checks import group_units, is_collection
from rocstar.estimators.angle import (
    AngleClassifier,
    class_weights,
    on_the_processor,
    predict_angle,
)
from rocstar.estimators.classifier import ClassifierRatio
from rocstar.estimators.cv import ArctanRatioCV
from rocstar.estimators.fits import fitted_clone, innermost, seeded
from rocstar.estimators.splits import inner_folds
from rocstar.fitting.arrays import Array
from rocstar.fitting.threads import one_blas_thread
from rocstar.geometry.curves import roc_auc
from rocstar.scale.columns import store_features
from rocstar.scale.random_split import RandomSplit

# Of a Dask collection, so many rows choose the shares, but no more than a tenth of them: a few
# shares are known to a hundredth from far fewer.
MOST_STACKING_ROWS, MOST_STACKING_SHARE = 2**17, 0.1

# Kernels of the members beside trees, and their losses. Linear in the log ratio is right for
# Gaussians that differ in their means, and on real tables its J is above that of a linear angle.
SMOOTH_MEMBERS = {"linear": "log", "rbf": "tangent"}

# Newton's method doubles the six digits of its start at every step.
POLISHING_STEPS = 3


class StackedRatio(AngleClassifier):
    r"""The mixture of several estimators' angles that maximises out-of-fold J (theory §6).

    A convex combination of angles is an angle, and J is concave along it, so the weights are the
    unique best ones up to ties.

    Parameters
    ----------
    estimators : list of (name, estimator), optional
        Ratio estimators, or classifiers, which are wrapped in `ClassifierRatio`. By default an
        `ArctanRatioCV` that is linear in the log ratio, one with an rbf kernel, and histogram
        gradient boosting.
    cv : int, splitter or iterable of splits, default=3
        Makes the out-of-fold angles that choose the weights.
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
        Rows of a Dask collection that were kept from the members.
    partly_in_sample_ : dict of float or None
        Arc length, AUC and TPR − FPR of the training rows, with members of smooth classes in
        sample and the others out of fold; None if no smooth member has a share. `certify` sets it
        against held-out figures: the optimism of trees tells nothing, that of the others does.
    arc_length_, classes_, prior_, effective_counts_, n_features_in_, feature_names_in_
        As in `ArctanRatio`.

    Notes
    -----
    A member that tunes itself, such as `ArctanRatioCV`, is tuned once on all rows; the fits
    behind the out-of-fold angles keep that choice.

    Of a Dask collection, a tenth of the rows but at most about 130,000 are kept from the members
    and choose the shares; nothing is fitted twice. The members must be such that leave rows where
    they are: `ArctanRatio`, `ArctanRatioCV`, `MaximalAUCClassifier` and a `ClassifierRatio` of
    LightGBM's or XGBoost's Dask classifier.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimators": [list, None],
        "cv": ["cv_object"],
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

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
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
        if is_collection(X):
            return self._fit_collection(X, y, sample_weight, groups)
        on_the_processor(self, X)
        X = self._lenient_input(X, reset=True)
        positive, frequencies = self._fit_labels(y, sample_weight, X)
        labels = self.classes_[positive.astype(int)]
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        members = self._members(seed)
        weight = None if sample_weight is None else np.asarray(sample_weight)
        group = None if groups is None else group_units(groups, len(labels))
        folds = inner_folds(self.cv, positive, group, seed, frequencies)
        pool = self._in_threads
        fit = partial(fitted_clone, X=X, y=labels, sample_weight=weight, groups=group)
        judge = partial(_judge, fit=fit, X=X)
        # What is tuned is tuned once, on all rows; the folds of the others need not wait for that.
        names = sorted(members, key=lambda name: hasattr(members[name], "frozen"))
        others = [name for name in names if not hasattr(members[name], "frozen")]
        jobs = [delayed(fit)(members[name]) for name in names]
        jobs += [delayed(judge)(members[name], split) for name in others for split in folds]
        done = pool(jobs)
        fitted = dict(zip(names, done, strict=False))
        self.estimators_ = {name: fitted[name] for name in members}
        tuned = [fitted[name].frozen() for name in names[len(others) :]]
        held = [
            *done[len(names) :],
            *pool(delayed(judge)(model, split) for model in tuned for split in folds),
        ]
        angles = np.full((len(members), len(labels)), np.nan)
        rank = list(members)
        for (name, (_, test)), angle in zip(product(names, folds), held, strict=True):
            angles[rank.index(name), test] = angle
        held_out = ~np.isnan(angles[0])
        terms = Terms(angles[:, held_out], positive[held_out], frequencies[held_out])
        self._share_out(list(members), terms)
        own = self._shared(lambda name: predict_angle(self.estimators_[name], X))
        self.arc_length_ = _figures(self._mixed(own), positive, frequencies)["arc_length"]
        smooth = {name for name in own if _is_smooth(members[name])}
        self.partly_in_sample_ = None
        if smooth:
            half = self._mixed({n: own[n] if n in smooth else angles[rank.index(n)] for n in own})
            self.partly_in_sample_ = _figures(
                half[held_out], positive[held_out], frequencies[held_out]
            )
        return self

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
        seed = check_random_state(self.random_state).randint(2**31 - 1)
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
            fitted = [clone(model).fit(X, y, sample_weight=weight) for model in members.values()]
            self.classes_, self.prior_ = fitted[0].classes_, fitted[0].prior_
            self.effective_counts_ = fitted[0].effective_counts_
            angles = [model.predict_angle(X) for model in fitted]
            labels, frequencies, *kept = parted.held(parted.y, parted.weights, *angles)
            terms = Terms(np.stack(kept), labels == self.classes_[1], frequencies)
        self.estimators_ = dict(zip(members, fitted, strict=True))
        store_features(self, X, fitted[0].n_features_in_)
        self.n_stacking_rows_ = len(labels)
        self._share_out(list(members), terms)
        self.arc_length_ = self.score(X, y, sample_weight)
        return self

    def _share_out(self, names: list[str], terms: Terms) -> None:
        """The best share of each member, and what each reaches alone."""
        shares = terms.best_shares()
        self.weights_ = dict(zip(names, shares.tolist(), strict=True))
        own = [terms.arc_length(share) for share in np.eye(len(names))]
        self.member_arc_length_ = dict(zip(names, own, strict=True))
        self.stacked_arc_length_ = terms.arc_length(shares)

    def predict_angle(self, X: Any) -> Array:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        self._check_is_fitted()
        X = X if is_collection(X) else self._lenient_input(X, reset=False)
        return self._mixed(self._shared(lambda name: predict_angle(self.estimators_[name], X)))

    def _shared(self, angle_of: Callable[[str], Array]) -> dict[str, Array]:
        """Something of each member that has a share."""
        return {name: angle_of(name) for name, share in self.weights_.items() if share > 0}

    def _mixed(self, angles: dict[str, Array]) -> Array:
        mixed = [self.weights_[name] * angle for name, angle in angles.items()]
        return np.clip(sum(mixed), 0.0, np.pi / 2)

    def decision_function(self, X: Any) -> Array:
        """The mixed angle, positive where `predict` says positive.

        Rows whose members all say 0, or all π/2, would tie; those are ranked by how far the
        members' unclipped scores lie outside.
        """
        return self.score_given_angle(X, self.predict_angle(X))

    def score_given_angle(self, X: Any, angle: Array) -> Array:
        """What `decision_function` would say of rows whose angles are known already."""
        score = angle - self._even_angle()
        clipped = (angle <= 0) | (angle >= np.pi / 2)
        if is_collection(X):
            return score + np.where(clipped, self._overshoot(X), 0.0)
        if clipped.any():
            rows = np.flatnonzero(clipped)
            score[rows] += self._overshoot(
                _safe_indexing(self._lenient_input(X, reset=False), rows)
            )
        return np.asarray(score)

    def _overshoot(self, X: Any) -> Array:
        """How far the members' unclipped scores lie outside [0, π/2], mixed like their angles."""
        return sum(
            share * _overshoot(self.estimators_[name], X)
            for name, share in self.weights_.items()
            if share > 0
        )

    def _in_threads(self, jobs: Iterable[Any]) -> list[Any]:
        # scikit-learn changes the warning filters for a while, which threads share: without this
        # they may be left as some thread had them.
        limited = nullcontext() if self.n_jobs in (None, 1) else one_blas_thread()
        with warnings.catch_warnings(), limited:
            return list(Parallel(n_jobs=self.n_jobs, prefer="threads")(jobs))

    def _members(self, seed: int) -> dict[str, Any]:
        """Named estimators, classifiers wrapped, their open seeds set."""
        given = self.estimators
        if given is None:
            given = default_members(seed)
        names = [name for name, _ in given]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"`estimators` must be a list of distinct names; got {names}.")
        members = {}
        for name, estimator in given:
            angles = hasattr(innermost(estimator), "predict_angle")
            model = estimator if angles else ClassifierRatio(estimator)
            members[name] = seeded(model, seed)
        return members

    @property
    def takes_collections(self) -> bool:  # type: ignore[override]
        """Whether every member leaves the rows of a Dask collection where they are."""
        return self.estimators is None or all(map(_takes_collections, self._members(0).values()))

    def _collection_members(self, seed: int) -> dict[str, Any]:
        """The members; without those of the default that need all rows in memory."""
        members = self._members(seed)
        able = {name: model for name, model in members.items() if _takes_collections(model)}
        if self.estimators is not None and len(able) < len(members):
            name = next(name for name in members if name not in able)
            raise TypeError(
                f"`estimators` must leave the rows of a Dask collection where they are; `{name}` "
                "cannot: leave it out, or pass X.compute()."
            )
        for model in able.values():
            model.check_collections()
        return able

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = [get_tags(model).input_tags for _, model in self.estimators or []]
        tags.input_tags.sparse = bool(given) and all(t.sparse for t in given)
        tags.input_tags.allow_nan = bool(given) and all(t.allow_nan for t in given)
        return tags


def default_members(seed: int) -> list[tuple[str, Any]]:
    """A linear class, a smooth one, and trees: three different ways to be wrong."""
    trees = HistGradientBoostingClassifier(
        learning_rate=0.05,
        max_iter=100,
        max_leaf_nodes=15,
        l2_regularization=1.0,
        # Left to itself, scikit-learn begins to stop early at ten thousand rows, at a loss.
        early_stopping=False,
        random_state=seed,
    )
    smooth = [(kernel, ArctanRatioCV(kernel, loss=loss)) for kernel, loss in SMOOTH_MEMBERS.items()]
    return [*smooth, ("trees", ClassifierRatio(trees))]


class Terms:
    """J of mixtures of given angles: concave in the shares, with few of them and many rows."""

    def __init__(
        self, angles: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]
    ) -> None:
        # A negative's cosine is the sine of the mirrored angle, so one sine serves both classes.
        self.margins = np.where(positive, angles, np.pi / 2 - angles)
        self.weights = class_weights(positive, weights)

    def arc_length(self, shares: NDArray[np.float64]) -> float:
        return float(self.weights @ np.sin(shares @ self.margins))

    def gradient(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.margins @ (self.weights * np.cos(shares @ self.margins)))

    def best_shares(self) -> NDArray[np.float64]:
        n = len(self.margins)
        if n == 1:
            return np.ones(1)
        found = minimize(  # type: ignore[call-overload]
            lambda a: -self.arc_length(a),
            np.full(n, 1 / n),
            jac=lambda a: -self.gradient(a),
            method="SLSQP",
            bounds=[(0.0, 1.0)] * n,
            constraints={"type": "eq", "fun": lambda a: a.sum() - 1, "jac": np.ones_like},
            options={"ftol": 1e-12, "maxiter": 200},
        ).x
        shares = np.clip(np.where(found < 1e-9, 0.0, found), 0.0, 1.0)
        return self._polished(shares / shares.sum())

    def _polished(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Newton's method on the members in use; the search before it stops six digits short."""
        for _ in range(POLISHING_STEPS):
            used = np.flatnonzero(shares)
            margins, total = self.margins[used], shares @ self.margins
            curvature = (margins * (self.weights * np.sin(total))) @ margins.T
            system = np.pad(curvature, (0, 1), constant_values=1.0)
            system[-1, -1] = 0.0  # the multiplier that keeps the sum of the shares
            slope = np.append(self.gradient(shares)[used], 0.0)
            step = np.linalg.lstsq(system, slope, rcond=1e-10)[0][:-1]
            trial = np.zeros_like(shares)
            trial[used] = np.maximum(shares[used] + step, 0.0)
            trial /= trial.sum()
            if self.arc_length(trial) < self.arc_length(shares) - 1e-15:
                break
            shares = trial
        return shares


def _judge(model: Any, split: Any, *, fit: Any, X: Any) -> NDArray[Any]:
    """Angles of a fold's held-out rows by a model of the others."""
    train, test = split
    return predict_angle(fit(model, rows=train), _safe_indexing(X, test))


def _overshoot(model: Any, X: Any) -> Array:
    """How far unclipped scores lie outside [0, π/2]; nothing for a model on another scale."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if getattr(last, "loss", None) not in ("tangent", "box"):
        return 0.0
    z = model.decision_function(X) + last._even_angle()
    return z - np.clip(z, 0.0, np.pi / 2)


def _takes_collections(model: Any) -> bool:
    return bool(getattr(model, "takes_collections", False))


def _figures(
    angle: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> dict[str, float]:
    """Arc length, AUC and TPR − FPR of the rule "angle above π/4"."""
    w = class_weights(positive, weights)
    right = np.where(positive, angle > np.pi / 4, angle <= np.pi / 4)
    return {
        "arc_length": float(w @ np.where(positive, np.sin(angle), np.cos(angle))),
        "auc": roc_auc(positive, angle, sample_weight=weights),
        "youden": float(w @ right) - 1.0,
    }


def _is_smooth(model: Any) -> bool:
    return bool(getattr(innermost(model), "smooth_class", False))
