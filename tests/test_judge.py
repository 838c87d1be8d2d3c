"""Who is judged by whom in an audit, and how its progress is reported."""

from __future__ import annotations

import numpy as np
import pytest
from data_audit import LAW

from rocstar import audit
from rocstar.audits.judge import Stages, row_splits
from rocstar.tables.table import table_of


def test_stages_add_up():
    stages = Stages(total=2)
    with stages("a"):
        stages.tick()
    with stages("a"):
        stages.tick(3)
    assert list(stages.seconds) == ["a"]
    assert stages.done == 4


def test_progress_never_goes_back_and_names_its_stages(sample):
    seen: list[tuple[str, float]] = []
    audit(*sample, model="linear", random_state=0, progress=lambda *step: seen.append(step))
    shares = [done for _, done in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert {"columns", "certify", "learning curve", "test", "figures"} <= {s for s, _ in seen}


def test_progress_counts_the_fits_of_all_repeats(few):
    done = np.array([share for stage, share in few[4] if stage == "certify"])
    assert np.unique(done).size == 6 * 5 + 2  # none, each fold of each repeat, one to all rows
    assert done[-1] < 1


def test_repeats_are_reported(few):
    _, _, found, once, _ = few
    said = [f.summary()["method"]["splits"] for f in (found, once)]
    assert said == [
        "5 folds repeated 6 times; stratified by class",
        "5 folds; stratified by class",
    ]


def test_groups_stay_together():
    X, y = LAW.sample(200, 200, random_state=0)
    groups = np.arange(400) % 40
    table = table_of(X, y, groups=groups)
    for train, test in row_splits(table, 5, 0):
        assert not set(groups[train]) & set(groups[test])
    found = audit(X, y, groups=groups, model="linear", random_state=0)
    splits = found.summary()["method"]["splits"]
    assert splits == "5 folds repeated 6 times; groups kept together"
    single = audit(X, y, model="linear", random_state=0).summary()["figures"]["roc"]["low"]
    band = found.summary()["figures"]["roc"]["low"]
    assert 0.3 < np.mean(band) < np.mean(single)  # forty groups know less than 400 rows


@pytest.mark.parametrize("cv", [4, "holdout"])
def test_time_trains_on_the_strict_past(cv):
    X, y = LAW.sample(200, 200, random_state=0)
    time = np.random.default_rng(0).integers(0, 30, 400)
    table = table_of(X, y, time=time)
    splits = row_splits(table, cv, 0)
    assert len(splits) == (1 if cv == "holdout" else 4)
    for train, test in splits:
        assert time[train].max() < time[test].min()
    found = audit(X, y, time=time, model="linear", cv=cv, random_state=0)
    assert (found.certificate.fold == -1).any()


def test_time_and_groups_together_keep_both_promises():
    X, y = LAW.sample(200, 200, random_state=0)
    rng = np.random.default_rng(0)
    time, groups = rng.permutation(400), rng.integers(0, 300, 400)
    for train, test in row_splits(table_of(X, y, time=time, groups=groups), 3, 0):
        assert time[train].max() < time[test].min()
        assert not set(groups[train]) & set(groups[test])
