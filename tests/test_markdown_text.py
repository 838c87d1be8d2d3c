"""The report as Markdown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from data_summary import ATTACKS, with_every_string

from rocstar import report
from rocstar.report.sections import document


@pytest.mark.parametrize("attack", ATTACKS)
def test_markdown_escapes_data(summary: dict[str, Any], attack: str) -> None:
    text = report.markdown(with_every_string(summary, attack))
    text.encode()
    outside = re.sub(r"`[^`\n]+`", "", text.replace("\\`", ""))
    assert "<" not in outside
    assert not re.search(r"(?<!\\)\]\(", outside)
    assert "\n# heading" not in text
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    assert len(re.findall(r"^## ", text, flags=re.M)) == len(document(summary).sections) + bool(
        summary["data"]["warnings"]
    )
