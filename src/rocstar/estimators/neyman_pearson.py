"""`NeymanPearsonClassifier`: a false positive rate you can promise."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rocstar.checks import require_in_memory
from rocstar.estimators.angle import lenient_input, two_classes
from rocstar.estimators.fits import generator, seeded
from rocstar.estimators.numeric_input import explained
from rocstar.estimators.protocol import AnglePredictor
from rocstar.estimators.ratio import ArctanRatio
from rocstar.estimators.unwrap import predict_angle, predicts_angles, unwrap
from rocstar.sklearn_private import (
    HasMethods,
    Interval,
    check_y,
    safe_indexing,
    validates_parameters,
)


def _predicts_angles(model: NeymanPearsonClassifier) -> bool:
    return predicts_angles(getattr(model, "estimator_", model._unfitted()))


class NeymanPearsonClassifier(AnglePredictor, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Classifier whose false positive rate is at most ``fpr``, with high probability.

    Some negatives are set aside; the threshold is one of their ordered scores,
    :math:`t_{(k)}` with the smallest k for which

    .. math:: \sum_{j=k}^{n} \binom nj (1-\text{fpr})^j \text{fpr}^{n-j} \le \delta.

    Then the chance, over samples, that the classifier's true false positive rate exceeds ``fpr``
    is at most ``delta``, whatever the law and the estimator (Tong, Feng and Li 2018). It needs
    :math:`n \ge \log\delta/\log(1-\text{fpr})` negatives set aside: 59 at the defaults.

    Parameters
    ----------
    estimator : classifier, optional
        Anything with ``decision_function`` or ``predict_proba``; by default `ArctanRatio`.
    fpr : float, default=0.05
        The rate not to be exceeded.
    delta : float, default=0.05
        The chance with which it may be exceeded all the same.
    calibration_share : float, default=0.5
        Share of the negatives that set the threshold; more are taken if the guarantee needs them.
        All positives train.
    random_state : int, RandomState or None, default=None
        Draws the negatives set aside, and seeds ``estimator`` wherever it leaves a
        ``random_state`` open.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to the positives and the other negatives.
    threshold_ : float
        Rows that score above it are called positive.
    n_calibration_ : int
        Negatives that were set aside.
    rank_ : int
        k above.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from rocstar import NeymanPearsonClassifier, laws
    >>> law = laws.GaussianPair(2.0, 0.0)
    >>> X, y = law.sample(500, 500, random_state=0)
    >>> model = NeymanPearsonClassifier(fpr=0.1, random_state=0).fit(X, y)
    >>> fresh, labels = law.sample(5000, 5000, random_state=1)
    >>> bool(model.predict(fresh)[labels == 0].mean() <= 0.1)
    True
    """

    inside = ("estimator", "estimator_")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit"]), None],
        "fpr": [Interval(Real, 0, 1, closed="neither")],
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "calibration_share": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state", Interval(Integral, 0, None, closed="left"), None],
    }

    classes_: NDArray[Any]

    def __init__(
        self,
        estimator: Any = None,
        fpr: float = 0.05,
        delta: float = 0.05,
        *,
        calibration_share: float = 0.5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.fpr = fpr
        self.delta = delta
        self.calibration_share = calibration_share
        self.random_state = random_state

    @validates_parameters(skip_nested=False)
    def fit(self, X: Any, y: ArrayLike, **params: Any) -> NeymanPearsonClassifier:
        """Fit the estimator and set the threshold.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two labels; the larger one is the positive class.
        **params : dict
            Metadata of each row for the estimator's ``fit``, such as ``sample_weight``; routed if
            scikit-learn's metadata routing is on. The guarantee counts rows, whatever their weight.

        Returns
        -------
        self
        """
        require_in_memory(X=X, y=y, **params)
        X, labels = lenient_input(self, X, reset=True), check_y(y)
        check_consistent_length(X, labels)
        positive, self.classes_ = two_classes(labels)
        aside = self._set_aside(np.flatnonzero(~positive))
        train = np.setdiff1d(np.arange(positive.size), aside)
        self.estimator_ = seeded(self._unfitted(), self.random_state)
        extra = self._fit_params(params, train)
        with explained(X, type(unwrap(self.estimator_)).__name__):
            self.estimator_.fit(safe_indexing(X, train), labels[train], **extra)
        self.n_calibration_ = aside.size
        self.rank_ = order_rank(aside.size, self.fpr, self.delta)
        scores = np.sort(self._scores(safe_indexing(X, aside)))
        self.threshold_ = float(scores[self.rank_ - 1])
        return self

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The estimator's score minus the threshold."""
        check_is_fitted(self, "threshold_")
        X = lenient_input(self, X, reset=False)
        return np.asarray(self._scores(X) - self.threshold_)

    @available_if(_predicts_angles)  # type: ignore[untyped-decorator]
    def predict_angle(self, X: Any) -> NDArray[Any]:
        """The angle atan(p/q) of each row, as the estimator inside predicts it.

        Only if that estimator predicts angles: wrap a classifier that does not in
        `ClassifierRatio`, as `rocstar.certify` does by itself.
        """
        check_is_fitted(self, "threshold_")
        return predict_angle(self.estimator_, lenient_input(self, X, reset=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """The positive label where the score exceeds the threshold."""
        above = self.decision_function(X) > 0
        return np.asarray(self.classes_[above.astype(int)])

    def get_metadata_routing(self) -> MetadataRouter:
        """How metadata reach the estimator."""
        return (
            MetadataRouter(owner=type(self).__name__)
            .add_self_request(self)
            .add(
                estimator=self._unfitted(),
                method_mapping=MethodMapping().add(caller="fit", callee="fit"),
            )
        )

    def _unfitted(self) -> Any:
        return ArctanRatio() if self.estimator is None else self.estimator

    def _set_aside(self, negatives: NDArray[np.intp]) -> NDArray[np.intp]:
        """Negatives for the threshold: the share asked for, or what the guarantee needs."""
        needed = calibration_size(self.fpr, self.delta)
        if negatives.size < needed + 1:
            raise ValueError(
                f"`fpr={self.fpr:g}` with `delta={self.delta:g}` needs at least {needed + 1} "
                f"negatives, {needed} for the threshold and one to train on; "
                f"got {negatives.size}: add negatives, or raise `fpr` or `delta`."
            )
        size = max(needed, round(self.calibration_share * negatives.size))
        rng = generator(self.random_state)
        return np.sort(rng.permutation(negatives)[: min(size, negatives.size - 1)])

    def _fit_params(self, params: dict[str, Any], train: NDArray[np.intp]) -> dict[str, Any]:
        """Metadata of the rows that train."""
        if params and get_config()["enable_metadata_routing"]:
            params = process_routing(self, "fit", **params).estimator.fit
        return {name: safe_indexing(value, train) for name, value in params.items()}

    def _scores(self, X: Any) -> NDArray[Any]:
        if hasattr(self.estimator_, "decision_function"):
            return np.asarray(self.estimator_.decision_function(X), dtype=np.float64)
        return np.asarray(self.estimator_.predict_proba(X)[:, 1], dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags = get_tags(self._unfitted()).input_tags
        return tags


def calibration_size(fpr: float, delta: float) -> int:
    """Smallest number of negatives whose largest score is a valid threshold."""
    # (1 − fpr)^n ≤ delta; guard the ceiling against rounding when the ratio is a whole number.
    return max(1, int(np.ceil(np.log(delta) / np.log1p(-fpr) - 1e-12)))


def order_rank(n: int, fpr: float, delta: float) -> int:
    """Smallest rank k whose order statistic exceeds ``fpr`` with probability at most ``delta``."""
    ranks = np.arange(1, n + 1)
    violation = binom.sf(ranks - 1, n, 1 - fpr)  # P(Binomial(n, 1 − fpr) ≥ k)
    return int(ranks[np.argmax(violation <= delta * (1 + 1e-12))])
