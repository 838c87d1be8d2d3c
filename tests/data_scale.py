"""Rows and labels of one law, in memory and in partitions, for the tests of scale."""

import numpy as np
import pytest

from rocstar import laws

LAW = laws.GaussianPair(np.zeros(4), np.full(4, 0.6))
X, Y = LAW.sample(700, 500, random_state=0)
SHUFFLED = np.random.default_rng(0).permutation(len(Y))
X, Y = X[SHUFFLED], Y[SHUFFLED]


def arrays(size=100, x=X, y=Y):
    """Dask arrays, cut between columns too."""
    da = pytest.importorskip("dask.array")
    return da.from_array(x, chunks=(size, 2)), da.from_array(y, chunks=size)
