"""Labels of two classes, or a sentence."""

import numpy as np
import pytest

from rocstar.estimators.labels import two_classes


def test_the_larger_label_is_positive():
    positive, classes = two_classes(np.array(["no", "yes", "no"]))
    assert positive.tolist() == [False, True, False]
    assert classes.tolist() == ["no", "yes"]


def test_three_classes_are_one_sentence():
    with pytest.raises(ValueError, match=r"is multiclass: fit one class against the rest"):
        two_classes(np.array([0, 1, 2]))
