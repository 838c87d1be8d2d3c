"""Models of tables: from a mixed frame to angles, or to directions of more than two classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocstar.checks import (
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    group_units,
    require_in_memory,
)
from rocstar.estimators.directions import (
    DirectionClassifier,
    has_many_classes,
    predict_direction,
    takes_many_classes,
)
from rocstar.estimators.fits import drawn_seed, fitted_clone
from rocstar.estimators.protocol import AnglePredictor, declared, tunes_itself
from rocstar.estimators.unwrap import predict_angle, unwrap
from rocstar.tables.class_model import class_table_model
from rocstar.tables.class_table import AnyTable
from rocstar.tables.columns import TableEncoder
from rocstar.tables.dense import DenseColumns, DenseRatio

if TYPE_CHECKING:
    from pandas import DataFrame

TUNING_ROWS = 3000
MANY_CELLS = 1_000_000


class TableModel(DirectionClassifier):
    """A classifier of mixed frames: numbers, categories, dates, booleans, text and missing values.

    A `TableEncoder` makes a matrix of the frame, and a ratio estimator is fitted to it.

    Parameters
    ----------
    kind : {"auto", "linear", "rbf", "trees"} or estimator, default="auto"
        What is fitted to the matrix. "auto" is a `StackedRatio` of the other three and,
        depending on the numbers of rows and classes, further models. An estimator gets a float
        matrix in which categories are codes and missing values are NaN.
    fast : bool, default=False
        Fit "auto" to the linear model and the trees only, choose its shares by two folds, and grow
        a few large steps of trees on many rows.
    n_jobs : int, optional
        Threads of "auto".
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    encoder_ : TableEncoder
    ratio_ : fitted estimator
    target_ : str
        Name of y; "y" if it has none.
    positive_ : str
        The label that counts as positive; absent of more than two classes.
    classes_, prior_, priors_, effective_counts_
        As in `ArctanRatio`.
    feature_names_in_ : ndarray of str
    n_features_in_ : int

    See Also
    --------
    audit : How good any classifier could be on a table.

    Examples
    --------
    >>> import pandas as pd
    >>> from rocstar import TableModel
    >>> frame = pd.DataFrame({"age": [31, 52, None, 23] * 10, "plan": ["a", "b", "b", "a"] * 10})
    >>> model = TableModel("linear").fit(frame, ["stays", "leaves", "leaves", "stays"] * 10)
    >>> model.predict(pd.DataFrame({"plan": ["a"], "age": [30]})).tolist()
    ['stays']
    >>> model.scores(frame).columns.tolist()
    ['angle', 'ratio', 'probability']
    """

    # What is frozen is for rows of the same table: categories keep their columns of the matrix.
    inside = ("kind", "ratio_")

    def __init__(
        self,
        kind: Any = "auto",
        *,
        fast: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.kind = kind
        self.fast = fast
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def of_parts(
        cls,
        encoder: TableEncoder,
        ratio: Any,
        *,
        kind: Any = None,
        classes: ArrayLike = (False, True),
        target: str = "y",
    ) -> TableModel:
        """Model of an encoder and a ratio estimator that are fitted already."""
        model = cls(ratio if kind is None else kind)
        model.classes_ = np.asarray(classes)
        model.target_ = target
        model._keep(encoder, ratio)
        return model

    @property
    def smooth_class(self) -> bool:  # type: ignore[override]
        """As smooth as the estimator behind the encoder."""
        return declared(self._unfitted(1, 1, ())).smooth_class

    @property
    def tunes_itself(self) -> bool:
        """Whether the estimator behind the encoder does."""
        return tunes_itself(self._unfitted(1, 1, ()))

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> TableModel:
        """Learn what the columns hold, then fit the estimator to the matrix they become.

        Parameters
        ----------
        X : dataframe or array-like of shape (n, d)
            Any eager dataframe that narwhals knows: pandas, Polars, PyArrow and others.
        y : array-like of shape (n,)
            Two labels, the larger one positive, or more than two.
        sample_weight : array-like of shape (n,), optional
        groups : array-like of shape (n,), optional
            Rows of one group stay together in the folds of what is tuned.

        Returns
        -------
        TableModel
        """
        require_in_memory(X=X, y=y, sample_weight=sample_weight, groups=groups)
        encoder = TableEncoder()
        matrix = encoder.fit_transform(X)
        known = self._fit_class_labels if has_many_classes(y) else self._fit_labels
        labels, _ = known(y, sample_weight, matrix)
        if matrix.shape[1] == 0:
            raise InputError("`X` must have a column with two values or more; it has none.")
        self.target_ = str(getattr(y, "name", None) or "y")
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return self._fit_matrix(encoder, matrix, np.asarray(labels), weights, groups)

    def fit_table(self, table: AnyTable) -> TableModel:
        """Fit to a table whose columns are encoded already, as `prepare_any` returns it."""
        self.classes_, self.target_ = _labels(table.classes), table.target
        return self._fit_matrix(table.encoder, table.X, table.y, table.sample_weight, table.groups)

    def predict_angle(self, X: Any) -> NDArray[Any]:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        self._require_two("predict_angle")
        matrix = self._matrix(X)
        return predict_angle(self.ratio_, matrix)

    def _direction(self, X: Any) -> FloatArray:
        return predict_direction(self.ratio_, self._matrix(X))

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The score of the estimator behind the encoder: unclipped where it has one."""
        matrix = self._matrix(X)
        if self._many:
            return np.asarray(super().decision_function(X))
        return np.asarray(self.ratio_.decision_function(matrix))

    def score_given_angle(self, X: Any, angle: NDArray[Any]) -> NDArray[Any]:
        """What `decision_function` would say of rows whose angles are known already."""
        if isinstance(self.ratio_, AnglePredictor):
            return np.asarray(self.ratio_.score_given_angle(self._matrix(X), angle))
        return self.decision_function(X)

    @property
    def score_names(self) -> list[str]:
        """Columns of `scores`."""
        if self._many:
            return [*(f"probability_{label}" for label in self.classes_), "class"]
        return ["angle", "ratio", "probability"]

    def scores(self, frame: Any) -> DataFrame:
        """Angle, likelihood ratio and probability of the positive class for each row.

        Of more than two classes, the probability of each, and the likeliest one.
        """
        import pandas as pd

        index = frame.index if isinstance(frame, pd.DataFrame) else None
        if self._many:
            share = self.predict_proba(frame)
            scored = pd.DataFrame(share, columns=self.score_names[:-1], index=index)
            return scored.assign(**{"class": self.classes_[share.argmax(axis=1)]})
        angle = self.predict_angle(frame)
        return pd.DataFrame(
            {
                "angle": angle,
                "ratio": self.ratio_given_angle(angle),
                "probability": self.proba_given_angle(angle)[:, 1],
            },
            index=index,
        )

    def shortcuts(self) -> list[str]:
        """Those of the estimator behind the encoder."""
        return declared(self.ratio_).shortcuts()

    def _unfitted(
        self,
        rows: int,
        columns: int,
        categorical: Sequence[int],
        n_classes: int = 2,
        rarer: int | None = None,
    ) -> Any:
        if not isinstance(self.kind, str):
            return self.kind
        how: dict[str, Any] = {
            "rows": rows,
            "columns": columns,
            "categorical": categorical,
            "fast": self.fast,
            "n_jobs": self.n_jobs,
            "random_state": drawn_seed(self.random_state),
        }
        if n_classes > 2:
            return class_table_model(self.kind, n_classes=n_classes, **how)
        return table_model(self.kind, rarer=rarer, **how)

    def _fit_matrix(
        self,
        encoder: TableEncoder,
        X: FloatArray,
        labels: BoolArray | IntArray,  # positives, or numbers of the classes
        sample_weight: FloatArray | None,
        groups: ArrayLike | None,
    ) -> TableModel:
        from rocstar.estimators.members import class_rows

        categorical, n_classes = encoder.categorical_.tolist(), len(self.classes_)
        rows, rarer = class_rows(labels, sample_weight)
        ratio = fitted_clone(
            self._unfitted(rows, X.shape[1], categorical, n_classes, rarer),
            X,
            labels,
            sample_weight=sample_weight,
            groups=None if groups is None else group_units(groups, len(X)),
        )
        self._keep(encoder, ratio)
        return self

    def _keep(self, encoder: TableEncoder, ratio: Any) -> None:
        """Take over what the parts know."""
        self.encoder_, self.ratio_ = encoder, ratio
        self.feature_names_in_ = encoder.feature_names_in_
        self.n_features_in_ = encoder.n_features_in_
        if not self._many:
            self.positive_ = str(self.classes_[1])
        known = unwrap(ratio)
        names = ("prior_", "priors_", "effective_counts_", "arc_length_", "partly_in_sample_")
        for name in (*names, "n_stacking_rows_"):
            if hasattr(known, name):
                setattr(self, name, getattr(known, name))

    def _matrix(self, X: Any) -> FloatArray:
        self._check_is_fitted()
        return self.encoder_.transform(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = TableEncoder().__sklearn_tags__().input_tags
        if not isinstance(self.kind, str):
            tags.classifier_tags.multi_class = takes_many_classes(self.kind)
        return tags


def table_model(
    kind: str = "auto",
    *,
    rows: int,
    columns: int = 1,
    rarer: int | None = None,
    categorical: Sequence[int] = (),
    fast: bool = False,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Any:
    """The ratio estimator for a matrix with codes; "auto" is a `StackedRatio` of the others."""
    from rocstar.estimators.classifier import ClassifierRatio
    from rocstar.estimators.cv import ArctanRatioCV
    from rocstar.estimators.discriminant import QuadraticRatio
    from rocstar.estimators.members import (
        FEW_ROWS,
        GUIDED,
        GUIDES,
        MAX_COLUMNS,
        SMOOTH_MEMBERS,
        boosted_trees,
        guided_trees,
        member_forest,
        suits_guides,
    )
    from rocstar.estimators.stack import StackedRatio

    def dense(ratio: Any) -> DenseRatio:
        return DenseRatio(ratio, categorical=categorical, random_state=random_state)

    def smooth(kernel: str, loss: str) -> ArctanRatioCV:
        return ArctanRatioCV(
            kernel,
            loss=loss,
            cv=3,
            max_columns=MAX_COLUMNS,
            max_tuning_rows=TUNING_ROWS,
            random_state=random_state,
        )

    settings = {"categorical_features": list(categorical) or None, "random_state": random_state}
    members: dict[str, Any] = {
        kernel: dense(smooth(kernel, loss)) for kernel, loss in SMOOTH_MEMBERS.items()
    }
    shape = rows, columns, rarer
    members["trees"] = ClassifierRatio(boosted_trees("trees", *shape, fast=fast, **settings))
    if kind in members:
        return members[kind]
    if kind != "auto":
        raise InputError(f"`model` must be auto, linear, rbf or trees; got {kind}.")
    if fast:
        del members["rbf"]
    elif columns <= MAX_COLUMNS:
        members["quadratic"] = dense(QuadraticRatio(random_state=random_state))
    if rows >= FEW_ROWS and not fast:
        members["shallow"] = ClassifierRatio(boosted_trees("shallow", *shape, **settings))
        if suits_guides(rows):
            guides = [members[name].ratio for name in GUIDES if name in members]
            behind = DenseColumns(categorical)
            members[GUIDED] = guided_trees(guides, *shape, dense=behind, **settings)
        # Categories as columns here, as codes in the others: either is better on some tables.
        forest = member_forest(*shape, random_state=random_state)
        members["forest"] = dense(ClassifierRatio(forest))
    # Trees take about as long on half of the rows of a wide table as on all of them, so that each
    # fold of the stack costs as much as the model itself.
    wide = columns > MAX_COLUMNS and rows * columns > MANY_CELLS
    folds = "holdout" if wide else 2 if fast else 3
    return StackedRatio(list(members.items()), cv=folds, n_jobs=n_jobs, random_state=random_state)


def _labels(classes: Sequence[Any]) -> Any:
    """Labels as one array, as text where they are of several types."""
    return np.asarray(list(classes if len(set(map(type, classes))) == 1 else map(str, classes)))


def parts(value: Any) -> Iterator[Any]:
    """Every estimator inside an estimator, a list or a dict, itself included."""
    if hasattr(value, "get_params"):
        yield value
        value = vars(value)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from parts(item)
