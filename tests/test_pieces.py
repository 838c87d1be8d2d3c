"""What a worker does with one partition of a table."""

from __future__ import annotations

import pandas as pd

from rocstar.tables.columns import TableEncoder
from rocstar.tables.pieces import DenseEncoder


def test_a_partition_without_rows_has_the_columns_of_the_others():
    frame = pd.DataFrame({"age": [31, 52, 44], "plan": ["basic", "plus", "basic"]})
    encoder = TableEncoder().fit(frame)
    dense = DenseEncoder.learn(encoder, encoder.transform(frame))
    assert dense(frame[:0]).shape == (0, 3)
    assert dense(frame).shape == (3, 3)
