"""Pictures in matplotlib, and the data that they keep."""

from __future__ import annotations

import sys

import pytest

from rocstar import RocDisplay, TwoSampleTest
from rocstar.report.displays import TimelineDisplay


@pytest.mark.filterwarnings("ignore:.*non-GUI.*")
def test_displays_draw_their_data(result):
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    roc = result.plot_roc()
    assert roc.data == result.summary()["figures"]["roc"]
    # Diagonal, estimate, hull and two scores.
    assert len(roc.ax_.lines) == 5
    _, ax = plt.subplots()
    angles = result.plot_angles(ax)
    assert angles.ax_ is ax
    assert angles.figure_ is ax.figure
    assert sum(angles.data["positive"]) == pytest.approx(1)
    plt.close("all")


def test_a_missing_matplotlib_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"^Plots need matplotlib: .* 'rocstar\[plot\]'`\.$"):
        RocDisplay({"fpr": [0, 1], "tpr": [0, 1], "scores": []}).plot()


def test_p_values_of_splits_are_drawn():
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    display = TwoSampleTest(1.2, 0.04, 99, (0.01, 0.04, 0.3)).plot()
    assert display.ax_.lines[0].get_xdata().tolist() == [0.01, 0.04, 0.3]
    assert display.ax_.get_xscale() == "log"
    plt.close("all")


@pytest.mark.filterwarnings("ignore:.*non-GUI.*")
def test_a_timeline_draws_tolerance_and_alarm():
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    data = {"tv": [0.1, 0.3], "low": [0.0, 0.1], "alarm": [False, True], "tolerance": 0.05}
    display = TimelineDisplay(data).plot()
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["estimate for the batch", "at least this", "tolerance", "alarm"]
    plt.close("all")


@pytest.mark.filterwarnings("ignore:.*non-GUI.*")
def test_a_timeline_draws_every_alarm_the_resets_the_times_and_the_auc():
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    n, alarm = 20, [4 <= k < 8 or k >= 12 for k in range(20)]
    data = {
        "time": [f"day {k}" for k in range(n)],
        "tv": [None, *[0.1] * (n - 1)],
        "low": [0.0] * n,
        "alarm": alarm,
        "resets": [int(k >= 10) for k in range(n)],
        "tolerance": 0.0,
        "auc": [None, *[0.8] * (n - 1)],
        "auc_low": [None, *[0.7] * (n - 1)],
        "auc_high": [None, *[0.9] * (n - 1)],
        "auc_alarm": [None, *[False] * (n - 1)],
        "auc_reference": [0.8] * n,
        "auc_limit": [0.75] * n,
    }
    display = TimelineDisplay(data).plot()
    first, second = display.figure_.axes
    places = [line.get_xdata()[0] for line in first.lines[1:]]
    assert places == [5, 13, 10.5]  # two alarms, and a reset between batches
    shown = [text.get_text() for text in second.get_xticklabels()]
    assert (shown[0], shown[-1], len(shown)) == ("day 0", "day 19", 8)
    labels = [text.get_text() for text in second.get_legend().get_texts()]
    assert labels == ["average AUC", "limits", "AUC of the reference", "alarm below this", "reset"]
    _, ax = plt.subplots()
    assert TimelineDisplay(data).plot(ax).figure_.axes == [ax]
    assert ax.get_xlabel() == "batch"
    plt.close("all")
