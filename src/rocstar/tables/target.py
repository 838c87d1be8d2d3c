"""The target: which rows have a class, how each class is spelled, and which one is positive."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from rocstar.checks import MANY_NUMBERS, BoolArray, InputError
from rocstar.report.words import listed, plural
from rocstar.tables.blanks import says_unknown
from rocstar.tables.column_names import nearest
from rocstar.tables.remarks import Remark

if TYPE_CHECKING:
    from pandas import Series

MOST_SHOWN = 4


@dataclass(frozen=True)
class Target:
    """The classes of the rows that have one, and what a reader must know of the others."""

    labels: BoolArray
    kept: BoolArray
    classes: tuple[Any, Any]
    remarks: tuple[Remark, ...]


def read_target(values: Series, positive: str | None = None) -> Target:
    """The target of a table; rows without a class are left out."""
    name = str(values.name)
    spelled, kept, remarks = read_labels(values, positive)
    counts = spelled[kept].value_counts().to_dict()
    chosen = positive_class(counts, positive, name)
    remarks += class_remarks(counts, chosen, name)
    labels = np.asarray(spelled[kept] == chosen, dtype=np.bool_)
    return Target(labels, kept, two_classes(counts, chosen), tuple(remarks))


def read_labels(
    values: Series, positive: str | None = None
) -> tuple[Series, BoolArray, list[Remark]]:
    """Labels in one spelling each, which rows have one, and remarks on the others."""
    name = str(values.name)
    spelled = whole_numbers(values).astype(object)
    if not spelled.map(lambda label: isinstance(label, Hashable)).all():
        raise InputError(f"The target column `{name}` holds lists or other objects.")
    spellings = other_spellings(spelled.value_counts(), positive)
    remarks = spelling_remarks(spelled, spellings, name)
    if spellings:
        spelled = spelled.map(lambda label: spellings.get(label, label))
    unknown = unknown_classes(spelled.dropna().unique())
    known = np.asarray(spelled.notna() & ~spelled.isin(unknown))
    if not known.all():
        remarks.append(left_out(spelled[~known], name))
    return spelled, known, remarks


def whole_numbers(values: Series) -> Series:
    """A column of whole numbers that only blanks have turned into decimals."""
    is_whole = values.dtype.kind == "f" and values.isna().any() and (values.dropna() % 1 == 0).all()
    return values.astype("Int64") if is_whole else values


def other_spellings(counts: Series, positive: str | None = None) -> dict[str, str]:
    """Classes that differ from a more frequent one, or the named one, by case or spaces only."""
    same: dict[str, list[str]] = {}
    for label in counts.index:  # the most frequent first
        if isinstance(label, str):
            same.setdefault(_folded(label), []).append(label)
    if len(same) < 2:  # else a and A would become one class
        return {}
    first = {key: positive if positive in group else group[0] for key, group in same.items()}
    return {
        label: str(first[key])
        for key, group in same.items()
        for label in group
        if label != first[key]
    }


def unknown_classes(labels: Iterable[Any]) -> list[Any]:
    """Classes that say "not known"; none of them if two others would not be left."""
    known = [label for label in labels if not says_unknown(label)]
    return [label for label in labels if says_unknown(label)] if len(known) >= 2 else []


def positive_class(
    counts: Mapping[Any, int], positive: str | None, target: str, or_else: str = ""
) -> Any:
    """The class that counts as positive: the one named, or the larger of two.

    ``or_else`` is one more remedy for more classes.
    """
    classes = sorted(counts, key=lambda value: (str(type(value)), value))
    if not classes:
        raise InputError(f"The target column `{target}` has no value in any row.")
    if len(classes) == 1:
        raise InputError(f"The target column `{target}` has one class only, {classes[0]!s}.")
    if positive is not None:
        return _matching_class(classes, positive, target)
    if len(classes) == 2:
        return classes[1]
    if len(classes) > MANY_NUMBERS and all(_is_number(value) for value in classes):
        middle = float(np.median(np.repeat(classes, [counts[value] for value in classes])))
        raise InputError(
            f"The target column `{target}` has {len(classes):,} distinct numbers; a target needs "
            "two values: replace it by a column that says, for instance, whether it exceeds its "
            f"median, {middle:g}."
        )
    shown = ", ".join(str(value) for value in classes[:5])
    raise InputError(
        f"The target column `{target}` has {len(classes):,} classes ({shown}"
        f"{', …' if len(classes) > 5 else ''}); say which is positive with `positive`{or_else}."
    )


def two_classes(labels: Iterable[Any], positive: Any) -> tuple[Any, Any]:
    """The two labels that predictions name: several negative ones become one."""
    negative = [value for value in labels if value != positive]
    return (negative[0] if len(negative) == 1 else f"not {positive}", positive)


def class_remarks(counts: Mapping[Any, int], positive: Any, target: str) -> list[Remark]:
    """What counts as negative, where that is not plain."""
    negative = {label: n for label, n in counts.items() if label != positive}
    doubtful = next((label for label in negative if says_unknown(label)), None)
    if doubtful is not None and len(negative) == 1:
        rows = plural(negative[doubtful], "row")
        told = f"`{doubtful}` ({rows}) counts as negative: leave these rows out if it means unknown"
        return [Remark(f"In the target `{target}`, {told}.")]
    if len(negative) < 2:
        return []
    shown = [f"`{label}` ({plural(n, 'row')})" for label, n in list(negative.items())[:MOST_SHOWN]]
    more = [f"{len(negative) - MOST_SHOWN:,} more"] if len(negative) > MOST_SHOWN else []
    told = f"`{positive}` is positive, and {listed(shown + more)} count as negative"
    return [Remark(f"The target `{target}` has {len(counts):,} values: {told}.")]


def refuse_unclean(counts: Mapping[Any, int], positive: str | None, target: str) -> None:
    """Refuse classes that a table in memory would have mended; partitions stay as they are."""
    import pandas as pd

    ordered = pd.Series(dict(counts), dtype=int).sort_values(ascending=False, kind="stable")
    for label, name in other_spellings(ordered, positive).items():
        raise InputError(
            f"The target column `{target}` has {plural(counts[label], 'row')} with `{label}` "
            f"beside `{name}`; spell them alike."
        )
    for label in unknown_classes(counts):
        raise InputError(
            f"The target column `{target}` has {plural(counts[label], 'row')} with `{label}`, "
            "which looks like a value that is not known; leave those rows out."
        )


def spelling_remarks(values: Series, spellings: dict[str, str], target: str) -> list[Remark]:
    """How many rows are spelled otherwise than their class."""
    found = []
    for name in dict.fromkeys(spellings.values()):
        others = [label for label, chosen in spellings.items() if chosen == name]
        n = int(values.isin(others).sum())
        told = f"{_are(n, 'row')} spelled {listed([f'`{label}`' for label in others], 'or')}"
        found.append(Remark(f"In the target `{target}`, {told} and {_was(n)} counted as `{name}`."))
    return found


def left_out(values: Series, target: str) -> Remark:
    """How many rows have no known class."""
    blank = int(values.isna().sum())
    words = values.dropna().value_counts()
    parts = [f"{blank:,} blank"] if blank else []
    parts += [f"{n:,} with `{word}`" for word, n in words.items()]
    n = len(values)
    have = "has" if n == 1 else "have"
    return Remark(
        f"{plural(n, 'row')} {have} no known value of the target `{target}` ({', '.join(parts)}) "
        f"and {_was(n)} left out."
    )


def _matching_class(classes: list[Any], positive: str, target: str) -> Any:
    def same(value: Any) -> tuple[bool, bool, bool]:
        number = _as_number(value)
        return (
            str(value) == str(positive),
            number is not None and number == _as_number(positive),
            _folded(str(value)) == _folded(str(positive)),
        )

    best = max(classes, key=same)
    if any(same(best)):
        return best
    names = [str(value) for value in classes]
    raise InputError(
        f"The target column `{target}` never has the value `{positive}`; {nearest(positive, names)}"
    )


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()


def _as_number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _are(n: int, noun: str) -> str:
    return f"{plural(n, noun)} {'is' if n == 1 else 'are'}"


def _was(n: int) -> str:
    return "was" if n == 1 else "were"
