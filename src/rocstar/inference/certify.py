"""`certify`: a model's held-out rows, and what they certify about the best possible classifier."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
from sklearn.utils import check_consistent_length

from rocstar.checks import (
    binary_labels,
    check_fraction,
    class_totals,
    flat_labels,
    group_units,
    is_collection,
    nonnegative_weights,
    require_in_memory,
)
from rocstar.estimators.classifier import with_angles
from rocstar.estimators.directions import has_many_labels
from rocstar.estimators.fits import drawn_seed, seeded
from rocstar.estimators.splits import CV, split_rows
from rocstar.fitting.arrays import host_copy, is_foreign
from rocstar.inference.betting_intervals import Method, refuse_weights
from rocstar.inference.certificate import Certificate, certificate
from rocstar.inference.class_certify import certify_classes
from rocstar.inference.collections import held_out_on_workers, refuse_on_collections
from rocstar.inference.estimate import one_of
from rocstar.inference.held_out import HeldOut, held_out
from rocstar.inference.multiclass import MulticlassCertificate
from rocstar.inference.prequential import held_out_in_turn, prequential_splits


def certify(
    estimator: Any,
    X: Any,
    y: npt.ArrayLike,
    *,
    level: float = 0.95,
    method: Method = "dirichlet",
    cv: CV = None,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: int | None = None,
) -> Certificate | MulticlassCertificate:
    """Lower bounds of what *any* classifier could reach, from a model's held-out predictions.

    Whatever the model, its held-out arc length, AUC and TPR − FPR estimate numbers that no optimal
    classifier falls short of. A poor model makes the bounds weak, never wrong.

    - **Arc length**: Dirichlet masses over all held-out sines and one atom at 0, and over all
      held-out cosines and one atom at 0; the ``1 − level`` quantile of the sum of means. J is
      additive, so folds are pooled.
    - **AUC**, "one atom a class, own-fold placements": one set of masses over all positives plus
      one atom and over all negatives plus one atom; each positive is placed among the negatives of
      its own fold only, whose masses are rescaled to one minus the atom's.
    - **Total variation**: TPR − FPR of the rule "angle above π/4", by masses over right decisions.
    - **Repeated folds**: each figure is its mean over the repeats, and a row has one mass in all of
      them, so it stays one observation.

    Each bound is taken at the error at which all of them hold together, and raised to what the
    others imply (theory §8, §9).

    Parameters
    ----------
    estimator : estimator
        Anything with ``predict_angle``, also at the end of a pipeline or in a search; any other
        classifier is wrapped in `ClassifierRatio`, also the one inside a
        `NeymanPearsonClassifier`. It is cloned, never fitted itself.
    X : array-like, dataframe, sparse matrix or Dask collection of shape (n, d)
        Of a Dask collection, half of the rows but at most about a million are held out and judged,
        at random, and only they are in the certificate; ``cv`` is then "holdout".
    y : array-like of shape (n,)
        Two labels, the larger one positive; or more than two, for rows in memory, which gives a
        `MulticlassCertificate`.
    level : float, default=0.95
        Confidence that all lower bounds hold.
    method : {"dirichlet", "betting"}, default="dirichlet"
        "betting" gives bounds that are theorems (theory §12): rows are judged in turn by models of
        earlier rows. Weights are not covered.
    cv : int, "holdout", splitter or iterable of splits, optional
        Number of shuffled stratified folds; "holdout" trains on one half and judges on the other,
        which makes the bounds strict; or a scikit-learn splitter, or splits, that hold out rows
        equally often. One split of any kind is a hold-out. None is five folds, repeated where the
        rarer class has at most 70 rows (or groups), so that the bounds depend less on the seed:
        ``10,000 // rows²`` times, at most 16 times, and with at most 20,000 judged rows in all.
        With ``method="betting"`` a number of parts, None is eight; or splits that train on earlier
        rows than they judge, such as those of `TimeSeriesSplit`, which keeps the order of time.
    sample_weight : array-like of shape (n,), optional
        How much of the population a row stands for, normalised within each class. In a bound a row
        stays one observation whatever its weight, except that a row of weight zero counts as
        absent: it is neither learnt from nor judged.
    groups : array-like of shape (n,), optional
        Rows of one group stay together, and count as one independent unit in the bounds. They are
        handed to estimators that make folds of their own, such as `ArctanRatioCV`, `StackedRatio`
        and searches whose ``cv`` uses groups.
    n_jobs : int, optional
        Processes over the folds; None for a Dask collection.
    random_state : int, optional
        Shuffles the folds, and seeds the estimator wherever it leaves a ``random_state`` open: an
        integer fixes the answer, None draws a fresh seed per call.

    Returns
    -------
    Certificate or MulticlassCertificate
        Its ``value`` of the arc length is held-out J, for smooth classes plus a share of what
        in-sample J exceeds it by, so that it is nearly unbiased (theory §8). For a stack the
        in-sample J is that of its smooth members in sample with the others out of fold; for
        anything else the value is the held-out J. Of the AUC and TV likewise. In-sample figures
        count as far as held-out ones confirm them, and the three values of a stack are such as one
        ROC curve can have.

        Of more than two labels (theory §15) it is a `MulticlassCertificate`: folds are not
        repeated, and "betting" takes no groups. Both have ``arc_length``, ``divergence``,
        ``balanced_accuracy``, ``level``, ``method``, ``guarantee``, ``strict``, ``cv``,
        ``held_out``, ``plot``, ``to_dict`` and ``to_frame``. In place of ``auc``, ``tv`` and
        ``angle`` it has ``mean_pairwise_auc``, ``pairwise_auc``, ``one_versus_rest_auc``,
        ``recall``, ``confusion``, ``direction`` and ``classes``; curves and measures of an ROC
        curve need two labels.

    Examples
    --------
    >>> from rocstar import ArctanRatio, certify, laws
    >>> law = laws.GaussianPair(0.0, 2.0)
    >>> X, y = law.sample(500, 500, random_state=0)
    >>> certificate = certify(ArctanRatio(), X, y, random_state=0)
    >>> certificate.arc_length.low < law.arc_length, certificate.auc.low < law.auc
    (True, True)
    >>> certify(ArctanRatio(), X, y, method="betting", random_state=0).guarantee
    'theorem'
    """
    seed = drawn_seed(random_state)
    check_fraction(level, "level")
    one_of(method, Method, "method")
    if is_collection(X):
        if method == "betting":
            refuse_weights(sample_weight is not None)
        refuse_on_collections(cv=cv, n_jobs=n_jobs, groups=groups)
        held = held_out_on_workers(estimator, X, y, sample_weight, seed)
        return certificate(held, level, method)
    require_in_memory(y=y, sample_weight=sample_weight, groups=groups)
    labels = host_copy(y) if is_foreign(y) else flat_labels(y)
    if has_many_labels(labels):
        return certify_classes(
            angle_estimator(estimator),
            X,
            labels,
            level=level,
            method=method,
            cv=cv,
            sample_weight=sample_weight,
            groups=groups,
            n_jobs=n_jobs,
            seed=seed,
        )
    model = seeded(angle_estimator(estimator), seed)
    rows: dict[str, Any] = {"groups": groups, "n_jobs": n_jobs, "seed": seed}
    if method == "betting":
        refuse_weights(sample_weight is not None)
        held = _judged_in_turn(model, X, labels, cv, **rows)
    else:
        held = _judged_by_folds(model, X, labels, cv, sample_weight, **rows)
    return certificate(held, level, method)


def _judged_in_turn(
    model: Any, X: Any, labels: Any, cv: Any, *, groups: Any, n_jobs: int | None, seed: int
) -> HeldOut:
    """Rows in parts, each judged by a model of the parts before it."""
    positive, _ = binary_labels(labels)
    check_consistent_length(X, labels)
    units = None if groups is None else group_units(groups, positive.size)
    splits = prequential_splits(cv, positive, X=X, groups=groups, random_state=seed)
    return held_out_in_turn(model, X, positive, splits, labels=labels, groups=units, n_jobs=n_jobs)


def _judged_by_folds(
    model: Any,
    X: Any,
    labels: Any,
    cv: Any,
    sample_weight: Any,
    *,
    groups: Any,
    n_jobs: int | None,
    seed: int,
) -> HeldOut:
    """Rows in folds, each judged by a model of the others."""
    positive, _ = binary_labels(labels)
    check_consistent_length(X, labels)
    if is_foreign(sample_weight):
        sample_weight = host_copy(sample_weight)
    given = None if sample_weight is None else nonnegative_weights(sample_weight, positive.size)
    class_totals(positive, nonnegative_weights(given, positive.size))
    units = None if groups is None else group_units(groups, positive.size)
    splits = split_rows(cv, positive, X=X, groups=groups, sample_weight=given, random_state=seed)
    return held_out(
        model,
        X,
        positive,
        splits,
        labels=labels,
        sample_weight=given,
        groups=units,
        n_jobs=n_jobs,
        in_sample=True,
    )


def angle_estimator(estimator: Any) -> Any:
    """The estimator itself if it can predict angles, else wrapped so that it can."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(
            f"`estimator` must be an estimator with a `fit` method; got {estimator!r}: "
            "pass an instance such as ArctanRatio()."
        )
    return with_angles(estimator)
