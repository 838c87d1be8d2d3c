"""What callers may ask of every estimator of angles, with the answers of an ordinary one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.base import clone

from rocstar.estimators.unwrap import unwrap
from rocstar.fitting.arrays import Array


class Member(NamedTuple):
    """One of the models that a prediction is mixed from."""

    name: str
    share: float
    # Out of fold; NaN for a model that has made no folds of its own.
    arc_length: float
    model: Any


class AnglePredictor:
    """The declared answers of an estimator of angles; subclasses override what differs."""

    # Whether the in-sample optimism is small and symmetric enough for the midpoint of theory §8.
    smooth_class: bool = False
    # Whether `fit` leaves the rows of a Dask collection on their workers.
    takes_collections: bool = False
    # Whether `fit` sets the seeds that the estimators inside leave open.
    seeds_members: bool = False
    # Whether `decision_function` is an angle, not clipped and shifted by a constant.
    scores_are_angles: bool = False
    # Figures of the training rows, smooth members in sample and the others out of fold.
    partly_in_sample_: dict[str, float] | None = None

    def check_collections(self) -> None:
        """Raise an error if, as it is set up, `fit` needs all rows of a Dask collection here."""

    @property
    def tunes_itself(self) -> bool:
        """Whether `frozen` keeps choices that `fit` makes on held-out rows."""
        return type(self).frozen is not AnglePredictor.frozen

    @property
    def refits_cheaply(self) -> bool:
        """Whether `refitted` does without most of the work of `fit`."""
        return self.tunes_itself

    def frozen(self, share: float = 1.0) -> Any:
        """An unfitted copy that keeps the choices made by tuning, for that share of the rows.

        A penalty that was tuned stands for a prior, which fewer rows outweigh less: per row it is
        1/share times as strong.
        """
        return clone(self)

    def refitted(self, fit: Callable[[Any], Any], share: float = 1.0) -> Any:
        """A fitted copy that keeps the choices made by tuning, as `frozen` does."""
        return fit(self.frozen(share))

    def decision_function(self, X: Any) -> Array:
        raise NotImplementedError

    def score_given_angle(self, X: Any, angle: Array) -> Array:
        """What `decision_function` would say of rows whose angles are known already."""
        return self.decision_function(X)

    def shortcuts(self) -> list[str]:
        """Sentences on what the last fit did with less than usual, for the size of its table."""
        return []

    def members(self) -> list[Member]:
        """The models that a prediction is mixed from; of one model, itself."""
        return [Member(type(self).__name__, 1.0, float("nan"), self)]


def refitted(model: Any, fit: Callable[[Any], Any], share: float = 1.0) -> Any:
    """A copy of a fitted model that ``fit`` has fitted to a share of the rows.

    An `AnglePredictor` keeps the choices made by tuning; other models choose anew.
    """
    return model.refitted(fit, share) if isinstance(model, AnglePredictor) else fit(model)


def declared(estimator: Any) -> AnglePredictor:
    """What the estimator inside pipelines and searches declares; the defaults if it does not."""
    inside = unwrap(estimator)
    return inside if isinstance(inside, AnglePredictor) else AnglePredictor()


def frozen(fitted: Any, share: float = 1.0) -> Any:
    """An unfitted copy that keeps the choices made by tuning; a clone of what declares none."""
    return fitted.frozen(share) if isinstance(fitted, AnglePredictor) else clone(fitted)
