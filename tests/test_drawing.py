"""What figures share: two widths, a grid, and styles of scores."""

from __future__ import annotations

from rocstar.report import svg
from rocstar.report.drawing import NARROW, WIDE, both, frame, score_style


def test_styles_of_scores_repeat() -> None:
    assert (score_style(0), score_style(1), score_style(10)) == ("s0", "s1", "s0")


def test_a_view_is_drawn_for_a_desk_and_for_a_phone() -> None:
    view = both(lambda width: svg.canvas(width, 10, f"{width:g} wide"), "zoom", "Close up")
    assert (view.id, view.label) == ("zoom", "Close up")
    assert f"{WIDE:g} wide" in view.wide
    assert f"{NARROW:g} wide" in view.narrow


def test_a_frame_has_labelled_ticks_and_says_where_the_data_lie() -> None:
    plot = svg.canvas(100, 100, "")
    frame(plot, svg.Scale(0, 1, 10, 90), svg.Scale(0.5, 1, 90, 10), "across", "up")
    said = [text.text for text in plot.iter("text")]
    assert said[-2:] == ["across", "up"]
    assert {"0.0", "1.0"} <= set(said)
    assert plot.get("data-x") == "0 1 10 90"
    assert plot.get("data-y") == "0.5 1 90 10"
