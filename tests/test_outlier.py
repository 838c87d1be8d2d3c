"""Outliers against a reference, without one, and scikit-learn's contract."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import ArctanRatio, ClassifierRatio, RatioOutlierDetector

SMALL = ArctanRatio("rbf", n_components=30, random_state=0)


@parametrize_with_checks([RatioOutlierDetector(SMALL, random_state=0)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    reference = rng.normal(size=(400, 3))
    sample = rng.normal(size=(200, 3))
    sample[:10] = rng.normal([3, 3, -3], 0.7, size=(10, 3))
    return reference, sample


def test_finds_what_the_reference_lacks(tables):
    reference, sample = tables
    detector = RatioOutlierDetector(contamination=0.05, random_state=0)
    labels = detector.fit(sample, reference=reference).predict(sample)
    assert (labels[:10] == -1).mean() > 0.8
    assert (labels == -1).mean() == pytest.approx(0.05)
    outlying = np.arange(200) < 10
    assert roc_auc_score(outlying, -detector.score_samples(sample)) > 0.98
    clean = np.random.default_rng(1).normal(size=(200, 3))
    assert (detector.predict(clean) == -1).mean() < 0.1


def test_a_difference_in_density_needs_the_reference():
    """Crowded outliers look like inliers to a density, not to a ratio."""
    rng = np.random.default_rng(0)
    sample = np.concatenate([rng.normal(size=(170, 2)), rng.normal(4, 0.2, size=(30, 2))])
    crowd = np.arange(200) >= 170
    reference = rng.normal(size=(300, 2))
    with_it = RatioOutlierDetector(random_state=0).fit(sample, reference=reference)
    without = RatioOutlierDetector(random_state=0).fit(sample)
    assert roc_auc_score(crowd, -with_it.score_samples(sample)) > 0.99
    assert roc_auc_score(crowd, -without.score_samples(sample)) < 0.9


def test_scores_are_angles_and_the_offset_cuts_them(tables):
    reference, sample = tables
    detector = RatioOutlierDetector(SMALL).fit(sample, reference=reference)
    scores = detector.score_samples(sample)
    assert scores.min() >= 0
    assert scores.max() <= np.pi / 2
    assert_allclose(detector.decision_function(sample), scores - detector.offset_)


def test_takes_any_ratio_estimator(tables):
    reference, sample = tables
    detector = RatioOutlierDetector(ClassifierRatio(LogisticRegression()))
    assert set(detector.fit(sample, reference=reference).predict(sample)) == {-1, 1}


def test_reference_must_have_the_same_columns(tables):
    reference, sample = tables
    with pytest.raises(ValueError, match="`reference` must have the 3 columns of `X`; got 2"):
        RatioOutlierDetector(SMALL).fit(sample, reference=reference[:, :2])
    with pytest.raises(ValueError, match="`reference` has missing values"):
        RatioOutlierDetector(SMALL).fit(sample, reference=np.full((5, 3), np.nan))


@pytest.mark.parametrize("library", [pd, pl])
def test_columns_of_frames_are_matched_by_name(tables, library):
    reference, sample = (library.DataFrame(dict(zip("abc", t.T, strict=True))) for t in tables)
    given = RatioOutlierDetector(SMALL).fit(sample, reference=reference)
    turned = RatioOutlierDetector(SMALL).fit(sample, reference=reference[["c", "a", "b"]])
    arrays = RatioOutlierDetector(SMALL).fit(tables[1], reference=tables[0])
    for detector in (given, turned):
        assert detector.feature_names_in_.tolist() == ["a", "b", "c"]
        assert_allclose(detector.score_samples(sample), arrays.score_samples(tables[1]))
        assert detector.offset_ == pytest.approx(arrays.offset_)
    half_named = RatioOutlierDetector(SMALL).fit(sample, reference=tables[0])
    assert half_named.offset_ == pytest.approx(arrays.offset_)


@pytest.mark.parametrize(
    ("columns", "said"), [(["a", "b", "d"], "it lacks c: select"), (list("abcd"), "also has d")]
)
def test_columns_of_another_name_are_one_sentence(tables, columns, said):
    rng = np.random.default_rng(0)
    reference = pd.DataFrame(rng.normal(size=(50, len(columns))), columns=columns)
    sample = pd.DataFrame(tables[1], columns=list("abc"))
    with pytest.raises(ValueError, match=f"`reference` must have the columns of `X`; .*{said}"):
        RatioOutlierDetector(SMALL).fit(sample, reference=reference)


def test_sparse_samples_are_compared_by_estimators_that_take_them(tables):
    reference, sample = tables
    rows, clean = sparse.csr_matrix(sample), sparse.csr_matrix(reference)
    detector = RatioOutlierDetector(ArctanRatio())
    dense = detector.fit(sample, reference=reference).score_samples(sample)
    for given in (clean, reference):
        found = detector.fit(rows, reference=given).score_samples(rows)
        assert_allclose(found, dense, atol=1e-6)
    with pytest.raises(TypeError, match=r"`X` is sparse, which ArctanRatioCV cannot take: pass X"):
        RatioOutlierDetector().fit(rows, reference=clean)
    with pytest.raises(TypeError, match="`X` is sparse and has no `reference`"):
        RatioOutlierDetector(ArctanRatio()).fit(rows)
