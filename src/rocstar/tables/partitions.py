"""Tables in partitions: Dask collections and Parquet files, encoded by the workers that hold them.

One pass over the target, the weights and the scores counts rows and refuses what cannot be used;
one brings a sample of rows here, which tells what each column holds. Everything else stays lazy: a
partition becomes a matrix of float32 on its worker, whenever it is asked for.

The sample is drawn without a look at the labels, also from rows that are judged later, which is
harmless for the reason that `rocstar.tables.columns` gives.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import InputError, binary_labels, is_collection, require
from rocstar.scale.client import worker_memory
from rocstar.scale.partition_checks import mixes_text_and_others
from rocstar.scale.partitions import not_a_collection, partitions
from rocstar.scale.tasks import tree_sum
from rocstar.tables.columns import TableEncoder, quoted
from rocstar.tables.model import dense_columns
from rocstar.tables.reading import available_memory, refuse_duplicates
from rocstar.tables.table import (
    Table,
    column_numbers,
    column_roles,
    column_weights,
    complete,
    encoded,
    other_columns,
    positive_class,
    repeated_rows,
    require_column,
)

if TYPE_CHECKING:
    from pandas import DataFrame, Series

# Rows that tell what the columns hold: quantiles to a few thousandths, categories of a few rows.
SAMPLE_ROWS = 100_000
# A target of more distinct values is a number, and counting them would fill the client's memory.
MOST_CLASSES = 1000
# The encoded matrix is kept by the workers if it takes no more than this share of their memory.
KEPT_SHARE = 0.4


@dataclass(frozen=True)
class LazyTable:
    """A table in partitions, ready for an audit; ``sample`` holds some of its rows, and records.

    Examples
    --------
    >>> import dask.array as da  # doctest: +SKIP
    >>> table = lazy_table(da.random.random((1000, 3)), da.arange(1000) % 2)  # doctest: +SKIP
    >>> table.rows  # doctest: +SKIP
    1000
    """

    sample: Table
    X: Any
    y: Any
    scores: dict[str, Any]
    sample_weight: Any
    rows: int
    positives: int


def lazy_table(
    X: Any, y: Any, *, scores: Any = None, sample_weight: Any = None, source: str = "table"
) -> LazyTable:
    """Lazy table of Dask collections that are already apart.

    Parameters
    ----------
    X : dask.dataframe.DataFrame or dask.array.Array of shape (n, d)
    y : Dask collection of shape (n,)
        Two labels, the larger one positive.
    scores : dict of Dask collections, dataframe or collection of shape (n,), optional
    sample_weight : Dask collection of shape (n,), optional
    source : str, default="table"

    Returns
    -------
    LazyTable

    Examples
    --------
    >>> import dask.array as da  # doctest: +SKIP
    >>> lazy_table(da.ones((4, 1)), da.arange(4) % 2).sample.positive  # doctest: +SKIP
    '1'
    """
    require("cli", "pandas", "skrub")
    name = getattr(y, "name", None) if hasattr(y, "index") else None  # arrays' names are of tasks
    target = "y" if name is None else str(name)
    raw = _Raw(X, y, _named(scores), sample_weight, X, target, source)
    return raw.table(lambda labels: binary_labels(np.array(labels))[1][1], {target: "target"})


def read_partitions(sources: Sequence[str]) -> Any:
    """Parquet files, patterns and folders as one Dask dataframe, nothing read but the schema.

    Parameters
    ----------
    sources : sequence of str

    Returns
    -------
    dask.dataframe.DataFrame

    Examples
    --------
    >>> read_partitions(["no/such/*.parquet"])
    Traceback (most recent call last):
    rocstar.checks.InputError: There is no file `no/such/*.parquet`.
    """
    paths = [path for source in sources for path in _parquet_paths(source)]
    require("dask", "dask", "distributed")
    import dask.dataframe
    import pyarrow as pa
    import pyarrow.parquet as pq

    first: list[str] | None = None
    for path in paths:
        try:
            schema = pq.read_schema(path)
            # pandas writes the index of a table as a column, but not of every table.
            index = (schema.pandas_metadata or {}).get("index_columns", [])
        except (pa.ArrowException, OSError, ValueError):
            raise InputError(f"`{path}` is not a complete Parquet file; copy it again.") from None
        names = [name for name in schema.names if name not in index]
        first = names if first is None else first
        _refuse_other_columns(path, names, paths[0], first)
    refuse_duplicates(first or [], paths[0])
    return dask.dataframe.read_parquet(paths)


def _refuse_other_columns(path: str, names: list[str], other: str, others: list[str]) -> None:
    """Refuse two files of one table that do not have the same columns."""
    if missing := set(others) - set(names):
        raise InputError(f"`{path}` has no column {quoted(sorted(missing))}, which `{other}` has.")
    if further := set(names) - set(others):
        raise InputError(f"`{other}` has no column {quoted(sorted(further))}, which `{path}` has.")


def prepare_partitions(
    frame: Any,
    *,
    target: str,
    positive: str | None = None,
    scores: Sequence[str] = (),
    drop: Sequence[str] = (),
    weight: str | None = None,
    source: str = "table",
) -> LazyTable:
    """Split a table in partitions into what is predicted, what predicts, and what is judged.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    target, positive, scores, drop, weight, source
        As in `rocstar.tables.table.prepare`.

    Returns
    -------
    LazyTable

    Examples
    --------
    >>> prepare_partitions(read_partitions(["big/*.parquet"]), target="left")  # doctest: +SKIP
    """
    roles = column_roles(target, scores, drop, weight, None, None)
    for name in roles:
        require_column(frame, name, source)
    raw = _Raw(
        frame[[name for name in frame.columns if name not in roles]],
        frame[target],
        {name: frame[name] for name in scores},
        None if weight is None else frame[weight],
        frame,
        target,
        source,
    )
    return raw.table(lambda labels: positive_class(labels, positive, target), roles)


@dataclass(frozen=True)
class _Facts:
    """What the columns beside the features tell; facts of partitions add up."""

    sizes: dict[int, int]
    labels: dict[Any, int]

    def __add__(self, other: _Facts) -> _Facts:
        labels = dict(self.labels)
        for label, count in other.labels.items():
            labels[label] = labels.get(label, 0) + count
        if len(labels) > MOST_CLASSES:
            raise InputError(f"The target has more than {MOST_CLASSES} classes; name another.")
        return _Facts(self.sizes | other.sizes, labels)


@dataclass(frozen=True)
class _Raw:
    """Collections as they come; ``whole`` is what a sample is drawn from."""

    X: Any
    y: Any
    scores: dict[str, Any]
    sample_weight: Any
    whole: Any
    target: str
    source: str

    def table(self, positive: Callable[[list[Any]], Any], roles: dict[str, str]) -> LazyTable:
        """Two passes, then lazy columns of known lengths."""
        import dask

        names = _column_names(self.X, self.source)
        parts = partitions(self.X, self.y, self.sample_weight)
        for name, column in self.scores.items():
            if not is_collection(column):
                raise not_a_collection(column, name)
        judged = {
            name: [part.y for part in partitions(self.X, column)]
            for name, column in self.scores.items()
        }
        # 1. Count, and refuse what cannot be used.
        look = dask.delayed(_facts, pure=False)
        columns = [{name: pieces[i] for name, pieces in judged.items()} for i in range(len(parts))]
        facts = tree_sum(
            [
                look(i, self.target, p.y, p.sample_weight, c)
                for i, (p, c) in enumerate(zip(parts, columns, strict=True))
            ]
        )
        if not facts.labels:
            raise InputError(f"`{self.source}` has no rows in any partition.")
        if mixes_text_and_others(facts.labels):
            raise InputError(
                f"The target `{self.target}` holds text in some rows and numbers in others; "
                "convert it to one kind."
            )
        chosen = positive(list(facts.labels))
        # 2. Some rows tell what the columns hold.
        sizes = [facts.sizes[i] for i in range(len(parts))]
        sample = self._sample(sum(sizes), names, chosen, roles)
        dense = dense_columns(sample.X.shape[1], sample.encoder.categorical_).fit(sample.X)
        # 3. The rest is lazy.
        made = Encoding(tuple(names), sample.encoder, dense)
        encoding = dask.delayed(made, pure=False, traverse=False)
        label, doubles = (dask.delayed(f, pure=False) for f in (_is_label, _doubles))
        weights = [p.sample_weight for p in parts]
        return _kept(
            LazyTable(
                sample=sample,
                X=_array([encoding(p.x) for p in parts], sizes, np.float32, _width(dense)),
                y=_array([label(p.y, chosen) for p in parts], sizes, np.bool_),
                scores={
                    name: _array([doubles(piece) for piece in pieces], sizes, np.float64)
                    for name, pieces in judged.items()
                },
                sample_weight=None
                if self.sample_weight is None
                else _array([doubles(piece) for piece in weights], sizes, np.float64),
                rows=sum(sizes),
                positives=facts.labels[chosen],
            )
        )

    def _sample(self, n: int, names: list[str], chosen: Any, roles: dict[str, str]) -> Table:
        """About 100,000 rows as a table in memory, with the records of the columns."""
        import dask
        import pandas as pd

        draw = dask.delayed(_drawn, pure=False)
        share = min(1.0, SAMPLE_ROWS / n)
        parts = partitions(self.whole, self.y)
        drawn = dask.compute(*[draw(i, p.x, p.y, share, chosen) for i, p in enumerate(parts)])
        frames, labels = zip(*drawn, strict=True)
        whole = pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
        positive = np.concatenate(labels)
        dropped = [name for name, role in roles.items() if role == "dropped"]
        table = Table(
            source=self.source,
            target=self.target,
            positive=str(chosen),
            X=np.empty((0, 0)),
            y=positive,
            columns=tuple(other_columns(whole, roles, self.target)),
            encoder=TableEncoder(),
            warnings=tuple(
                repeated_rows(whole.drop(columns=dropped).assign(__label__=positive), False)
            ),
        )
        return encoded(table, whole[names], leaks=True)


@dataclass(frozen=True)
class Encoding:
    """From the features of a partition to a dense matrix, as a sample of rows has taught.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 52, 44], "plan": ["basic", "plus", "basic"]})
    >>> encoder = TableEncoder().fit(frame)
    >>> dense = dense_columns(2, encoder.categorical_).fit(encoder.transform(frame))
    >>> Encoding(("age", "plan"), encoder, dense)(frame[:0]).shape
    (0, 3)
    """

    names: tuple[str, ...]
    encoder: TableEncoder
    dense: Any

    def __call__(self, piece: Any) -> NDArray[np.float32]:
        frame = _frame(piece)
        if not len(frame):  # which transformers refuse
            return np.empty((0, _width(self.dense)), dtype=np.float32)
        matrix = self.encoder.transform(frame[list(self.names)])
        return np.asarray(self.dense.transform(matrix), dtype=np.float32)


def _facts(index: int, target: str, y: Any, weight: Any, scores: dict[str, Any]) -> _Facts | None:
    """Count the labels of one partition and check its other columns; runs on a worker."""
    try:
        labels = complete(_series(y, target), "target")
        if weight is not None:
            column_weights(_series(weight, "weight"))
        for name, score in scores.items():
            column_numbers(_series(score, name), "score")
    except InputError as error:
        raise InputError(f"In partition {index + 1}: {error}") from None
    counts = labels.value_counts()
    found = dict(zip(counts.index.tolist(), counts.tolist(), strict=True))
    return _Facts({index: len(labels)}, {label: n for label, n in found.items() if n})


def _drawn(
    index: int, piece: Any, y: Any, share: float, chosen: Any
) -> tuple[DataFrame, NDArray[np.bool_]]:
    frame = _frame(piece)
    rows = np.flatnonzero(np.random.default_rng([0, index]).random(len(frame)) < share)
    return frame.iloc[rows], _is_label(y, chosen)[rows]


def _frame(piece: Any) -> DataFrame:
    import pandas as pd

    if isinstance(piece, pd.DataFrame):
        return piece.rename(columns=str)
    return pd.DataFrame(piece, columns=[f"x{k}" for k in range(piece.shape[1])])


def _series(piece: Any, name: str) -> Series:
    import pandas as pd

    return piece if isinstance(piece, pd.Series) else pd.Series(np.asarray(piece), name=name)


def _is_label(piece: Any, chosen: Any) -> NDArray[np.bool_]:
    return np.asarray(np.asarray(piece) == chosen, dtype=np.bool_)


def _doubles(piece: Any) -> NDArray[np.float64]:
    return np.asarray(piece, dtype=np.float64)


def _width(dense: Any) -> int:
    return len(dense.get_feature_names_out())


def _array(pieces: list[Any], sizes: list[int], dtype: Any, width: int | None = None) -> Any:
    """A Dask array of delayed pieces, one a partition."""
    import dask.array

    across = () if width is None else (width,)
    made = partial(dask.array.from_delayed, dtype=dtype)
    return dask.array.concatenate(
        [made(piece, (size, *across)) for piece, size in zip(pieces, sizes, strict=True)]
    )


def _kept(table: LazyTable) -> LazyTable:
    """The table with its matrix held by the workers if it fits; else it is made in every pass."""
    import dask

    room = worker_memory()
    room = available_memory() if room is None else room
    if table.X.nbytes > KEPT_SHARE * room:
        return table
    X, y, weight, scores = dask.persist(table.X, table.y, table.sample_weight, table.scores)
    return replace(table, X=X, y=y, sample_weight=weight, scores=scores)


def _column_names(X: Any, source: str) -> list[str]:
    names = [f"x{k}" for k in range(X.shape[1])]
    if hasattr(X, "columns"):
        names = [str(name) for name in X.columns]
    refuse_duplicates(names, source)
    if not names:
        raise InputError(f"`{source}` has no column left to learn from; drop fewer of them.")
    return names


def _named(scores: Any) -> dict[str, Any]:
    if scores is None:
        return {}
    if hasattr(scores, "columns"):
        return {str(name): scores[name] for name in scores.columns}
    return dict(scores) if isinstance(scores, dict) else {"score": scores}


def _parquet_paths(source: str) -> list[str]:
    """The files that a name, a pattern or a folder stands for."""
    path = Path(source)
    if path.is_dir():
        found = sorted(map(str, path.rglob("*.parquet")))
        if not found:
            raise InputError(f"The folder `{source}` holds no .parquet file.")
        return found
    found = [source] if path.is_file() else sorted(glob.glob(source))
    if not found:
        raise InputError(f"There is no file `{source}`.")
    for name in found:
        with open(name, "rb") as file:
            if file.read(4) != b"PAR1":
                raise InputError(
                    f"`{name}` is not a Parquet file, which is what a cluster reads: convert it, "
                    "or leave --cluster out."
                )
    return found
