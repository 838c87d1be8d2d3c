"""Labels and probabilities of existing models of more than two classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rocstar import audit, headroom, laws
from rocstar.checks import InputError
from rocstar.tables.class_scores import file_scores, given_classes, given_scores

ALL = np.ones(4, dtype=bool)
PROBABILITIES = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.0, 0.0, 1.0]])


def test_whole_numbers_as_decimals():
    """A target of 0.0, 1.0 and 2.0, and the same as whole numbers."""
    for values in ([0.0, 2.0], [0, 2], np.array([0, 2]), ["0", "2"]):
        assert given_classes(values, (0.0, 1.0, 2.0), "mine").tolist() == [0, 2]


def test_classes_that_were_left_out_are_wrong():
    assert given_classes(["a", "rare"], "abc", "mine", ["rare"]).tolist() == [0, -1]
    with pytest.raises(InputError, match=r"`mine` must hold a class.*got other: correct it"):
        given_classes(["a", "other"], "abc", "mine", ["rare"])
    with pytest.raises(InputError, match="got a blank in row 2: fill it in, or leave that row out"):
        given_classes(pd.Series(["a", None]), "abc", "mine")


def test_columns_of_classes_that_were_left_out_are_dropped():
    """All of the last row's mass is dropped: every class is as likely."""
    (found,) = given_scores(PROBABILITIES, 4, ALL, "ab", "c").values()
    np.testing.assert_allclose(found, [[7 / 9, 2 / 9], [1 / 9, 8 / 9], [0.5, 0.5], [0.5, 0.5]])
    frame = pd.DataFrame(PROBABILITIES, columns=list("abc"))[list("cba")]
    np.testing.assert_allclose(given_scores({"m": frame}, 4, ALL, "ab", "c")["m"], found)


def test_a_data_frame_is_read_by_the_names_of_its_columns():
    frame = pd.DataFrame(PROBABILITIES, columns=[0, 10, 9])
    (found,) = given_scores(frame, 4, ALL, (0, 9, 10)).values()
    np.testing.assert_allclose(found, PROBABILITIES[:, [0, 2, 1]])
    numbered = pd.DataFrame(PROBABILITIES)
    np.testing.assert_allclose(given_scores(numbered, 4, ALL, "abc")["score"], PROBABILITIES)
    labels = pd.DataFrame({"one": list("abca"), "two": list("bbbb")})
    assert given_scores(labels, 4, ALL, "abc")["two"].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"m": pd.DataFrame(PROBABILITIES, columns=list("abx"))}, "named as the class.*'x'"),
        (pd.DataFrame({"p_a": [0.5] * 4}), "got 0.5: name a column of predicted classes, or the"),
        (-PROBABILITIES, "`scores.score.` must hold finite probabilities"),
        (np.full((4, 3), "a"), "`scores.score.` must hold finite probabilities"),
        (np.ones((4, 5)), r"probabilities of shape \(4, 3\).*got shape \(4, 5\)"),
    ],
)
def test_other_scores_are_named(given, sentence):
    with pytest.raises(InputError, match=sentence):
        given_scores(given, 4, ALL, "abc")


FILE = pd.DataFrame(PROBABILITIES, columns=["p_a", "p_b", "p_c"]).assign(mine=list("abca"))


def test_a_column_per_class_in_a_file():
    """By the classes that their names end with, in any order; else in the order of the classes."""
    for columns, name in (("p_a,p_b,p_c", "p"), ("p_c, p_a,p_b", "p"), ("x,y,z", "x,y,z")):
        table = FILE.rename(columns={"p_a": "x", "p_b": "y", "p_c": "z"} if "x" in columns else {})
        (found,) = (scores := file_scores(table, [columns], "abc")).values()
        np.testing.assert_allclose(found, PROBABILITIES)
        assert list(scores) == [name]
    both = file_scores(FILE, ["mine", "p_a,p_b,p_c"], "abc")
    assert both["mine"].tolist() == [0, 1, 2, 0]
    assert both["p"].shape == (4, 3)
    assert file_scores(FILE, ["p_a,p_b,p_c"], "ab", "c")["p"].shape == (4, 2)


def test_the_longest_class_that_a_name_ends_with():
    table = pd.DataFrame({f"p{k}": [k / 45.0] for k in (10, 0, 1)})
    (found,) = file_scores(table, ["p10,p0,p1"], (0, 1, 10)).values()
    np.testing.assert_allclose(found, [[0, 1 / 11, 10 / 11]])


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        ("p_a,p_b", "`score` must name one column per class, of 3 classes; got 2 columns, p_a,p_b"),
        ("p_a,p_b,mine", "got 3 columns, p_a,p_b,mine: let each name end with its class, as"),
        ("p_a", "got 0.7 in row 1: name a column of predicted classes, or one column per class "
         "with commas between them, as in p_a,p_b,p_c"),
        ("n_a,p_b,p_c", "score column `n_a` must hold probabilities of at least 0; got -0.7 in "),
    ],
)  # fmt: skip
def test_what_columns_of_a_file_must_hold(score, sentence):
    with pytest.raises(InputError, match=sentence):
        file_scores(FILE.assign(n_a=-FILE["p_a"]), [score], "abc")


def test_an_audit_and_headroom_match_columns_by_name():
    law = laws.GaussianFamily([[0.0], [3.0], [6.0]])
    X, y = law.sample(40, random_state=0)
    names = np.array(["b", "c", "a"])[y]
    frame = pd.DataFrame(law.direction(X), columns=["b", "c", "a"])
    found = audit(X, names, scores=frame, model="linear", fast=True, random_state=0)
    (score,) = found.summary()["scores"]
    assert score["balanced_accuracy"] > 0.85
    assert headroom(names, frame, found.certificate).balanced_accuracy.low == 0.0
    with pytest.raises(ValueError, match="`score` must have a column per class, named as"):
        headroom(names, frame.rename(columns={"a": "x"}), found.certificate)


def test_headroom_takes_the_certificate_of_an_audit_of_numbers():
    law = laws.GaussianFamily([[0.0], [3.0], [6.0]])
    X, y = law.sample(40, random_state=0)
    found = audit(X, y, model="linear", fast=True, random_state=0).certificate
    assert headroom(y, y, found).balanced_accuracy.low == 0.0
    assert headroom(y, 2 - y, found).balanced_accuracy.low > 0.3
    assert headroom(y, law.direction(X), found).balanced_accuracy.low == 0.0
    assert found.pairwise_auc[0, 2] == found.pairwise_auc["0", "2"]
    with pytest.raises(ValueError, match="`y` must be the labels the certificate was made with"):
        headroom(2 - y, y, found)


def test_predictions_of_a_rare_class_in_an_audit():
    law = laws.GaussianFamily([[0.0], [3.0], [6.0]])
    X, y = law.sample(40, random_state=0)
    X, y = np.concatenate([X, [[9.0]]]), np.append(y, 3)
    mine = np.where(np.arange(121) % 2, y, 3)
    given = {"mine": mine, "theirs": np.eye(4)[y]}
    found = audit(X, y, scores=given, model="linear", fast=True, random_state=0)
    mine, theirs = found.summary()["scores"]
    assert 0.4 < mine["balanced_accuracy"] < 0.6
    assert theirs["balanced_accuracy"] == 1.0
