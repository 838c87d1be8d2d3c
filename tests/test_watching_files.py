"""Files of monitors: exact resumption, nothing foreign, one run at a time."""

from __future__ import annotations

import pickle
import subprocess

import numpy as np
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression

from rocstar import Monitor
from rocstar.checks import InputError
from rocstar.watching.files import load, locked, save

RNG = np.random.default_rng(0)
REFERENCE = RNG.normal(size=(600, 3))
DAYS = [RNG.normal(size=(90, 3)) + 0.3 * (day > 1) for day in range(5)]


@pytest.mark.parametrize("model", ["auto", "linear", "rbf", "trees"])
def test_a_monitor_goes_on_exactly_where_it_stopped(model, tmp_path):
    whole, first = Monitor(REFERENCE, model=model), Monitor(REFERENCE, model=model)
    for day in DAYS[:3]:
        whole.update(day)
        first.update(day, key=str(day[0, 0]))
    save(first, tmp_path / "a.watch")
    again = load(tmp_path / "a.watch")
    for day in DAYS[3:]:
        assert repr(again.update(day)) == repr(whole.update(day))
    assert again.update(DAYS[0], key=str(DAYS[0][0, 0])) is None


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "a.watch"
    path.write_bytes(pickle.dumps({"rocstar_watch": 1}))
    with pytest.raises(InputError, match=r"`a\.watch` is not a monitor file of rocstar"):
        Monitor.load(path)
    path.write_bytes(skops.io.dumps({"other": 1}))
    with pytest.raises(InputError, match=r"`a\.watch` is not a monitor file of rocstar"):
        Monitor.load(path)
    path.write_bytes(skops.io.dumps({"rocstar_watch": 999, "monitor": {}}))
    with pytest.raises(InputError, match="written by another version"):
        Monitor.load(path)


def test_a_file_that_asks_for_code_is_refused(tmp_path):
    path = tmp_path / "a.watch"
    path.write_bytes(skops.io.dumps({"rocstar_watch": 1, "monitor": subprocess.Popen}))
    with pytest.raises(InputError, match=r"`a\.watch` is refused: it asks for subprocess\.Popen"):
        Monitor.load(path)


def test_a_foreign_model_cannot_be_saved_in_one_sentence(tmp_path):
    class Own(LogisticRegression):
        pass

    monitor = Monitor(REFERENCE, model=Own())
    with pytest.raises(InputError, match="`model` must be a name or an estimator of rocstar"):
        monitor.save(tmp_path / "a.watch")
    assert list(tmp_path.iterdir()) == []


def test_a_second_run_is_kept_out_while_the_first_lasts(tmp_path):
    path = tmp_path / "a.watch"
    with locked(path), pytest.raises(InputError, match="is in use by another run"):  # noqa: SIM117
        with locked(path, 0.1):
            pass
    with locked(path, 0.1):
        pass
