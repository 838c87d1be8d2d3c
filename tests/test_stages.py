"""Stages: their seconds, and the share of the work that is done."""

from __future__ import annotations

import pytest

from rocstar.audits.stages import AFTER_FITS, Stages


def test_stages_of_one_name_add_up():
    stages = Stages()
    for _ in range(2):
        with stages("a"):
            stages.tick()
    assert list(stages.seconds) == ["a"]
    assert stages.done == 2


def test_what_comes_after_the_fits_is_counted():
    seen: list[tuple[str, float]] = []
    stages = Stages(lambda *step: seen.append(step))
    stages.plan(4)
    with stages("certify"):
        for _ in range(4):
            stages.tick()
    assert seen[-1] == ("certify", pytest.approx(1 - AFTER_FITS))
    with stages("importance", share=0.5):
        assert seen[-1] == ("importance", pytest.approx(1 - AFTER_FITS))
    with stages("figures", share=1.0):
        assert seen[-1] == ("figures", pytest.approx(1 - AFTER_FITS / 2))
    assert seen[-1] == ("figures", pytest.approx(1.0))
