"""How good could any classifier of more than two classes be? Held-out lower bounds (theory §15)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from rocstar.checks import FloatArray, check_fraction
from rocstar.geometry.class_bounds import balanced_accuracy_bounds, implied_class_bounds
from rocstar.inference.betting_intervals import Method, refuse_weights
from rocstar.inference.class_betting import betting_bounds, pair_bounds, rest_bounds
from rocstar.inference.class_figures import (
    confusion_figures,
    main_figures,
    pair_figures,
    pairs_of,
    rest_figures,
)
from rocstar.inference.class_held_out import ClassHeldOut
from rocstar.inference.class_masses import ClassDraws, ClassFigures, joint_error
from rocstar.inference.class_predictions import Rule, spelled
from rocstar.inference.draws import N_DRAWS
from rocstar.inference.estimate import Estimate
from rocstar.inference.point_estimates import CLASS_POWER, confirmed
from rocstar.report.method_words import guarantee_hint, guarantee_phrase
from rocstar.report.notebook import card

if TYPE_CHECKING:
    from rocstar.report.displays import PairwiseDisplay

SEED = 0  # the same draws for the same data, whatever else is random
# As CLASS_POWER. More of a stack may count: its trees are out of fold in its in-sample figures,
# which exceed the truth by less.
STACK_POWER = 0.6


class ClassEstimates:
    """Estimates by class, or by pair of classes: arrays, and an `Estimate` for every label.

    Attributes
    ----------
    value, low, high : ndarray of shape (K,) or (K, K)
    labels : ndarray of shape (K,)
    level : float
    side : {"lower", "two-sided"}

    Examples
    --------
    >>> import numpy as np
    >>> found = ClassEstimates(np.array([0.9, 0.7]), np.array([0.8, 0.6]), np.array([1.0, 0.8]),
    ...                        ["a", "b"], 0.95, "two-sided")
    >>> print(found["a"])
    0.900; between 0.800 and 1.000 (95 % confidence)
    """

    def __init__(
        self,
        value: FloatArray,
        low: FloatArray,
        high: FloatArray,
        labels: Any,
        level: float,
        side: Any,
    ) -> None:
        self.value, self.low, self.high = value, low, high
        self.labels = np.asarray(labels)
        self.level, self.side = level, side

    def __getitem__(self, label: Any) -> Estimate:
        """The estimate of a class, or of a pair of classes, by label."""
        asked = label if self.value.ndim == 2 else (label,)
        if self.value.ndim == 2 and not (isinstance(label, tuple) and len(label) == 2):
            first, second = self.labels[:2].tolist()
            raise KeyError(f"Ask for a pair of classes, such as [{first!r}, {second!r}].")
        place = tuple(self._place(one) for one in asked)
        value, low, high = (float(part[place]) for part in (self.value, self.low, self.high))
        if np.isnan(value):
            raise KeyError(f"Ask for two different classes; got {label[0]!r} twice.")
        return Estimate(value, low, high, self.level, self.side)

    def _place(self, label: Any) -> int:
        # The certificate of an audit names its classes as text, whatever the labels are.
        found = np.flatnonzero([spelled(each) == spelled(label) for each in self.labels.tolist()])
        if found.size != 1:
            raise KeyError(f"{label!r} is none of the classes {self.labels.tolist()}.")
        return int(found[0])

    def to_dict(self) -> dict[str, Any]:
        """Numbers of all classes as lists, None where there is none."""
        parts = {"value": self.value, "low": self.low, "high": self.high}
        return {
            "labels": self.labels.tolist(),
            **{name: _plain(part) for name, part in parts.items()},
            "level": float(self.level),
            "side": self.side,
        }

    def __repr__(self) -> str:
        kind = "pairs of classes" if self.value.ndim == 2 else "classes"
        return (
            f"ClassEstimates of {len(self.labels)} {kind}: value from "
            f"{np.nanmin(self.value):.3f} to {np.nanmax(self.value):.3f}"
        )


@dataclass(frozen=True, repr=False)
class MulticlassCertificate:
    """Lower bounds of what the best classifier of more than two classes reaches.

    Every ``low`` is a lower confidence bound; every ``high`` of a lower bound is an estimate. Three
    statements are made, each at ``level``: that the bounds of ``arc_length``,
    ``balanced_accuracy`` and ``mean_pairwise_auc`` hold together; that those of ``pairwise_auc``
    do; and that those of ``one_versus_rest_auc`` do.

    Attributes
    ----------
    arc_length : Estimate
        Of ∫ ‖(p₁, …, p_K)‖₂, in [√K, K].
    divergence : Estimate
        Arc length less √K.
    balanced_accuracy : Estimate
        Best mean recall of any classifier.
    mean_pairwise_auc : Estimate
        Mean over the pairs of classes of the best AUC: one bound of the mean, not a mean of bounds.
    pairwise_auc : ClassEstimates
        Best AUC of each pair: ``certificate.pairwise_auc["a", "b"]``; NaN on the diagonal.
    one_versus_rest_auc : ClassEstimates
        Best AUC of each class against the mixture of all others in equal shares.
    recall : ClassEstimates
        Of the rule that was found, the likeliest class at equal shares; two-sided, each at
        ``level``.
    confusion : ClassEstimates
        Share of each class (lines) that this rule gives to each (columns); two-sided, each at
        ``level``.
    direction : ndarray of shape (n, K)
        Held-out direction of each row, NaN where it was never held out.
    classes : ndarray of shape (K,)
    level : float
    method : {"dirichlet", "betting"}
    guarantee : {"theorem", "conjecture", "asymptotic"}
        As in `Certificate`. ``recall`` and ``confusion`` are not proven by betting.

    Examples
    --------
    >>> from rocstar import ArctanRatio, certify, laws
    >>> law = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    >>> X, y = law.sample(200, random_state=0)
    >>> certificate = certify(ArctanRatio(loss="log"), X, y, random_state=0)
    >>> certificate
    Certificate of 600 rows, 3 classes, judged out of 5 folds
      arc length         2.4...
    >>> certificate.balanced_accuracy.low < law.balanced_accuracy
    True
    """

    arc_length: Estimate
    divergence: Estimate
    balanced_accuracy: Estimate
    mean_pairwise_auc: Estimate
    level: float
    held_out: ClassHeldOut
    method: Method = "dirichlet"

    @property
    def classes(self) -> npt.NDArray[Any]:
        """The labels."""
        return self.held_out.classes

    @property
    def strict(self) -> bool:
        """Whether one model was judged on rows held out once; several folds are asymptotic."""
        return self.held_out.n_splits == 1

    @property
    def guarantee(self) -> str:
        """What the lower bounds rest on."""
        if self.method == "betting":
            return "theorem"
        return "conjecture" if self.strict else "asymptotic"

    @property
    def provable(self) -> bool:
        """Whether betting takes the same rows: it takes no weights, and no groups here."""
        return not self.held_out.weighted and self.held_out.groups is None

    @property
    def cv(self) -> str:
        """ "holdout", or the number of splits."""
        return "holdout" if self.strict else str(self.held_out.n_splits)

    @property
    def direction(self) -> FloatArray:
        """Direction of each row when first held out, NaN where it never was."""
        held = self.held_out
        out = np.full((held.n_rows, held.n_classes), np.nan)
        out[held.row[held.first]] = held.direction[held.first]
        return out

    @cached_property
    def pairwise_auc(self) -> ClassEstimates:
        """Best AUC of each pair of classes, bounds that hold together."""
        figures = pair_figures(self.held_out)
        if self.method == "betting":
            low = pair_bounds(self.held_out, 1 - self.level)
            ends = _with_estimates(figures, low, 0.5, self.level)
        else:
            ends = _joint_bounds(self.held_out, figures, 0.5, self.level)
        k = self.held_out.n_classes
        i, j = pairs_of(k)
        square = np.full((3, k, k), np.nan)
        square[:, i, j] = square[:, j, i] = ends
        value, low, high = square
        return ClassEstimates(value, low, high, self.classes, self.level, "lower")

    @cached_property
    def one_versus_rest_auc(self) -> ClassEstimates:
        """Best AUC of each class against the others in equal shares, bounds that hold together."""
        figures = rest_figures(self.held_out)
        if self.method == "betting":
            low = rest_bounds(self.held_out, 1 - self.level)
            ends = _with_estimates(figures, low, 0.5, self.level)
        else:
            ends = _joint_bounds(self.held_out, figures, 0.5, self.level)
        value, low, high = ends
        return ClassEstimates(value, low, high, self.classes, self.level, "lower")

    @cached_property
    def confusion(self) -> ClassEstimates:
        """Share of each class that the found rule gives to each class, two-sided."""
        figures = confusion_figures(self.held_out)
        draws, error = _draws(figures), (1 - self.level) / 2
        value = np.clip(figures.estimates(), 0.0, 1.0)
        # Draws of many rows are normal, and leave [0, 1] beside its ends.
        low = np.clip(draws.low(error), 0.0, value)
        high = np.clip(draws.high(error), value, 1.0)
        k = self.held_out.n_classes
        value, low, high = (part.reshape(k, k) for part in (value, low, high))
        return ClassEstimates(value, low, high, self.classes, self.level, "two-sided")

    @property
    def recall(self) -> ClassEstimates:
        """Recall of each class by the found rule, two-sided."""
        all_of = self.confusion
        value, low, high = (np.diag(part) for part in (all_of.value, all_of.low, all_of.high))
        return ClassEstimates(value, low, high, self.classes, self.level, "two-sided")

    def plot(self, ax: Any = None) -> PairwiseDisplay:
        """Draw the best AUC of every pair of classes: found above the diagonal, certified below."""
        from rocstar.report.displays import PairwiseDisplay

        return PairwiseDisplay(self.pairwise_auc.to_dict()).plot(ax)

    def to_dict(self) -> dict[str, Any]:
        """The bounds and what they rest on, as numbers, strings and lists."""
        tables = ("pairwise_auc", "one_versus_rest_auc", "recall", "confusion")
        return {
            **{name: getattr(self, name).to_dict() for name in (*CLASS_MEASURES, *tables)},
            "level": float(self.level),
            "method": self.method,
            "guarantee": self.guarantee,
            "cv": self.cv,
            "rows": int(self.held_out.first.size),
            "classes": self.classes.tolist(),
        }

    def to_frame(self) -> Any:
        """One row per measure of all classes, as a pandas data frame."""
        from pandas import DataFrame

        found = {name: getattr(self, key) for key, name in CLASS_MEASURES.items()}
        rows = [(one.value, one.low, one.high) for one in found.values()]
        return DataFrame(rows, columns=["value", "low", "high"], index=list(found))

    def _repr_html_(self) -> str:
        rows = [(name, getattr(self, key)) for key, name in CLASS_MEASURES.items()]
        return card(repr(self).partition("\n")[0], rows)

    def __repr__(self) -> str:
        held = self.held_out
        judged = "on one held-out part" if self.strict else f"out of {held.n_splits} folds"
        if self.method == "betting" and not self.strict:
            judged = f"in {held.n_splits} chunks by models of earlier rows"
        names = ("arc_length", "divergence", "balanced_accuracy", "mean_pairwise_auc")
        lines = [
            f"Certificate of {held.first.size:,} rows, {held.n_classes} classes, judged {judged}"
        ]
        lines += [f"  {CLASS_MEASURES[name]:<18} {getattr(self, name)!s}" for name in names]
        hint = guarantee_hint(self.guarantee, provable=self.provable)
        lines.append(f"Guarantee: {guarantee_phrase(self.guarantee)}{hint}")
        return "\n".join(lines)


CLASS_MEASURES = {
    "arc_length": "arc length",
    "divergence": "ROC divergence",
    "balanced_accuracy": "balanced accuracy",
    "mean_pairwise_auc": "mean pairwise AUC",
}


def multiclass_certificate(
    held: ClassHeldOut, level: float = 0.95, method: Method = "dirichlet"
) -> MulticlassCertificate:
    """Estimates and joint lower bounds from held-out rows; bets need rows judged in turn."""
    error, k = 1 - check_fraction(level, "level"), held.n_classes
    figures = main_figures(held)
    outside = figures.estimates()
    floors, most = np.array([np.sqrt(k), 1 / k, 0.5]), np.array([k, 1.0, 1.0])
    draws = _draws(figures)
    if method == "betting":
        refuse_weights(held.weighted)
        low = betting_bounds(held, error / 3)
    else:
        each = joint_error(figures, error, SEED)
        low = above_floor(draws.low(each, span=(0.0, most)), outside, floors, held.n_splits)
    raised = implied_class_bounds(float(low[0]), float(low[1]), float(low[2]), k)
    values = point_estimates(held, outside)
    spread = norm.isf(error) * draws.spread()
    estimates = []
    for f in range(3):
        value = max(float(np.clip(values[f], floors[f], most[f])), raised[f])
        high = min(value + spread[f], most[f])
        estimates.append(Estimate(value, raised[f], float(high), level, "lower"))
    length, least = estimates[0], float(floors[0])
    above = (end - least for end in (length.value, length.low, length.high))
    value, least_above, high = above
    return MulticlassCertificate(
        arc_length=length,
        divergence=Estimate(value, least_above, high, level, "lower"),
        balanced_accuracy=estimates[1],
        mean_pairwise_auc=estimates[2],
        level=level,
        held_out=held,
        method=method,
    )


def point_estimates(held: ClassHeldOut, outside: FloatArray) -> FloatArray:
    """Held-out figures moved towards in-sample ones, without thresholds, as for two classes."""
    inside, k = held.in_sample, held.n_classes
    if inside is None:
        return outside
    kept = confirmed(outside[1] - 1 / k, inside.figures["balanced_accuracy"] - 1 / k)
    power = STACK_POWER if inside.stacked else CLASS_POWER
    share, values = inside.share * kept**power, outside.copy()
    for f, name in enumerate(("arc_length", "balanced_accuracy")):
        values[f] += share * (inside.figures[name] - outside[f])
    if inside.stacked:
        # As for two classes: the arc length of a stack is close to the best one, and leaves the
        # balanced accuracy a range.
        values[0] = np.clip(values[0], np.sqrt(k), k)
        low, high = balanced_accuracy_bounds(float(values[0]), k)
        values[1] = np.clip(values[1], low, high)
    return values


def above_floor(low: FloatArray, figure: FloatArray, floor: Any, n_splits: int) -> FloatArray:
    """Lower limits, at least the floor that holds for identical laws."""
    # Several folds must beat the floor with doubled variance, as for two classes.
    inflated = figure - np.sqrt(2) * (figure - low)
    claims = (inflated > floor) if n_splits > 1 else np.ones(low.shape, dtype=bool)
    return np.asarray(np.where(claims, np.maximum(low, floor), floor))


class MulticlassHeadroom(NamedTuple):
    """How far given predictions are below the best achievable; see `headroom`.

    ``rule`` says how they name a class: "labels" are taken as they are; of probabilities, it is
    the "likeliest" class as given, or the "likeliest at equal shares" of the classes.

    Examples
    --------
    >>> from rocstar import Estimate
    >>> room = MulticlassHeadroom(Estimate(0.1, 0.05, 0.2, 0.95, "lower"), None)
    >>> room.balanced_accuracy.low
    0.05
    """

    balanced_accuracy: Estimate
    mean_pairwise_auc: Estimate | None
    rule: Rule = "labels"


def _plain(values: FloatArray) -> list[Any]:
    if values.ndim == 2:
        return [_plain(line) for line in values]
    return [None if np.isnan(value) else float(value) for value in values]


def _draws(figures: ClassFigures) -> ClassDraws:
    return figures.draws(np.random.default_rng(SEED), N_DRAWS)


def _joint_bounds(
    held: ClassHeldOut, figures: ClassFigures, floor: float, level: float
) -> FloatArray:
    """Values, lower bounds that hold together, and estimated upper ends: (3, figures)."""
    each = joint_error(figures, 1 - level, SEED)
    low = above_floor(_draws(figures).low(each), figures.estimates(), floor, held.n_splits)
    return _with_estimates(figures, low, floor, level)


def _with_estimates(
    figures: ClassFigures, low: FloatArray, floor: float, level: float
) -> FloatArray:
    low = np.minimum(low, 1.0)
    value = np.maximum(np.clip(figures.estimates(), floor, 1.0), low)
    high = np.minimum(value + norm.isf(1 - level) * _draws(figures).spread(), 1.0)
    return np.stack([value, low, high])
