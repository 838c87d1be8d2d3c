"""Do two samples come from one law? Permutation tests that hold their level exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array, check_consistent_length

from rocstar.checks import (
    BoolArray,
    FloatArray,
    binary_labels,
    flat_labels,
    require_in_memory,
)
from rocstar.estimators.directions import has_many_labels
from rocstar.estimators.fits import drawn_seed, seeded
from rocstar.estimators.numeric_input import explained
from rocstar.estimators.ratio import ArctanRatio
from rocstar.fitting.arrays import is_sparse
from rocstar.inference.bundles import bundles
from rocstar.inference.certify import angle_estimator
from rocstar.inference.feature_views import components, feature_space, ranked_gain
from rocstar.inference.held_out import held_out
from rocstar.inference.k_sample import class_score_test, class_split_test
from rocstar.report.notebook import card
from rocstar.report.words import listed

if TYPE_CHECKING:
    from rocstar.report.displays import PValueDisplay

CHUNK = 1 << 21  # entries of the permuted labels held at once


@dataclass(frozen=True)
class TwoSampleTest:
    """Result of a two-sample test.

    Attributes
    ----------
    statistic : float
        Without an estimator, the largest standardised gain; with one, the mean held-out divergence
        J − √2, or J − √K of K samples, which may be negative.
    pvalue : float
        At least 1/(n_permutations + 1).
    n_permutations : int
        Of each split.
    pvalues : tuple of float
        Of each split, before combination.
    n_samples : int
        How many samples were compared.

    Examples
    --------
    >>> TwoSampleTest(4.2, 0.002, 499, (0.002,))
    TwoSampleTest(statistic=4.2, pvalue=0.002, n_permutations=499, pvalues=(0.002,))
    """

    statistic: float
    pvalue: float
    n_permutations: int
    pvalues: tuple[float, ...]
    n_samples: int = field(default=2, repr=False)

    def plot(self, ax: Any = None) -> PValueDisplay:
        """Draw the p-value of every split and the combined one."""
        from rocstar.report.displays import PValueDisplay

        return PValueDisplay({"pvalue": self.pvalue, "pvalues": self.pvalues}).plot(ax)

    def to_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return {**vars(self), "pvalues": list(self.pvalues)}

    def to_frame(self) -> Any:
        """One row per split with its p-value, as a pandas data frame."""
        from pandas import DataFrame

        return DataFrame({"split": range(1, len(self.pvalues) + 1), "pvalue": self.pvalues})

    def _repr_html_(self) -> str:
        splits = f", {len(self.pvalues)} splits combined" if len(self.pvalues) > 1 else ""
        rows = [
            ("p-value", f"{self.pvalue:.3g}"),
            ("statistic", f"{self.statistic:.4g}"),
            ("permutations", f"{self.n_permutations:,}{splits}"),
        ]
        many = self.n_samples if self.n_samples > 2 else "two"
        lead = f"A small p-value is evidence that the {many} samples come from different laws."
        return card(f"{str(many).capitalize()}-sample test", rows, lead=lead)


def two_sample_test(
    X: Any,
    y: npt.ArrayLike,
    *,
    estimator: Any = None,
    n_permutations: int = 499,
    n_splits: int = 1,
    random_state: int | None = None,
) -> TwoSampleTest:
    r"""Test whether the rows of both labels come from the same law.

    **Without an estimator**, all rows are used at once. From the angle π/4 everywhere, one Newton
    step on the arc length gains :math:`\delta^\top (S + \lambda I)^{-1} \delta` up to a constant,
    with δ the difference of the class means of some features and S their pooled covariance. The
    step is linear in the labels, so *refitting* it for permuted labels costs one matrix product.
    Features are the columns, a broad Gaussian kernel with a weak and a strong ridge, and a narrower
    one nearly whitened; the largest standardised gain is compared with those of permuted labels,
    which makes the search over features and ridges part of the test.

    **With an estimator**, it is fitted on one half, and the labels of the other half are permuted
    under its angles: no refits. Permuting the labels of *cross-fitted* angles would not be valid
    (theory §8). With one split, its p-value is exact. With several, p-values are combined by a rule
    that is valid whatever their dependence and never above twice their mean: the smallest α for
    which, after some number k of splits, the mean of :math:`(2 - 2p_i/\alpha)_+` reaches one
    (Gasparin, Wang and Ramdas 2025, for exchangeable p-values).

    Either way the observed labels count as one of the permutations, so the level is exact. Of many
    rows, the labels of random bundles of rows of one class are permuted, a subgroup of all
    permutations, so it stays exact.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
        Which sample a row belongs to: two distinct labels, or more for a test of so many samples,
        as exact (theory §15).
    estimator : estimator, optional
        Anything :func:`certify` takes. None with ``n_splits > 1`` is a Gaussian kernel
        `ArctanRatio` on standardised columns.
    n_permutations : int, default=499
    n_splits : int, default=1
        Random halvings.
    random_state : int, optional
        Of the halvings and permutations, and of the estimator wherever it leaves a
        ``random_state`` open: an integer fixes the answer, None draws a fresh seed per call.

    Returns
    -------
    TwoSampleTest

    Examples
    --------
    >>> from rocstar import laws, two_sample_test
    >>> X, y = laws.GaussianPair([0.0, 0.0], [1.0, 0.0]).sample(100, 100, random_state=0)
    >>> two_sample_test(X, y, random_state=0).pvalue
    0.002
    """
    require_in_memory(X=X)
    check_consistent_length(X, y)
    _at_least(n_permutations, 1, "n_permutations")
    _at_least(n_splits, 1, "n_splits")
    seed = drawn_seed(random_state)
    rng = np.random.default_rng(seed)
    many = has_many_labels(y)
    if many:
        classes, codes = np.unique(flat_labels(y), return_inverse=True)
        positive = codes > 0
    else:
        positive, classes = binary_labels(y)
        codes = positive.astype(np.intp)
    if estimator is None and is_sparse(X):
        raise ValueError(
            "`X` must be dense where no `estimator` is given; got a sparse matrix: pass "
            "X.toarray(), or an estimator that takes sparse rows, such as ArctanRatio()."
        )
    if estimator is None and n_splits == 1:
        with explained(X, "two_sample_test"):
            table = check_array(X, dtype=np.float64)
        if many:
            statistic, pvalue = class_score_test(table, codes, n_permutations, rng)
        else:
            statistic, pvalue = _score_test(table, positive, n_permutations, rng)
        return TwoSampleTest(statistic, pvalue, n_permutations, (pvalue,), len(classes))
    counts = np.bincount(codes)
    if counts.min() < 4:
        raise ValueError(
            "`y` must have at least 4 rows of each label, two to train on and two to judge; "
            f"got {listed([str(count) for count in counts])}."
        )
    chosen = _default("log" if many else "tangent") if estimator is None else estimator
    model = seeded(angle_estimator(chosen), seed)
    results = [
        class_split_test(model, X, codes, classes, n_permutations, rng)
        if many
        else _split_test(model, X, np.asarray(y), positive, n_permutations, rng)
        for _ in range(n_splits)
    ]
    statistics, pvalues = zip(*results, strict=True)
    return TwoSampleTest(
        float(np.mean(statistics)),
        combined_pvalue(pvalues),
        n_permutations,
        tuple(pvalues),
        len(classes),
    )


def combined_pvalue(pvalues: npt.ArrayLike) -> float:
    """One p-value from exchangeable ones, such as those of random splits of the same data."""
    # The smallest α for which some k has :math:`\\frac1k\\sum_{i\\le k} (2 - 2p_i/\\alpha)_+ \\ge
    # 1`. For fixed k that is the smallest of 2 Σⱼ p/(2j − k), the sum running over the j smallest
    # of the first k.
    p = np.asarray(pvalues, dtype=np.float64)
    if p.size == 1:
        return float(p[0])  # nothing to combine: the factor 2 is the price of several splits
    best = 1.0
    for k in range(1, p.size + 1):
        j = np.arange(1, k + 1)
        sums = np.cumsum(np.sort(p[:k]))
        use = 2 * j > k
        best = min(best, float((2 * sums[use] / (2 * j[use] - k)).min()))
    return best


def permuted_angles(
    positive: BoolArray, angle: FloatArray, n_permutations: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Divergence J − √2 of held-out angles, and its rank among permuted labels."""
    # Exact for angles of a model that has seen none of these rows, and no rows that depend on them.
    n_up, n_down = positive.sum(), (~positive).sum()
    # J is a constant plus the sum of these over the rows called positive.
    terms = np.sin(angle) / n_up - np.cos(angle) / n_down
    base = np.cos(angle).sum() / n_down
    tied = bundles(positive, rng)
    sums, count = tied.sums(terms), int(tied.positive.sum())
    observed = float(sums[tied.positive].sum())
    reached = 1
    for copies in _permuted(sums, n_permutations, rng):
        reached += int((copies[:, :count].sum(axis=1) >= observed - 1e-12).sum())
    divergence = base + terms[positive].sum() - np.sqrt(2)
    return float(divergence), reached / (n_permutations + 1)


