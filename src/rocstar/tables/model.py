"""Models of tables: which one to use for a matrix with codes, and how to keep it in a file.

Files are written with skops, never pickle: loading one builds objects of the types named here and
of nothing else, whatever the file asks for.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import gen_batches
from sklearn.utils.validation import validate_data

from rocstar import __version__
from rocstar.checks import FloatArray, InputError, group_units, in_memory
from rocstar.estimators.angle import AngleClassifier
from rocstar.estimators.fits import fitted_clone, seeded
from rocstar.fitting.features import landmarks
from rocstar.sklearn_private import HasMethods, Interval, validates_parameters
from rocstar.tables.columns import TableEncoder
from rocstar.tables.reading import available_memory

if TYPE_CHECKING:
    from pandas import DataFrame

# Linear and kernel members have a few hundred coefficients at most: more rows than this, half of
# them of either class where there are enough, move their angle little and cost much.
MAX_ROWS = 20_000
TUNING_ROWS = 3000
MANY_ROWS = 10_000
BATCH = 10_000
# A category rarer than the first thirty shares one column with the others like it.
MAX_COLUMNS_PER_CATEGORY = 30
FORMAT = 2  # since models know how many rows they were fitted to
# Memory of parsed JSON and the objects made of it: our models take 3 to 5 bytes for each of its
# bytes, a hostile list of empty lists takes 72 for three of them.
BYTES_PER_SCHEMA_BYTE = 24

TRUSTED = (
    # A partial call is only data until it is called; here it calls scikit-learn's check_array.
    "functools.partial",
    "numpy.dtype",
    "rocstar.tables.columns.TableEncoder",
    "rocstar.estimators.classifier.ClassifierRatio",
    "rocstar.estimators.cv.ArctanRatioCV",
    "rocstar.estimators.ratio.ArctanRatio",
    "rocstar.estimators.stack.StackedRatio",
    "rocstar.tables.model.DenseRatio",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.utils.validation.check_array",
    "skrub._datetime_encoder.DatetimeEncoder",
    "skrub._squashing_scaler.SquashingScaler",
    "skrub._squashing_scaler._MinMaxScaler",
    "skrub._string_encoder.StringEncoder",
    "skrub._to_str.ToStr",
)
"""Types beyond those skops trusts itself that a model file may hold."""


class DenseRatio(AngleClassifier):
    """A ratio estimator in front of which codes become columns and gaps are filled.

    Numbers are squashed by skrub's `SquashingScaler`, so that a few extreme values cannot rule a
    linear model; missing numbers become the median, with a column that says so.

    Parameters
    ----------
    ratio : estimator
        What is fitted to the dense columns; `ArctanRatioCV` for example.
    categorical : sequence of int, default=()
        Columns of X that hold codes of categories.
    max_rows : int or None, default=20000
        A stratified sample of so many rows is used for fitting; None uses all.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    ratio_ : fitted estimator
    dense_ : ColumnTransformer
    arc_length_, classes_, prior_, effective_counts_, n_features_in_
        As in `ArctanRatio`.

    Examples
    --------
    >>> import numpy as np
    >>> from rocstar import ArctanRatioCV
    >>> from rocstar.tables.model import DenseRatio
    >>> rng = np.random.default_rng(0)
    >>> codes, y = rng.integers(0, 3, 300), rng.integers(0, 2, 300)
    >>> X = np.column_stack([np.where(y, codes, 2 - codes), rng.normal(size=300)])
    >>> model = DenseRatio(ArctanRatioCV(random_state=0), categorical=[0]).fit(X, y)
    >>> model.ratio_.n_features_in_
    4
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ratio": [HasMethods(["fit", "predict_angle"])],
        "categorical": ["array-like"],
        "max_rows": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        ratio: Any,
        *,
        categorical: Sequence[int] = (),
        max_rows: int | None = MAX_ROWS,
        random_state: Any = 0,
    ) -> None:
        self.ratio = ratio
        self.categorical = categorical
        self.max_rows = max_rows
        self.random_state = random_state

    @property
    def smooth_class(self) -> bool:  # type: ignore[override]
        """As smooth as the estimator behind it."""
        return bool(getattr(self.ratio, "smooth_class", False))

    @validates_parameters(skip_nested=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> DenseRatio:
        """Learn medians, scales and categories, then fit the estimator behind them."""
        in_memory(X=X, y=y, groups=groups)
        X, labels = validate_data(self, X, y, ensure_all_finite="allow-nan", dtype=np.float64)
        positive, weights = self._fit_labels(labels, sample_weight, X)
        rows = np.arange(len(labels))
        if self.max_rows is not None and len(labels) > self.max_rows:
            rows = landmarks(positive, weights, self.max_rows, 0)
        self.dense_ = dense_columns(X.shape[1], np.asarray(self.categorical, dtype=int))
        dense = np.ascontiguousarray(self.dense_.fit_transform(X[rows]))
        self.ratio_ = fitted_clone(
            seeded(self.ratio, self.random_state),
            dense,
            labels[rows],
            sample_weight=None if sample_weight is None else np.asarray(sample_weight)[rows],
            groups=None if groups is None else group_units(groups, len(labels))[rows],
        )
        # Of the rows that were used; a pipeline does not count them.
        self.effective_counts_ = getattr(self.ratio_, "effective_counts_", self.effective_counts_)
        self.arc_length_ = float(self.ratio_.arc_length_)
        return self

    def predict_angle(self, X: Any) -> NDArray[Any]:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        return self._in_batches(X, lambda dense: self.ratio_.predict_angle(dense))

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The score of the estimator behind the columns: unclipped where it has one."""
        return self._in_batches(X, lambda dense: self.ratio_.decision_function(dense))

    def frozen(self) -> DenseRatio:
        """An unfitted copy that keeps what the estimator behind the columns has tuned."""
        ratio = self.ratio_.frozen() if hasattr(self.ratio_, "frozen") else clone(self.ratio)
        return DenseRatio(**{**self.get_params(deep=False), "ratio": ratio})

    def _in_batches(self, X: Any, answer: Callable[[FloatArray], NDArray[Any]]) -> NDArray[Any]:
        self._check_is_fitted()
        in_memory(X=X)
        X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan", dtype=np.float64)
        parts = [answer(self.dense_.transform(X[b])) for b in gen_batches(len(X), BATCH)]
        return np.concatenate(parts)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def dense_columns(n_features: int, categorical: NDArray[np.intp]) -> ColumnTransformer:
    """What turns a matrix with codes and gaps into one without.

    Examples
    --------
    >>> X = np.array([[31.0, 0.0], [np.nan, 1.0], [44.0, 0.0]])
    >>> dense_columns(2, np.array([1])).fit_transform(X).shape
    (3, 4)
    """
    from skrub import SquashingScaler

    numbers = np.setdiff1d(np.arange(n_features), categorical)
    filled = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    spread = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        max_categories=MAX_COLUMNS_PER_CATEGORY,
        sparse_output=False,
    )
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(filled, SquashingScaler()), numbers),
            ("categories", spread, categorical),
        ]
    )


def table_model(
    kind: str = "auto",
    *,
    rows: int,
    categorical: Sequence[int] = (),
    fast: bool = False,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Any:
    """The ratio estimator for a matrix with codes.

    Parameters
    ----------
    kind : {"auto", "linear", "rbf", "trees"}, default="auto"
        "auto" is a `StackedRatio` of the other three.
    rows : int
        How many rows there are to learn from: more trees are grown on many.
    categorical : sequence of int
        Columns that hold codes.
    fast : bool, default=False
        Leave the kernel out of "auto", choose its shares by two folds, and grow a few large steps
        of trees on many rows.
    n_jobs : int, optional
    random_state : int, RandomState or None, default=0

    Returns
    -------
    estimator

    Examples
    --------
    >>> [name for name, _ in table_model(rows=1000).estimators]
    ['linear', 'rbf', 'trees']
    """
    from rocstar.estimators.classifier import ClassifierRatio
    from rocstar.estimators.cv import ArctanRatioCV
    from rocstar.estimators.stack import SMOOTH_MEMBERS, StackedRatio

    def smooth(kernel: str, loss: str) -> DenseRatio:
        ratio = ArctanRatioCV(
            kernel, loss=loss, cv=3, max_tuning_rows=TUNING_ROWS, random_state=random_state
        )
        return DenseRatio(ratio, categorical=categorical, random_state=random_state)

    members: dict[str, Any] = {
        kernel: smooth(kernel, loss) for kernel, loss in SMOOTH_MEMBERS.items()
    }
    members["trees"] = ClassifierRatio(_trees(rows, categorical, fast, random_state))
    if kind in members:
        return members[kind]
    if kind != "auto":
        raise InputError(f"`model` must be auto, linear, rbf or trees; got {kind}.")
    if fast:
        del members["rbf"]
    folds = 2 if fast else 3
    return StackedRatio(list(members.items()), cv=folds, n_jobs=n_jobs, random_state=random_state)


def _trees(rows: int, categorical: Sequence[int], fast: bool, random_state: Any) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    # More rows bear more steps, from a hundred at ten thousand rows on; `fast` goes as far in fewer
    # and larger ones. Early stopping would set aside a tenth of the rows, and by default
    # scikit-learn begins with it at ten thousand, where the AUC then falls.
    growth = float(np.clip(np.sqrt(rows / MANY_ROWS), 1.0, 2.0))
    steps = {"learning_rate": 0.05, "max_iter": round(100 * growth)}
    if fast and rows > MANY_ROWS:
        steps = {"learning_rate": 0.1 * growth, "max_iter": 50}
    return HistGradientBoostingClassifier(
        max_leaf_nodes=15,
        l2_regularization=1.0,
        early_stopping=False,
        categorical_features=list(categorical) or None,
        random_state=random_state,
        **steps,
    )


@dataclass(frozen=True)
class TableModel:
    """An encoder and the ratio estimator behind it: from a table to scores.

    Examples
    --------
    >>> import pandas as pd
    >>> from rocstar.tables.table import prepare
    >>> frame = pd.DataFrame({"age": [31, 52, 44, 23] * 10, "left": [0, 1, 1, 0] * 10})
    >>> table = prepare(frame, target="left")
    >>> ratio = table_model("linear", rows=40).fit(table.X, table.y)
    >>> TableModel(table.encoder, ratio, "left", "1").scores(frame).columns.tolist()
    ['angle', 'ratio', 'probability']
    """

    encoder: TableEncoder
    ratio: Any
    target: str
    positive: str
    version: str = __version__

    def scores(self, frame: DataFrame) -> DataFrame:
        """Angle, likelihood ratio and probability of the positive class for each row."""
        from pandas import DataFrame as Frame

        X = self.encoder.transform(frame)
        angle = self.ratio.predict_angle(X)
        ratio = self.ratio.ratio_given_angle(angle)
        probability = self.ratio.proba_given_angle(angle)[:, 1]
        return Frame(
            {"angle": angle, "ratio": ratio, "probability": probability}, index=frame.index
        )


def save(model: TableModel, path: str | Path) -> None:
    """Write a model to a compressed skops file, whole or not at all.

    Examples
    --------
    >>> save(TableModel(TableEncoder(), None, "left", "1"), "/no/such/folder/model.skops")
    Traceback (most recent call last):
    rocstar.checks.InputError: `/no/such/folder/model.skops` cannot be written: ...
    """
    import skops.io

    content = {"rocstar_model": FORMAT, **vars(model), "ratio": deepcopy(model.ratio)}
    for part in _parts(content["ratio"]):
        # How the solver got there is of no use in a file.
        vars(part).pop("solution_", None)
    replace_file(path, skops.io.dumps(content, compression=zipfile.ZIP_DEFLATED, compresslevel=6))


def _parts(value: Any) -> Iterator[Any]:
    """Every estimator inside an estimator, a list or a dict, itself included."""
    if hasattr(value, "get_params"):
        yield value
        value = vars(value)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _parts(item)


def load(path: str | Path, *, max_memory: float | None = None) -> TableModel:
    """Read a model that `save` has written; a file that holds anything else is refused.

    Parameters
    ----------
    path : str or Path
    max_memory : float, optional
        Bytes that may be used; by default what the machine has available.

    Returns
    -------
    TableModel

    Examples
    --------
    >>> load("/no/such/model.skops")
    Traceback (most recent call last):
    rocstar.checks.InputError: There is no file `/no/such/model.skops`.
    """
    import skops.io

    name = Path(path).name
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no file `{path}`.") from None
    except OSError as error:
        raise InputError(f"`{path}` cannot be read: {error.strerror}.") from None
    try:
        if _unpacked(data) > (available_memory() if max_memory is None else max_memory):
            raise InputError(f"`{name}` is refused: unpacked it would not fit into memory.")
        foreign = sorted(set(skops.io.get_untrusted_types(data=data)) - set(TRUSTED))
    except InputError:
        raise
    except Exception:  # whatever a damaged or hostile file makes the parser raise
        raise InputError(f"`{name}` is not a model file of rocstar.") from None
    if foreign:
        raise InputError(f"`{name}` is refused: it asks for {foreign[0]}, which no model needs.")
    try:
        content = skops.io.loads(data, trusted=list(TRUSTED))
        if content.pop("rocstar_model") != FORMAT:
            raise InputError(f"`{name}` was written by another version of rocstar; fit it again.")
        model = TableModel(**content)
        if not isinstance(model.encoder, TableEncoder) or not isinstance(model.target, str):
            raise InputError(f"`{name}` is not a model file of rocstar.")
        return model
    except InputError:
        raise
    except Exception:
        raise InputError(f"`{name}` is not a model file of rocstar.") from None


def _unpacked(data: bytes) -> float:
    """Bytes that a model takes in memory, as its archive states them; no part can exceed that."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = {part.filename: part.file_size for part in archive.infolist()}
    return sum(sizes.values()) + BYTES_PER_SCHEMA_BYTE * sizes.get("schema.json", 0)


def replace_file(path: str | Path, content: bytes) -> None:
    """Write beside the path, then rename: a reader sees the old file or the whole new one.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     replace_file(pathlib.Path(folder, "a.txt"), b"whole")
    ...     pathlib.Path(folder, "a.txt").read_bytes()
    b'whole'
    """
    path = Path(path)
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as beside:
            try:
                beside.write(content)
                beside.close()
                # Temporary files are private; a result is for whoever may read the folder.
                os.chmod(beside.name, 0o666 & ~_umask())
                os.replace(beside.name, path)
            except BaseException:
                Path(beside.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise InputError(f"`{path}` cannot be written: {error.strerror}.") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
