"""Pairs of Student t laws: heavy tails."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rocstar.checks import FloatArray
from rocstar.laws.atoms import AtomicRatio
from rocstar.laws.base import Law
from rocstar.laws.line import LineRatio, Marginal
from rocstar.laws.marginals import StudentRadius, StudentT
from rocstar.laws.ratio import RatioLaw
from rocstar.laws.wasserstein import line_wasserstein


@dataclass(frozen=True, eq=False)
class StudentTPair(Law):
    """Student t laws that differ in location, scale or degrees of freedom.

    Parameters
    ----------
    loc_pos, loc_neg : float
        Locations; in more than one dimension they must agree, for the ratio then depends on the
        distance from the centre alone.
    scale_pos, scale_neg : float
        Scales; ``scale_neg=None`` takes ``scale_pos``.
    df_pos, df_neg : float
        Degrees of freedom, at least one half; ``df_neg=None`` takes ``df_pos``.
    dim : int
        Dimension of the isotropic multivariate t laws.

    Examples
    --------
    >>> law = StudentTPair(loc_pos=1.0, df_pos=1.0)  # two Cauchy laws
    >>> f"{law.tv:.6f} {law.wasserstein:.6f}"
    '0.295167 1.000000'
    >>> StudentTPair(scale_pos=2.0, scale_neg=1.0, df_pos=1.0).wasserstein
    inf
    """

    loc_pos: float = 0.0
    loc_neg: float = 0.0
    scale_pos: float = 1.0
    scale_neg: float | None = None
    df_pos: float = 3.0
    df_neg: float | None = None
    dim: int = 1

    def __post_init__(self) -> None:
        if self.scale_neg is None:
            object.__setattr__(self, "scale_neg", self.scale_pos)
        if self.df_neg is None:
            object.__setattr__(self, "df_neg", self.df_pos)
        for name, least in (("scale_pos", 0), ("scale_neg", 0), ("df_pos", 0.5), ("df_neg", 0.5)):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= least and value > 0):
                bound = "positive" if least == 0 else f"at least {least}"
                raise ValueError(f"`{name}` must be {bound} and finite; got {value}.")
        if self.dim < 1:
            raise ValueError(f"`dim` must be a positive integer; got {self.dim}.")
        if self.dim > 1 and self.loc_pos != self.loc_neg:
            raise ValueError(
                "`loc_pos` and `loc_neg` must agree when `dim` is more than one; "
                f"got {self.loc_pos} and {self.loc_neg}."
            )

    @cached_property
    def _parameters(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """(location, scale, degrees of freedom) of each law."""
        assert self.scale_neg is not None
        assert self.df_neg is not None
        return (
            (self.loc_pos, self.scale_pos, self.df_pos),
            (self.loc_neg, self.scale_neg, self.df_neg),
        )

    @cached_property
    def _radial(self) -> tuple[Marginal, Marginal]:
        """Laws of the coordinate on which the ratio depends."""
        pos, neg = self._parameters
        if self.dim == 1:
            return StudentT(*pos), StudentT(*neg)
        return StudentRadius(self.dim, *pos[1:]), StudentRadius(self.dim, *neg[1:])

    @property
    def marginals(self) -> tuple[Marginal, Marginal] | None:
        """The two laws, in one dimension."""
        return self._radial if self.dim == 1 else None

    @cached_property
    def ratio_law(self) -> RatioLaw:
        """A function of the coordinate, or of the distance from the centre."""
        pos, neg = self._parameters
        if pos == neg:
            return AtomicRatio.identical()
        law = LineRatio(*self._radial)
        if min(pos[2], neg[2]) < 1:
            # A visible share of the mass lies where the ratio has reached its limit up to rounding.
            law.method_accuracy = 1e-8
        return law

    def _log_ratio(self, X: FloatArray) -> FloatArray:
        x = X[:, 0] if self.dim == 1 else np.linalg.norm(X - self.loc_pos, axis=1)
        # The densities of the radius share a factor that vanishes at the centre.
        x = x if self.dim == 1 else np.maximum(x, 1e-300)
        return self._radial[0].logpdf(x) - self._radial[1].logpdf(x)

    def _draw(self, n: int, positive: bool, rng: np.random.Generator) -> FloatArray:
        loc, scale, df = self._parameters[0 if positive else 1]
        noise = rng.standard_normal((n, self.dim))
        return np.asarray(loc + scale * noise / np.sqrt(rng.chisquare(df, (n, 1)) / df))

    def _wasserstein(self) -> float:
        pos, neg = self._parameters
        if pos[1:] == neg[1:]:
            return abs(pos[0] - neg[0])
        # The tails differ by a multiple of x^−ν with the smaller ν: integrable if it exceeds one.
        if min(pos[2], neg[2]) <= 1:
            return float("inf")
        return line_wasserstein(StudentT(*pos), StudentT(*neg))
