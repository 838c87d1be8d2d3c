"""Sentences on a decision: what the best rule and each score cost or gain at a prevalence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rocstar.report import words

CERTIFIED, FOUND = "certified", "found"


def decision_sentences(decision: Mapping[str, Any]) -> list[str]:
    """What is certified, what was found, and what each score reaches at which threshold."""
    best = {p["name"]: p for p in decision["points"] if p["at"] == "best"}
    if not best:
        return []
    value = _cost if decision["cost_fn"] is not None else _benefit
    sure = words.confidence(decision["level"])
    said = [
        f"{_where(decision)}, some rule {value(best[CERTIFIED], 'at most', 'at least')} ({sure}); "
        f"the best model found {value(best[FOUND])}.",
        _trivial(decision),
    ]
    given = {p["name"]: p for p in decision["points"] if p["at"] == "as given"}
    for name, point in best.items():
        if name in (CERTIFIED, FOUND):
            continue
        sentence = f"`{name}` {value(point)} at its best threshold on these rows"
        if name in given:
            cut = words.number(decision["threshold"])
            sentence += f", and {value(given[name])} if cases with a score of at least {cut} are "
            sentence += "called positive"
        said.append(f"{sentence}.{_beyond(decision, name)}")
    return said


def _beyond(decision: Mapping[str, Any], name: str) -> str:
    """What is certified of a score's loss; nothing if it is nothing."""
    low = {room["name"]: room["low"] for room in decision["headroom"]}.get(name, 0.0)
    if low <= 0:
        return ""
    amount, sure = money(low, down=True), words.confidence(decision["level"])
    if decision["cost_fn"] is not None:
        return f" Some rule costs at least {amount} less than any threshold of it ({sure})."
    return f" Some rule gains at least {amount} more than any threshold of it ({sure})."


def _where(decision: Mapping[str, Any]) -> str:
    share = f"At a prevalence of {prevalence(decision['prevalence'])}"
    if not decision["given"]:
        share += " (that of the table)"
    if decision["cost_fn"] is None:
        return f"{share} and a threshold of {words.number(decision['threshold'])}"
    missed, alarm = price(decision["cost_fn"]), price(decision["cost_fp"])
    return f"{share}, with costs of {missed} per missed positive and {alarm} per false alarm"


def _trivial(decision: Mapping[str, Any]) -> str:
    """What needs no score: calling no case positive, or all of them."""
    share, missed, alarm = (decision[key] for key in ("prevalence", "cost_fn", "cost_fp"))
    if missed is not None:
        none, everyone = money(1000 * share * missed), money(1000 * (1 - share) * alarm)
        return f"Calling no case positive costs {none} per 1,000 cases, calling all {everyone}."
    odds = decision["threshold"] / (1 - decision["threshold"])
    everyone = money(1000 * (share - (1 - share) * odds))
    return f"Calling no case positive has a net benefit of 0, calling all one of {everyone}."


def _cost(point: Mapping[str, Any], bound: str = "", _: str = "") -> str:
    amount = money(point["cost"], up=bool(bound))
    return f"costs {f'{bound} ' if bound else ''}{amount} per 1,000 cases"


def _benefit(point: Mapping[str, Any], _: str = "", bound: str = "") -> str:
    amount = money(point["net_benefit"], down=bool(bound))
    return f"has a net benefit of {f'{bound} ' if bound else ''}{amount} per 1,000 cases"


def money(amount: float | None, *, up: bool = False, down: bool = False) -> str:
    """An amount with thousands separated: three significant digits, bounds rounded outwards."""
    if amount is None:
        return words.MISSING
    unit = 10.0 ** (math.floor(math.log10(abs(amount))) - 2) if amount else 1.0
    steps = amount / unit
    rounded = math.ceil if up else math.floor if down else round
    steps = rounded(round(steps, 6))
    return f"{steps * unit:,.{max(-round(math.log10(unit)), 0)}f}".replace("-", "−")


def price(amount: float) -> str:
    """A cost as it was given."""
    return f"{amount:,g}" if abs(amount) < 1e6 else f"{amount:,.0f}"


def prevalence(share: float) -> str:
    """A share as a percentage of two or three significant digits."""
    return f"{100 * share:.3g} %"
