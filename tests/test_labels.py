"""Labels of two classes, or a sentence."""

import numpy as np
import pytest

from rocstar import ArctanRatio
from rocstar.estimators.labels import two_classes


def test_the_larger_label_is_positive():
    positive, classes = two_classes(np.array(["no", "yes", "no"]))
    assert positive.tolist() == [False, True, False]
    assert classes.tolist() == ["no", "yes"]


def test_three_classes_are_one_sentence():
    with pytest.raises(ValueError, match=r"ArctanRatio or ArctanRatioCV with loss='log', on"):
        two_classes(np.array([0, 1, 2]))


def test_tensors_of_three_classes_are_one_sentence():
    torch = pytest.importorskip("torch")
    X, y = torch.ones((6, 2), dtype=torch.float64), torch.arange(6) % 3
    with pytest.raises(ValueError, match="on NumPy arrays or data frames"):
        ArctanRatio(loss="log").fit(X, y)
