"""All simulations, then the tables: ``python benchmarks/coverage/run.py``.

Finished cells are kept in ``results/`` and skipped, so it can be interrupted at any time. Set
``HYPPO_PYTHON`` to an interpreter with hyppo to compare powers.
"""

from __future__ import annotations

import auc_bound
import bands
import certify_bounds
import neyman_pearson
import tables
import two_sample
import values

if __name__ == "__main__":
    for simulation in (neyman_pearson, two_sample, auc_bound, values, bands, certify_bounds):
        simulation.main()
        tables.main()
