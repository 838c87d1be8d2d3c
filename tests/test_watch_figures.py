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
