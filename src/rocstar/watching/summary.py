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
    "The bounded probability is that of a false first alarm after the start or a reset. An alarm "
    "then stands until the next reset, and a second change in the meantime raises none of its own.",
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
        "awaits_batch": monitor.awaits_batch,
        "batches": [{key: _plain(v) for key, v in each.items()} for each in monitor.records],
        "columns": [
            {"name": name, "shifts": [shifts.get(name) for shifts in monitor.shift_records]}
            for name in monitor.profile.watched
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
    if monitor.awaits_batch:
        return "Quiet: no batch has been judged since the last reset."
    last, sure = monitor.records[-1], words.confidence(monitor.level)
    found = _changes(monitor, last) if last["alarm"] else []
    if last.get("auc_alarm"):
        found.append("the AUC of the score has fallen below the reference's")
    if not found:
        return _quiet(monitor)
    sentences = [f"Alarm: {', and '.join(found)} ({sure})."]
    if last["alarm"]:
        sentences.append(f"The evidence grew from {words.visible(last['since'])} on.")
        names = [f"`{words.visible(name)}`" for name in last["moved"][:3]]
        if names:
            sentences.append(f"Columns that moved in the last batch: {words.listed(names)}.")
    else:
        sentences.append("No change of the other columns has been shown.")
    return " ".join(sentences)


def _changes(monitor: Monitor, last: dict[str, Any]) -> list[str]:
    """What an alarm says about the data."""
    limit = f"{monitor.stream.tolerance:.3g}"
    above = f", above the tolerance of {limit}" if monitor.stream.tolerance else ""
    found = []
    if last["tv_low"] or last["column"] is None:
        low = words.rounded_down(last["tv_low"])
        size = f"by at least {low} in total variation" if last["tv_low"] else "in distribution"
        found.append(f"the data have differed from the reference {size}{above}")
    if last["column"] is not None:
        found.append(f"column `{words.visible(last['column'])}` has changed")
    return found


def _quiet(monitor: Monitor) -> str:
    since_reset = [each for each in monitor.records if each["resets"] == monitor.resets]
    n = words.plural(len(since_reset), "reading")
    n += " since the last reset" if monitor.resets else ""
    beyond = "beyond the tolerance " if monitor.tolerance else ""
    return (
        f"Quiet: no change {beyond}has been shown in {n}. The probability of any false alarm "
        f"is at most {words.percent(1 - monitor.level)}, however often one looks."
    )


def _plain(value: Any) -> Any:
    """A number that JSON can hold, or None."""
    return None if isinstance(value, float) and not isfinite(value) else value
