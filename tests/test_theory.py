"""The identities of theory §1, §2, §7 and §10, on every law of the suite."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocstar.laws import DiscretePair, GaussianPair, suite

SUITE = suite()
H = np.pi / 2
SMOOTH = [name for name, law in SUITE.items() if law.ratio_law.continuous]

every_law = pytest.mark.parametrize("law", SUITE.values(), ids=SUITE)


@st.composite
def discrete_pairs(draw):
    """Two laws on a few points, some of them without mass."""
    k = draw(st.integers(1, 8))
    masses = st.lists(st.integers(0, 20), min_size=k, max_size=k).filter(any)
    return tuple(np.array(draw(masses), dtype=float) for _ in range(2))


def normalised(pair):
    return tuple(mass / mass.sum() for mass in pair)


def atoms(law):
    """The quadrature of the law's angle: (angle, mass of p, mass of q)."""
    z, p, q = law.ratio_law.nodes
    with np.errstate(over="ignore"):
        return np.arctan(np.exp(z)), p, q


# §1: arc length


@every_law
def test_arc_length_is_the_length_of_the_curve(law):
    fpr, tpr = law.roc_star(1001 if law.ratio_law.continuous else 2)
    polygon = np.hypot(np.diff(fpr), np.diff(tpr)).sum()
    # A polygon inscribed in a curve is shorter, by the square of its sides.
    assert polygon <= law.arc_length + 1e-9
    assert polygon == pytest.approx(law.arc_length, abs=1e-4)


def angle_rule(law, n=400):
    """Gauss–Legendre nodes and weights for the angle, in z = log tan τ: dτ = sin τ cos τ dz."""
    u, weight = np.polynomial.legendre.leggauss(n)
    z = law.ratio_law.nodes.z
    low, high = max(z.min(), -60.0), min(z.max(), 60.0)
    tau = np.arctan(np.exp((low + high) / 2 + (high - low) / 2 * u))
    return tau, weight * (high - low) / 2 * np.sin(tau) * np.cos(tau)


# Laws whose angle has a smooth density; where the ratio turns it has spikes.
NO_SPIKES = ["gaussian-10d", "gaussian-50d", "quadric-10d", "noisy-gaussian-1d"]


@pytest.mark.parametrize("name", NO_SPIKES)
def test_arc_length_is_the_integral_over_score_densities(name):
    law = SUITE[name]
    tau, weight = angle_rule(law)
    length = weight @ np.hypot(*law.mixture_densities(tau))
    assert length == pytest.approx(law.arc_length, rel=1e-7)


@every_law
def test_arc_length_lies_between_root_two_and_two(law):
    assert np.sqrt(2) - 1e-15 <= law.arc_length <= 2
    assert law.arc_length - np.sqrt(2) == pytest.approx(law.divergence, abs=1e-12)


@given(discrete_pairs())
def test_discrete_arc_length_is_an_f_divergence_and_symmetric(pair):
    p, q = normalised(pair)
    law, swapped = DiscretePair(p, q), DiscretePair(q, p)
    shared = q > 0
    g = np.sqrt((p[shared] / q[shared]) ** 2 + 1) - np.sqrt(2)
    # Where q vanishes an f-divergence adds lim g(s)/s = 1 for each unit of p.
    assert law.divergence == pytest.approx(q[shared] @ g + p[~shared].sum(), abs=1e-12)
    assert law.arc_length == pytest.approx(swapped.arc_length, rel=1e-13)


@given(discrete_pairs(), st.integers(0, 7))
def test_merging_points_never_lengthens_the_curve(pair, place):
    p, q = normalised(pair)
    if len(p) < 2:
        return
    cut = [place % (len(p) - 1) + 1]
    merged = [
        np.r_[mass[: cut[0] - 1], mass[cut[0] - 1 : cut[0] + 1].sum(), mass[cut[0] + 1 :]]
        for mass in (p, q)
    ]
    assert DiscretePair(*merged).arc_length <= DiscretePair(p, q).arc_length + 1e-12


