"""What callers may ask of every estimator of angles, with the answers of an ordinary one."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from rocstar.estimators.unwrap import is_search, unwrap
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
    # The parameter that holds the estimator inside, and the attribute that holds it fitted.
    inside: tuple[str, str] | None = None
    # Figures of the training rows, smooth members in sample and the others out of fold.
    partly_in_sample_: dict[str, float] | None = None
    # Rows of the last fit that its members did not learn from.
    n_stacking_rows_: int = 0

    def check_collections(self) -> None:
        """Raise an error if, as it is set up, `fit` needs all rows of a Dask collection here."""

    @property
    def tunes_itself(self) -> bool:
        """Whether `fit` makes choices on held-out rows, which are most of its work."""
        return self.inside is not None and tunes_itself(getattr(self, self.inside[0]))

    @property
    def keeps_choices(self) -> bool:
        """Whether `frozen` has choices to keep, also cheap ones that folds make anew."""
        inside = self.inside
        return self.tunes_itself or (
            inside is not None and declared(getattr(self, inside[0])).keeps_choices
        )

    def frozen(self, share: float = 1.0) -> Any:
        """An unfitted copy that keeps the choices made by tuning, for that share of the rows.

        A penalty that was tuned stands for a prior, which fewer rows outweigh less: per row it is
        1/share times as strong.
        """
        copied: Any = clone(self)
        if self.inside is not None and self.keeps_choices:
            parameter, fitted = self.inside
            copied.set_params(**{parameter: frozen(getattr(self, fitted), share)})
        return copied

    def stand_in(self) -> Any | None:
        """A cheap, unfitted estimator of the same kind that tunes nothing; None if there is none.

        A stack asks it first: where it has no share, tuning is not worth its time.
        """
        if self.inside is None:
            return None
        parameter, _ = self.inside
        cheap = stand_in(getattr(self, parameter))
        return None if cheap is None else clone(self).set_params(**{parameter: cheap})

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


def declared(estimator: Any) -> AnglePredictor:
    """What the estimator inside pipelines and searches declares; the defaults if it does not."""
    inside = unwrap(estimator)
    return inside if isinstance(inside, AnglePredictor) else AnglePredictor()


def tunes_itself(estimator: Any) -> bool:
    """Whether `fit` makes choices on held-out rows, as searches do."""
    if isinstance(estimator, Pipeline):
        return tunes_itself(estimator.steps[-1][1])
    return is_search(estimator) or (
        isinstance(estimator, AnglePredictor) and estimator.tunes_itself
    )


def frozen(fitted: Any, share: float = 1.0) -> Any:
    """An unfitted copy that keeps the choices made by tuning; a clone of what has made none."""
    if isinstance(fitted, Pipeline):
        name, last = fitted.steps[-1]
        return clone(fitted).set_params(**{name: frozen(last, share)})
    if is_search(fitted):
        return frozen(fitted.best_estimator_, share)
    return fitted.frozen(share) if isinstance(fitted, AnglePredictor) else clone(fitted)


def stand_in(estimator: Any) -> Any | None:
    """What an estimator of angles names as its cheap stand-in; None for any other."""
    return estimator.stand_in() if isinstance(estimator, AnglePredictor) else None
