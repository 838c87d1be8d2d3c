"""How rows were held out, and what a reader must know."""

from __future__ import annotations

from rocstar.report import method_words


def test_groups_time_and_weights_are_stated_first() -> None:
    method = {"splits": "5 folds; stratified by class"}
    plain = {"groups": None, "ordered": False, "weighted": False}
    assert method_words.held_out_sentence({"method": method, "data": plain}) == (
        "Held out: 5 folds; stratified by class. No groups, time or weights given."
    )
    used = method_words.held_out_sentence(
        {"method": method, "data": {"groups": 40, "ordered": True, "weighted": True}}
    )
    assert "40 groups of rows, each kept on one side and counted as one observation." in used
    assert "strictly older rows" in used
    assert "weighted" in used
    assert "No " not in used


def test_one_row_in_the_smaller_class() -> None:
    data = {"positives": 1, "negatives": 90, "columns": []}
    assert "The smaller class has 1 row, so the bounds are wide." in method_words.caveats(
        data, "conjecture"
    )


def test_a_guarantee_names_what_it_leaves_out() -> None:
    plain, grouped = (method_words.guarantee_sentence("theorem", grouped=g) for g in (False, True))
    assert grouped.startswith(plain)
    assert "ROC curve" in grouped
    assert "ROC curve" not in plain
