"""Remarks: every severity has words of its own in the report."""

from typing import get_args, get_type_hints

from rocstar.report import words
from rocstar.tables.remarks import Remark


def test_a_remark_is_a_warning_unless_it_says_otherwise():
    assert Remark("10 rows repeat another row.").severity == "warning"


def test_the_report_has_a_word_for_every_severity():
    severities = get_args(get_type_hints(Remark)["severity"])
    said = [words.remark(severity, "") for severity in severities]
    assert said == ["Note: ", "Warning: ", "Invalid result: "]
