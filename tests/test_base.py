"""What every law promises: sampling, and one sentence for bad input."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar.laws import (
    DiscretePair,
    GaussianMixturePair,
    GaussianPair,
    LabelNoise,
    Padded,
    StudentTPair,
    UniformPair,
)


def test_sampling_is_repeatable_and_takes_generators():
    law = GaussianPair(1.0)
    first, again = law.sample(5, 4, random_state=3)[0], law.sample(5, 4, random_state=3)[0]
    np.testing.assert_array_equal(first, again)
    generator = np.random.default_rng(3)
    np.testing.assert_array_equal(first, law.sample(5, 4, random_state=generator)[0])
    assert not np.array_equal(first, law.sample(5, 4, random_state=generator)[0])
    assert law.sample(0, 2)[1].tolist() == [0, 0]


BAD = {
    "negative count": (lambda: GaussianPair(1.0).sample(-1, 2), "`n_pos` must be"),
    "fractional count": (lambda: GaussianPair(1.0).sample(1, 2.5), "`n_neg` must be"),
    "flat rows": (lambda: GaussianPair(1.0).log_ratio([1.0, 2.0]), "`X` must have shape"),
    "wrong width": (lambda: GaussianPair(1.0).angle([[1.0, 2.0]]), r"\(n, 1\)"),
    "fpr outside": (lambda: GaussianPair(1.0).roc(1.5), "`fpr` must lie"),
    "fpr missing": (lambda: GaussianPair(1.0).roc(np.nan), "`fpr` must lie"),
    "tau outside": (lambda: GaussianPair(1.0).surface(2.0), "`tau` must lie"),
    "mix outside": (lambda: GaussianPair(1.0).surface(1.0, 0.7), "`mix` must lie"),
    "few points": (lambda: GaussianPair(1.0).roc_star(1), "`n` must be at least 2"),
    "density of atoms": (lambda: DiscretePair([1], [1]).mixture_densities(0.5), "finitely many"),
    "dimensions differ": (lambda: GaussianPair([0, 1], [0, 1, 2]), "agree in dimension"),
    "mean missing": (lambda: GaussianPair(np.nan), "`mean_pos` must be a finite"),
    "not definite": (lambda: GaussianPair([0, 0], cov_pos=[1, -1]), "positive definite"),
    "not symmetric": (lambda: GaussianPair([0, 0], cov_pos=[[1, 0.5], [0, 1]]), "symmetric"),
    "mixture weights": (lambda: GaussianMixturePair([0, 1], [0], [0.5, 0.6]), "`weights_pos`"),
    "mixture sizes": (lambda: GaussianMixturePair([0, 1], [0], covs_pos=[1.0]), "`covs_pos`"),
    "mixture dims": (lambda: GaussianMixturePair([0], [[0, 1]]), "agree in dimension"),
    "mixture means": (lambda: GaussianMixturePair([np.inf], [0]), "`means_pos` must be finite"),
    "few degrees": (lambda: StudentTPair(df_pos=0.1), "`df_pos` must be at least 0.5"),
    "no scale": (lambda: StudentTPair(scale_neg=0.0), "`scale_neg` must be positive"),
    "shifted in space": (lambda: StudentTPair(1.0, dim=2), "must agree when `dim`"),
    "no dimension": (lambda: StudentTPair(dim=0), "`dim` must be"),
    "empty box": (lambda: UniformPair((1, 1), (0, 1)), "`positive` must be"),
    "mass not one": (lambda: DiscretePair([0.5], [1.0]), "`pos` must sum to one"),
    "negative mass": (lambda: DiscretePair([1.5, -0.5], [1, 0]), "`pos` must be a vector"),
    "mass sizes": (lambda: DiscretePair([1.0], [0.5, 0.5]), "one length"),
    "repeated point": (lambda: DiscretePair([0.5, 0.5], [1, 0], [2, 2]), "different points"),
    "outside support": (lambda: DiscretePair([1], [1]).log_ratio([[3.0]]), "points of the support"),
    "share outside": (lambda: LabelNoise(GaussianPair(1.0), 1.2, 0), "`flip_pos` must lie"),
    "shares too large": (lambda: LabelNoise(GaussianPair(1.0), 0.7, 0.7), "at most one"),
    "negative padding": (lambda: Padded(GaussianPair(1.0), -1), "`extra` must be"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gives_one_sentence(name):
    action, message = BAD[name]
    with pytest.raises(ValueError, match=message) as caught:
        action()
    assert "\n" not in str(caught.value).strip()


def test_wasserstein_in_space_says_it_is_unknown():
    with pytest.raises(NotImplementedError, match="one dimension only"):
        _ = GaussianPair([0.0, 1.0]).wasserstein
