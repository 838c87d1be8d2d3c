"""Tasks of more than two classes: samples reach the stated truths."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar import laws

NAMES = list(laws.suite(n_classes=3))


@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("name", NAMES)
def test_samples_reach_the_truths(k, name):
    law = laws.suite(n_classes=k)[name.replace("3d", f"{k}d") if "simplex" in name else name]
    X, y = law.sample(20_000 // k, random_state=0)
    u = law.direction(X)
    assert law.n_classes == k
    assert X.shape[1] == law.dim == int(name.rpartition("-")[2][:-1]) or "simplex" in name
    assert np.allclose(np.linalg.norm(u, axis=1), 1.0)
    own = [u[y == c, c] for c in range(k)]
    error = np.sqrt(sum(values.var() / values.size for values in own))
    assert sum(v.mean() for v in own) == pytest.approx(law.arc_length, abs=4 * error + 1e-9)
    right = np.mean([(u[y == c].argmax(axis=1) == c).mean() for c in range(k)])
    assert right == pytest.approx(law.balanced_accuracy, abs=4 * 0.5 / np.sqrt(20_000))


def test_the_number_of_classes_is_checked():
    assert "gaussian-1d" in laws.suite(2)
    with pytest.raises(ValueError, match="`n_classes` must be a whole number of at least 2; got 1"):
        laws.suite(n_classes=1)
