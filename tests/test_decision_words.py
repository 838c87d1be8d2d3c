"""Sentences on decisions: amounts are rounded so that bounds hold."""

from __future__ import annotations

from data_summary import decision

from rocstar.report.decision_words import decision_sentences, money, prevalence, price


def test_amounts_keep_three_digits_and_bounds_are_rounded_up() -> None:
    assert [money(amount) for amount in (12345.6, 415.2, 45.67, 4.567, 0.0, None)] == [
        "12,300",
        "415",
        "45.7",
        "4.57",
        "0",
        "–",
    ]
    assert money(415.01, up=True) == "416"
    assert money(12301, up=True) == "12,400"
    assert money(12300, up=True) == "12,300"
    assert money(12399, down=True) == "12,300"
    assert money(-45.6789, down=True) == "−45.7"
    assert (price(500.0), price(12.5), price(2_500_000)) == ("500", "12.5", "2,500,000")
    assert (prevalence(0.01), prevalence(0.0123), prevalence(0.5)) == ("1 %", "1.23 %", "50 %")


def test_costs_and_trivial_rules_are_stated() -> None:
    first, trivial, score = decision_sentences(decision())
    assert "some rule costs at most 415 per 1,000 cases (95 % confidence)" in first
    assert "the best model found costs 400 per 1,000 cases" in first
    assert trivial == "Calling no case positive costs 500 per 1,000 cases, calling all 950."
    assert (
        "`model_score` costs 445 per 1,000 cases at its best threshold on these rows, and "
        "costs 445 per 1,000 cases if cases with a score of at least 0.091 are called positive."
    ) in score
    lost = "Some rule costs at least 4.57 less than any threshold of it (95 % confidence)."
    assert score.endswith(lost)
    none = decision()
    none["headroom"][0]["low"] = 0.0
    assert lost not in decision_sentences(none)[2]


def test_without_costs_the_net_benefit_is_stated() -> None:
    plain = decision() | {"cost_fn": None, "cost_fp": None}
    first, trivial, _ = decision_sentences(plain)
    assert "and a threshold of 0.091, some rule has a net benefit of at least 8.50" in first
    assert trivial.startswith("Calling no case positive has a net benefit of 0, calling all one of")
    assert decision_sentences(plain | {"points": []}) == []
