"""How the gallery's pictures look."""

from __future__ import annotations

import matplotlib as mpl


def house_style(gallery_conf: dict[str, object], script: str) -> None:
    """The look of every picture in the gallery; called before each example."""
    mpl.rcParams.update(
        {
            "axes.edgecolor": "#9aa5b1",
            "axes.prop_cycle": mpl.cycler(color=["#0f766e", "#c2410c", "#1d4ed8", "#7c3aed"]),
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlesize": 11,
            "legend.frameon": False,
        }
    )
