"""Changes of a stack's default members, which are others for two classes than for more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import clone

from rocstar.estimators.many_stack import default_class_members
from rocstar.estimators.members import GUIDED, default_members

Pairs = list[tuple[str, Any]]
# Default members of more than two classes have the same parameters whatever their number.
SOME_CLASSES = 3


class ChangedMembers(Pairs):
    """The default members of two classes with changes, which those of more classes take as well."""

    def __init__(self, changes: Mapping[str, Any]) -> None:
        super().__init__(with_changes(_of_two_classes(changes).items(), changes))
        self.changes = dict(changes)

    def __sklearn_clone__(self) -> ChangedMembers:
        return ChangedMembers({key: clone(v, safe=False) for key, v in self.changes.items()})


def default_names() -> set[str]:
    """All names that default members have, of two classes or of more."""
    return {name for name, _ in (*default_members(), *default_class_members(SOME_CLASSES))}


def with_more_changes(given: ChangedMembers | None, more: Mapping[str, Any]) -> ChangedMembers:
    """The same with more changes; a member that is replaced loses its earlier ones."""
    kept = {} if given is None else given.changes
    kept = {key: value for key, value in kept.items() if _member(key) not in more}
    # A change that comes later is applied later.
    changes = {key: value for key, value in kept.items() if key not in more} | dict(more)
    for members in (default_members(), default_class_members(SOME_CLASSES)):
        with_changes(members, changes)  # names what cannot be set
    return ChangedMembers(changes)


def default_pairs(
    given: ChangedMembers | None,
    seed: int | None = None,
    rows: int | None = None,
    columns: int = 1,
    n_classes: int = 2,
    rarer: int | None = None,
) -> Pairs:
    """The default members for so many rows, columns and classes, with changes if there are any."""
    if n_classes > 2:
        many = default_class_members(n_classes, seed, rows, columns)
        return many if given is None else with_changes(many, given.changes)
    if given is None:
        return default_members(seed, rows, columns, rarer)
    members = _of_two_classes(given.changes, seed, rows, columns, rarer)
    # A change of a member that these rows do without brings it back.
    every = _of_two_classes(given.changes, seed, None, columns) | members
    wanted = {*members, *map(_member, given.changes)}
    return with_changes([pair for pair in every.items() if pair[0] in wanted], given.changes)


def all_pairs(given: ChangedMembers | None) -> Pairs:
    """Every default member once, of two classes where both have it, with the changes."""
    return list(
        dict([*default_pairs(given, n_classes=SOME_CLASSES), *(given or default_members())]).items()
    )


def with_changes(members: Iterable[tuple[str, Any]], changes: Mapping[str, Any]) -> Pairs:
    """Members replaced, dropped, or with other parameters; changes of others are passed over."""
    out = dict(members)
    for key, value in changes.items():
        name, _, parameter = key.partition("__")
        if name not in out:
            continue
        if not parameter:
            out[name] = value
        elif isinstance(out[name], str):
            raise ValueError(f"`{key}` cannot be set: the member `{name}` is dropped.")
        else:
            out[name] = clone(out[name]).set_params(**{parameter: value})
    return list(out.items())


def _of_two_classes(
    changes: Mapping[str, Any],
    seed: int | None = None,
    rows: int | None = None,
    columns: int = 1,
    rarer: int | None = None,
) -> dict[str, Any]:
    """Default members; those that are dropped or replaced do not guide trees."""
    members = dict(default_members(seed, rows, columns, rarer, changes.keys()))
    if GUIDED in changes:
        members.setdefault(GUIDED, changes[GUIDED])  # also where nothing guides those by default
    return members


def _member(key: str) -> str:
    return key.partition("__")[0]
