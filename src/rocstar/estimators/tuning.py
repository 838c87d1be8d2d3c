"""The penalty and the bandwidth with the largest held-out J."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from sklearn.base import clone

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.estimators.ratio import ArctanRatio
from rocstar.estimators.splits import Split
from rocstar.fitting.features import KERNELS, FeatureSpace, distance_quantiles
from rocstar.fitting.path import angle_loss, solve_path
from rocstar.fitting.rows import MemoryRows, one_blas_thread
from rocstar.weights import class_weights

# From a penalty that leaves little but a constant, as a class of a few dozen rows needs, to one
# that hardly matters; half a decade apart each.
DEFAULT_ALPHAS = tuple(10.0 ** (-k / 2) for k in range(-1, 11))
# Shares of the median distance.
BANDWIDTHS = (0.125, 0.25, 0.5, 1.0, 2.0)
# The first of these that are tried at all; a smaller one only if it continues a rise.
FIRST_TRIED = 2
# Held-out J moves with the square of a coefficient's error, so a rough optimum ranks the grid.
TUNING_TOL = 1e-3
# Where a kernel takes the mean of penalties, a decade apart and rougher still is as good: in less
# than half the time, held-out J stayed within its error on nine laws (by -0.0003 ± 0.0003 with 200
# rows per class, 0.0004 ± 0.0003 with 1,000).
KERNEL_ALPHAS, KERNEL_TOL = DEFAULT_ALPHAS[::2], 1e-2
# A kernel's class is searched in the span of so many landmarks, at a quarter of the cost of two
# hundred. Of the usual penalties, none is tried after one so many standard errors below the best.
TUNING_LANDMARKS, FAR_BELOW = 100, 2.0
# The one that a kernel is tried with before anything is searched.
WEAK_ALPHA = DEFAULT_ALPHAS[9]
# Of a difference in held-out J: what rough optima leave.
LEAST_ERROR = 1e-6
# Scores closer than this are equal but for rounding, which must not choose between them.
TIE = 1e-9


class TuningRows(NamedTuple):
    """The rows that a grid is searched on."""

    x: Any
    positive: BoolArray
    frequencies: FloatArray
    # Factors of the rows' terms in the objective of the fits; held-out J does not know them.
    objective_weights: FloatArray


class Choice(NamedTuple):
    """The chosen pair, its mean held-out J, and the whole surface."""

    alpha: float
    gamma: float | None
    score: float
    results: dict[str, Any]


def search(
    ratio: ArctanRatio,
    rows: TuningRows,
    folds: list[Split],
    *,
    alphas: ArrayLike | None,
    gammas: ArrayLike | None,
    n_jobs: int | None,
) -> Choice:
    """Score the grid and keep the best pair; of equals, the one that penalises most."""
    averaged = ratio.kernel != "linear" and alphas is None
    usual = KERNEL_ALPHAS if averaged else DEFAULT_ALPHAS
    penalties = np.sort(np.asarray(usual if alphas is None else alphas))[::-1]
    widths = _gammas(ratio, rows, gammas)
    rough = with_fewer_landmarks(ratio) if averaged else ratio
    tol = KERNEL_TOL if averaged else TUNING_TOL
    space_of = cache(partial(_space, rough, rows))
    score = partial(
        _path_scores, rough, rows, folds, penalties, space_of, tol=tol, stops=alphas is None
    )
    # The problems are small: a second BLAS thread would spin more than it helps.
    with one_blas_thread():
        tried = _climbed(widths, gammas is None, score, n_jobs)
        scores = np.concatenate([line for _, line in tried])
        alpha_of = np.concatenate([penalties[: len(line)] for _, line in tried])
        gamma_of = np.repeat([gamma for gamma, _ in tried], [len(line) for _, line in tried])
        mean = scores.mean(axis=1)
        best = first_of_the_largest(mean)
        if gammas is None and _has_gamma(ratio):
            median = gamma_of == widths[BANDWIDTHS.index(1.0)]
            best = _median_bandwidth_unless_worse(scores, best, np.flatnonzero(median))
        alpha, reached = float(alpha_of[best]), float(mean[best])
        if averaged and len(folds) > 1:
            beside = gamma_of == gamma_of[best]
            alpha = central_penalty(alpha_of[beside], scores[beside])
        if alpha not in penalties:
            between = np.array([alpha])
            finer = _path_scores(
                rough, rows, folds, between, space_of, gamma_of[best], tol=TUNING_TOL
            )
            reached = float(finer.mean())
    results = {
        "param_gamma": gamma_of,
        "param_alpha": alpha_of,
        "mean_test_score": mean,
        "std_test_score": scores.std(axis=1),
        "rank_test_score": rankdata(-mean, method="min").astype(int),
        **{f"split{k}_test_score": scores[:, k] for k in range(len(folds))},
    }
    return Choice(alpha, gamma_of[best], reached, results)


def _climbed(
    widths: list[float | None],
    usual: bool,
    score: Callable[[float | None], FloatArray],
    n_jobs: int | None,
) -> list[tuple[float | None, FloatArray]]:
    """Scores at each bandwidth; of the usual ones, small ones only while they promise more."""

    def scored(some: list[float | None]) -> list[tuple[float | None, FloatArray]]:
        jobs = (delayed(score)(gamma) for gamma in some)
        return list(zip(some, Parallel(n_jobs=n_jobs, prefer="threads")(jobs), strict=True))

    if not usual or len(widths) == 1:
        return scored(widths)
    tried = scored(widths[FIRST_TRIED:])
    for width in reversed(widths[:FIRST_TRIED]):
        narrow, wider = (line.mean(axis=1).max() for _, line in tried[:2])
        if narrow <= wider:
            break
        tried = [*scored([width]), *tried]
    return tried


def first_of_the_largest(scores: FloatArray) -> int:
    """The first of the largest scores, up to rounding: the same with any number of threads."""
    return int(np.argmax(scores >= scores.max() - TIE))


def central_penalty(alphas: FloatArray, scores: FloatArray) -> float:
    """The geometric mean of penalties, each weighed by how well it does beside the best."""
    weights = np.exp(-np.maximum(errors_below_the_best(scores), 0.0))
    return float(np.exp(np.average(np.log(alphas), weights=weights)))


def errors_below_the_best(scores: FloatArray) -> FloatArray:
    """How far each line of scores lies below the best one, in standard errors of that gap."""
    gaps = scores[first_of_the_largest(scores.mean(axis=1))] - scores
    errors = gaps.std(axis=1, ddof=1) / np.sqrt(gaps.shape[1])
    return np.asarray(gaps.mean(axis=1) / np.maximum(errors, LEAST_ERROR))


def _median_bandwidth_unless_worse(scores: FloatArray, best: int, median: IntArray) -> int:
    """The best at the median bandwidth, unless the best of all is two standard errors better."""
    usual = int(median[first_of_the_largest(scores[median].mean(axis=1))])
    gain = scores[best] - scores[usual]
    if len(gain) < 2:
        return best
    return best if gain.mean() > 2 * gain.std(ddof=1) / np.sqrt(len(gain)) else usual


def _has_gamma(ratio: ArctanRatio) -> bool:
    return isinstance(ratio.kernel, str) and "gamma" in KERNELS[ratio.kernel]


def _gammas(ratio: ArctanRatio, rows: TuningRows, given: ArrayLike | None) -> list[float | None]:
    if not _has_gamma(ratio):
        return [None]
    if given is not None:
        return [float(gamma) for gamma in np.atleast_1d(np.asarray(given))]
    distinct = np.unique(rows.x[rows.frequencies > 0], axis=0)
    median = distance_quantiles(distinct, [0.5], ratio.random_state)[0]
    return [float(0.5 / (share * median) ** 2) for share in BANDWIDTHS]


def with_fewer_landmarks(ratio: ArctanRatio) -> ArctanRatio:
    """The same class spanned by fewer points, which rank penalties and bandwidths as well."""
    if ratio.n_components is None or ratio.n_components <= TUNING_LANDMARKS:
        return ratio
    fewer: ArctanRatio = clone(ratio).set_params(n_components=TUNING_LANDMARKS)
    return fewer


def _path_scores(
    ratio: ArctanRatio,
    rows: TuningRows,
    folds: list[Split],
    alphas: FloatArray,
    space_of: Callable[[float | None], FeatureSpace],
    gamma: float | None,
    *,
    tol: float,
    stops: bool = False,
) -> FloatArray:
    """Held-out J at each penalty, from the largest on, in each fold.

    With ``stops``, no smaller penalty is tried once one is far below the best: those take longest.
    """
    space = space_of(gamma)
    paths = [_fold_scores(ratio, space, rows, fold, alphas, tol) for fold in folds]
    scores: list[list[float]] = []
    for line in zip(*paths, strict=True):
        scores.append(list(line))
        if stops and len(folds) > 1 and errors_below_the_best(np.array(scores))[-1] > FAR_BELOW:
            break
    return np.array(scores)


def _space(ratio: ArctanRatio, rows: TuningRows, gamma: float | None) -> FeatureSpace:
    """Features of all tuning rows, made once for all folds and penalties."""
    model = clone(ratio).set_params(gamma="median" if gamma is None else gamma)
    space: FeatureSpace = model._feature_space(rows.x, rows.positive, rows.frequencies, None)
    return space if space.map is None else FeatureSpace(space.map(space.x), None, None)


def _fold_scores(
    ratio: ArctanRatio,
    space: FeatureSpace,
    sample: TuningRows,
    fold: Split,
    alphas: FloatArray,
    tol: float,
) -> Iterator[float]:
    """Held-out J at each penalty, from the largest to the smallest."""
    train, test = fold
    positive = sample.positive[train]
    weights = class_weights(positive, sample.frequencies[train]) * sample.objective_weights[train]
    phi = space.x[test] if space.shift is None else space.x[test] - space.shift
    path = solve_path(
        MemoryRows(space.x[train], np.where(positive, 1.0, -1.0), weights, shift=space.shift),
        space.n_features,
        ratio.loss,
        list(alphas),
        fit_intercept=ratio.fit_intercept,
        tol=max(ratio.tol, tol),
        max_iter=ratio.max_iter,
    )
    judged = sample.positive[test]
    counted = class_weights(judged, sample.frequencies[test])
    for w in (fit.solution.w for fit in path):
        z = phi @ w[: space.n_features] + (w[-1] if ratio.fit_intercept else 0.0)
        angle = angle_loss(ratio.loss).angle(z)
        yield float(counted @ np.where(judged, np.sin(angle), np.cos(angle)))
