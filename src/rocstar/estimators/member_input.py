"""Why members of a stack cannot take the rows they were given, in a sentence of our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from rocstar.checks import is_missing
from rocstar.fitting.arrays import is_sparse

# A sentence names at most so many columns.
MOST_NAMES = 3


def input_error(members: dict[str, Any], X: Any) -> Exception | None:
    """What the rows are that some members cannot take; None if it is not for that."""
    # Asked after a fit has failed, since members may take more than their tags say.
    if is_sparse(X):
        return _refusal(
            TypeError,
            members,
            lambda tags: tags.sparse,
            "`X` is sparse, which",
            "pass X.toarray(), or leave out what cannot take it with set_params({dropped}).",
        )
    texts = _columns(X, _has_text)
    if texts:
        return ValueError(
            f"`X` must hold numbers; got text, dates or categories in {_listed(texts)}: encode "
            "them, or use rocstar.TableModel or rocstar.audit, which take mixed columns."
        )
    missing = _columns(X, _has_missing)
    if missing or (not hasattr(X, "columns") and _has_missing(X)):
        where = f" in {_listed(missing)}" if missing else ""
        return _refusal(
            ValueError,
            members,
            lambda tags: tags.allow_nan,
            f"`X` has missing values (NaN){where}, which",
            "impute them, or use rocstar.TableModel or rocstar.audit, which take missing values.",
        )
    return None


def _refusal(
    kind: type[Exception],
    members: dict[str, Any],
    takes: Callable[[Any], bool],
    seen: str,
    remedy: str,
) -> Exception | None:
    unable = [name for name, model in members.items() if not takes(get_tags(model).input_tags)]
    if not unable:
        return None
    names = " and ".join(f"`{name}`" for name in unable)
    dropped = ", ".join(f"{name}='drop'" for name in unable)
    return kind(f"{seen} {names} cannot take: {remedy.format(dropped=dropped)}")


def _columns(X: Any, test: Callable[[Any], bool]) -> list[str]:
    """The columns of a frame that pass a test; none of an array."""
    return [str(name) for name in getattr(X, "columns", ()) if test(X[name])]


def _has_text(column: Any) -> bool:
    values = np.asarray(column)
    if values.dtype.kind in "biuf":
        return False
    try:
        np.array([value for value in values if not is_missing(value)], dtype=np.float64)
    except (TypeError, ValueError):
        return True
    return values.dtype.kind in "mM"


def _has_missing(values: Any) -> bool:
    array = np.asarray(values)
    if array.dtype.kind == "f":
        return bool(np.isnan(array).any())
    return array.dtype.kind == "O" and any(map(is_missing, array.ravel()))


def _listed(names: list[str]) -> str:
    more = ", …" if len(names) > MOST_NAMES else ""
    return f"the column{'s' * (len(names) > 1)} {', '.join(names[:MOST_NAMES])}{more}"
