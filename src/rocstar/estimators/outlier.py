"""`RatioOutlierDetector`: rows that a reference sample would hardly have produced."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import check_is_fitted

from rocstar.checks import require_in_memory
from rocstar.estimators.cv import ArctanRatioCV
from rocstar.estimators.fits import generator, seeded
from rocstar.estimators.numeric_input import explained, validated
from rocstar.estimators.unwrap import predict_angle, unwrap
from rocstar.sklearn_private import HasMethods, Interval, validates_parameters


class RatioOutlierDetector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Inlier-based outlier detection: a clean reference sample against the sample at hand.

    The score of a row is the angle atan(p/q) with p the density of the reference and q that of the
    sample: near 0 where the sample has rows and the reference has none (Hido et al. 2011, with the
    angle in place of the ratio).

    Without a reference, the sample itself is compared with rows drawn uniformly over its range, a
    little widened: low scores then mean low density. That works in few dimensions only.

    Parameters
    ----------
    estimator : estimator, optional
        Anything with ``predict_angle``, also at the end of a pipeline; by default
        ``ArctanRatioCV("rbf")``.
    contamination : float, default=0.1
        Share of the sample that `predict` calls outliers, in (0, 0.5].
    random_state : int or None, default=None
        For the uniform rows and the default estimator.

    Attributes
    ----------
    estimator_ : estimator
        Fitted to the reference (label 1) against the sample (label 0).
    offset_ : float
        Scores below it are outliers.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from rocstar import RatioOutlierDetector
    >>> rng = np.random.default_rng(0)
    >>> reference = rng.normal(size=(300, 2))
    >>> X = np.concatenate([rng.normal(size=(95, 2)), rng.normal(6, 1, size=(5, 2))])
    >>> detector = RatioOutlierDetector(contamination=0.05, random_state=0)
    >>> np.flatnonzero(detector.fit(X, reference=reference).predict(X) == -1)
    array([95, 96, 97, 98, 99])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit"]), None],
        "contamination": [Interval(Real, 0, 0.5, closed="right")],
        "random_state": [Interval(Integral, 0, None, closed="left"), "random_state", None],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        contamination: float = 0.1,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.contamination = contamination
        self.random_state = random_state

    @validates_parameters(skip_nested=False)
    def fit(
        self, X: Any, y: ArrayLike | None = None, *, reference: ArrayLike | None = None
    ) -> RatioOutlierDetector:
        """Compare a sample with a reference.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The sample that may hold outliers; sparse with a reference, if the estimator takes it.
        y : ignored
        reference : array-like of shape (n_reference, n_features), optional
            Rows known to be clean. If this and X are dataframes, their columns are matched by name.

        Returns
        -------
        self
        """
        require_in_memory(X=X, reference=reference)
        if sparse.issparse(X):
            self._check_sparse(reference)
        X = validated(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        clean, sample = self._samples(X, reference)
        rows = _stacked(clean, sample)
        labels = np.repeat([1, 0], [clean.shape[0], sample.shape[0]])
        self.estimator_ = self._model(min(clean.shape[0], sample.shape[0])).fit(rows, labels)
        angles = predict_angle(self.estimator_, X)
        self.offset_ = float(np.quantile(angles, self.contamination))
        return self

    def score_samples(self, X: Any) -> NDArray[Any]:
        """The angle of each row, in [0, π/2]; low means outlying."""
        check_is_fitted(self, "estimator_")
        require_in_memory(X=X)
        X = validated(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        return predict_angle(self.estimator_, X)

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The angle minus ``offset_``: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """−1 for outliers, 1 for inliers."""
        return np.where(self.decision_function(X) < 0, -1, 1).astype(np.intp)

    def _check_sparse(self, reference: Any) -> None:
        """Raise an error if a sparse sample cannot be compared."""
        if reference is None:
            raise TypeError(
                "`X` is sparse and has no `reference`; the uniform rows that stand for one need a "
                "dense array: pass a reference, or X.toarray()."
            )
        model = self._model(2)
        if not get_tags(model).input_tags.sparse:
            raise TypeError(
                f"`X` is sparse, which {type(unwrap(model)).__name__} cannot take: pass "
                "X.toarray(), or estimator=ArctanRatio()."
            )

    def _samples(self, X: NDArray[Any], reference: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """The clean rows and those they are compared with."""
        if reference is None:
            low, high = X.min(axis=0), X.max(axis=0)
            margin = 0.1 * (high - low)
            rng = generator(self.random_state)
            uniform = rng.uniform(
                low - margin, high + margin, size=(max(X.shape[0], 100), X.shape[1])
            )
            return X, uniform.astype(X.dtype)
        with explained(reference, type(self).__name__, "reference"):
            clean = check_array(
                self._in_order(reference),
                accept_sparse="csr" if sparse.issparse(X) else False,
                dtype=X.dtype,
                input_name="reference",
                ensure_min_samples=2,
            )
        if clean.shape[1] != X.shape[1]:
            raise ValueError(
                f"`reference` must have the {X.shape[1]} columns of `X`; got {clean.shape[1]}."
            )
        return clean, X

    def _in_order(self, reference: Any) -> Any:
        """The reference with the columns of X in the order of X, where both have names."""
        wanted = list(getattr(self, "feature_names_in_", ()))
        names = list(getattr(reference, "columns", ()))
        if not wanted or not names or names == wanted:
            return reference
        missing = [name for name in wanted if name not in names]
        extra = [name for name in names if name not in wanted]
        if missing or extra:
            what = "lacks" if missing else "also has"
            listed = ", ".join(map(str, (missing or extra)[:3]))
            more = ", …" if len(missing or extra) > 3 else ""
            raise ValueError(
                f"`reference` must have the columns of `X`; it {what} {listed}{more}: select the "
                "same columns in both."
            )
        return reference[wanted]

    def _model(self, smaller: int) -> Any:
        if self.estimator is not None:
            return seeded(self.estimator, self.random_state)
        return ArctanRatioCV(
            "rbf", alphas=(1e-1, 1e-2, 1e-3), cv=min(3, smaller), random_state=self.random_state
        )


def _stacked(clean: Any, sample: Any) -> Any:
    if sparse.issparse(sample):
        blocks: list[Any] = [sparse.csr_matrix(clean), sample]
        return sparse.csr_matrix(sparse.vstack(blocks))
    return np.concatenate([clean, sample])
