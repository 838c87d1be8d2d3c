"""Figures of a watched stream."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from data_watch import SUMMARY, batch

from rocstar.report.drawing import NARROW, WIDE
from rocstar.report.watch_figures import auc_timeline, ranked_columns, sparklines, timeline


@pytest.mark.parametrize("draw", [timeline, auc_timeline, sparklines])
def test_figures_are_drawn_for_a_desk_and_a_phone(draw):
    (view,) = draw(SUMMARY).views
    for text, width in ((view.wide, WIDE), (view.narrow, NARROW)):
        assert ElementTree.fromstring(text).get("width") == f"{width:g}"


@pytest.mark.parametrize("draw", [timeline, auc_timeline, sparklines])
def test_nothing_to_draw(draw):
    assert draw({"batches": [], "columns": []}) is None


def test_the_timeline_marks_alarms_and_the_tolerance():
    drawing = ElementTree.fromstring(timeline(SUMMARY).views[0].wide)
    assert len(drawing.findall(".//circle")) == 1
    assert len(drawing.findall("./line[@class='guess']")) == 1
    tips = [group.get("data-tip") for group in drawing.iter("g") if group.get("data-tip")]
    assert any("at least 0.100, alarm; moved: <b>age</b> and plan" in tip for tip in tips)


def test_one_batch_is_a_dot():
    drawing = ElementTree.fromstring(timeline({"batches": [batch(2)]}).views[0].wide)
    assert drawing.find(".//circle") is not None


def test_columns_are_ranked_by_their_largest_shift():
    assert [column["name"] for column in ranked_columns(SUMMARY)] == ["<b>age</b>", "plan"]


@pytest.mark.parametrize("draw", [timeline, auc_timeline])
def test_the_name_of_an_axis_is_clear_of_its_numbers(draw):
    for text in (draw(SUMMARY).views[0].wide, draw(SUMMARY).views[0].narrow):
        ticks = ElementTree.fromstring(text).findall(".//text[@text-anchor='end'][@class='tick']")
        numbers = [t for t in ticks if t.text.replace(".", "").isdigit()]
        assert numbers
        # The name is 12 pixels high around x = 12; a digit of this size is 7 pixels wide.
        assert min(float(t.get("x")) - 7 * len("0.000") for t in numbers) > 18


LIMITS = {"auc_reference": 0.81, "auc_limit": 0.76}


def auc_batch(k, resets=0, alarm=False):
    limits = {"auc": 0.8, "auc_low": 0.7, "auc_high": 0.9, "auc_alarm": alarm}
    return batch(k, resets=resets, **limits, **LIMITS)


def labels(figure):
    return [key.label for key in figure.legend]


def test_the_legend_holds_what_is_drawn():
    quiet = {"batches": [batch(1), batch(2)], "level": 0.95}
    assert labels(timeline(quiet)) == ["estimate for the batch", "at least this (95 % confidence)"]
    assert labels(timeline(SUMMARY))[2:] == ["tolerance", "alarm"]
    # The tolerance is a dashed horizontal line, there as in the drawing.
    assert [key.mark for key in timeline(SUMMARY).legend if key.label == "tolerance"] == ["line"]


def test_the_auc_has_its_alarms_its_limit_and_the_reference():
    summary = {"batches": [auc_batch(1), auc_batch(2, alarm=True)]}
    figure = auc_timeline(summary)
    assert labels(figure)[2:] == [
        "AUC of the reference",
        "an alarm once the AUC is shown to be below this",
        "alarm",
    ]
    drawing = ElementTree.fromstring(figure.views[0].wide)
    assert len(drawing.findall(".//circle")) == 1
    assert len(drawing.findall("./line[@class='guess']")) == 1
    assert len(drawing.findall("./g[@data-series='reference']/path")) == 1
    tips = {group.get("data-tip") for group in drawing.iter("g")}
    assert "2026-01-02: AUC 0.800, 0.700 to 0.900, alarm" in tips


def test_resets_are_drawn_and_interrupt_the_average():
    summary = {"batches": [auc_batch(1), auc_batch(2), auc_batch(3, resets=1)]}
    for draw in (timeline, auc_timeline):
        figure = draw(summary)
        assert labels(figure)[-1] == "reset"
        drawing = ElementTree.fromstring(figure.views[0].wide)
        assert len(drawing.findall("./line[@class='diagonal']")) == 1
    averages = drawing.findall("./g[@data-series='auc']/path")
    ends = [(float(p.get("d")[1:].split(" ")[0]), p.get("d").count("L")) for p in averages]
    assert [n for _, n in ends] == [3, 1]
    assert ends[0][0] < ends[1][0]
