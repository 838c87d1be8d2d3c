"""Settings of the process that a command runs in."""

import os

from rocstar.cli.process import SETTINGS, cores, prepare_process


def test_what_the_caller_has_set_stays(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    for name in SETTINGS.keys() - {"OMP_NUM_THREADS"}:
        monkeypatch.setenv(name, "")  # so that it is put back afterwards
        monkeypatch.delenv(name)
    prepare_process()
    assert {name: os.environ[name] for name in SETTINGS} == {**SETTINGS, "OMP_NUM_THREADS": "3"}


def test_cores_are_those_this_process_may_use():
    assert 1 <= cores() <= (os.cpu_count() or 1)
