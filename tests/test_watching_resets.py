"""Resets: the shares of all that may come sum to one."""

from __future__ import annotations

import pytest

from rocstar.watching.resets import Spending, epoch_share
from rocstar.watching.wealth import trial_share


def after(*times):
    """What is left to spend after resets at these numbers of batches."""
    spending = Spending()
    for time in times:
        spending.batches = time
        spending.reset()
    return spending


def test_errors_of_all_resets_sum_to_one():
    assert sum(epoch_share(k) for k in range(10_000)) == pytest.approx(1, abs=1e-3)


def test_a_model_has_the_share_of_its_number_and_of_the_times_of_resets():
    spending = Spending()
    assert spending.next_share() == pytest.approx(epoch_share(0) * trial_share(1))
    assert spending.next_share() == pytest.approx(epoch_share(0) * trial_share(2))
    spending = after(30)
    assert spending.next_share() == pytest.approx(epoch_share(1) * trial_share(30) * trial_share(1))
    assert spending.next_share() == pytest.approx(epoch_share(1) * trial_share(30) * trial_share(2))


def test_no_two_sequences_of_resets_have_one_share():
    """All sequences of two resets within 60 batches: their shares sum to less than one."""
    whole = sum(after(a, b).times for a in range(1, 60) for b in range(a, 60))
    assert 0.5 < whole < 1
