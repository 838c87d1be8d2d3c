"""Results in notebooks: styled, escaped, with their numbers; data frames and dicts; equality."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np
import pytest

from rocstar import ArctanRatio, TwoSampleTest, certify, laws, roc_band
from rocstar.report.notebook import card

X, y = laws.GaussianPair(0.0, 2.0).sample(80, 80, random_state=0)


@pytest.fixture(scope="module")
def certificate():
    return certify(ArctanRatio(), X, y, cv="holdout", random_state=0)


class Balanced(HTMLParser):
    """Counts open tags."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_cards_escape_every_text():
    bad = "<script>alert('x')</script>"
    text = card(bad, [(bad, 1)], head=(bad,), lead=bad, notes=[bad])
    assert "<script" not in text
    assert text.count("&lt;script&gt;") == 5
    assert Balanced(text).open == []


def test_results_have_cards_with_their_numbers(certificate, result):
    band = roc_band(y, X[:, 0], side="two-sided")
    test = TwoSampleTest(4.2, 0.002, 499, (0.002,))
    shown = {"0.002": test, "499": test, "ROC band, 95 % confidence, two-sided": band}
    shown |= {f"{certificate.auc:.3f}": certificate, "at least (95 %)": certificate}
    shown |= {result.verdict: result}
    for words, thing in shown.items():
        page = Balanced(thing._repr_html_())
        assert page.open == []
        assert words in page.text
    assert certificate.guarantee in certificate._repr_html_()


def test_results_as_dicts_and_frames(certificate, result):
    band, test = roc_band(y, X[:, 0]), TwoSampleTest(4.2, 0.002, 499, (0.002, 0.1))
    for thing in (band, test, certificate, certificate.curve, certificate.auc, result):
        assert json.loads(json.dumps(thing.to_dict())) == thing.to_dict()
    assert certificate.to_frame().loc["auc", "low"] == certificate.auc.low
    assert certificate.to_dict()["auc"]["low"] == certificate.auc.low
    assert list(band.to_frame()) == ["fpr", "tpr", "low", "high"]
    assert list(certificate.curve.to_frame()) == ["fpr", "tpr"]
    assert test.to_frame()["pvalue"].tolist() == [0.002, 0.1]
    assert result.to_frame().equals(result.certificate.to_frame())


def test_equality_and_hashing_do_not_fail(certificate, result):
    again = certify(ArctanRatio(), X, y, cv="holdout", random_state=0)
    other = certify(ArctanRatio(), X, y, cv="holdout", random_state=1)
    assert again == certificate
    assert hash(again) == hash(certificate)
    assert other != certificate
    assert len({again, certificate, other}) == 2
    assert result == result
    assert result != certificate
    assert isinstance(hash(result), int)
    assert np.array_equal(again.held_out.angle, certificate.held_out.angle)
