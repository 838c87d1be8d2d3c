"""Figures of laws."""

from __future__ import annotations

import sys

import pytest

from rocstar.laws import (
    draw_geometry,
    suite,
)

SUITE = suite()


def test_figures_are_drawn_or_say_what_is_missing(monkeypatch):
    assert len(draw_geometry(SUITE["scale-1d"], n=31).axes) == 3
    assert len(draw_geometry(SUITE["sparse-1d"], n=31).axes) == 3
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'rocstar\[plot\]'"):
        draw_geometry(SUITE["scale-1d"])
