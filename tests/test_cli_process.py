"""Settings of the process that a command runs in."""

import io
import os
import signal

import pytest

from rocstar.cli.errors import Terminated
from rocstar.cli.process import (
    FEWEST_NUMBERS_FOR_THREADS,
    SETTINGS,
    ends_in_order,
    prepare_process,
    threads,
    write_utf8,
)


def test_what_the_caller_has_set_stays(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    for name in SETTINGS.keys() - {"OMP_NUM_THREADS"}:
        monkeypatch.setenv(name, "")  # so that it is put back afterwards
        monkeypatch.delenv(name)
    prepare_process()
    assert {name: os.environ[name] for name in SETTINGS} == {**SETTINGS, "OMP_NUM_THREADS": "3"}


def test_threads_are_as_many_as_cores_that_this_process_may_use_or_one_for_few_rows():
    assert 1 <= threads(None, FEWEST_NUMBERS_FOR_THREADS) <= (os.cpu_count() or 1)
    assert threads(None, FEWEST_NUMBERS_FOR_THREADS - 1) == 1
    assert threads(3, 10) == 3


class Terminal(io.BytesIO):
    def isatty(self):
        return True


def test_pipes_carry_utf8_and_plain_newlines_on_every_system():
    pipe = io.BytesIO()
    stream = io.TextIOWrapper(pipe, encoding="cp1252", newline="\r\n")
    write_utf8(stream)
    stream.write("├━●\n")
    stream.flush()
    assert pipe.getvalue() == "├━●\n".encode()


def test_a_terminal_keeps_its_encoding_and_shows_what_it_can():
    terminal = Terminal()
    stream = io.TextIOWrapper(terminal, encoding="cp1252")
    write_utf8(stream)
    stream.write("≥ 0.8")
    stream.flush()
    assert terminal.getvalue() == b"? 0.8"


def test_stand_ins_for_streams_are_left_alone():
    write_utf8(io.StringIO())


def test_a_request_to_end_is_heard_only_while_a_command_runs():
    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with pytest.raises(Terminated), ends_in_order():
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with ends_in_order():  # whoever has chosen to ignore it keeps that choice
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
