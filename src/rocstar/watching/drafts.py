"""Changes of a state that are made whole or not at all."""

from __future__ import annotations

from typing import Any


def copied(value: Any) -> Any:
    """A copy that may be changed without the original; arrays and models are shared.

    Nothing in this room writes into an array or fits a model twice, so that a copy takes
    microseconds, however many rows it holds.
    """
    if isinstance(value, list):
        return [copied(each) for each in value]
    if isinstance(value, tuple):
        return tuple(copied(each) for each in value)
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    settings = getattr(type(value), "__dataclass_params__", None)
    if settings is not None and not settings.frozen:
        twin = object.__new__(type(value))
        vars(twin).update({name: copied(each) for name, each in vars(value).items()})
        return twin
    return value
