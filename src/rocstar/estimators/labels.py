"""Labels as scikit-learn checks them: two classes, or a sentence that its contract tests know."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from rocstar.checks import BoolArray, binary_labels


def two_classes(labels: NDArray[Any]) -> tuple[BoolArray, NDArray[Any]]:
    """Which rows are positive, and the two labels in sorted order."""
    check_classification_targets(labels)
    kind = type_of_target(labels, input_name="y", raise_unknown=True)
    if kind == "multiclass":
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{kind}: use StackedRatio, or ArctanRatio or ArctanRatioCV with loss='log', on NumPy "
            "arrays or data frames; or fit one class against the rest, for example in "
            "OneVsRestClassifier."
        )
    return binary_labels(labels)
