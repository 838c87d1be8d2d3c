"""`Remark`: what a reader must know of a table, with a severity that fits."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Remark(NamedTuple):
    """One or two sentences: what was seen, why it matters here, what to do."""

    text: str
    severity: Literal["note", "warning", "invalid"] = "warning"
    """A note changes no conclusion; "invalid" means that the numbers must not be relied on."""
