"""Summary dict in, text out: the same audit or comparison as HTML, Markdown, JSON or terminal text.

Every renderer is a pure function of the JSON-able dict that ``Audit.summary()`` and
``Comparison.summary()`` return; none of them computes a statistic. A summary has every key of its
schema; an empty list, or a None that the schema allows, drops its section. The schemas, in
``rocstar/schemas``, describe every key.
"""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from typing import Any

from rocstar.report.html_page import html
from rocstar.report.markdown_text import markdown
from rocstar.report.terminal_text import terminal

__all__ = ["SCHEMA", "html", "json", "markdown", "terminal"]

# Summaries follow the JSON schemas of this number, rocstar/schemas/1/audit.json and so on. Keys may
# be added to them; a key that goes, or changes its meaning, needs a new number.
SCHEMA = 1


def json(summary: Mapping[str, Any]) -> str:
    """Summary as strict JSON text."""
    return dumps(summary, ensure_ascii=False, indent=2, allow_nan=False)
