"""ROC*: how different are two samples, and how good could any classifier be?

Public names are loaded on first use, so that ``import rocstar`` and ``rocstar --help`` stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Interval": "bounds",
    "tv_bounds": "bounds",
    "auc_bounds": "bounds",
    "balanced_accuracy_bounds": "bounds",
    "liu_tv_bounds": "bounds",
    "pinsker_tv_bounds": "bounds",
    "bretagnolle_huber_tv_bounds": "bounds",
    "le_cam_tv_bounds": "bounds",
    "RocPoints": "curves",
    "RocHull": "curves",
    "roc_points": "curves",
    "roc_hull": "curves",
    "hull_angle": "curves",
    "hull_arc_length": "curves",
    "auc": "curves",
    "ecdf_weights": "curves",
    "ArctanRatio": "estimators.ratio",
    "ArctanRatioCV": "estimators.cv",
    "ClassifierRatio": "estimators.classifier",
    "StackedRatio": "estimators.stack",
    "MaximalAUCClassifier": "estimators.maximal_auc",
    "arc_length_score": "estimators.angle",
    "arc_length_scorer": "estimators.angle",
    "predict_angle": "estimators.angle",
    "Estimate": "intervals",
    "mean_interval": "intervals",
    "arc_length_interval": "intervals",
    "auc_interval": "intervals",
    "auc_gain": "intervals",
    "youden_interval": "intervals",
    "RocBand": "bands",
    "roc_band": "bands",
    "Certificate": "certificates",
    "certify": "certificates",
    "headroom": "certificates",
    "Audit": "auditing",
    "audit": "auditing",
    "Comparison": "comparing",
    "compare": "comparing",
}

_MODULES = ("bounds", "laws", "curves", "baselines")

__all__ = [*_HOME, *_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from rocstar.auditing import Audit, audit
    from rocstar.bands import RocBand, roc_band
    from rocstar.bounds import (
        Interval,
        auc_bounds,
        balanced_accuracy_bounds,
        bretagnolle_huber_tv_bounds,
        le_cam_tv_bounds,
        liu_tv_bounds,
        pinsker_tv_bounds,
        tv_bounds,
    )
    from rocstar.certificates import Certificate, certify, headroom
    from rocstar.comparing import Comparison, compare
    from rocstar.curves import (
        RocHull,
        RocPoints,
        auc,
        ecdf_weights,
        hull_angle,
        hull_arc_length,
        roc_hull,
        roc_points,
    )
    from rocstar.estimators.angle import arc_length_score, arc_length_scorer, predict_angle
    from rocstar.estimators.classifier import ClassifierRatio
    from rocstar.estimators.cv import ArctanRatioCV
    from rocstar.estimators.maximal_auc import MaximalAUCClassifier
    from rocstar.estimators.ratio import ArctanRatio
    from rocstar.estimators.stack import StackedRatio
    from rocstar.intervals import (
        Estimate,
        arc_length_interval,
        auc_gain,
        auc_interval,
        mean_interval,
        youden_interval,
    )