# §2: the variational form


@every_law
def test_optimal_angle_attains_the_arc_length(law):
    v, p, q = atoms(law)
    assert p @ np.sin(v) + q @ np.cos(v) == pytest.approx(law.arc_length, rel=1e-9)


@every_law
@pytest.mark.parametrize("seed", range(3))
def test_deficit_of_any_angle(law, seed):
    v, p, q = atoms(law)
    rng = np.random.default_rng(seed)
    # A smooth angle, as a function of the optimal one, that is nowhere near it.
    a, b = rng.uniform(0, H, 2)
    other = a + (b - a) * np.sin(rng.uniform(1, 6) * v) ** 2
    objective = p @ np.sin(other) + q @ np.cos(other)
    gap = other - v
    deficit = np.hypot(p, q) @ (1 - np.cos(gap))
    assert law.arc_length - objective == pytest.approx(deficit, abs=1e-9)
    assert objective <= law.arc_length + 1e-12
    weight = np.hypot(p, q)
    assert 4 / np.pi**2 * weight @ gap**2 <= deficit + 1e-12 <= weight @ gap**2 / 2 + 2e-12


@given(discrete_pairs(), st.integers(0, 1000))
def test_deficit_identity_point_by_point(pair, seed):
    p, q = normalised(pair)
    law = DiscretePair(p, q)
    best = law.angle(np.arange(len(p))[:, None])
    v = np.random.default_rng(seed).uniform(0, H, len(p))
    rho = np.hypot(p, q)
    np.testing.assert_allclose(p * np.sin(v) + q * np.cos(v), rho * np.cos(v - best), atol=1e-14)


# §7: maximal AUC


def weight_of(angle, cdf_pos, cdf_neg):
    return np.sin(angle + np.pi / 4) * np.abs(cdf_pos - cdf_neg)


@every_law
def test_maximal_auc_is_the_weighted_objective(law):
    v, p, q = atoms(law)
    w = weight_of(v, *law.ratio_law.node_cdf)
    best = p @ (w * np.sin(v)) + q @ (w * np.cos(v))
    assert law.auc == pytest.approx(0.5 + best / np.sqrt(2), abs=1e-9)
    # The weights are not negative, so no other angle does better.
    other = np.clip(v + 0.3 * np.cos(5 * v), 0, H)
    assert p @ (w * np.sin(other)) + q @ (w * np.cos(other)) <= best + 1e-12


@given(discrete_pairs())
def test_atoms_need_mid_cdfs(pair):
    p, q = normalised(pair)
    law = DiscretePair(p, q)
    v, p, q = atoms(law)
    mid = [np.cumsum(mass) - mass / 2 for mass in (p, q)]
    np.testing.assert_allclose(law.ratio_law.node_cdf, mid, atol=1e-14)

    def value(cdfs):
        w = weight_of(v, *cdfs)
        return 0.5 + (p @ (w * np.sin(v)) + q @ (w * np.cos(v))) / np.sqrt(2)

    assert value(mid) == pytest.approx(law.auc, abs=1e-12)


def test_right_continuous_cdfs_break_the_identity():
    law = DiscretePair([0.8, 0.2], [0.5, 0.5])
    v, p, q = atoms(law)
    w = weight_of(v, np.cumsum(p), np.cumsum(q))
    value = 0.5 + (p @ (w * np.sin(v)) + q @ (w * np.cos(v))) / np.sqrt(2)
    assert law.auc == pytest.approx(0.65)
    assert value == pytest.approx(0.605)


@every_law
def test_surface_has_the_area_between_curve_and_diagonal(law):
    assert law.surface_area == pytest.approx(law.auc - 0.5, abs=1e-9)


