"""Summaries follow the JSON schemas that are shipped, and the schemas name every key."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from data_summary import audit_summary, comparison_summary

from rocstar import Monitor, audit, compare, report
from rocstar.laws import GaussianPair
from rocstar.report import SCHEMA
from rocstar.watching.summary import watch_summary

jsonschema = pytest.importorskip("jsonschema")

FOLDER = files("rocstar") / "schemas" / str(SCHEMA)
NAMES = sorted(path.name.removesuffix(".json") for path in FOLDER.iterdir())
EXAMPLES = {"audit": audit_summary, "comparison": comparison_summary}


def schema(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def closed(part):
    """The schema without room for keys that it does not name."""
    if isinstance(part, list):
        return [closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    part = {key: closed(each) for key, each in part.items()}
    return {"additionalProperties": False, **part} if "properties" in part else part


def problems(summary, schema):
    """Where and how a summary, as JSON, departs from a schema."""
    found = jsonschema.Draft202012Validator(schema).iter_errors(json.loads(report.json(summary)))
    return [f"{'.'.join(map(str, error.path))}: {error.message[:120]}" for error in found]


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_schemas_of_this_number(name):
    text = schema(name)
    jsonschema.Draft202012Validator.check_schema(text)
    assert text["$id"] == f"urn:rocstar:schemas:{SCHEMA}:{name}"
    assert text["properties"]["schema"]["const"] == SCHEMA
    assert text["properties"]["kind"]["const"] == name


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_key_of_a_summary_is_in_its_schema(name):
    """The examples have the keys of real summaries at every level: tests/test_summary.py."""
    assert problems(EXAMPLES[name](), closed(schema(name))) == []


def test_a_key_that_is_missing_or_of_another_type_is_found():
    summary = audit_summary()
    del summary["auc"]["low"]
    summary["verdict"] = 3
    assert len(problems(summary, schema("audit"))) == 2


def test_keys_that_a_later_version_adds_are_allowed():
    assert problems({**audit_summary(), "added_later": 1}, schema("audit")) == []


@pytest.fixture(scope="module")
def rows():
    return GaussianPair([0, 0], [1.5, 0]).sample(60, 60, random_state=0)


@pytest.mark.parametrize("options", [{}, {"scores": True}, {"groups": True}, {"fast": True}])
def test_audits_follow_the_schema(rows, options):
    X, y = rows
    given = dict(options)
    if "scores" in given:
        given["scores"] = {"first": X[:, 0], "second": X[:, 1]}
    if "groups" in given:
        given["groups"] = np.arange(len(y)) // 2
    found = audit(X, y, model="linear", random_state=0, **given)
    assert problems(found.summary(), closed(schema("audit"))) == []


def test_comparisons_follow_the_schema(rows):
    X, y = rows
    found = compare(X[y == 0], X[y == 1], model="linear", fast=True, random_state=0)
    assert problems(found.summary(), closed(schema("comparison"))) == []


def test_watched_streams_follow_the_schema(rows):
    X, y = rows
    monitor = Monitor(X[y == 0], model="linear")
    assert problems(watch_summary(monitor), closed(schema("watch"))) == []
    monitor.update(X[y == 1], time="Monday")
    assert problems(watch_summary(monitor), closed(schema("watch"))) == []


def test_watched_scores_follow_the_schema(rows):
    X, y = rows
    table = pd.DataFrame(X, columns=["a", "score"]).assign(target=y)
    monitor = Monitor(table, model="linear", score="score", target="target")
    monitor.update(table[::2], time="Monday")
    assert problems(watch_summary(monitor), closed(schema("watch"))) == []


@pytest.mark.parametrize("scored", [False, True])
def test_audits_of_more_classes_follow_the_schema(scored):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    X = rng.normal(size=(180, 2)) + y[:, None]
    scores = {"given": np.eye(3)[y] * 0.4 + 0.2} if scored else None
    found = audit(X, y, scores=scores, model="linear", fast=True, random_state=0)
    assert problems(found.summary(), closed(schema("multiclass"))) == []
