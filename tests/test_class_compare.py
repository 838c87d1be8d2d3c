"""Comparisons of more than two samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from rocstar import ClassAudit, compare
from rocstar.checks import InputError
from rocstar.cli import app

RNG = np.random.default_rng(0)
SAMPLES = [
    pd.DataFrame(RNG.normal(shift, 1.0, size=(70, 2)), columns=["x", "z"]) for shift in (0, 0, 2)
]


def test_which_samples_differ():
    found = compare(*SAMPLES, model="linear", random_state=0, names=("may", "june", "july"))
    assert isinstance(found, ClassAudit)
    pairs = found.certificate.pairwise_auc
    assert pairs["may", "june"].low == 0.5
    assert pairs["june", "july"].low > 0.8
    assert found.verdict.startswith("The 3 samples differ: some classifier names the sample")
    assert "`july`" in found.verdict
    page = found.to_markdown()
    assert page.startswith("# Comparison of may, june and july")
    assert "210 rows · 3 samples" in page
    assert "Could this be chance?" in page
    assert "Which samples can be told apart" in page
    assert "no predictions were given" not in page
    for words in ("Recall of each sample", "stratified by sample", "value of samples that cannot"):
        assert words in page
    assert " class " not in page
    assert " classes" not in page


def test_columns_that_differ():
    shifted = [SAMPLES[0], SAMPLES[1], SAMPLES[1].assign(z=SAMPLES[1]["z"] + 2)]
    first, second = compare(*shifted, model="linear", random_state=0).summary()[
        "columns_importance"
    ]
    assert (first["name"], second["name"]) == ("z", "x")
    assert first["divergence"] > 0.1 > second["divergence"]


def test_samples_are_named_in_errors():
    few = [*SAMPLES[:2], SAMPLES[2][:6]]
    with pytest.raises(ValueError, match="needs at least 7 rows of sample july; got 6"):
        compare(*few, cv=7, model="linear", random_state=0, names=("may", "june", "july"))


def test_samples_in_time():
    times = tuple(np.arange(70) for _ in SAMPLES)
    found = compare(*SAMPLES, time=times, model="linear", random_state=0)
    assert found.summary()["data"]["ordered"]


def test_equal_samples():
    same = compare(SAMPLES[0], SAMPLES[1], SAMPLES[0] + 1e-9, model="linear", random_state=0)
    assert same.verdict.startswith("No difference between the 3 samples was shown")
    assert same.certificate.classes.tolist() == ["A", "B", "C"]


def test_columns_are_matched_by_name():
    more = SAMPLES[2].assign(extra=1.0)
    found = compare(*SAMPLES[:2], more, model="linear", random_state=0)
    assert "`extra` is not in every sample" in found.summary()["data"]["warnings"][0]["text"]


@pytest.mark.parametrize(
    ("samples", "options", "sentence"),
    [
        (SAMPLES, {"names": ("a", "b")}, "`names` must be 3 different names"),
        ([*SAMPLES[:2], SAMPLES[2].rename(columns=str.upper)], {}, "have no column in common"),
        ([*SAMPLES[:2], SAMPLES[2][:0]], {}, "`C` has no rows"),
        (SAMPLES, {"groups": ([1], [2], [3])}, "`groups` must be 3 arrays"),
        (SAMPLES[:2], {"names": ("a",)}, "`names` must be two names"),
    ],
)
def test_wrong_samples_are_named(samples, options, sentence):
    with pytest.raises(InputError, match=sentence):
        compare(*samples, model="linear", random_state=0, **options)


def test_command_line(tmp_path):
    files = []
    for k, sample in enumerate(SAMPLES):
        files.append(str(tmp_path / f"s{k}.csv"))
        sample.to_csv(files[-1], index=False)
    out = CliRunner().invoke(
        app, ["compare", *files, "--model", "linear", "--quiet", "--fail-above", "0.1"]
    )
    assert "The 3 samples differ" in " ".join(out.output.split())
    assert out.exit_code == 3
