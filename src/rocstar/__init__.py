"""ROC*: how different are two samples, and how good could any classifier be?

Public names are loaded on first use, so that ``import rocstar`` and ``rocstar --help`` stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Interval": "geometry.bounds",
    "tv_bounds": "geometry.bounds",
    "auc_bounds": "geometry.bounds",
    "balanced_accuracy_bounds": "geometry.class_bounds",
    "pairwise_tv_bounds": "geometry.class_bounds",
    "liu_tv_bounds": "geometry.bounds",
    "pinsker_tv_bounds": "geometry.bounds",
    "bretagnolle_huber_tv_bounds": "geometry.bounds",
    "le_cam_tv_bounds": "geometry.bounds",
    "RocPoints": "geometry.curves",
    "RocHull": "geometry.curves",
    "roc_points": "geometry.curves",
    "roc_hull": "geometry.curves",
    "hull_angle": "geometry.curves",
    "hull_arc_length": "geometry.curves",
    "roc_auc": "geometry.curves",
    "ecdf_weights": "geometry.curves",
    "ArctanRatio": "estimators.ratio",
    "ArctanRatioCV": "estimators.cv",
    "ClassifierRatio": "estimators.classifier",
    "QuadraticRatio": "estimators.discriminant",
    "StackedRatio": "estimators.stack",
    "MaximalAUCClassifier": "estimators.maximal_auc",
    "arc_length_score": "estimators.angle",
    "arc_length_scorer": "estimators.scorer",
    "predict_angle": "estimators.unwrap",
    "predict_direction": "estimators.directions",
    "Estimate": "inference.estimate",
    "mean_interval": "inference.intervals",
    "mean_sequence": "inference.betting_sequences",
    "arc_length_interval": "inference.intervals",
    "auc_interval": "inference.intervals",
    "auc_gain": "inference.intervals",
    "youden_interval": "inference.intervals",
    "RocBand": "inference.bands",
    "roc_band": "inference.bands",
    "CertifiedCurve": "inference.certified_curve",
    "Certificate": "inference.certificate",
    "certify": "inference.certify",
    "headroom": "inference.headroom",
    "MulticlassCertificate": "inference.multiclass",
    "MulticlassHeadroom": "inference.multiclass",
    "ClassEstimates": "inference.multiclass",
    "TwoSampleTest": "inference.two_sample",
    "two_sample_test": "inference.two_sample",
    "NeymanPearsonClassifier": "estimators.neyman_pearson",
    "RatioOutlierDetector": "estimators.outlier",
    "TableEncoder": "tables.columns",
    "TableModel": "tables.model",
    "near_copies": "tables.copies",
    "Monitor": "watching.monitor",
    "Reading": "watching.readings",
    "RocDisplay": "report.curve_displays",
    "PrecisionRecallDisplay": "report.curve_displays",
    "DecisionCurveDisplay": "report.curve_displays",
    "Audit": "audits.audit",
    "audit": "audits.audit",
    "ClassAudit": "audits.classes",
    "Comparison": "audits.compare",
    "compare": "audits.compare",
}

_MODULES = ("bounds", "measures", "laws", "curves", "baselines", "testing")

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
    from rocstar.audits.audit import Audit as Audit
    from rocstar.audits.audit import audit as audit
    from rocstar.audits.classes import ClassAudit as ClassAudit
    from rocstar.audits.compare import Comparison as Comparison
    from rocstar.audits.compare import compare as compare
    from rocstar.estimators.angle import arc_length_score as arc_length_score
    from rocstar.estimators.classifier import ClassifierRatio as ClassifierRatio
    from rocstar.estimators.cv import ArctanRatioCV as ArctanRatioCV
    from rocstar.estimators.directions import predict_direction as predict_direction
    from rocstar.estimators.discriminant import QuadraticRatio as QuadraticRatio
    from rocstar.estimators.maximal_auc import MaximalAUCClassifier as MaximalAUCClassifier
    from rocstar.estimators.neyman_pearson import (
        NeymanPearsonClassifier as NeymanPearsonClassifier,
    )
    from rocstar.estimators.outlier import RatioOutlierDetector as RatioOutlierDetector
    from rocstar.estimators.ratio import ArctanRatio as ArctanRatio
    from rocstar.estimators.scorer import arc_length_scorer as arc_length_scorer
    from rocstar.estimators.stack import StackedRatio as StackedRatio
    from rocstar.estimators.unwrap import predict_angle as predict_angle
    from rocstar.geometry.bounds import Interval as Interval
    from rocstar.geometry.bounds import auc_bounds as auc_bounds
    from rocstar.geometry.bounds import bretagnolle_huber_tv_bounds as bretagnolle_huber_tv_bounds
    from rocstar.geometry.bounds import le_cam_tv_bounds as le_cam_tv_bounds
    from rocstar.geometry.bounds import liu_tv_bounds as liu_tv_bounds
    from rocstar.geometry.bounds import pinsker_tv_bounds as pinsker_tv_bounds
    from rocstar.geometry.bounds import tv_bounds as tv_bounds
    from rocstar.geometry.class_bounds import balanced_accuracy_bounds as balanced_accuracy_bounds
    from rocstar.geometry.class_bounds import pairwise_tv_bounds as pairwise_tv_bounds
    from rocstar.geometry.curves import RocHull as RocHull
    from rocstar.geometry.curves import RocPoints as RocPoints
    from rocstar.geometry.curves import ecdf_weights as ecdf_weights
    from rocstar.geometry.curves import hull_angle as hull_angle
    from rocstar.geometry.curves import hull_arc_length as hull_arc_length
    from rocstar.geometry.curves import roc_auc as roc_auc
    from rocstar.geometry.curves import roc_hull as roc_hull
    from rocstar.geometry.curves import roc_points as roc_points
    from rocstar.inference.bands import RocBand as RocBand
    from rocstar.inference.bands import roc_band as roc_band
    from rocstar.inference.betting_sequences import mean_sequence as mean_sequence
    from rocstar.inference.certificate import Certificate as Certificate
    from rocstar.inference.certified_curve import CertifiedCurve as CertifiedCurve
    from rocstar.inference.certify import certify as certify
    from rocstar.inference.estimate import Estimate as Estimate
    from rocstar.inference.headroom import headroom as headroom
    from rocstar.inference.intervals import arc_length_interval as arc_length_interval
    from rocstar.inference.intervals import auc_gain as auc_gain
    from rocstar.inference.intervals import auc_interval as auc_interval
    from rocstar.inference.intervals import mean_interval as mean_interval
    from rocstar.inference.intervals import youden_interval as youden_interval
    from rocstar.inference.multiclass import ClassEstimates as ClassEstimates
    from rocstar.inference.multiclass import MulticlassCertificate as MulticlassCertificate
    from rocstar.inference.multiclass import MulticlassHeadroom as MulticlassHeadroom
    from rocstar.inference.two_sample import TwoSampleTest as TwoSampleTest
    from rocstar.inference.two_sample import two_sample_test as two_sample_test
    from rocstar.report.curve_displays import DecisionCurveDisplay as DecisionCurveDisplay
    from rocstar.report.curve_displays import PrecisionRecallDisplay as PrecisionRecallDisplay
    from rocstar.report.curve_displays import RocDisplay as RocDisplay
    from rocstar.tables.columns import TableEncoder as TableEncoder
    from rocstar.tables.copies import near_copies as near_copies
    from rocstar.tables.model import TableModel as TableModel
    from rocstar.watching.monitor import Monitor as Monitor
    from rocstar.watching.readings import Reading as Reading
