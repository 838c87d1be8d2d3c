"""Label noise maps the curve linearly."""

from __future__ import annotations

import numpy as np
import pytest
from data_line import LINE, integral
from scipy import special

from rocstar.laws import (
    GaussianPair,
    LabelNoise,
    UniformPair,
    suite,
)

SUITE = suite()


@pytest.mark.parametrize(
    "name", ["scale-1d", "quadric-2d", "student-df-1d", "interleaved-1d", "sparse-1d"]
)
def test_label_noise_maps_the_curve_linearly(name):
    clean, a, b = SUITE[name], 0.15, 0.3
    noisy = LabelNoise(clean, a, b)
    keep = 1 - a - b
    assert noisy.tv == pytest.approx(keep * clean.tv, rel=1e-9)
    assert noisy.auc - 0.5 == pytest.approx(keep * (clean.auc - 0.5), rel=1e-9)
    fpr = np.array([0.05, 0.3, 0.8])
    tpr = clean.roc(fpr)
    image = noisy.roc((1 - b) * fpr + b * tpr)
    np.testing.assert_allclose(image, (1 - a) * tpr + a * fpr, atol=1e-9)
    if clean.dim == 1:
        assert noisy.wasserstein == pytest.approx(keep * clean.wasserstein)


def test_label_noise_integrals_against_plain_quadrature():
    _, (p, _), (q, _) = LINE["mixtures"]
    noisy = LabelNoise(LINE["mixtures"][0], 0.1, 0.25)
    p2, q2 = (lambda x: 0.9 * p(x) + 0.1 * q(x)), (lambda x: 0.75 * q(x) + 0.25 * p(x))
    assert noisy.arc_length == pytest.approx(integral(lambda x: np.hypot(p2(x), q2(x))), rel=1e-9)
    assert noisy.kl == pytest.approx(integral(lambda x: special.rel_entr(p2(x), q2(x))), rel=1e-8)
    x = np.linspace(-4, 6, 11)
    expected = np.log(p2(x) / q2(x))
    np.testing.assert_allclose(noisy.log_ratio(x[:, None]), expected, rtol=1e-9, atol=1e-12)
    # Densities of the angle by finite differences of the CDF.
    tau, h = np.array([0.5, 0.8, 1.1]), 1e-5
    above, below = noisy.surface(tau + h), noisy.surface(tau - h)
    pos, neg = noisy.mixture_densities(tau)
    np.testing.assert_allclose((below.tpr - above.tpr) / (2 * h), pos, rtol=1e-5)
    np.testing.assert_allclose((below.fpr - above.fpr) / (2 * h), neg, rtol=1e-5)


def test_label_noise_limits():
    clean = GaussianPair(2.0)
    assert LabelNoise(clean, 0, 0).arc_length == pytest.approx(clean.arc_length, rel=1e-12)
    mute = LabelNoise(clean, 0.4, 0.6)
    assert mute.divergence == mute.wasserstein == 0
    # Where only positives live, noise in the negatives makes the ratio finite.
    noisy = LabelNoise(UniformPair((0, 1), (2, 3)), 0.0, 0.25)
    np.testing.assert_allclose(noisy.log_ratio([[0.5], [2.5]]), [np.log(4), -np.inf])
