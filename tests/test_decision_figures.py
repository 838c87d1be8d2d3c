"""Figures at a prevalence: certified areas, the reader's threshold, acting on none and all."""

from __future__ import annotations

from data_summary import audit_summary

from rocstar.report import decision_figures


def test_precision_by_recall_shades_what_is_certified() -> None:
    figure = decision_figures.precision_recall(audit_summary())
    (view,) = figure.views
    assert view.wide.count('class="area"') == 1
    assert [key.style for key in figure.legend] == ["optimal", "band", "s0"]
    found, certified, _ = figure.readout["series"]
    exact = audit_summary()["decision"]["precision_recall"]["low"]
    assert all(shown <= low + 1e-9 for shown, low in zip(certified["y"], exact, strict=True))
    assert found["y"][0] > certified["y"][0]


def test_the_decision_curve_marks_the_threshold_and_both_trivial_rules() -> None:
    summary = audit_summary()
    figure = decision_figures.net_benefit(summary)
    labels = [key.label for key in figure.legend]
    assert labels[-3:] == ["act on all", "act on none", "your threshold, 0.091"]
    assert figure.views[0].wide.count('class="guess"') == 1
    summary["decision"]["threshold"] = None
    assert 'class="guess"' not in decision_figures.net_benefit(summary).views[0].wide
