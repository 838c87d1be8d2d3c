"""Laws on the line against plain quadrature of their densities."""

from __future__ import annotations

import numpy as np
import pytest
from data_line import LINE, integral
from scipy import special


@pytest.mark.parametrize("name", LINE)
def test_line_laws_against_plain_quadrature(name):
    law, (p, P), (q, Q) = LINE[name]

    def js(x):
        mean = (p(x) + q(x)) / 2
        return (special.rel_entr(p(x), mean) + special.rel_entr(q(x), mean)) / 2

    assert law.arc_length == pytest.approx(integral(lambda x: np.hypot(p(x), q(x))), rel=1e-8)
    assert law.js == pytest.approx(integral(js), rel=1e-7)
    hellinger = np.sqrt(1 - integral(lambda x: np.sqrt(p(x) * q(x))))
    assert law.hellinger == pytest.approx(hellinger, rel=1e-7)
    assert law.kl == pytest.approx(integral(lambda x: special.rel_entr(p(x), q(x))), rel=1e-6)
    # |p − q| and |P − Q| have kinks, which cost the plain rule digits.
    assert law.tv == pytest.approx(integral(lambda x: abs(p(x) - q(x))) / 2, abs=1e-6)
    assert law.wasserstein == pytest.approx(integral(lambda x: abs(P(x) - Q(x))), rel=2e-6)


@pytest.mark.parametrize("name", [name for name in LINE if name not in ("cauchy", "student")])
def test_line_auc_against_sorting_a_fine_grid(name):
    law, (p, _), (q, _) = LINE[name]
    x = np.linspace(-25, 25, 400_001)
    mass_p, mass_q = p(x) * (x[1] - x[0]), q(x) * (x[1] - x[0])
    order = np.argsort(law.log_ratio(x[:, None]))
    below = np.cumsum(mass_q[order]) - mass_q[order] / 2
    assert law.auc == pytest.approx(mass_p[order] @ below, abs=1e-6)
