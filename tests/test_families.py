"""Families of laws: truths against quadrature, pairs and samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import norm

from rocstar import laws
from rocstar.laws.families import best_auc


def test_finite_families_have_the_truths_of_their_pairs():
    p = np.random.default_rng(0).dirichlet(np.ones(7), size=4)
    law = laws.FiniteFamily(p)
    for i in range(4):
        for j in range(i):
            pair = laws.DiscretePair(p[i], p[j])
            assert law.pairwise_auc[i, j] == pytest.approx(pair.auc, abs=1e-12)
            assert law.pairwise_tv[j, i] == pytest.approx(pair.tv, abs=1e-12)
    rest = p[1:].mean(axis=0)
    assert law.one_versus_rest_auc[0] == pytest.approx(laws.DiscretePair(p[0], rest).auc)
    assert law.mean_pairwise_auc == pytest.approx(np.mean(law.pairwise_auc[np.tril_indices(4, -1)]))


def test_two_laws_are_a_pair():
    pair = laws.GaussianPair([1.0, 0.0], [0.0, 2.0])
    family = laws.GaussianFamily([[0.0, 2.0], [1.0, 0.0]])
    assert family.arc_length == pytest.approx(pair.arc_length, abs=1e-9)
    assert family.balanced_accuracy == pytest.approx(pair.balanced_accuracy, abs=1e-12)
    X, _ = family.sample(20, random_state=0)
    angle = pair.angle(X)
    assert np.allclose(family.direction(X), np.stack([np.cos(angle), np.sin(angle)], axis=1))
    cells = laws.FiniteFamily([[0.2, 0.8], [0.6, 0.4]])
    assert cells.arc_length == pytest.approx(laws.DiscretePair([0.6, 0.4], [0.2, 0.8]).arc_length)


def test_best_auc_of_cells_that_no_class_reaches():
    assert best_auc(np.array([0.5, 0.0, 0.5]), np.array([1.0, 0.0, 0.0])) == 0.75


def test_samples_have_the_sizes_asked_for():
    law = laws.FiniteFamily([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], support=[[0, 1], [2, 3], [4, 5]])
    X, y = law.sample([3, 2], random_state=0)
    assert X.shape == (5, 2)
    assert y.tolist() == [0, 0, 0, 1, 1]
    assert law.direction([[0, 1]]).tolist() == [[1.0, 0.0]]
    again = law.sample([3, 2], random_state=0)[0]
    assert np.array_equal(X, again)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: laws.FiniteFamily([0.5, 0.5]), "`probabilities` must be a matrix"),
        (lambda: laws.FiniteFamily([[0.5, 0.4], [0.5, 0.5]]), "must sum to one"),
        (lambda: laws.FiniteFamily([[1.0], [1.0]], support=[1, 2]), "one point per probability, 1"),
        (lambda: laws.FiniteFamily([[1.0], [1.0]]).sample(-1), "`sizes` must be one non-negative"),
        (lambda: laws.FiniteFamily([[1.0], [1.0]]).direction([0.0]), r"`X` must have shape \(n, 1"),
    ],
)
def test_wrong_arguments_are_named(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


def test_density_of_mixtures_integrates_to_their_truths():
    law = laws.MixtureFamily([[-2.0, 2.0], [0.0], [1.0]], scale=0.8)

    def densities(x):
        return [np.mean([norm.pdf(x, c, 0.8) for c in centres]) for centres in ([-2, 2], [0], [1])]

    length = integrate.quad(lambda x: np.linalg.norm(densities(x)), -9, 9, epsabs=1e-11)[0]
    best = integrate.quad(lambda x: max(densities(x)), -9, 9, limit=500)[0] / 3
    assert law.arc_length == pytest.approx(length, abs=1e-8)
    assert law.balanced_accuracy == pytest.approx(best, abs=1e-7)
