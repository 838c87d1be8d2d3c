"""All simulations, then the tables: ``python benchmarks/coverage/run.py``.

Finished cells are kept in ``results/`` and skipped, so it can be interrupted at any time. Set
``HYPPO_PYTHON`` to an interpreter with hyppo to compare powers.
"""

from __future__ import annotations

import auc_bound
import bands
import betting
import betting_gaps
import betting_peers
import certify_bounds
import few_positives
import groups
import headroom
import neyman_pearson
import repeats
import segments
import stability
import tables
import two_sample
import values
import weights

if __name__ == "__main__":
    simulations = (neyman_pearson, two_sample, auc_bound, weights, groups, values, bands)
    for simulation in (
        *simulations,
        betting,
        betting_gaps,
        betting_peers,
        headroom,
        repeats,
        segments,
        stability,
        few_positives,
        certify_bounds,
    ):
        simulation.main()
        tables.main()
