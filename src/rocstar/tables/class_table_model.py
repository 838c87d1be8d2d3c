"""Models of tables with more than two classes: from a mixed frame to probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rocstar.checks import group_units
from rocstar.estimators.fits import drawn_seed, fitted_clone
from rocstar.tables.class_model import class_table_model
from rocstar.tables.class_table import ClassTable
from rocstar.tables.columns import TableEncoder

if TYPE_CHECKING:
    from pandas import DataFrame


class ClassTableModel:
    """What `rocstar fit` makes of a table of more than two classes: an encoder and an estimator."""

    encoder_: TableEncoder
    ratio_: Any  # fitted to the numbers of the classes

    def __init__(
        self, kind: str | None = "auto", *, n_jobs: int | None = None, random_state: Any = 0
    ) -> None:
        self.kind = kind
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def of_parts(
        cls,
        encoder: TableEncoder,
        ratio: Any,
        *,
        classes: ArrayLike,
        kind: str | None = None,
        target: str = "y",
    ) -> ClassTableModel:
        """Model of an encoder and an estimator that are fitted already."""
        model = cls(kind)
        model.encoder_, model.ratio_ = encoder, ratio
        model.classes_, model.target_ = np.asarray(classes), target
        return model

    def fit_table(self, table: ClassTable) -> ClassTableModel:
        """Fit to a table whose columns are encoded already."""
        self.encoder_, self.target_ = table.encoder, table.target
        self.classes_ = _labels(table.classes)
        groups = table.groups
        self.ratio_ = fitted_clone(
            class_table_model(
                self.kind or "auto",
                n_classes=len(table.classes),
                rows=len(table.y),
                columns=table.X.shape[1],
                categorical=table.encoder.categorical_.tolist(),
                n_jobs=self.n_jobs,
                random_state=drawn_seed(self.random_state),
            ),
            table.X,
            table.y,
            sample_weight=table.sample_weight,
            groups=None if groups is None else group_units(groups, len(table.y)),
        )
        return self

    @property
    def score_names(self) -> list[str]:
        """Columns of `scores`: a probability per class, and the likeliest one."""
        return [*(f"probability_{label}" for label in self.classes_), "class"]

    def scores(self, frame: Any) -> DataFrame:
        """Probability of each class at the training shares of the classes, and the likeliest."""
        import pandas as pd

        share = self.ratio_.predict_proba(self.encoder_.transform(frame))
        index = frame.index if isinstance(frame, pd.DataFrame) else None
        scored = pd.DataFrame(share, columns=self.score_names[:-1], index=index)
        return scored.assign(**{"class": self.classes_[share.argmax(axis=1)]})


def _labels(classes: Sequence[Any]) -> Any:
    """Labels as one array, as text where they are of several types."""
    return np.asarray(list(classes if len(set(map(type, classes))) == 1 else map(str, classes)))
