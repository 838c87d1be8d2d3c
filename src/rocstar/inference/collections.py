"""`HeldOut` of Dask collections: models are fitted where the rows are, and some rows come here."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocstar.checks import class_totals
from rocstar.estimators.fits import seeded
from rocstar.estimators.splits import DEFAULT_FOLDS
from rocstar.inference.held_out import HeldOut, InSample, is_smooth, of_one_part, stacked_in_sample
from rocstar.scale.random_split import FetchedRows, RandomSplit


def held_out_on_workers(
    estimator: Any, X: Any, y: Any, sample_weight: Any, random_state: int
) -> HeldOut:
    """Fit to all rows of a collection but some, at most about a million, and judge those."""
    collection_estimator(estimator)  # what cannot be done is said before anything is read
    split = RandomSplit.of(y, sample_weight, random_state)
    with split.both_classes_on_both_sides():
        model = fitted_on_workers(estimator, X, y, split, random_state)
        return judged_on_workers(model, X, split)


def fitted_on_workers(estimator: Any, X: Any, y: Any, split: RandomSplit, random_state: int) -> Any:
    """The estimator fitted where the rows are, to those that are not held out."""
    model = seeded(collection_estimator(estimator), random_state)
    return model.fit(X, y, sample_weight=split.training_weights())


def judged_on_workers(model: Any, X: Any, split: RandomSplit) -> HeldOut:
    """What a fitted model says about the rows that were held out, brought to the client."""
    held, seen = split.samples(model.predict_angle(X), model.decision_function(X))
    inside = stacked_in_sample([model])
    if is_smooth(model):
        inside = InSample(_of(seen, model, split, None).figures(), 0.5)
    return _of(held, model, split, inside)


def _of(rows: FetchedRows, model: Any, split: RandomSplit, in_sample: InSample | None) -> HeldOut:
    positive = np.asarray(rows.y == model.classes_[1])
    class_totals(positive, rows.weights)
    return of_one_part(
        positive,
        rows.angle,
        rows.score,
        rows.weights,
        model,
        weighted=split.weighted,
        in_sample=in_sample,
    )


def refuse_on_collections(*, cv: Any = None, n_jobs: Any = None, groups: Any = None) -> None:
    """Refuse what cannot be asked of a Dask collection, some of whose rows are held out once."""
    if groups is not None:
        raise ValueError(
            "`groups` must be None for a Dask collection, whose rows are held out one by one; "
            "pass X.compute() to keep groups together."
        )
    if cv is not None and not (isinstance(cv, (str, int)) and cv in ("holdout", DEFAULT_FOLDS)):
        raise ValueError(
            "`cv` must be 'holdout' for a Dask collection, some of whose rows are held out once; "
            f"got {cv!r}: leave it out, or pass X.compute()."
        )
    if n_jobs is not None:
        raise ValueError(
            "`n_jobs` must be None for a Dask collection, whose client runs the tasks; "
            f"got {n_jobs!r}: leave it out."
        )


def collection_estimator(estimator: Any) -> Any:
    """The estimator itself, if it leaves the rows of a Dask collection where they are."""
    if not getattr(estimator, "takes_collections", False):
        raise TypeError(
            "`estimator` must be an ArctanRatio, an ArctanRatioCV, a MaximalAUCClassifier, a "
            "ClassifierRatio of a Dask classifier or a StackedRatio of these for a Dask "
            f"collection; got {type(estimator).__name__}: use one of these, or pass X.compute()."
        )
    estimator.check_collections()
    return estimator
