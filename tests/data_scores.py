"""Normal scores of two classes, for the tests of bounds."""

import numpy as np


def sample(n_pos, n_neg, shift=1.2, decimals=None, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([True, False], [n_pos, n_neg])
    score = rng.normal(size=y.size) + shift * y
    return y, score if decimals is None else score.round(decimals)
