"""Figures of the report: each is drawn for a wide column and for a phone, from the summary alone.

A figure is plain SVG, so it is there without JavaScript and in print; the page's script only adds
the read-out under the pointer and the switches of the legend.
"""

from __future__ import annotations

from collections.abc import Callable

from rocstar.report import (
    class_figures,
    column_figures,
    curve_figures,
    decision_figures,
    range_figures,
    score_figures,
    watch_figures,
)
from rocstar.report.drawing import Figure
from rocstar.report.parts import Summary


def figure(section: str, summary: Summary) -> Figure | None:
    """Figure that goes with a section of the report, if it has one."""
    draw = _FIGURES.get(section)
    return draw(summary) if draw else None


_FIGURES: dict[str, Callable[[Summary], Figure | None]] = {
    "roc": curve_figures.roc,
    "angles": curve_figures.angles,
    "scale": range_figures.scale,
    "headroom": range_figures.headroom,
    "learning": curve_figures.learning,
    "members": range_figures.members,
    "calibration": score_figures.calibration,
    "precision-recall": decision_figures.precision_recall,
    "decision": decision_figures.net_benefit,
    "importance": column_figures.importance,
    "changes": column_figures.changes,
    "pairs": class_figures.pairs,
    "recalls": class_figures.recalls,
    "timeline": watch_figures.timeline,
    "sparklines": watch_figures.sparklines,
    "auc_timeline": watch_figures.auc_timeline,
}
