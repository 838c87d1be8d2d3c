"""Rows that are not all numbers: what they hold instead, and where to go with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from rocstar.checks import InputError, is_missing
from rocstar.fitting.arrays import is_foreign, is_sparse

# A sentence names at most so many columns.
MOST_NAMES = 3
# What NumPy, pandas, Polars and scikit-learn say of rows that are not finite numbers.
NOT_NUMBERS = re.compile(
    "(could not|annot|nable to) convert|string or a (real )?number|bytes/strings|promoted"
    "|NaN|infinity"
)
DATES = (date, time, timedelta, np.datetime64, np.timedelta64)


class NotNumbers(InputError):
    """Rows that are not finite numbers, and who cannot take them."""

    taker: str


def validated(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """`validate_data` of scikit-learn, with sentences of our own for what is not a number."""
    with explained(X, type(estimator).__name__):
        return validate_data(estimator, X, *y, **options)


@contextmanager
def explained(X: Any, taker: str, name: str = "X") -> Iterator[None]:
    """Explain an error that text, dates, missing or infinite values of X have caused."""
    try:
        yield
    except (TypeError, ValueError) as error:
        # Behind a pipeline columns have lost their names: they are looked for again, outside.
        told = values_error(X, error, getattr(error, "taker", taker), name)
        if told is None:
            raise
        raise told from error


def values_error(X: Any, error: Exception, taker: str, name: str = "X") -> NotNumbers | None:
    """What X holds that is not a finite number; None if the error is not for that."""
    # Asked after an error only: estimators may take more than their tags say.
    foreign = not isinstance(error, InputError) and NOT_NUMBERS.search(str(error))
    if not foreign and not isinstance(error, NotNumbers):
        return None
    if "infinity" in str(error):
        where = _found(X, _has_infinity, name)
        told = (
            f"`{name}` must be finite; got infinity in {where}: replace those values, or drop "
            "their rows."
        )
    elif "NaN" not in str(error) and (where := _found(X, _has_text, name)):
        told = (
            f"`{name}` must hold numbers; got text, dates or categories in {where}: encode them "
            "with rocstar.TableEncoder, or use rocstar.TableModel or rocstar.audit, which take "
            "mixed columns."
        )
    else:
        where = _found(X, _has_missing, name)
        told = (
            f"`{name}` has missing values (NaN) in {where}, which {taker} cannot take: impute "
            "them, or use rocstar.TableModel or rocstar.audit, which take missing values."
        )
    found = NotNumbers(told)
    found.taker = taker
    return found if where else None


def member_error(members: dict[str, Any], X: Any, error: Exception) -> Exception | None:
    """Which members of a stack cannot take X; None if the error is not for that."""
    unable = _unable(members, "sparse")
    if is_sparse(X) and unable:
        dropped = ", ".join(f"{name}='drop'" for name in unable)
        return TypeError(
            f"`X` is sparse, which {_quoted(unable)} cannot take: pass X.toarray(), or leave out "
            f"what cannot take it with set_params({dropped})."
        )
    return values_error(X, error, _quoted(_unable(members, "allow_nan")))


def _unable(members: dict[str, Any], tag: str) -> list[str]:
    tags = {name: get_tags(model).input_tags for name, model in members.items()}
    return [name for name in members if not getattr(tags[name], tag)]


def _quoted(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return " and ".join([", ".join(quoted[:-1])] * (len(quoted) > 1) + quoted[-1:]) or "a member"


def _found(X: Any, test: Callable[[Any], bool], name: str) -> str:
    """The columns of a frame, an array or a sparse matrix that pass a test, in words."""
    if is_foreign(X):
        return ""
    if is_sparse(X):
        return "its entries" if test(X.tocoo().data) else ""
    if hasattr(X, "columns"):
        found = [str(column) for column in X.columns if test(X[column])]
        kind = "the columns " if len(found) > 1 else "the column "
    else:
        rows = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        found = [f"{name}[:, {k}]" for k, column in enumerate(rows.T) if test(column)]
        kind = ""
    more = ", …" if len(found) > MOST_NAMES else ""
    return f"{kind}{', '.join(found[:MOST_NAMES])}{more}" if found else ""


def _has_text(column: Any) -> bool:
    values = np.asarray(column)
    if values.dtype.kind in "biufc":
        return False
    return values.dtype.kind in "mM" or any(map(_is_text, values.tolist()))


def _is_text(value: Any) -> bool:
    if isinstance(value, (str, bytes)):
        try:
            float(value)
        except ValueError:
            return True
        return False
    return isinstance(value, DATES) and not is_missing(value)


def _has_missing(column: Any) -> bool:
    values = np.asarray(column)
    if values.dtype.kind == "f":
        return bool(np.isnan(values).any())
    return values.dtype.kind == "O" and any(map(is_missing, values))


def _has_infinity(column: Any) -> bool:
    try:
        return bool(np.isinf(np.asarray(column, dtype=np.float64)).any())
    except (TypeError, ValueError):
        return False
