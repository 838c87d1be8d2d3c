"""The summary of a monitor: numbers, strings, lists and dicts that the report renders."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from rocstar.report import SCHEMA, words

if TYPE_CHECKING:
    from rocstar.watching.monitor import Monitor

CAVEATS = (
    "The rows of the reference and of the batches must be independent. Repeated measurements of "
    "one unit, or batches that overlap, make false alarms more frequent.",
    "A reference of finite size cannot reveal a difference smaller than its own sampling error.",
    "When the evidence began to grow is an estimate without a confidence statement.",
)


def watch_summary(monitor: Monitor, title: str = "Watch") -> dict[str, Any]:
    """Everything that was found."""
    reference = None if monitor.auc is None else monitor.auc.reference
    return {
        "schema": SCHEMA,
        "kind": "watch",
        "title": title,
        "verdict": verdict(monitor),
        "level": monitor.level,
        "tolerance": monitor.tolerance,
        "unit": monitor.unit,
        "tolerance_tv": monitor.stream.tolerance,
        "alarm": monitor.alarm,
        "batches": [{key: _plain(v) for key, v in each.items()} for each in monitor.records],
        "columns": [
            {"name": name, "shifts": [shifts[k] for shifts in monitor.shift_records]}
            for k, name in enumerate(monitor.profile.watched)
        ],
        "reference_auc": None
        if reference is None
        else {"value": reference.value, "low": reference.low},
        "method": {
            "model": monitor.model
            if isinstance(monitor.model, str)
            else type(monitor.model).__name__,
            "confidence level": words.percent(monitor.level),
            "tolerance": f"{monitor.tolerance:g} ({monitor.unit})",
            "period": words.plural(monitor.period, "batch"),
            "seed": str(monitor.random_state),
        },
        "caveats": list(CAVEATS),
    }


def verdict(monitor: Monitor) -> str:
    """The state of the stream in a sentence or two."""
    if not monitor.records:
        return "No batch has been judged yet."
    last = monitor.records[-1]
    sure = words.confidence(monitor.level)
    sentences = []
    if last["alarm"]:
        limit = f"{monitor.stream.tolerance:.3g}"
        above = f", above the tolerance of {limit}" if monitor.stream.tolerance else ""
        shown = []
        if last["tv_low"] or last["column"] is None:
            low = words.rounded_down(last["tv_low"])
            size = f"by at least {low} in total variation" if last["tv_low"] else "in distribution"
            shown.append(f"the data have differed from the reference {size}{above}")
        if last["column"] is not None:
            shown.append(f"column `{words.visible(last['column'])}` has changed")
        sentences.append(
            f"Alarm: {', and '.join(shown)} ({sure}). "
            f"The evidence grew from {words.visible(last['since'])} on."
        )
        names = [f"`{words.visible(name)}`" for name in last["moved"][:3]]
        if names:
            sentences.append(f"Columns that moved in the last batch: {words.listed(names)}.")
    else:
        n = words.plural(len(monitor.records), "reading")
        beyond = "beyond the tolerance " if monitor.tolerance else ""
        sentences.append(
            f"Quiet: no change {beyond}has been shown in {n}. The probability of any false alarm "
            f"is at most {words.percent(1 - monitor.level)}, however often one looks."
        )
    if last.get("auc_alarm"):
        sentences.append(f"Alarm: the AUC of the score has fallen below the reference's ({sure}).")
    return " ".join(sentences)


def _name(model: Any) -> str:
    return model if isinstance(model, str) else type(model).__name__


def _plain(value: Any) -> Any:
    """A number that JSON can hold, or None."""
    return None if isinstance(value, float) and not isfinite(value) else value
