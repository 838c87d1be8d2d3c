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
    low = np.floor(1000 * pairs.low[np.triu_indices(3, 1)].max()) / 1000
    assert "Of all pairs, `" in found.verdict
    assert "`july` are told apart best: AUC found 0.9" in found.verdict
    assert found.verdict.endswith(f"at least {low:.3f} (95 % confidence).")
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
        ([*SAMPLES[:2], SAMPLES[2][:4]], {}, "`C` has 4 rows; .*needs at least 5 of each"),
        ([SAMPLES[0]] * 51, {}, "At most 50 samples can be compared; got 51"),
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


def test_limits_of_more_samples(tmp_path):
    """Three samples that are apart have a divergence of up to 3 − √3."""
    files = []
    for k in range(3):
        files.append(str(tmp_path / f"s{k}.csv"))
        (SAMPLES[0] + 9.0 * k).to_csv(files[-1], index=False)
    ask = ["compare", *files, "--model", "linear", "--fast", "--quiet", "--fail-above"]
    assert CliRunner().invoke(app, [*ask, "1.2"]).exit_code == 0
    assert CliRunner().invoke(app, [*ask, "0.8"]).exit_code == 3
    assert "between 0 and 1.267; got 1.3" in str(CliRunner().invoke(app, [*ask, "1.3"]).exception)


def test_one_file_given_twice(tmp_path):
    files = [str(tmp_path / f"s{k}.csv") for k in (0, 2)]
    for file, sample in zip(files, SAMPLES[::2], strict=True):
        sample.to_csv(file, index=False)
    ask = ["compare", *files, files[0], "--model", "linear", "--fast", "--quiet"]
    out = CliRunner().invoke(app, ask)
    assert out.exit_code == 0
    assert "s0.csv (2)" in " ".join(out.output.split())
