"""What audits and comparisons hand out: a summary of their own, text and pages."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest

from rocstar import audit


def test_summary_is_json_and_cannot_be_changed_from_outside(result):
    summary = result.summary()
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    summary["auc"]["low"] = 0
    assert result.summary()["auc"]["low"] > 0.5
    with pytest.raises(FrozenInstanceError):
        result.certificate = None


def test_representations_read_well_and_escape(sample):
    X, y = sample
    name = "<b>x</b>"
    found = audit(X, y, scores={name: X["first"]}, model="linear", random_state=0, name="a & b")
    assert "Best AUC" in repr(found)
    assert found.verdict in repr(found)
    html = found._repr_html_()
    assert name not in html
    assert "a &amp; b" in html


def test_renderings_are_written_whole(result, tmp_path):
    assert result.to_json(tmp_path / "a.json") == (tmp_path / "a.json").read_text()
    assert "ill" in result.to_markdown(tmp_path / "a.md")
    page = result.to_html(tmp_path / "a.html")
    assert page == (tmp_path / "a.html").read_text()
    assert len(page) < 6e6
    assert len(list(tmp_path.iterdir())) == 3
