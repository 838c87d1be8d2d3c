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
    "TwoSampleTest": "two_sample",
    "two_sample_test": "two_sample",
    "NeymanPearsonClassifier": "estimators.neyman_pearson",
    "RatioOutlierDetector": "estimators.outlier",
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
    from rocstar.auditing import Audit as Audit
    from rocstar.auditing import audit as audit
    from rocstar.bands import RocBand as RocBand
    from rocstar.bands import roc_band as roc_band
    from rocstar.bounds import Interval as Interval
    from rocstar.bounds import auc_bounds as auc_bounds
    from rocstar.bounds import balanced_accuracy_bounds as balanced_accuracy_bounds
    from rocstar.bounds import bretagnolle_huber_tv_bounds as bretagnolle_huber_tv_bounds
    from rocstar.bounds import le_cam_tv_bounds as le_cam_tv_bounds
    from rocstar.bounds import liu_tv_bounds as liu_tv_bounds
    from rocstar.bounds import pinsker_tv_bounds as pinsker_tv_bounds
    from rocstar.bounds import tv_bounds as tv_bounds
    from rocstar.certificates import Certificate as Certificate
    from rocstar.certificates import certify as certify
    from rocstar.certificates import headroom as headroom
    from rocstar.comparing import Comparison as Comparison
    from rocstar.comparing import compare as compare
    from rocstar.curves import RocHull as RocHull
    from rocstar.curves import RocPoints as RocPoints
    from rocstar.curves import auc as auc
    from rocstar.curves import ecdf_weights as ecdf_weights
    from rocstar.curves import hull_angle as hull_angle
    from rocstar.curves import hull_arc_length as hull_arc_length
    from rocstar.curves import roc_hull as roc_hull
    from rocstar.curves import roc_points as roc_points
    from rocstar.estimators.angle import arc_length_score as arc_length_score
    from rocstar.estimators.angle import arc_length_scorer as arc_length_scorer
    from rocstar.estimators.angle import predict_angle as predict_angle
    from rocstar.estimators.classifier import ClassifierRatio as ClassifierRatio
    from rocstar.estimators.cv import ArctanRatioCV as ArctanRatioCV
    from rocstar.estimators.maximal_auc import MaximalAUCClassifier as MaximalAUCClassifier
    from rocstar.estimators.neyman_pearson import (
        NeymanPearsonClassifier as NeymanPearsonClassifier,
    )
    from rocstar.estimators.outlier import RatioOutlierDetector as RatioOutlierDetector
    from rocstar.estimators.ratio import ArctanRatio as ArctanRatio
    from rocstar.estimators.stack import StackedRatio as StackedRatio
    from rocstar.intervals import Estimate as Estimate
    from rocstar.intervals import arc_length_interval as arc_length_interval
    from rocstar.intervals import auc_gain as auc_gain
    from rocstar.intervals import auc_interval as auc_interval
    from rocstar.intervals import mean_interval as mean_interval
    from rocstar.intervals import youden_interval as youden_interval
    from rocstar.two_sample import TwoSampleTest as TwoSampleTest
    from rocstar.two_sample import two_sample_test as two_sample_test
