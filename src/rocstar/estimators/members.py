"""What a stack asks of one of its members."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocstar.estimators.angle import HALF_PI
from rocstar.estimators.protocol import AnglePredictor, declared
from rocstar.estimators.unwrap import predict_angle, unwrap
from rocstar.fitting.arrays import Array
from rocstar.sklearn_private import safe_indexing


def judge(model: Any, split: Any, *, fit: Any, X: Any) -> NDArray[Any]:
    """Angles of a fold's held-out rows by a model of the others."""
    train, test = split
    return predict_angle(fit(model, rows=train), safe_indexing(X, test))


def overshoot(model: Any, X: Any) -> Array:
    """How far unclipped scores lie outside [0, π/2]; nothing for a model on another scale."""
    if not declared(model).scores_are_angles:
        return 0.0
    z = model.decision_function(X) + unwrap(model)._even_angle()
    return z - np.clip(z, 0.0, HALF_PI)


def tunes_itself(model: Any) -> bool:
    return isinstance(model, AnglePredictor) and model.tunes_itself


def takes_collections(model: Any) -> bool:
    return isinstance(model, AnglePredictor) and model.takes_collections
