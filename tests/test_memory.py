"""Tables that would not fit into memory."""

from __future__ import annotations

import pytest
from data_tables import mixed, refusal

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
