"""Pictures of a law's geometry."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocstar.laws.base import Law


def draw_geometry(law: Law, *, fpr: float = 0.2, n: int = 201) -> Any:
    """Draw ROC* with a tangent, the blended densities of the angle, and the surface of theory §7.

    Parameters
    ----------
    law : Law
        The law to draw. If its ratio takes finitely many values the densities are left out.
    fpr : float
        Where to draw the tangent.
    n : int
        Points of each curve.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from rocstar.laws import GaussianPair
    >>> figure = draw_geometry(GaussianPair(2.0))
    >>> [axes.get_title() for axes in figure.axes]
    ['ROC* and a tangent', 'Angle under blended laws', 'Surface under ROC*']
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "`draw_geometry` needs matplotlib: pip install 'rocstar[plot]'."
        ) from None
    figure = Figure(figsize=(12, 4), layout="constrained")
    curve, density, surface = figure.subplots(1, 3)
    _draw_curve(curve, law, fpr, n)
    _draw_densities(density, law, n)
    _draw_surface(surface, law, n)
    return figure


def _draw_curve(axes: Any, law: Law, fpr: float, n: int) -> None:
    axes.set_title("ROC* and a tangent", loc="center")
    axes.plot(*law.roc_star(n), color="C0", label=f"length {law.arc_length:.4f}")
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    x, y, angle = (float(part) for part in law.tangent(fpr))
    reach = 0.25 * np.array([-1.0, 1.0])
    ratio = f"ratio {np.tan(angle):.3g}"
    axes.plot(x + reach * np.cos(angle), y + reach * np.sin(angle), color="C3", label=ratio)
    axes.plot([x], [y], "o", color="C3")
    _square(axes)


def _draw_densities(axes: Any, law: Law, n: int) -> None:
    axes.set_title("Angle under blended laws", loc="center")
    axes.set(xlabel="angle τ", ylabel="density f(τ, mix)")
    if not law.ratio_law.continuous:
        axes.text(0.5, 0.5, "no density: few ratios", ha="center", transform=axes.transAxes)
        return
    tau = np.linspace(0, np.pi / 2, n)
    for mix, shade in ((0.0, 1.0), (0.25, 0.6), (0.5, 0.3)):
        pos, neg = law.mixture_densities(tau, mix)
        axes.plot(tau, pos, color="C1", alpha=shade, label=f"positive, mix {mix}")
        axes.plot(tau, neg, color="C0", alpha=shade, linestyle="--", label=f"negative, mix {mix}")
    axes.legend(fontsize="small")


def _draw_surface(axes: Any, law: Law, n: int) -> None:
    axes.set_title("Surface under ROC*", loc="center")
    tau = np.linspace(0, np.pi / 2, n)
    for mix in np.linspace(0, 0.5, 6):
        axes.plot(*law.surface(tau, mix), color="C0", linewidth=1)
    blends = np.linspace(0, 0.5, 2)
    for angle in np.linspace(0, np.pi / 2, 25):
        axes.plot(*law.surface(angle, blends), color="C2", linewidth=0.7)
    axes.plot([], [], color="C0", label=f"area {law.surface_area:.4f}")
    _square(axes)


def _square(axes: Any) -> None:
    axes.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    axes.legend(loc="lower right", fontsize="small")
