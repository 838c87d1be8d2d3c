"""Curves in matplotlib, in the manner of scikit-learn's displays: ROC, precision–recall, decision.

Each is made from a certificate, from predictions, from a fitted estimator or from the results of
``cross_validate``; the region that a certificate certifies is shaded. A display is drawn as it is
made, and keeps its arrays in ``data``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rocstar.checks import FloatArray, binary_labels, check_fraction
from rocstar.geometry.curves import roc_points
from rocstar.geometry.linear_measures import NetBenefit
from rocstar.geometry.polygons import Polygon
from rocstar.report.displays import Display
from rocstar.sklearn_private import safe_indexing

THRESHOLDS = np.union1d(np.geomspace(1e-3, 0.1, 40), np.linspace(0.01, 0.99, 99))
"""Threshold probabilities of a decision curve, dense where those of rare positives lie."""
BETWEEN = 8
"""Points on each straight line of an ROC curve where another picture bends it."""


class CurveDisplay(Display):
    """What the three pictures share: where their curves come from.

    ``data`` holds, each optional: ``fpr`` and ``tpr`` of the best classifier found, ``certified``
    (``fpr``, ``tpr``, ``level``), ``scores`` (each ``name``, ``fpr``, ``tpr`` and, of a
    probability, ``thresholds``) and the ``prevalence`` to draw at.
    """

    @classmethod
    def from_certificate(
        cls, certificate: Any, *, prevalence: float | None = None, ax: Any = None
    ) -> Self:
        """Draw what a certificate found and what it certifies.

        Parameters
        ----------
        certificate : Certificate
        prevalence : float, optional
            Share of positives to draw at; that of the judged rows by default.
        ax : matplotlib.axes.Axes, optional
        """
        found = certificate.found_curve
        data = {
            "fpr": found.fpr,
            "tpr": found.tpr,
            "certified": _certified(certificate),
            "scores": [],
            "prevalence": _prevalence(prevalence, certificate.held_out.y),
        }
        return cls(data).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        y: npt.ArrayLike,
        score: npt.ArrayLike,
        *,
        certificate: Any = None,
        prevalence: float | None = None,
        sample_weight: npt.ArrayLike | None = None,
        name: str = "score",
        ax: Any = None,
    ) -> Self:
        """Draw the curve of a score, with what a certificate certifies if one is given.

        Parameters
        ----------
        y, score : array-like of shape (n,)
            Labels, the larger one positive, and a score that was not fitted on these rows.
        certificate : Certificate, optional
        prevalence : float, optional
            Share of positives to draw at; that of the rows by default.
        sample_weight : array-like of shape (n,), optional
        name : str, default="score"
        ax : matplotlib.axes.Axes, optional
        """
        curve = _score_curve(y, score, sample_weight, name)
        return cls._of_scores([curve], binary_labels(y)[0], certificate, prevalence).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: npt.ArrayLike,
        *,
        certificate: Any = None,
        prevalence: float | None = None,
        sample_weight: npt.ArrayLike | None = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the curve of a fitted classifier on rows that it has not seen.

        Parameters
        ----------
        estimator : fitted classifier
            Its probabilities are drawn, or else its decision function.
        X : array-like of shape (n, d)
        y, certificate, prevalence, sample_weight, ax
            As for :meth:`from_predictions`.
        name : str, optional
            That of the class by default.
        """
        return cls.from_predictions(
            y,
            _predicted(estimator, X),
            certificate=certificate,
            prevalence=prevalence,
            sample_weight=sample_weight,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: npt.ArrayLike,
        *,
        certificate: Any = None,
        prevalence: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw one curve per fold of ``sklearn.model_selection.cross_validate``.

        Parameters
        ----------
        cv_results : dict
            Made with ``return_estimator=True`` and ``return_indices=True``.
        X, y
            What was cross-validated.
        certificate, prevalence, ax
            As for :meth:`from_predictions`.
        """
        missing = [key for key in ("estimator", "indices") if key not in cv_results]
        if missing:
            raise ValueError(
                f"`cv_results` must have {' and '.join(missing)}: call cross_validate with "
                "return_estimator=True and return_indices=True."
            )
        labels = np.asarray(y)
        folds = zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)
        curves = [
            _score_curve(
                labels[test], _predicted(model, safe_indexing(X, test)), None, f"fold {k + 1}"
            )
            for k, (model, test) in enumerate(folds)
        ]
        return cls._of_scores(curves, binary_labels(y)[0], certificate, prevalence).plot(ax)

    @classmethod
    def _of_scores(
        cls,
        curves: list[dict[str, Any]],
        positive: npt.NDArray[np.bool_],
        certificate: Any,
        prevalence: float | None,
    ) -> Self:
        certified = None if certificate is None else _certified(certificate)
        share = _prevalence(prevalence, positive)
        return cls({"certified": certified, "scores": curves, "prevalence": share})

    def _curves(self) -> list[tuple[str, str, Mapping[str, Any]]]:
        """Label, line style and points of every curve but the certified one."""
        name = self.data.get("name", "best classifier found")
        found = [(name, "-", self.data)] if "fpr" in self.data else []
        return found + [(score["name"], "--", score) for score in self.data["scores"]]

    def _certified_polygon(self) -> Polygon | None:
        certified = self.data.get("certified")
        return None if certified is None else Polygon.through(certified["fpr"], certified["tpr"])

    def _certified_label(self) -> str:
        return f"certified for the best ({100 * self.data['certified']['level']:g} % confidence)"


class RocDisplay(CurveDisplay):
    """ROC curves: of the best classifier found and of scores; what is certified for ROC* is shaded.

    Examples
    --------
    >>> from rocstar import RocDisplay
    >>> display = RocDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    >>> display.data["scores"][0]["tpr"].tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """

    def _draw(self, ax: Any) -> None:
        data, certified = self.data, self._certified_polygon()
        ax.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        if certified is not None:
            ax.fill_between(
                certified.fpr,
                certified.fpr,
                certified.tpr,
                color="C2",
                alpha=0.25,
                linewidth=0,
                label=self._certified_label(),
            )
        for label, style, curve in self._curves():
            ax.plot(curve["fpr"], curve["tpr"], style, label=label)
        if data.get("hull"):
            ax.plot(data["hull"]["fpr"], data["hull"]["tpr"], ":", label="its convex hull")
        self._draw_band(ax)
        ax.set(xlabel="False positive rate", ylabel="True positive rate", xlim=(0, 1), ylim=(0, 1))
        ax.set_aspect("equal")
        ax.legend(loc="lower right")

    def _draw_band(self, ax: Any) -> None:
        low, high, tpr = (self.data.get(key) for key in ("low", "high", "tpr"))
        if low is None and high is None:
            return
        name = "band" if low is not None and high is not None else "lower band"
        ax.fill_between(
            self.data["fpr"],
            tpr if low is None else low,
            tpr if high is None else high,
            step="post",
            alpha=0.2,
            label="upper band" if low is None else name,
        )


class PrecisionRecallDisplay(CurveDisplay):
    """Precision by recall at a prevalence; what is certified for the best classifier is shaded.

    Between two points of an ROC curve it is the curve of a random choice between their rules.

    Examples
    --------
    >>> from rocstar import PrecisionRecallDisplay
    >>> display = PrecisionRecallDisplay.from_predictions(
    ...     [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], prevalence=0.1
    ... )
    >>> display.ax_.get_ylabel()
    'Precision'
    """

    def _draw(self, ax: Any) -> None:
        share, certified = self.data["prevalence"], self._certified_polygon()
        if certified is not None:
            recall, precision = precision_recall(certified, share)
            ax.fill_between(
                recall,
                share,
                precision,
                color="C2",
                alpha=0.25,
                linewidth=0,
                label=self._certified_label(),
            )
        ax.axhline(share, color="0.7", linewidth=1, label=f"prevalence {share:.3g}")
        for label, style, curve in self._curves():
            points = precision_recall(Polygon.through(curve["fpr"], curve["tpr"]), share)
            ax.plot(*points, style, label=label)
        ax.set(xlabel="Recall", ylabel="Precision", xlim=(0, 1), ylim=(0, 1))
        ax.legend(loc="best")


class DecisionCurveDisplay(CurveDisplay):
    """Net benefit by threshold probability (Vickers and Elkin 2006), at a prevalence.

    The certified region is what the best rule surely adds to treating everybody or nobody. A score
    in [0, 1] is taken as a probability and judged at the threshold itself, any other score at its
    best threshold.

    Examples
    --------
    >>> from rocstar import DecisionCurveDisplay
    >>> display = DecisionCurveDisplay.from_predictions(
    ...     [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], prevalence=0.1
    ... )
    >>> display.ax_.get_xlabel()
    'Threshold probability'
    """

    def _draw(self, ax: Any) -> None:
        share, certified = self.data["prevalence"], self._certified_polygon()
        everybody = np.array([NetBenefit(p, share).at(1.0, 1.0) for p in THRESHOLDS])
        if certified is not None:
            ax.fill_between(
                THRESHOLDS,
                np.maximum(everybody, 0.0),
                best_benefit(certified, share),
                color="C2",
                alpha=0.25,
                linewidth=0,
                label=self._certified_label(),
            )
        ax.plot(THRESHOLDS, everybody, color="0.6", linewidth=1, label="treat everybody")
        ax.axhline(0.0, color="0.3", linewidth=1, label="treat nobody")
        for label, style, curve in self._curves():
            ax.plot(THRESHOLDS, _benefit(curve, share), style, label=label)
        ax.set(xlabel="Threshold probability", ylabel="Net benefit", xlim=(0, 1))
        ax.set_ylim(-0.1 * share, 1.05 * share)
        ax.legend(loc="upper right")


def precision_recall(curve: Polygon, prevalence: float) -> tuple[FloatArray, FloatArray]:
    """Recall and precision along an ROC curve, with points between its vertices."""
    place = np.linspace(0, curve.fpr.size - 1, BETWEEN * (curve.fpr.size - 1) + 1)
    fpr, tpr = (np.interp(place, np.arange(rates.size), rates) for rates in (curve.fpr, curve.tpr))
    some = tpr > 0
    found = prevalence * tpr[some]
    precision = found / (found + (1 - prevalence) * fpr[some])
    # Towards recall 0 the precision is that of the first rule that finds anything.
    return np.append(0.0, tpr[some]), np.append(precision[0], precision)


def best_benefit(curve: Polygon, prevalence: float) -> FloatArray:
    """Net benefit at every threshold probability, each at the curve's best operating point."""
    return np.array([NetBenefit(p, prevalence).of(curve) for p in THRESHOLDS])


def _benefit(curve: Mapping[str, Any], prevalence: float) -> FloatArray:
    """Net benefit of a probability at the threshold itself, of any other score at its best one."""
    if curve.get("thresholds") is None:
        return best_benefit(Polygon.through(curve["fpr"], curve["tpr"]), prevalence)
    # Thresholds descend: the last one that is not below p has all rows at or above p.
    reached = np.searchsorted(-np.asarray(curve["thresholds"]), -THRESHOLDS, side="right") - 1
    fpr, tpr = np.asarray(curve["fpr"])[reached], np.asarray(curve["tpr"])[reached]
    pairs = zip(THRESHOLDS, fpr, tpr, strict=True)
    return np.array([NetBenefit(p, prevalence).at(f, t) for p, f, t in pairs])


def _certified(certificate: Any) -> dict[str, Any]:
    curve = certificate.curve
    return {"fpr": curve.fpr, "tpr": curve.tpr, "level": curve.level}


def _prevalence(prevalence: float | None, positive: npt.NDArray[np.bool_]) -> float:
    if prevalence is None:
        return float(np.mean(positive))
    return check_fraction(prevalence, "prevalence")


def _score_curve(
    y: npt.ArrayLike, score: npt.ArrayLike, sample_weight: npt.ArrayLike | None, name: str
) -> dict[str, Any]:
    points = roc_points(y, score, sample_weight=sample_weight)
    ends = points.thresholds[1:]
    probability = bool(ends.min() >= 0 and ends.max() <= 1)
    thresholds = points.thresholds if probability else None
    return {"name": name, "fpr": points.fpr, "tpr": points.tpr, "thresholds": thresholds}


def _predicted(estimator: Any, X: Any) -> Any:
    """Probabilities of the positive class, or whatever else ranks the rows."""
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X))[:, 1]
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X))
    raise TypeError(
        "`estimator` must be a classifier with predict_proba or decision_function; got "
        f"{type(estimator).__name__}."
    )
