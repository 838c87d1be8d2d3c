"""The templates for extensions: each runs its own checks, which a copy keeps."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

TEMPLATES = sorted((Path(__file__).parents[1] / "examples" / "extensions").glob("own_*.py"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_passes_its_own_checks(path):
    runpy.run_path(str(path))["check"]()


def test_there_is_a_template_for_every_kind_of_extension():
    assert [path.stem for path in TEMPLATES] == ["own_bound", "own_law", "own_loss", "own_measure"]