def _score_test(
    X: FloatArray, positive: BoolArray, n_permutations: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Largest standardised gain of one Newton step, and its rank among permuted labels."""
    contrast = np.where(positive, 1 / positive.sum(), -1 / (~positive).sum())
    space = feature_space(X, rng)
    tied = bundles(positive, rng)
    parts = components(space, tied, contrast)
    observed = contrast[tied.rows[:: tied.size]].astype(np.float32)
    labellings = chain([observed[None, :]], _permuted(observed, n_permutations, rng))
    gains = np.concatenate(
        [np.concatenate([part.gains(labels) for part in parts]) for labels in labellings], axis=1
    )
    return ranked_gain(gains, parts)


def _permuted(
    row: npt.NDArray[Any], n_permutations: int, rng: np.random.Generator
) -> Iterator[npt.NDArray[Any]]:
    """Permuted copies of one row, a block of them at a time."""
    step = max(1, CHUNK // row.size)
    for start in range(0, n_permutations, step):
        copies = np.repeat(row[None, :], min(step, n_permutations - start), axis=0)
        yield rng.permuted(copies, axis=1, out=copies)


def _split_test(
    estimator: Any,
    X: Any,
    y: npt.NDArray[Any],
    positive: BoolArray,
    n_permutations: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Held-out divergence of a model trained on the other half, and its p-value."""
    halves = StratifiedShuffleSplit(1, test_size=0.5, random_state=int(rng.integers(2**31)))
    train, test = next(halves.split(np.zeros(y.size), positive))
    held = held_out(estimator, X, positive, [(train, test)], labels=y)
    return permuted_angles(held.y, held.angle, n_permutations, rng)


def _default(loss: str) -> Any:
    ratio = ArctanRatio("rbf", loss=loss, alpha=1e-2, random_state=0)
    return make_pipeline(StandardScaler(), ratio)


def _at_least(value: int, least: int, name: str) -> None:
    if not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"`{name}` must be a whole number of at least {least}; got {value!r}.")
