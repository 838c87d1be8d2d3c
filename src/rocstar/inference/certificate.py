"""How good could any classifier be, and how sure are we? Held-out lower bounds (theory §8, §9)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm

from rocstar.checks import (
    BoolArray,
    FloatArray,
    IntArray,
    check_fraction,
)
from rocstar.geometry.bounds import SHORTEST, implied_bounds
from rocstar.geometry.linear_measures import TotalVariation
from rocstar.geometry.measures import Measure, RocAuc
from rocstar.geometry.polygons import Polygon
from rocstar.inference.betting_bounds import (
    betting_bounds,
    epsilon_bound,
    hockey_stick_bound,
)
from rocstar.inference.betting_intervals import Method, refuse_weights
from rocstar.inference.certified_curve import (
    CertifiedCurve,
    Guarantee,
    certified_curve,
    held_polygon,
)
from rocstar.inference.certified_measures import (
    bound_estimate,
    check_measure,
    own_bound,
)
from rocstar.inference.estimate import Estimate
from rocstar.inference.held_figures import SEED, Bounded, held_pair_draws, held_sum_draws
from rocstar.inference.held_out import HeldOut
from rocstar.inference.point_estimates import point_estimates
from rocstar.report.method_words import guarantee_hint, guarantee_phrase
from rocstar.report.notebook import card
from rocstar.report.words import MEASURES
from rocstar.rounding import rounded_down

if TYPE_CHECKING:
    from rocstar.report.curve_displays import RocDisplay

N_JOINT = 40_000
"""Normal draws behind the joint error of a certificate's bounds: 5 % ± 0.1 %."""


