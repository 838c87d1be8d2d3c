"""Clients of Dask: workers on this machine, schedulers that do not answer."""

import pytest

from rocstar.cli.vocabulary import in_options
from rocstar.scale.client import connected, worker_memory

pytestmark = pytest.mark.dask


def test_an_address_that_is_none_names_the_argument_and_on_the_command_line_the_option():
    with pytest.raises(ValueError, match=r"^`address` must be local, local:WORKERS") as found:
        connected("local:many").__enter__()
    assert in_options(str(found.value)).startswith("--cluster must be local, local:WORKERS")


def test_workers_too_small_to_start_are_refused():
    pytest.importorskip("distributed")
    with (
        pytest.raises(
            ValueError, match=r"^`memory` must give each of 2 workers 150 MB at least; got 100"
        ),
        connected("local:2", memory=100e6),
    ):
        pass


def test_a_scheduler_without_workers_is_one_sentence(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("rocstar.scale.client.PATIENCE", 0.5)
    with (
        # Any free port: the usual one may be another cluster's.
        distributed.LocalCluster(
            n_workers=0, scheduler_kwargs={"dashboard_address": "127.0.0.1:0"}
        ) as empty,
        pytest.raises(ValueError, match="has no workers: start one"),
        connected(empty.scheduler_address),
    ):
        pass


def test_workers_without_a_limit_leave_it_to_this_machine():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, memory_limit=0, dashboard_address=None
        ) as free,
        distributed.Client(free),
    ):
        assert worker_memory() is None


def test_workers_of_our_own_do_not_watch_themselves():
    dask, _ = pytest.importorskip("dask"), pytest.importorskip("distributed")
    key = "distributed.worker.profile.enabled"
    usual = dask.config.get(key)
    with connected("local:1") as client:
        assert list(client.run(dask.config.get, key).values()) == [False]
        assert dask.config.get(key) == usual  # for clusters that are not ours
