"""Assertions about data and models, for your own test suite.

Both judge by lower confidence bounds: `assert_no_drift` fails only where a difference is certified,
`assert_certified_auc` passes only where an AUC is. They raise `AssertionError` and need no test
framework; pytest, unittest and plain scripts all report them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from rocstar.checks import InputError
from rocstar.report.words import confidence
from rocstar.rounding import rounded_down

if TYPE_CHECKING:
    from rocstar.audits.compare import Comparison
    from rocstar.inference.certificate import Certificate

__all__ = ["assert_certified_auc", "assert_no_drift"]

LARGEST_DIVERGENCE = 2 - 2**0.5


def assert_no_drift(
    before: Any,
    after: Any,
    *,
    at_most: float = 0.02,
    drop: Sequence[str] = (),
    model: Any = "auto",
    level: float = 0.95,
    fast: bool = True,
    random_state: int | None = 0,
) -> Comparison:
    """Return the comparison of two samples; fail if they certifiably differ by more than a limit.

    Few rows certify little: this passes if there is no difference, and also if there are too few
    rows to show one. The result says which, with ``result.auc.value`` and ``result.pvalue``.

    Parameters
    ----------
    before, after : dataframe or array-like
        The two samples; see `compare`.
    at_most : float, default=0.02
        The largest ROC divergence that is accepted, in [0, 0.586). For scale: shifting one
        Gaussian column by a fifth of its standard deviation gives 0.007, by a half 0.040.
    drop : sequence of str, optional
        Columns to leave out, such as dates, that differ by nature.
    model, level, fast, random_state
        As in `compare`; here one held-out half and a fixed seed are the defaults.

    Returns
    -------
    Comparison

    Raises
    ------
    AssertionError
        If the lower bound of the divergence is above ``at_most``, with the report as its message.

    Examples
    --------
    >>> from rocstar import laws
    >>> from rocstar.testing import assert_no_drift
    >>> X, y = laws.GaussianPair([0, 0], [2, 0]).sample(400, 400, random_state=0)
    >>> result = assert_no_drift(X[:200], X[200:400], model="linear")
    >>> assert_no_drift(X[y == 0], X[y == 1], model="linear")
    Traceback (most recent call last):
    AssertionError: The ROC divergence is at least 0.2... (95 % confidence); at most 0.02 ...
    """
    from rocstar.audits.compare import Comparison, compare
    from rocstar.tables.frames import as_frame

    if not 0 <= at_most < LARGEST_DIVERGENCE:
        raise InputError(f"`at_most` must be in [0, 0.586); got {at_most!r}.")
    samples = [as_frame(before, "before"), as_frame(after, "after")]
    unknown = [name for name in drop if not any(name in sample for sample in samples)]
    if unknown:
        raise InputError(f"`drop` must name columns of the samples; there is no `{unknown[0]}`.")
    result = compare(
        *(sample.drop(columns=list(drop), errors="ignore") for sample in samples),
        model=model,
        level=level,
        fast=fast,
        random_state=random_state,
        names=("before", "after"),
    )
    assert isinstance(result, Comparison)  # of two samples
    if result.divergence.low > at_most:
        raise AssertionError(
            f"The ROC divergence is at least {rounded_down(result.divergence.low, 3)} "
            f"({confidence(level)}); at most {at_most:g} is accepted.\n{result!r}"
        )
    return result


def assert_certified_auc(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    at_least: float,
    level: float = 0.95,
    cv: Any = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Certificate:
    """Return the certificate of a model; fail unless its data certify an AUC of so much.

    The certified AUC is a lower bound of the best AUC on these columns, from rows that the model
    was not fitted to. A model that has become worse, or columns that have lost their information,
    lower it; so do fewer rows.

    Parameters
    ----------
    estimator : estimator
        Any scikit-learn classifier, or one with ``predict_angle``; see `certify`.
    X, y
        The rows and two labels, the larger one positive.
    at_least : float
        The AUC that has to be certified, in [0.5, 1).
    level, cv, groups, n_jobs, random_state
        As in `certify`; the seed is fixed by default.

    Returns
    -------
    Certificate

    Raises
    ------
    AssertionError
        If the lower bound is below ``at_least``.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from rocstar import laws
    >>> from rocstar.testing import assert_certified_auc
    >>> X, y = laws.GaussianPair([0, 0], [2, 0]).sample(200, 200, random_state=0)
    >>> certificate = assert_certified_auc(LogisticRegression(), X, y, at_least=0.85)
    >>> assert_certified_auc(LogisticRegression(), X, y, at_least=0.99)
    Traceback (most recent call last):
    AssertionError: The best AUC is certified to be at least 0.8... (95 % confidence); 0.99 ...
    """
    from rocstar.inference.certify import certify
    from rocstar.inference.multiclass import MulticlassCertificate

    if not 0.5 <= at_least < 1:
        raise InputError(f"`at_least` must be in [0.5, 1); got {at_least!r}.")
    certificate = certify(
        estimator,
        X,
        y,
        level=level,
        cv=cv,
        groups=groups,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    if isinstance(certificate, MulticlassCertificate):
        raise InputError(f"`y` must hold two labels; got {len(certificate.classes)}.")
    if certificate.auc.low < at_least:
        raise AssertionError(
            f"The best AUC is certified to be at least {rounded_down(certificate.auc.low, 3)} "
            f"({confidence(level)}); {at_least:g} is required.\n{certificate!r}"
        )
    return certificate
