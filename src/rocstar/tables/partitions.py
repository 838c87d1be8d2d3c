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
from typing import Any

import numpy as np

from rocstar.checks import (
    MORE_IN_MEMORY,
    FloatArray,
    InputError,
    binary_labels,
    is_collection,
    require,
)
from rocstar.scale.client import worker_memory
from rocstar.scale.partition_checks import mixes_text_and_others
from rocstar.scale.partitions import not_a_collection, partitions
from rocstar.scale.tasks import tree_sum
from rocstar.tables.column_names import column_roles, require_one_column_each
from rocstar.tables.frames import columns_quoted, refuse_duplicates
from rocstar.tables.leaks import repeated_rows
from rocstar.tables.memory import available_memory
from rocstar.tables.pieces import (
    DenseEncoder,
    LabelCounts,
    checked_counts,
    doubles,
    drawn_rows,
    is_label,
)
from rocstar.tables.roles import other_columns
from rocstar.tables.table import TableProfile, encoded_profile
from rocstar.tables.target import class_remarks, positive_class, refuse_unclean, two_classes

# Rows that tell what the columns hold: quantiles to a few thousandths, categories of a few rows.
SAMPLE_ROWS = 100_000
# The encoded matrix is kept by the workers if it takes no more than this share of their memory.
KEPT_SHARE = 0.4


@dataclass(frozen=True, kw_only=True)
class PartitionedTable(TableProfile):
    """A table in partitions, ready for an audit; its profile is that of a sample of its rows."""

    X: Any
    y: Any
    scores: dict[str, Any]
    sample_weight: Any
    rows: int
    positives: int
    sampled_rows: int


def partitioned_table(
    X: Any, y: Any, *, scores: Any = None, sample_weight: Any = None, source: str = "table"
) -> PartitionedTable:
    """Table of Dask collections that are already apart; the larger of two labels is positive."""
    require("cli", "narwhals", "pandas", "skrub")
    name = getattr(y, "name", None) if hasattr(y, "index") else None  # arrays' names are of tasks
    target = "y" if name is None else str(name)
    collections = _Collections(X, y, _named(scores), sample_weight, X, target, source)
    return collections.table(
        lambda counts: binary_labels(np.array(list(counts)), MORE_IN_MEMORY)[1][1],
        {target: "target"},
    )


def read_partitions(sources: Sequence[str]) -> Any:
    """Parquet files, patterns and folders as one Dask dataframe, nothing read but the schema."""
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
        raise InputError(f"`{path}` has no {columns_quoted(sorted(missing))}, which `{other}` has.")
    if further := set(names) - set(others):
        raise InputError(f"`{other}` has no {columns_quoted(sorted(further))}, which `{path}` has.")


def prepare_partitions(
    frame: Any,
    *,
    target: str,
    positive: str | None = None,
    scores: Sequence[str] = (),
    drop: Sequence[str] = (),
    weight: str | None = None,
    source: str = "table",
) -> PartitionedTable:
    """Split a table in partitions into what is predicted, what predicts, and what is judged."""
    roles = column_roles(
        frame,
        source,
        target=target,
        scores=scores,
        drop=drop,
        weight=weight,
    )
    require_one_column_each(scores, frame.columns)
    collections = _Collections(
        frame[[name for name in frame.columns if name not in roles]],
        frame[target],
        {name: frame[name] for name in scores},
        None if weight is None else frame[weight],
        frame,
        target,
        source,
    )

    def chosen(counts: dict[Any, int]) -> Any:
        refuse_unclean(counts, positive, target)
        return positive_class(counts, positive, target, ", or audit it as a table in memory")

    return collections.table(chosen, roles)