@pytest.mark.parametrize("name", NO_SPIKES)
def test_surface_area_from_its_parameterisation(name):
    law = SUITE[name]
    tau, weight = angle_rule(law)
    mix, step = np.array([[0.125], [0.375]]), 1e-6
    pos, neg = law.mixture_densities(tau, mix)
    above, below = law.surface(tau, mix + step), law.surface(tau, mix - step)
    along = [(a - b) / (2 * step) for a, b in zip(above, below, strict=True)]
    # ∂r/∂τ = −(f₋, f₊); the midpoint rule in mix is exact, for nothing depends on it.
    cross = np.abs(-neg * along[1] + pos * along[0])
    assert np.sum(cross @ weight) / 4 == pytest.approx(law.auc - 0.5, abs=1e-6)


@pytest.mark.parametrize("name", SMOOTH)
def test_slope_of_the_curve_is_the_ratio(name):
    law = SUITE[name]
    tau = np.array([0.5, 0.75, 0.95])
    point = law.surface(tau)
    inner = (point.fpr > 1e-3) & (point.fpr < 0.999)
    fpr, step = point.fpr[inner], 1e-5
    slope = (law.roc(fpr + step) - law.roc(fpr - step)) / (2 * step)
    np.testing.assert_allclose(slope, np.tan(tau[inner]), rtol=2e-2)
    pos, neg = law.mixture_densities(tau[inner])
    np.testing.assert_allclose(pos, np.tan(tau[inner]) * neg, rtol=1e-7)


@pytest.mark.parametrize("name", ["sparse-1d", "binomial-1d", "uniform-1d"])
def test_slope_of_a_polygon_is_the_ratio(name):
    law = SUITE[name]
    fpr = np.array([0.03, 0.2, 0.45])
    slope = (law.roc(fpr + 1e-6) - law.roc(fpr)) / 1e-6
    np.testing.assert_allclose(slope, np.tan(law.tangent(fpr).angle), rtol=1e-5, atol=1e-5)


def test_the_check_identity_of_section_seven():
    r = np.geomspace(1e-6, 1e6, 101)
    left = np.sin(np.arctan(r) + np.pi / 4) * np.sqrt(r**2 + 1)
    np.testing.assert_allclose(left, (r + 1) / np.sqrt(2), rtol=1e-12)


@pytest.mark.parametrize(("delta", "plugged_in"), [(2.0, 0.957), (3.0, 1.053)])
def test_plugged_in_weights_give_no_auc(delta, plugged_in):
    law = GaussianPair(delta)
    v, p, q = atoms(law)
    shrunk = np.pi / 4 + (v - np.pi / 4) / 2
    # Same ranking, hence the same CDFs, but another angle in the weight and in the objective.
    w = weight_of(shrunk, *law.ratio_law.node_cdf)
    value = 0.5 + (p @ (w * np.sin(shrunk)) + q @ (w * np.cos(shrunk))) / np.sqrt(2)
    assert value == pytest.approx(plugged_in, abs=1e-3)
    assert value > law.auc + 0.03


# §10: reference values

TABLE = [
    (0.5, 1.4544470305, 0.1974126514, 0.6381631951),
    (1.0, 1.5464693366, 0.3829249225, 0.7602499389),
    (1.5, 1.6520017613, 0.5467452952, 0.8555778168),
    (2.0, 1.7498229577, 0.6826894921, 0.9213503965),
    (3.0, 1.8915446749, 0.8663855975, 0.9830525732),
]


@pytest.mark.parametrize(("delta", "length", "tv", "auc"), TABLE)
@pytest.mark.parametrize("dim", [1, 7])
def test_reference_table(delta, length, tv, auc, dim):
    law = GaussianPair.shifted(delta, dim)
    assert law.arc_length == pytest.approx(length, rel=1e-9)
    assert law.tv == pytest.approx(tv, rel=1e-9)
    assert law.auc == pytest.approx(auc, rel=1e-9)
