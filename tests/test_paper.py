"""The paper's figures: the quick form against committed numbers, and the committed evidence."""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

PAPER = Path(__file__).resolve().parent.parent / "paper"
sys.path.insert(0, str(PAPER))

pytest.importorskip("matplotlib")
items, page, record = (importlib.import_module(name) for name in ("items", "page", "record"))

SLOW = {"imbalanced", "wall_clock"}
NAMES = [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in items.ITEMS]


def written_and_read(table: pd.DataFrame) -> pd.DataFrame:
    """The table as its file would hold it."""
    return pd.read_csv(io.StringIO(table.to_csv(index=False, float_format="%.10g")))


@pytest.mark.parametrize("name", NAMES)
def test_the_quick_form_meets_the_committed_numbers(name: str) -> None:
    item = items.ITEMS[name]
    found = item.judge(written_and_read(item.compute(True))).numbers
    assert record.differences(name, found, record.committed_numbers()[name]) == []


@pytest.mark.parametrize("name", items.ITEMS)
def test_the_committed_verdicts_follow_from_the_committed_data(name: str) -> None:
    """Nobody may edit a verdict by hand: it is a function of the CSV."""
    stored: dict[str, Any] = json.loads((record.RESULTS / f"{name}.json").read_text())
    judged = asdict(items.ITEMS[name].judge(pd.read_csv(record.RESULTS / f"{name}.csv")))
    assert judged["claims"] == stored["claims"]
    for key, number in judged["numbers"].items():
        assert number["value"] == pytest.approx(stored["numbers"][key]["value"], rel=1e-9)


@pytest.mark.parametrize("name", items.ITEMS)
def test_each_item_has_its_pictures(name: str) -> None:
    assert (record.RESULTS / f"{name}.png").stat().st_size > 10_000
    svg = (record.RESULTS / f"{name}.svg").read_text()
    assert svg.rstrip().endswith("</svg>")
    assert len(svg) < 1_000_000


def test_the_page_is_made_from_the_results() -> None:
    assert (PAPER / "README.md").read_text() == page.page(record.RESULTS, items.ITEMS, PAPER)


def test_every_claim_has_a_row_with_a_verdict() -> None:
    text = (PAPER / "README.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| [")]
    claims = [
        claim
        for name in items.ITEMS
        for claim in json.loads((record.RESULTS / f"{name}.json").read_text())["claims"]
    ]
    assert len(rows) == len(claims) >= 20
    for claim in claims:
        assert claim["verdict"] in ("reproduced", "corrected", "not reproduced")
        assert claim["found"]


def test_differences_name_what_moved() -> None:
    committed = {"a": {"value": 1.0, "tolerance": 0.1}, "b": {"value": 1.0, "tolerance": None}}
    near = {"a": record.Number(1.05, 0.1), "b": record.Number(7.0)}
    assert record.differences("x", near, committed) == []
    far = {"a": record.Number(1.2, 0.1), "c": record.Number(0.0)}
    assert record.differences("x", far, committed) == [
        "x: `a` is 1.2, not 1 ± 0.1.",
        "x: `b` is only committed.",
        "x: `c` is only computed.",
    ]
    assert record.differences("x", {"a": record.Number(np.nan)}, {"a": committed["a"]})


@pytest.mark.parametrize("name", ["features", "features-ceiling-1"])
def test_the_features_are_those_of_their_record(name: str) -> None:
    stored = json.loads((PAPER / "cifar10" / f"{name}.json").read_text())
    with np.load(PAPER / "cifar10" / f"{name}.npz") as arrays:
        features, labels = arrays["features"], arrays["labels"]
    assert hashlib.sha256(features.tobytes()).hexdigest() == stored["features_sha256"]
    assert features.shape == (60_000, 50)
    assert features.min() >= 0
    assert features.max() <= stored["ceiling"]
    assert np.bincount(labels[:50_000]).tolist() == [5000] * 10
    assert np.bincount(labels[50_000:]).tolist() == [1000] * 10
