"""Roles of columns by name: all that are missing are named at once."""

from __future__ import annotations

import pandas as pd
import pytest

from rocstar.checks import InputError
from rocstar.tables.column_names import column_roles, nearest, require_column

FRAME = pd.DataFrame(columns=["age", "plan", "churned"])


def test_each_column_has_one_role():
    roles = column_roles(FRAME, "t", target="churned", drop=["plan"], group="age")
    assert roles == {"churned": "target", "plan": "dropped", "age": "group"}
    with pytest.raises(InputError, match="Column `plan` cannot be both dropped and weight"):
        column_roles(FRAME, "t", target="churned", drop=["plan"], weight="plan")


def test_all_missing_columns_are_named_with_what_may_have_been_meant():
    with pytest.raises(InputError) as error:
        column_roles(FRAME, "t", target="chruned", time="when")
    assert str(error.value) == (
        "`t` has no column `chruned`; did you mean `churned`? "
        "`t` has no column `when`; it has `age`, `plan`, `churned`."
    )
    require_column(FRAME, "age", "t")
    with pytest.raises(InputError, match="`t` has no column `Plan`; did you mean `plan`"):
        require_column(FRAME, "Plan", "t")


def test_of_many_names_a_few_are_shown():
    assert nearest("x", [f"column {k}" for k in range(8)]).endswith("`column 5` and more.")
