"""Tables split into features, target, scores and the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from data_tables import mixed, refusal

from rocstar.tables.table import LabelledTable, prepare, table_of


def test_roles_keep_columns_out_of_the_features():
    frame = mixed().assign(
        s=np.linspace(0, 1, 200), w=1.0, g=np.repeat(range(50), 4), id=range(200)
    )
    table = prepare(
        frame, target="target", scores=["s"], weight="w", group="g", time="joined", drop=["id"]
    )
    assert set(table.encoder.feature_names_in_) == {"age", "plan", "active", "city"}
    assert table.scores["s"][-1] == 1
    assert len(np.unique(table.groups)) == 50
    order = np.argsort(table.time)
    assert pd.to_datetime(frame["joined"]).iloc[order].is_monotonic_increasing
    assert {c.name: c.type for c in table.columns}["id"] == "dropped"


def test_a_table_has_one_row_for_each_label():
    table = prepare(mixed(), target="target")
    with pytest.raises(ValueError, match="one row for each of the 200 labels; got 20"):
        replace(table, X=table.X[:20])
    assert table.n_features == table.X.shape[1]
    judged = table.with_rows(LabelledTable, X=table.X[:20], y=table.y[:20])
    assert (judged.source, judged.columns, len(judged.y)) == (table.source, table.columns, 20)


def test_a_column_without_values_is_dropped_and_noted():
    table = prepare(mixed().assign(gap=None), target="target")
    record = next(column for column in table.columns if column.name == "gap")
    assert (record.type, record.treatment) == ("empty", "dropped: it has no value in any row")


def test_rows_without_a_target_are_left_out_everywhere():
    frame = mixed().assign(w=np.arange(200.0), s=np.arange(200.0), g=np.arange(200) // 2)
    frame["target"] = frame["target"].astype("Int64").mask(frame.index < 10)
    table = prepare(frame, target="target", weight="w", scores=["s"], group="g")
    assert len(table.X) == len(table.y) == len(table.groups) == 190
    assert table.sample_weight[0] == table.scores["s"][0] == 10
    assert "10 rows have no known value of the target `target`" in table.warnings[0].text


def test_nothing_left_to_learn_from():
    frame = pd.DataFrame({"a": [1, 1, 1, 1], "target": [0, 1, 0, 1]})
    assert "no column left to learn from" in refusal(lambda: prepare(frame, target="target"))


def test_labels_and_a_score_may_come_apart_from_the_features():
    table = table_of([[1.0], [2.0], [3.0]], ["a", "b", "b"], scores=[1, 2, 3])
    assert (table.classes, table.positive, list(table.scores)) == (("a", "b"), "b", ["score"])
