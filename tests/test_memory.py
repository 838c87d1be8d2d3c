"""Tables that would not fit into memory."""

from __future__ import annotations

import sys

import pytest
from data_tables import mixed, refusal

from rocstar.tables.memory import at_most
from rocstar.tables.reading import read_table


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_a_table_that_would_not_fit_is_refused_with_the_figure(tmp_path, suffix):
    path = tmp_path / f"data.{suffix}"
    frame = mixed(3000)
    getattr(frame, f"to_{suffix}")(path, **({"index": False} if suffix == "csv" else {}))
    message = refusal(lambda: read_table(path, max_memory=0.3e9))
    assert "of 6 columns and needs about 310 MB of memory, but 300 MB may be used" in message
    rows = int(message.split("about ")[1].split(" rows")[0].replace(",", ""))
    assert rows == pytest.approx(3000, rel=0.05)
    assert len(read_table(path, max_memory=1e9)) == 3000


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit data")
def test_a_limit_below_what_reading_takes_is_left_to_the_estimate():
    with at_most(1e6):
        assert len(bytearray(30_000_000)) == 30_000_000
        with pytest.raises(MemoryError):
            bytearray(1_000_000_000)
