"""Pages on more than two classes: many of them, long names, predictions or none."""

from __future__ import annotations

import numpy as np
from data_summary import audit_summary

from rocstar.report import html, markdown
from rocstar.report.class_figures import SAMPLES, pairs
from rocstar.report.class_sections import class_document


def made(k=20):
    labels = [f"class {i} with a rather long name" for i in range(k)]
    square = np.linspace(0.5, 1.0, k * k).reshape(k, k)
    square = (square + square.T) / 2
    auc = [[None if i == j else float(square[i, j]) for j in range(k)] for i in range(k)]
    line = np.linspace(0.2, 0.9, k).tolist()
    both = {"labels": labels, "level": 0.95}
    estimate = {"value": 0.8, "low": 0.7, "high": 0.9, "level": 0.95, "side": "lower"}
    return {
        "kind": "multiclass",
        "title": "Audit of t",
        "verdict": "…",
        "level": 0.95,
        "data": {
            "rows": 900,
            "target": "t",
            "classes": [{"label": label, "rows": 45} for label in labels],
            "columns": [],
            "features": 0,
            "weighted": False,
            "warnings": [],
        },
        **dict.fromkeys(("balanced_accuracy", "mean_pairwise_auc", "arc_length"), estimate),
        "pairwise_auc": {**both, "value": auc, "low": auc},
        "one_versus_rest_auc": {**both, "value": line, "low": line},
        "recall": {**both, "value": line, "low": line, "high": line},
        "confusion": {**both, "value": np.eye(k).tolist()},
        "scores": [],
        **{key: [] for key in ("members", "columns_importance", "learning_curve")},
        "more_rows": None,
        "test": {"pvalue": 0.01, "statistic": 2.0, "n_permutations": 99},
        "method": audit_summary()["method"],
        "caveats": ["…"],
    }


def test_many_classes_have_a_sortable_table_and_no_numbers_in_cells():
    summary = made()
    shown = {section.id: section for section in class_document(summary).sections}
    assert shown["pairs"].table.sortable
    assert len(shown["pairs"].table.rows) == 190
    assert "class-headroom" not in shown
    page = html(summary)
    assert page.count("fill-opacity=") == 2 * (380 + len(SAMPLES))
    assert "confusion" not in shown
    assert 'class="inverse"' not in page
    assert "no predictions were given" in markdown(summary)


def test_the_colours_are_explained_and_the_confusion_matrix_is_shown():
    summary = made(3)
    assert pairs(summary).legend == ()
    assert ">0.5</text>" in pairs(summary).views[0].wide
    shown = {section.id: section for section in class_document(summary).sections}
    assert shown["confusion"].table.rows[1][1:] == ("0.00", "1.00", "0.00")
    assert len(shown["confusion"].data.rows[0]) == len(shown["confusion"].data.header) == 4
    assert "Confusion matrix" in markdown(summary)


def test_few_classes_have_numbers_in_cells():
    page = html(made(4))
    assert page.count('class="cell"') == 2 * (12 + len(SAMPLES))


def test_labels_of_narrow_cells_do_not_overlap():
    """Of 26 classes every label has a line on a desk, and every second one on a phone."""
    view = pairs(made(26)).views[0]
    assert view.wide.count("rotate(-90)") == 26
    assert 9 <= view.narrow.count("rotate(-90)") <= 13
