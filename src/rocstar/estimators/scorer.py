"""`arc_length_scorer`: held-out J as a score for scikit-learn's searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metadata_routing import MetadataRequest

from rocstar.checks import binary_labels, class_totals, nonnegative_weights
from rocstar.estimators.angle import arc_length_score
from rocstar.estimators.unwrap import predict_angle, predicts_angles


class ArcLengthScorer:
    """Scorer of held-out J for ``cross_val_score`` and ``GridSearchCV``; higher is better.

    It is at hand as ``arc_length_scorer``.

    A classifier without ``predict_angle`` is scored by its probabilities, taken at their word for
    the share of positives among the rows it is judged on. That is the share it was trained with if
    the folds are stratified. Class weights inside it make the probabilities wrong and the score
    low: wrap it in `ClassifierRatio`, which accounts for them.

    Parameters
    ----------
    sample_weight : bool, str or None, default=None
        Whether scikit-learn's metadata routing passes weights on, or under which name; see
        ``set_score_request``.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from rocstar import ArctanRatio, arc_length_scorer, laws
    >>> X, y = laws.GaussianPair(0.0, 2.0).sample(200, 200, random_state=0)
    >>> bool(cross_val_score(ArctanRatio(), X, y, scoring=arc_length_scorer).mean() > 1.6)
    True
    """

    def __init__(self, sample_weight: bool | str | None = None) -> None:
        self.sample_weight = sample_weight

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """J of a fitted estimator's angles on these rows."""
        if predicts_angles(estimator):
            angle = predict_angle(estimator, X)
        else:
            angle = _angle_by_probability(estimator, X, y, sample_weight)
        return arc_length_score(y, angle, sample_weight=sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None) -> ArcLengthScorer:
        """A scorer that asks scikit-learn's metadata routing for weights, or not to pass them."""
        return ArcLengthScorer(sample_weight)

    def get_metadata_routing(self) -> MetadataRequest:
        """What this scorer asks scikit-learn's metadata routing for."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self.sample_weight)
        return request

    def __repr__(self) -> str:
        asks = "" if self.sample_weight is None else f"sample_weight={self.sample_weight!r}"
        return f"ArcLengthScorer({asks})"


arc_length_scorer = ArcLengthScorer()


def _angle_by_probability(
    classifier: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> NDArray[Any]:
    """The angle that a classifier's probabilities stand for at these rows' share of positives."""
    if not hasattr(classifier, "predict_proba"):
        raise TypeError(
            f"`estimator` must predict angles or probabilities; got {type(classifier).__name__}: "
            'wrap it in rocstar.ClassifierRatio with calibration="isotonic".'
        )
    positive, _ = binary_labels(y)
    totals = class_totals(positive, nonnegative_weights(sample_weight, len(positive)))
    probability = np.asarray(classifier.predict_proba(X), dtype=np.float64)
    return np.arctan2(probability[:, 1] / totals[0], probability[:, 0] / totals[1])
