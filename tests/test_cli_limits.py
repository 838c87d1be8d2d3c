"""Limits of pipelines: which are broken, and with which exit code."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from data_cli import QUICK
from data_summary import audit_summary

from rocstar.cli.errors import EXIT_CODES, HEADROOM, LEAK, TOO_LOW
from rocstar.cli.limits import Limits


def test_no_limit_is_never_broken() -> None:
    assert Limits().broken(audit_summary()) == []


def test_each_limit_has_its_own_code_and_the_leak_comes_first() -> None:
    broken = Limits(below=0.8, headroom=0.02, on="leak").broken(audit_summary())
    assert [code for code, _ in broken] == [LEAK, TOO_LOW, HEADROOM]
    assert broken[1][1] == "The lower bound of the best AUC is 0.742, below the limit of 0.8."
    assert broken[2][1].startswith("`model_score` is at least 0.021 AUC below the best achievable")
    assert len(set(EXIT_CODES)) == len(EXIT_CODES) == 9


def test_a_limit_that_is_kept_passes() -> None:
    summary = audit_summary()
    summary["data"]["columns"] = summary["data"]["columns"][:5]
    assert Limits(below=0.742, headroom=0.0211, on="leak").broken(summary) == []


def test_exit_codes_of_the_command_line(rocstar, churn) -> None:
    audit = ("audit", churn, "-t", "churned", "--score", "model_score", *QUICK)
    code, _, err = rocstar(*audit, "--fail-below", "0.95", "--fail-headroom", "0.4")
    assert code == TOO_LOW
    assert err.startswith("The lower bound of the best AUC is 0.")
    assert rocstar(*audit, "--fail-below", "0.55", "--fail-on", "leak")[0] == 0


@pytest.mark.parametrize(
    ("command", "option", "value", "words"),
    [
        ("audit", "--fail-below", "80", "--fail-below must lie between 0 and 1; got 80."),
        ("audit", "--fail-headroom", "-1", "--fail-headroom must lie between 0 and 1; got -1."),
        ("compare", "--fail-above", "0.7", "--fail-above must lie between 0 and 0.585; got 0.7."),
        ("compare", "--fail-above", "nan", "--fail-above must lie between 0 and 0.585; got nan."),
    ],
)
def test_a_limit_out_of_range_is_refused_at_once(rocstar, churn, command, option, value, words):
    files = [churn] if command == "audit" else [churn, churn]
    code, _, err = rocstar(command, *files, option, value)
    assert code == 2
    assert err.startswith(words)


def test_help_lists_the_exit_codes(rocstar) -> None:
    _, out, _ = rocstar("--help")
    text = " ".join(out.replace("│", " ").split())
    assert "4 best AUC or balanced accuracy below a limit" in text
    _, out, _ = rocstar("audit", "--help")
    assert "Exit with 6" in " ".join(out.replace("│", " ").split())


def test_a_limit_of_headroom_needs_a_score(rocstar, churn) -> None:
    code, _, err = rocstar("audit", churn, "-t", "churned", *QUICK, "--fail-headroom", "0.1")
    assert code == 2
    assert err == "--fail-headroom must come with --score, a column to judge.\n"


def test_one_cost_asks_for_the_other_option(rocstar, churn) -> None:
    code, _, err = rocstar("audit", churn, "-t", "churned", *QUICK, "--cost-fn", "5")
    assert (code, err) == (2, "--cost-fn must come with --cost-fp.\n")


def test_a_limit_of_balanced_accuracy_may_be_below_one_half(rocstar, churn, tmp_path) -> None:
    two = ("audit", churn, "-t", "churned", *QUICK, "--fail-below", "0.3")
    code, _, err = rocstar(*two)
    assert (code, err) == (
        2,
        "--fail-below must lie between 0.5 and 1 for a target of two classes; got 0.3.\n",
    )
    rows = np.random.default_rng(0).normal(size=(300, 2))
    rows[:, 0] += 4 * (np.arange(300) % 3)
    table = tmp_path / "three.csv"
    pd.DataFrame({"a": rows[:, 0], "b": rows[:, 1], "kind": list("xyz") * 100}).to_csv(table)
    three = ("audit", str(table), "-t", "kind", *QUICK)
    assert rocstar(*three, "--fail-below", "0.4")[0] == 0
    assert rocstar(*three, "--fail-below", "0.999")[0] == TOO_LOW
