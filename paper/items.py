"""Every figure, in the order of the paper."""

from __future__ import annotations

import convergence
import illustration
import imbalanced
import propositions
import simulation
import surface
import tangent
import tv_bounds
import wall_clock

ITEMS = {
    module.ITEM.name: module.ITEM
    for module in (
        illustration,
        tangent,
        surface,
        tv_bounds,
        propositions,
        simulation,
        convergence,
        imbalanced,
        wall_clock,
    )
}
