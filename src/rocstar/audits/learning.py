"""Would more rows help? The learning curve of an audit, in numbers and in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# Gain of arc length by the last doubling of the rows.
HELPS, HELPS_A_LITTLE = 0.01, 0.003


def learning_entries(curve: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """What a summary says about more rows."""
    return {"learning_curve": curve, "learning_sentence": learning_sentence(curve)}


def learning_sentence(curve: Sequence[Mapping[str, float]]) -> str:
    """Would more rows help?

    Examples
    --------
    >>> learning_sentence([{"rows": 50, "arc_length": 1.5}, {"rows": 100, "arc_length": 1.52}])
    'The last doubling of the rows added 0.020 to the held-out arc length: more rows would help.'
    """
    if len(curve) < 2:
        return ""
    gain = curve[-1]["arc_length"] - curve[-2]["arc_length"]
    if gain <= 0:
        return (
            "The last doubling of the rows added nothing to the held-out arc length: "
            "more rows would hardly help."
        )
    outlook = "hardly help"
    if gain >= HELPS_A_LITTLE:
        outlook = "help" if gain >= HELPS else "help a little"
    return (
        f"The last doubling of the rows added {gain:.3f} to the held-out arc length: "
        f"more rows would {outlook}."
    )
