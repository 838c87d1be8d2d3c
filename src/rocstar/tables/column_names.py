"""Names of columns: which has which role, and whether the table has them.

Nothing heavy is imported here, so that a wrong name is reported at once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from rocstar.checks import InputError

if TYPE_CHECKING:
    from pandas import DataFrame


def column_roles(
    frame: DataFrame,
    source: str,
    *,
    target: str,
    scores: Sequence[str] = (),
    drop: Sequence[str] = (),
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
) -> dict[str, str]:
    """Role of each column that is no feature; each must be in the table, and have one role only."""
    roles: dict[str, str] = {target: "target"}
    given = [(name, "score") for score in scores for name in score_columns(score, frame.columns)]
    given += [(name, "dropped") for name in drop]
    given += [(n, r) for n, r in ((weight, "weight"), (group, "group"), (time, "time")) if n]
    for name, role in given:
        if name in roles and roles[name] != role:
            raise InputError(f"Column `{name}` cannot be both {roles[name]} and {role}.")
        roles[name] = role
    if absent := [_absence(frame, name, source) for name in roles if name not in frame.columns]:
        raise InputError(" ".join(absent))
    return roles


def score_columns(score: str, columns: Collection[str]) -> list[str]:
    """Columns of one score: one, or one per class with commas between them."""
    return [score] if score in columns else [name.strip() for name in score.split(",")]


def require_one_column_each(scores: Sequence[str], columns: Collection[str]) -> None:
    """Refuse several columns for one score of two classes."""
    for score in scores:
        if len(score_columns(score, columns)) > 1:
            raise InputError(
                f"`score` must name one column where the target has two classes; got {score}: name "
                "that of the positive class."
            )


def require_column(frame: DataFrame, name: str, source: str) -> None:
    """Refuse a name that no column has."""
    if name not in frame.columns:
        raise InputError(_absence(frame, name, source))


def _absence(frame: DataFrame, name: str, source: str) -> str:
    return f"`{source}` has no column `{name}`; {nearest(name, list(frame.columns))}"


def nearest(name: str, names: Sequence[str]) -> str:
    """Half a sentence that suggests the nearest name, or lists the first few."""
    lowered = {other.lower(): other for other in names}
    close = get_close_matches(name.lower(), list(lowered), n=1, cutoff=0.6)
    if close:
        return f"did you mean `{lowered[close[0]]}`?"
    shown = ", ".join(f"`{other}`" for other in list(names)[:6])
    return f"it has {shown}{' and more' if len(names) > 6 else ''}."
