"""`headroom`: how far a score is below the best, in the AUC and in other measures."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar import ArctanRatio, certify, headroom, laws
from rocstar.inference import held_figures
from rocstar.inference.betting_bounds import rule_gain_bound
from rocstar.inference.certified_measures import measure_headroom
from rocstar.inference.held_out import of_one_part
from rocstar.measures import Cost, NetBenefit, RocAuc, TotalVariation, Tpr

TWO, ONE = laws.GaussianPair([2, 2], [0, 0]), laws.GaussianPair(2.0, 0.0)


def test_headroom_of_one_column_of_two():
    X, y = TWO.sample(150, 150, random_state=0)
    certificate = certify(ArctanRatio(), X, y, random_state=0)
    one_column = headroom(y, X[:, 0], certificate)
    assert one_column.side == "lower"
    assert 0 < one_column.low < one_column.value
    assert headroom(y, TWO.log_ratio(X), certificate).low == 0
    with pytest.raises(ValueError, match="labels the certificate was made with"):
        headroom(1 - y, X[:, 0], certificate)
    with pytest.raises(ValueError, match="`score` must be finite; got nan in row 0"):
        headroom(y, np.append(np.nan, X[1:, 0]), certificate)


def test_headroom_of_a_certificate_by_betting():
    X, y = TWO.sample(300, 300, random_state=0)
    found = certify(ArctanRatio(), X, y, method="betting", random_state=0)
    room = headroom(y, X[:, 0], found)
    assert 0 < room.low < TWO.auc - ONE.auc
    assert headroom(y, X.sum(axis=1), found).low == 0
    folds = certify(ArctanRatio(), X, y, random_state=0)
    with pytest.raises(ValueError, match="`certificate` must be made with method='betting'"):
        headroom(y, X[:, 0], folds, method="betting")


def test_headroom_in_a_measure_is_below_the_truth_and_finds_what_is_lost():
    """The first of two equal columns: what it loses is known for every measure."""
    rows, label = TWO.sample(800, 800, random_state=0)
    certificate = certify(ArctanRatio(), rows, label, random_state=0)
    for measure in [TotalVariation(), Tpr(0.05), Cost(5, 1, 0.2), NetBenefit(0.3, 0.3)]:
        lost = abs(TWO.measure(measure) - ONE.measure(measure))
        found = headroom(label, rows[:, 0], certificate, measure=measure)
        assert found.side == "lower"
        assert 0.1 * lost < found.low < lost < found.high
        assert found.value == pytest.approx(lost, rel=0.5)
        assert headroom(label, rows.sum(axis=1), certificate, measure=measure).low == 0.0
    same = headroom(label, rows[:, 0], certificate, measure=RocAuc())
    assert same == headroom(label, rows[:, 0], certificate)
    with pytest.raises(TypeError, match=r"`measure` must be one of rocstar\.measures"):
        headroom(label, rows[:, 0], certificate, measure="auc")


@pytest.mark.parametrize(("measure", "n"), [(Tpr(0.1), 1500), (Cost(5, 1, 0.2), 300)])
def test_headroom_in_a_measure_by_betting_is_wider_than_for_large_samples(measure, n):
    """Bets and an exact band, not Dirichlet masses: what the certificate calls proven is."""
    X, y = TWO.sample(n, n, random_state=0)
    certificate = certify(ArctanRatio(), X, y, method="betting", random_state=0)
    proven = headroom(y, X[:, 0], certificate, measure=measure)
    usual = headroom(y, X[:, 0], certificate, measure=measure, method="dirichlet")
    lost = abs(TWO.measure(measure) - ONE.measure(measure))
    assert 0 < proven.low < usual.low < lost


def test_a_proven_headroom_in_a_measure_needs_rows_in_turn():
    X, y = TWO.sample(100, 100, random_state=0)
    folds = certify(ArctanRatio(), X, y, random_state=0)
    with pytest.raises(ValueError, match="`certificate` must be made with method='betting'"):
        headroom(y, X[:, 0], folds, measure=Tpr(0.1), method="betting")


def test_with_groups_headroom_is_proven_in_linear_measures():
    X, y = TWO.sample(300, 300, random_state=0)
    pairs = np.arange(600) // 2
    grouped = certify(ArctanRatio(), X, y, method="betting", groups=pairs, random_state=0)
    assert headroom(y, X[:, 0], grouped, measure=TotalVariation()).low > 0
    with pytest.raises(ValueError, match="`method` must be 'dirichlet' for a `measure` that is"):
        headroom(y, X[:, 0], grouped, measure=Tpr(0.1))
    assert headroom(y, X[:, 0], grouped, measure=Tpr(0.1), method="dirichlet").low >= 0


def judged(law, n_pos, n_neg, rng, extra=0):
    """Rows with their true angles, as a model that knows the law judges them; then other rows."""
    rows, label = law.sample(n_pos, n_neg, random_state=rng)
    others, _ = law.sample(extra, extra, random_state=rng)
    angle = law.angle(rows)
    held = of_one_part(label == 1, angle, angle, np.ones(label.size), None)
    return held, np.vstack([rows, others])


@pytest.mark.parametrize(
    ("measure", "proven"),
    [(Tpr(0.2), True), (NetBenefit(0.3, 0.2), True), (NetBenefit(0.3, 0.2), False)],
)
def test_the_best_score_has_no_headroom(measure, proven):
    """90 % bounds above zero are at most 10 %, error included."""
    law, rng = laws.GaussianPair(0.0, 1.0), np.random.default_rng(0)
    runs = [judged(law, 40, 80, rng, extra=30) for _ in range(40)]
    found = [measure_headroom(measure, h, law.angle(X), 0.9, proven=proven) for h, X in runs]
    assert sum(room.low > 0 for room in found) <= 9  # binomial(40, 10 %): 0.5 % exceed this


def test_coverage_of_headroom_in_a_linear_measure(monkeypatch):
    """The first of two equal columns: 90 % bounds above the truth are at most 10 %."""
    monkeypatch.setattr(held_figures, "N_DRAWS", 400)
    law, measure = laws.GaussianPair([1, 1], [0, 0]), TotalVariation()
    lost = law.measure(measure) - laws.GaussianPair(1.0, 0.0).measure(measure)
    rng = np.random.default_rng(0)
    runs = [judged(law, 300, 300, rng) for _ in range(60)]
    lows = [measure_headroom(measure, held, X[:, 0], 0.9).low for held, X in runs]
    assert sum(low > lost for low in lows) <= 12  # binomial(60, 10 %): 0.9 % exceed this
    assert np.mean(np.array(lows) > 0) > 0.7  # a bound of each side alone never left zero here


def test_a_limit_does_not_depend_on_the_cap_unless_it_is_reached():
    held, _ = judged(TWO, 100, 100, np.random.default_rng(0))
    shares = (1 + np.where(held.y, held.angle > 0.8, -1.0 * (held.angle > 0.8))) / 2
    whole = rule_gain_bound(held, shares, 1.0, 0.05)
    assert whole > 0.2
    assert rule_gain_bound(held, shares, 1.0, 0.05, cap=whole) == pytest.approx(whole)
    assert 0 < rule_gain_bound(held, shares, 1.0, 0.05, cap=0.1) <= 0.1


def test_a_prior_is_for_more_than_two_classes():
    X, y = laws.GaussianPair(0.0, 2.0).sample(30, 30, random_state=0)
    found = certify(ArctanRatio(), X, y, cv="holdout", random_state=0)
    with pytest.raises(ValueError, match="`prior` is for more than two classes"):
        headroom(y, X[:, 0], found, prior=[0.5, 0.5])
