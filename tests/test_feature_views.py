"""Features of the two-sample test: block sums equal a direct computation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from rocstar.inference import bundles as bundling
from rocstar.inference import feature_views
from rocstar.inference.bundles import bundles
from rocstar.inference.feature_views import components, feature_space

RNG = np.random.default_rng(0)
X = RNG.normal(size=(301, 3)) * [1.0, 1e6, 1e-6]
POSITIVE = np.arange(301) % 3 == 0
CONTRAST = np.where(POSITIVE, 1 / POSITIVE.sum(), -1 / (~POSITIVE).sum())


def plain_gains(space, view):
    """Gains of the observed labels from features of all rows at once."""
    features = space.columns
    if view.bandwidth is not None:
        distances = cdist(space.columns, space.landmarks, "sqeuclidean")
        features = np.exp(-distances / (view.bandwidth * space.median))
    covariance = np.cov(features.T, bias=True)
    variances, axes = np.linalg.eigh(covariance)
    keep = variances > 1e-7 * variances[-1]
    axes, variances = axes[:, keep], variances[keep]
    difference = CONTRAST @ features @ axes
    return [difference**2 @ (1 / (variances + r * variances[-1])) for r in view.ridges]


@pytest.mark.parametrize("most", [10_000, 60])
def test_gains_of_the_observed_labels_do_not_depend_on_bundles_or_blocks(most, monkeypatch):
    monkeypatch.setattr(bundling, "MOST", most)
    monkeypatch.setattr(bundling, "LEAST", 5)
    monkeypatch.setattr(feature_views, "BLOCK", 64)
    rng = np.random.default_rng(0)
    space = feature_space(X, rng)
    tied = bundles(POSITIVE, rng)
    assert tied.size == (1 if most > 301 else 5)
    labels = CONTRAST[tied.rows[:: tied.size]].astype(np.float32)[None, :]
    found = components(space, tied, CONTRAST)
    assert [part.view for part in found] == list(feature_views.VIEWS)
    for part in found:
        assert_allclose(part.gains(labels)[:, 0], plain_gains(space, part.view), rtol=1e-4)


def test_unit_of_the_bandwidths_is_a_median_of_some_rows(monkeypatch):
    full = feature_space(X, np.random.default_rng(0)).median
    monkeypatch.setattr(feature_views, "MOST_DISTANT", 200)
    some = feature_space(X, np.random.default_rng(0)).median
    assert full != some
    assert_allclose(some, full, rtol=0.1)


def test_rows_that_are_all_equal_leave_the_columns_alone():
    space = feature_space(np.ones((9, 2)), np.random.default_rng(0))
    assert space.median == 0
    assert [view.bandwidth for view in space.views] == [None]
