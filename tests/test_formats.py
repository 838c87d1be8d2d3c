"""Files that an earlier version wrote are read by this one, with the same answers.

``python tests/test_formats.py`` writes them anew; do so only together with a new format number.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rocstar import Monitor, TableModel
from rocstar.tables import model_files
from rocstar.tables.table import prepare
from rocstar.watching import files as monitor_files

REFERENCE = Path(__file__).parent / "reference"
MODEL = REFERENCE / "model.skops"
MONITOR = REFERENCE / "monitor.skops"
EXPECTED = REFERENCE / "formats.json"


def table(seed: int, rows: int = 120) -> pd.DataFrame:
    """Numbers, gaps and categories."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, 2, rows)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40 + 10 * target, 10).round(1),
            "plan": np.where(rng.random(rows) < 0.3 + 0.4 * target, "plus", "basic"),
            "target": target,
        }
    )
    frame.loc[:4, "age"] = np.nan
    return frame


def answers(model: TableModel, monitor: Monitor) -> dict:
    """What the files answer to rows they have not seen."""
    batch = table(3)[["age", "plan"]]
    reading = monitor.update(batch.assign(age=batch["age"] + 30))
    return {
        "model": model.scores(table(1, rows=20))["angle"].round(9).tolist(),
        "monitor": [reading.tv.value, reading.tv.low, reading.e_value],
    }


# Parts of scikit-learn are read by whatever version of it is there.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_files_of_an_earlier_version_answer_as_they_did():
    expected = json.loads(EXPECTED.read_text(encoding="utf-8"))
    assert expected.pop("formats") == [model_files.FORMAT, monitor_files.FORMAT]
    found = answers(model_files.load(MODEL), Monitor.load(MONITOR))
    # Libraries of other versions add numbers up in another order.
    assert found["model"] == pytest.approx(expected["model"], abs=1e-6)
    assert found["monitor"] == pytest.approx(expected["monitor"], rel=1e-6, abs=1e-6)


def write() -> None:
    model = TableModel("linear", random_state=0).fit_table(prepare(table(0), target="target"))
    model_files.save(model, MODEL)
    monitor = Monitor(table(2)[["age", "plan"]], model="linear")
    monitor.update(table(4)[["age", "plan"]])
    monitor.save(MONITOR)
    found = answers(model_files.load(MODEL), Monitor.load(MONITOR))
    formats = [model_files.FORMAT, monitor_files.FORMAT]
    EXPECTED.write_text(json.dumps({"formats": formats, **found}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    write()
