"""Two Gaussian samples that differ in one column, for the tests of estimators."""

import numpy as np

from rocstar import laws


def gaussians(n=200, delta=1.5, d=2, seed=0):
    mean = np.zeros(d)
    mean[0] = delta
    return laws.GaussianPair(mean, np.zeros(d)).sample(n, n, random_state=seed)
