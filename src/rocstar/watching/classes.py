"""Labels of a stream: which of the reference's two sides each is on, and which rows are of use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocstar.checks import BoolArray, FloatArray
from rocstar.report.words import plural
from rocstar.tables.blanks import says_unknown
from rocstar.tables.roles import column_numbers
from rocstar.tables.target import read_labels, read_target
from rocstar.watching.batches import plain_text

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MOST_SHOWN = 3


@dataclass
class Classes:
    """The labels of the reference: the positive one, and all others."""

    positive: Any
    negative: list[Any]

    @classmethod
    def of_reference(
        cls, frame: DataFrame, score: str, target: str, positive: str | None
    ) -> tuple[Classes, BoolArray, FloatArray]:
        """The labels, which rows that have one are positive, and the scores of those rows."""
        goal = read_target(frame[target], positive)
        spelled, kept, _ = read_labels(frame[target], positive)
        names = [_python(value) for value in spelled[kept].unique()]
        chosen = _python(goal.classes[1])
        classes = cls(chosen, [name for name in names if name != chosen])
        return classes, goal.labels, column_numbers(frame.loc[goal.kept, score], "score")

    def labelled(
        self, labels: Series, scores: Series
    ) -> tuple[BoolArray, FloatArray, tuple[str, ...]]:
        """Which labelled rows are positive, their scores, and notes on rows left out."""
        labels = labels.astype(object)  # of other types, some map missing values to true
        sides = self._sides(labels)
        known = np.asarray([side is not None for side in sides], dtype=np.bool_)
        given = np.asarray(labels.notna() & ~labels.map(says_unknown).astype(bool))
        scored = np.asarray(scores.notna())
        used = known & scored
        positive = np.asarray([bool(side) for side in sides], dtype=np.bool_)[used]
        notes = (*_strange(labels[given & ~known]), *_unscored(int((known & ~scored).sum())))
        return positive, column_numbers(scores[used], "score"), notes

    def _sides(self, labels: Series) -> list[bool | None]:
        """Whether each label is positive; None for those that the reference has not."""
        side = {label: self._side(label) for label in labels.dropna().unique()}
        return [side.get(label) for label in labels]

    def _side(self, label: Any) -> bool | None:
        # The same word in another case is the same class, unless case tells the classes apart.
        for spelled in (_itself, plain_text, _folded):
            is_positive = spelled(label) == spelled(self.positive)
            is_negative = spelled(label) in [spelled(name) for name in self.negative]
            if is_positive != is_negative:
                return bool(is_positive)
        return None


def _strange(labels: Series) -> list[str]:
    if not len(labels):
        return []
    distinct = list(dict.fromkeys(map(str, labels)))
    named = ", ".join(f"'{value}'" for value in distinct[:MOST_SHOWN])
    more = ", …" if len(distinct) > MOST_SHOWN else ""
    have = "has a class" if len(labels) == 1 else "have classes"
    return [
        f"Column `{labels.name}`: {plural(len(labels), 'row')} {have} that the reference has not "
        f"({named}{more}); left out of the AUC."
    ]


def _unscored(rows: int) -> list[str]:
    have = "has" if rows == 1 else "have"
    return [f"{plural(rows, 'labelled row')} {have} no score; left out of the AUC."] if rows else []


def _itself(value: Any) -> Any:
    return value


def _folded(value: Any) -> str:
    return plain_text(value).casefold()


def _python(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