@dataclass(frozen=True, repr=False)
class Certificate:
    """Lower bounds of what the best possible classifier reaches, judged on held-out rows.

    Every ``low`` is a lower confidence bound, and they hold together (``side="lower"``). Every
    ``high`` is an estimate: no sample can bound these numbers from above without assumptions.
    ``guarantee`` says what the lower bounds rest on.

    Attributes
    ----------
    arc_length : Estimate
        Of L*, the arc length of the optimal ROC curve, in [√2, 2].
    divergence : Estimate
        L* − √2.
    auc : Estimate
        Of AUC*, the largest AUC of any score.
    tv : Estimate
        Total variation distance.
    balanced_accuracy : Estimate
        Best balanced accuracy of any classifier, (1 + TV)/2.
    angle, score : ndarray of shape (n,)
        Held-out angle and unclipped score of each row, NaN where it was never held out; of repeated
        folds, those of the first repeat. Scores of different folds come from different models: rank
        within a fold only.
    fold : ndarray of int, shape (n,)
        Which split held the row out first; −1 for none.
    y : ndarray of shape (n,)
    curve : CertifiedCurve
        A concave curve under ROC*; :meth:`measure` reads bounds of any measure off it.
    level : float
    method : {"dirichlet", "betting"}
    guarantee : {"theorem", "conjecture", "asymptotic"}
        "theorem" by betting: proven for every law, learner and number of rows (theory §12).
        "conjecture" for one held-out part: tested by simulation, not proven. "asymptotic" for
        several folds, whose models share rows (theory §8).
    cv : str
        "holdout" or the number of splits, all repeats counted.

    Examples
    --------
    >>> from rocstar import ArctanRatio, certify, laws
    >>> X, y = laws.GaussianPair(0.0, 2.0).sample(200, 200, random_state=0)
    >>> certify(ArctanRatio(), X, y, random_state=0)
    Certificate of 400 rows, 200 positive, judged out of 5 folds
      arc length         1.7...
    """

    arc_length: Estimate
    divergence: Estimate
    auc: Estimate
    tv: Estimate
    balanced_accuracy: Estimate
    level: float
    held_out: HeldOut
    method: Method = "dirichlet"

    @property
    def guarantee(self) -> Guarantee:
        """What the lower bounds rest on."""
        if self.method == "betting":
            return "theorem"
        return "conjecture" if self.strict else "asymptotic"

    @property
    def strict(self) -> bool:
        """Whether one model was judged on rows held out once; several folds are asymptotic."""
        return self.held_out.n_splits == 1

    @property
    def provable(self) -> bool:
        """Whether betting takes the same rows: it takes no weights."""
        return not self.held_out.weighted

    @property
    def cv(self) -> str:
        """ "holdout", or the number of splits, all repeats counted."""
        return "holdout" if self.strict else str(self.held_out.n_splits)

    @property
    def y(self) -> BoolArray:
        """Which rows are positive; False where a row was never held out."""
        return self.held_out.by_row(self.held_out.y, False)

    @property
    def angle(self) -> FloatArray:
        """Angle of each row when first held out, NaN where it never was."""
        return self.held_out.by_row(self.held_out.angle)

    @property
    def score(self) -> FloatArray:
        """Score of each row when first held out, NaN where it never was; ranks within a fold."""
        return self.held_out.by_row(self.held_out.score)

    @property
    def fold(self) -> IntArray:
        """Which split held each row out first; −1 for none."""
        return self.held_out.by_row(self.held_out.fold, -1)

    @cached_property
    def found_curve(self) -> Polygon:
        """ROC curve of the held-out rows, several folds pooled: what was found, not a bound."""
        return held_polygon(self.held_out)

    @cached_property
    def curve(self) -> CertifiedCurve:
        """A concave curve that lies under ROC* with the certificate's confidence (theory §13).

        It comes from the held-out angles of all folds, each fold with the same weight, and is then
        asymptotic; from one held-out part it rests on the same conjecture as the other bounds. With
        ``method="betting"`` and without groups it is proven. Its ``guarantee`` says which.
        """
        in_turn = self.method == "betting"
        return certified_curve(self.held_out, self.level, in_turn=in_turn)

    def measure(self, measure: Measure, *, simultaneous: bool = True) -> Estimate:
        """Bound of what the best classifier reaches, in any measure of `rocstar.measures`.

        Parameters
        ----------
        measure : Measure
            Such as ``NetBenefit(threshold=0.1, prevalence=0.02)``.
        simultaneous : bool, default=True
            Read off :attr:`curve`: all such bounds hold together at the certificate's level, also
            for measures chosen after seeing the data. False takes the measure's own bound where it
            has one (`RocAuc`, `TotalVariation`, `HockeyStick`, `Accuracy`, `NetBenefit`,
            `Cost`): a statement about one measure chosen beforehand, usually a tighter one.

        Returns
        -------
        Estimate
            ``value`` is what the held-out curve reaches (for `RocAuc` and `TotalVariation` the
            certificate's own estimate); ``low`` is the bound, or ``high`` for `Cost`, where smaller
            is better. The other end is the trivial limit.

        Examples
        --------
        >>> from rocstar import ArctanRatio, certify, laws
        >>> from rocstar.measures import Cost, Precision
        >>> X, y = laws.GaussianPair(0.0, 2.0).sample(500, 500, random_state=0)
        >>> certificate = certify(ArctanRatio(), X, y, random_state=0)
        >>> print(certificate.measure(Precision(recall=0.5, prevalence=0.1)))
        0.7...; at least 0.6... (95 % confidence)
        >>> print(certificate.measure(Cost(false_negative=50, false_positive=1, prevalence=0.1)))
        0.5...; at most 0.7... (95 % confidence)
        """
        check_measure(measure)
        own = {RocAuc: self.auc, TotalVariation: self.tv}.get(type(measure))
        value = measure.of(self.found_curve) if own is None else own.value
        if simultaneous:
            bound = self.curve.measure(measure)
        elif self.method == "betting" and isinstance(measure, RocAuc):
            bound = self.auc.low
        else:
            proven = self.method == "betting"
            bound = own_bound(measure, self.held_out, self.level, proven=proven)
        return bound_estimate(measure, value, bound, self.level)

    def hockey_stick(self, gamma: float, *, reverse: bool = False) -> float:
        """Proven lower bound of sup P(A) − γ Q(A), P the positives' law and Q the negatives'.

        A statement of its own at the certificate's level, about one ``gamma`` chosen beforehand.
        It needs rows judged in turn: ``method="betting"`` or one held-out part (theory §12).

        Parameters
        ----------
        gamma : float
            Non-negative; the total variation distance is that of 1.
        reverse : bool, default=False
            Exchange the two laws.

        Returns
        -------
        float
            In [max(0, 1 − gamma), 1].

        Examples
        --------
        >>> from rocstar import ArctanRatio, certify, laws
        >>> X, y = laws.GaussianPair(0.0, 2.0).sample(200, 200, random_state=0)
        >>> certificate = certify(ArctanRatio(), X, y, method="betting", random_state=0)
        >>> certificate.hockey_stick(3.0) < certificate.hockey_stick(1.0) < 0.69
        True
        """
        self.check_in_turn()
        if not 0 <= gamma < np.inf:
            raise ValueError(f"`gamma` must be a non-negative number; got {gamma}.")
        return hockey_stick_bound(self.held_out, gamma, 1 - self.level, reverse=reverse)

    def epsilon(self, delta: float = 0.0) -> float:
        """Proven lower bound of ε: the classes cannot be (ε, δ)-indistinguishable below it.

        For an audit of differential privacy let the classes be what a mechanism released with and
        without one record. A statement of its own at the certificate's level, about one ``delta``
        chosen beforehand; it needs rows judged in turn, as :meth:`hockey_stick` does.

        Parameters
        ----------
        delta : float, default=0.0

        Returns
        -------
        float

        Examples
        --------
        >>> import numpy as np
        >>> from rocstar import ArctanRatio, certify
        >>> y = np.repeat([0, 1], 400)
        >>> X = np.random.default_rng(0).laplace(size=(800, 1)) + y[:, None]  # ε = 1
        >>> certificate = certify(ArctanRatio(), X, y, method="betting", random_state=0)
        >>> 0.3 < certificate.epsilon(delta=1e-5) < 1.0
        True
        """
        self.check_in_turn()
        return epsilon_bound(self.held_out, delta, 1 - self.level)

    def check_in_turn(self) -> None:
        """Bets need rows that no earlier model has seen."""
        refuse_weights(self.held_out.weighted)
        if self.method != "betting" and not self.strict:
            raise ValueError(
                "`certificate` must be made with method='betting' or cv='holdout' for bounds by "
                f"betting; got one of {self.cv} folds, whose models share rows."
            )

    def plot(self, ax: Any = None) -> RocDisplay:
        """Draw the held-out ROC curve and, shaded, what is certified for the best one."""
        from rocstar.report.curve_displays import RocDisplay

        return RocDisplay.from_certificate(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """The bounds and what they rest on, as numbers and strings."""
        return {
            **{name: getattr(self, name).to_dict() for name in MEASURES},
            "level": float(self.level),
            "method": self.method,
            "guarantee": self.guarantee,
            "cv": self.cv,
            "rows": int(self.held_out.once.row.size),
            "positives": int(self.held_out.once.y.sum()),
        }

    def to_frame(self) -> Any:
        """One row per measure with its value, ends, level and side, as a pandas data frame."""
        from pandas import DataFrame

        entries = {name: getattr(self, name).to_dict() for name in MEASURES}
        return DataFrame.from_dict(entries, orient="index")

    def _repr_html_(self) -> str:
        rows = [
            (name, f"{found:.3f}", rounded_down(found.low))
            for name, found in ((name, getattr(self, key)) for key, name in MEASURES.items())
        ]
        title, *_, guarantee = repr(self).splitlines()
        head = ("of the best classifier", "estimate", f"at least ({100 * self.level:g} %)")
        return card(title, rows, head=head, notes=[guarantee])

    def __repr__(self) -> str:
        held, once = self.held_out, self.held_out.once
        judged = "on one held-out part"
        if not self.strict:
            judged = f"out of {held.n_splits // held.n_repeats} folds"
        if self.method == "betting" and not self.strict:
            judged = f"in {held.n_splits} chunks by models of earlier rows"
        if held.n_repeats > 1:
            judged += f", repeated {held.n_repeats} times"
        rows = f"{once.row.size:,} rows, {once.y.sum():,} positive"
        lines = [
            f"Certificate of {rows}, judged {judged}",
            *(f"  {name:<18} {getattr(self, key)!s}" for key, name in MEASURES.items()),
        ]
        hint = guarantee_hint(self.guarantee, provable=self.provable)
        lines.append(f"Guarantee: {guarantee_phrase(self.guarantee)}{hint}")
        return "\n".join(lines)


def certificate(held: HeldOut, level: float = 0.95, method: Method = "dirichlet") -> Certificate:
    """Estimates and joint lower bounds from held-out rows; bets need rows judged in turn."""
    error = 1 - check_fraction(level, "level")
    values = point_estimates(held)
    outside = held.figures()
    terms, placed, correct = (held.per_row(v) for v in (held.terms, held.placed, held.correct))
    lengths = Bounded(held_sum_draws(held, terms), outside.arc_length, 0.5, held.n_splits)
    aucs = Bounded(held_pair_draws(held, placed), outside.auc, 1.0, held.n_splits)
    rule = Bounded(held_sum_draws(held, correct), outside.youden + 1, 0.5, held.n_splits)
    if method == "betting":
        low = implied_bounds(*betting_bounds(held, error))
    else:
        each = joint_error(held.once, [terms, placed, correct], error)
        low = implied_bounds(
            lengths.low(each, SHORTEST), aucs.low(each, 0.5), rule.low(each, 1.0) - 1
        )
    arc_length = lengths.estimate(values.arc_length, low[0], error, (SHORTEST, 2.0))
    tv = rule.estimate(values.youden, low[2], error, (0.0, 1.0))
    return Certificate(
        arc_length=arc_length,
        divergence=_moved(arc_length, 1.0, -SHORTEST),
        auc=aucs.estimate(values.auc, low[1], error, (0.5, 1.0)),
        tv=tv,
        balanced_accuracy=_moved(tv, 0.5, 0.5),
        level=level,
        held_out=held,
        method=method,
    )


def joint_error(held: HeldOut, figures: list[FloatArray], error: float) -> float:
    """The error of each bound at which all of them hold together, given each entry's terms."""
    # Figures of the same rows move together. Their joint law is that of normal variables with the
    # correlations of the rows' contributions; the error lies between an equal share of `error` and
    # all of it.
    rows = np.stack([held.contributions(values) for values in figures])
    size = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    rows /= np.where(size > 0, size, 1.0)
    correlation = rows @ rows.T
    np.fill_diagonal(correlation, 1.0)  # a figure that does not vary, varies with none of the rest
    noise = np.random.default_rng(SEED).standard_normal((N_JOINT, len(figures)))
    variances, axes = np.linalg.eigh(correlation)
    drawn = noise @ (axes * np.sqrt(np.maximum(variances, 0.0))).T
    share = float(np.quantile(norm.cdf(drawn.min(axis=1)), error))
    return float(np.clip(share, error / len(figures), error))


def _moved(estimate: Estimate, scale: float, shift: float) -> Estimate:
    value, low, high = (
        scale * end + shift for end in (estimate.value, estimate.low, estimate.high)
    )
    return Estimate(value, low, high, estimate.level, estimate.side)
