"""`headroom`: how far a given score is below the best achievable."""

from __future__ import annotations

from typing import overload

import numpy as np
import numpy.typing as npt

from rocstar.checks import FloatArray, binary_labels, finite_scores
from rocstar.geometry.linear_measures import LinearMeasure
from rocstar.geometry.measures import Measure, RocAuc
from rocstar.inference.betting_bounds import headroom_bound
from rocstar.inference.betting_intervals import Method
from rocstar.inference.certificate import Certificate
from rocstar.inference.certified_measures import check_measure, measure_headroom
from rocstar.inference.class_certify import class_headroom
from rocstar.inference.estimate import Estimate, one_of
from rocstar.inference.held_figures import Bounded, held_pair_draws
from rocstar.inference.held_out import HeldOut
from rocstar.inference.multiclass import MulticlassCertificate, MulticlassHeadroom
from rocstar.inference.pair_masses import linear_auc, linear_gain


@overload
def headroom(
    y: npt.ArrayLike,
    score: npt.ArrayLike,
    certificate: Certificate,
    *,
    measure: Measure | None = None,
    method: Method | None = None,
) -> Estimate: ...


@overload
def headroom(
    y: npt.ArrayLike,
    score: npt.ArrayLike,
    certificate: MulticlassCertificate,
    *,
    method: Method | None = None,
    prior: npt.ArrayLike | None = None,
) -> MulticlassHeadroom: ...


def headroom(
    y: npt.ArrayLike,
    score: npt.ArrayLike,
    certificate: Certificate | MulticlassCertificate,
    *,
    measure: Measure | None = None,
    method: Method | None = None,
    prior: npt.ArrayLike | None = None,
) -> Estimate | MulticlassHeadroom:
    """How far a given score is below the best achievable: a lower bound of AUC* − AUC(score).

    Both scores are compared on the certificate's held-out rows, with the same random masses, each
    positive against the negatives of its own fold. In a linear ``measure``, such as a cost, the
    best rule is compared with every threshold of the score on the same rows; in any other, it is a
    bound of what the best rule reaches less one of what the score reaches, each with half of the
    error.

    A score that was trained on these very rows looks better here than it is, so the headroom is
    then *understated*: pass scores of rows the model has not seen.

    Parameters
    ----------
    y : array-like of shape (n,)
        The labels the certificate was made with.
    score : array-like of shape (n,)
        The model's score of each row; higher means more positive. Of more than two classes, its
        labels, or its probabilities of shape (n, K): the classes in sorted order or, in a
        dataframe, by its column names.
    certificate : Certificate or MulticlassCertificate
        From :func:`certify`; its level is used.
    measure : Measure, optional
        Of `rocstar.measures`, chosen beforehand; the AUC by default. Headroom in a `Cost` is what
        the best rule saves per case.
    method : {"dirichlet", "betting"}, optional
        That of the certificate by default. "betting" needs a certificate by betting or one of a
        single held-out part, and its bound is then proven (theory §12); in a ``measure`` that is
        not linear it takes no groups.
    prior : array-like of shape (K,) or "balanced", optional
        Of more than two classes, the shares of the classes at which the given probabilities were
        made, "balanced" for equal ones, such as those of a classifier with
        ``class_weight="balanced"``: the classifier that is judged is then their likeliest class at
        equal shares. By default two classifiers are judged, the likeliest class as given and that
        at equal shares if they were made at those of the judged rows; the one with the higher
        balanced accuracy is reported, as ``rule``, and the bound holds for both.

    Returns
    -------
    Estimate or MulticlassHeadroom
        ``low`` is at least 0, and above 0 only if a better score exists, at the stated confidence.
        Of more than two classes, one such estimate of ``balanced_accuracy`` and one of
        ``mean_pairwise_auc``, where probabilities rank a pair by π_i/(π_i + π_j); None for labels.
        Each holds at the level by itself.

    Examples
    --------
    >>> from rocstar import ArctanRatio, certify, headroom, laws
    >>> X, y = laws.GaussianPair([2, 2], [0, 0]).sample(500, 500, random_state=0)
    >>> certificate = certify(ArctanRatio(), X, y, random_state=0)
    >>> print(headroom(y, X[:, 0], certificate))
    0.069; at least 0.05... (95 % confidence)
    >>> from rocstar.measures import Cost
    >>> cost = Cost(false_negative=50, false_positive=1, prevalence=0.1)
    >>> print(headroom(y, X[:, 0], certificate, measure=cost))
    0.2...; at least 0.1... (95 % confidence)
    """
    if method is not None:
        one_of(method, Method, "method")
    if isinstance(certificate, MulticlassCertificate):
        if measure is not None:
            raise ValueError("`measure` is for two classes; leave it None for more than two.")
        return class_headroom(y, score, certificate, method or certificate.method, prior)
    if prior is not None:
        raise ValueError("`prior` is for more than two classes; leave it None for two.")
    held = certificate.held_out
    scores = _checked_scores(y, score, held)
    proven = (method or certificate.method) == "betting"
    if proven:
        certificate.check_in_turn()
    if measure is None or isinstance(measure, RocAuc):
        return _auc_headroom(certificate, scores[held.row], proven)
    check_measure(measure)
    if proven and held.groups is not None and not isinstance(measure, LinearMeasure):
        raise ValueError(
            "`method` must be 'dirichlet' for a `measure` that is not linear where rows come in "
            f"groups; got 'betting' for {measure!r}."
        )
    return measure_headroom(measure, held, scores, certificate.level, proven=proven)


def _checked_scores(y: npt.ArrayLike, score: npt.ArrayLike, held: HeldOut) -> FloatArray:
    """The scores, finite where rows are judged; the labels must be the certificate's."""
    positive, _ = binary_labels(y)
    if positive.size != held.n_rows or not np.array_equal(positive[held.row], held.y):
        raise ValueError("`y` must be the labels the certificate was made with; it differs.")
    judged = np.zeros(held.n_rows, dtype=np.bool_)
    judged[held.row] = True
    return finite_scores(score, held.n_rows, rows=judged)


def _auc_headroom(certificate: Certificate, theirs: FloatArray, proven: bool) -> Estimate:
    held, error = certificate.held_out, 1 - certificate.level
    up, weights, fold = held.y, held.weights, held.fold
    linear = linear_gain(up, held.score, theirs, weights, fold)
    draws = held_pair_draws(held, held.per_row(linear.values), theirs)
    own = linear_auc(up, theirs, weights, fold).values[up]
    gain = float(np.average(linear.values[up], weights=weights[up]))
    bounded = Bounded(draws, gain, 1.0, held.n_splits)
    value = certificate.auc.value - float(np.average(own, weights=weights[up]))
    low = headroom_bound(held, theirs, error) if proven else bounded.low(error, 0.0, worst=-1.0)
    return bounded.estimate(value, low, error, (0.0, 1.0))
