"""Log ratios with finitely many values."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from rocstar.laws.atoms import AtomicRatio


def test_atoms_of_one_ratio_are_one_and_empty_ones_are_none():
    law = AtomicRatio(np.array([0.1, 0.2, 0.7, 0.0]), np.array([0.2, 0.4, 0.4, 0.0]))
    z, pos, neg = law.nodes
    assert_allclose(np.exp(z), [0.5, 1.75])
    assert_allclose(pos, [0.3, 0.7])
    assert_allclose(neg, [0.6, 0.4])