@dataclass(frozen=True)
class _Collections:
    """Collections as they come; ``whole`` is what a sample is drawn from."""

    X: Any
    y: Any
    scores: dict[str, Any]
    sample_weight: Any
    whole: Any
    target: str
    source: str

    def table(
        self, positive: Callable[[dict[Any, int]], Any], roles: dict[str, str]
    ) -> PartitionedTable:
        """Two passes, then lazy columns of known lengths."""
        import dask

        names = _column_names(self.X, self.source)
        parts = partitions(self.X, self.y, self.sample_weight)
        judged = self._score_pieces()
        # 1. Count, and refuse what cannot be used.
        counts = self._counts(parts, judged)
        chosen = positive(counts.labels)
        # 2. Some rows tell what the columns hold.
        sizes = [counts.sizes[i] for i in range(len(parts))]
        classes = two_classes(counts.labels, chosen)
        remarks = class_remarks(counts.labels, chosen, self.target)
        profile, X = self._sampled_profile(sum(sizes), names, classes, roles)
        profile = replace(profile, warnings=(*remarks, *profile.warnings))
        # 3. The rest is lazy.
        dense = DenseEncoder.learn(profile.encoder, X)
        encode = dask.delayed(dense, pure=False, traverse=False)
        label, numbers = (dask.delayed(f, pure=False) for f in (is_label, doubles))

        def number_column(pieces: list[Any]) -> Any:
            return _array([numbers(piece) for piece in pieces], sizes, np.float64)

        weights = [part.sample_weight for part in parts]
        table = PartitionedTable(
            **vars(profile),
            X=_array([encode(p.x) for p in parts], sizes, np.float32, dense.width),
            y=_array([label(p.y, chosen) for p in parts], sizes, np.bool_),
            scores={name: number_column(pieces) for name, pieces in judged.items()},
            sample_weight=None if self.sample_weight is None else number_column(weights),
            rows=sum(sizes),
            positives=counts.labels[chosen],
            sampled_rows=len(X),
        )
        return _kept_by_workers(table)

    def _score_pieces(self) -> dict[str, list[Any]]:
        """The partitions of each score."""
        for name, column in self.scores.items():
            if not is_collection(column):
                raise not_a_collection(column, name)
        return {
            name: [part.y for part in partitions(self.X, column)]
            for name, column in self.scores.items()
        }

    def _counts(self, parts: list[Any], judged: dict[str, list[Any]]) -> LabelCounts:
        import dask

        count = dask.delayed(checked_counts, pure=False)
        columns = [{name: pieces[i] for name, pieces in judged.items()} for i in range(len(parts))]
        counts: LabelCounts = tree_sum(
            [
                count(i, self.target, part.y, part.sample_weight, scores)
                for i, (part, scores) in enumerate(zip(parts, columns, strict=True))
            ]
        )
        if not counts.labels:
            raise InputError(f"`{self.source}` has no rows in any partition.")
        if mixes_text_and_others(counts.labels):
            raise InputError(
                f"The target `{self.target}` holds text in some rows and numbers in others; "
                "convert it to one kind."
            )
        return counts

    def _sampled_profile(
        self, n: int, names: list[str], classes: tuple[Any, Any], roles: dict[str, str]
    ) -> tuple[TableProfile, FloatArray]:
        """The profile of about 100,000 rows, and their matrix."""
        import dask
        import pandas as pd

        draw = dask.delayed(drawn_rows, pure=False)
        share = min(1.0, SAMPLE_ROWS / n)
        parts = partitions(self.whole, self.y)
        drawn = dask.compute(*[draw(i, p.x, p.y, share, classes[1]) for i, p in enumerate(parts)])
        frames, labels = zip(*drawn, strict=True)
        whole = pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
        positive = np.concatenate(labels)
        dropped = [name for name, role in roles.items() if role == "dropped"]
        return encoded_profile(
            whole[names],
            positive,
            source=self.source,
            target=self.target,
            classes=classes,
            others=other_columns(whole, roles, self.target),
            warnings=repeated_rows(whole.drop(columns=dropped).assign(__label__=positive), False),
        )


def _array(pieces: list[Any], sizes: list[int], dtype: Any, width: int | None = None) -> Any:
    """A Dask array of delayed pieces, one a partition."""
    import dask.array

    across = () if width is None else (width,)
    made = partial(dask.array.from_delayed, dtype=dtype)
    return dask.array.concatenate(
        [made(piece, (size, *across)) for piece, size in zip(pieces, sizes, strict=True)]
    )


def _kept_by_workers(table: PartitionedTable) -> PartitionedTable:
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
        raise InputError(f"`{source}` has no column left to learn from: each is left out.")
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
                    f"`{name}` is not a Parquet file, which is what Dask's workers read: convert "
                    "it, or audit it as a table in memory."
                )
    return found
