"""Summary dict in, text out: the same audit or comparison as HTML, Markdown, JSON or terminal text.

Every renderer is a pure function of the JSON-able dict that ``Audit.summary()`` and
``Comparison.summary()`` return; none of them computes a statistic. A summary has every key of its
schema; an empty list, or a None that the schema allows, drops its section.

Shape of the dict (``Estimate`` = ``{value, low, high, level, side}``; numbers may be None)::

    schema          number of the JSON schema, in rocstar/schemas
    kind            "audit" | "comparison" | "multiclass", whose keys are in its schema
    title, verdict  one line; one to three plain sentences
    level           confidence level, such as 0.95
    data            source, target, positive, rows, positives, negatives, features, warnings [str],
                    columns [{name, type, treatment, missing, distinct, notes, flags}], flags
                    among "converted", "identifier", "leak" and "possible leak"
                    comparison: also names [a, b] (what the two samples are called),
                    positives = rows of the second sample, negatives = rows of the first
    arc_length, divergence, tv, auc, balanced_accuracy    Estimate
    sharp           {tv: [low, high], auc: [low, high]} at the estimated arc length
    test            {statistic, pvalue, n_permutations}
    scores          [{name, auc: Estimate, headroom: {value, low}, hull_arc_length, sentence}]
    members         [{name, weight, arc_length}]
    learning_curve  [{rows, arc_length, auc, auc_low, auc_high}]: ends of the 90 % interval of the
                    difference from the last point, which is the audit's own held-out figure
    more_rows       {factor: 2, gain, low, high, level, verdict, sentence}: what so many times the
                    rows would add to the AUC; verdict "helps", "little" or "cannot tell"
    figures.roc     {fpr, tpr, low, hull: {fpr, tpr}, scores: [{name, fpr, tpr}]}: ``tpr`` the
                    estimate and ``low`` the certified lower band, both on the grid ``fpr``
    figures.angles  {edges, positive, negative}: share of each class in every bin of [0, π/2]
    method          {model, method, cv, splits, guarantee, guarantee_sentence, seed,
                    versions: {name: version}, seconds: {stage: seconds}}
    caveats         [str]
    gains           [{name, other, gain: Estimate, sentence}]: AUC of one score less another's
    segments        [{score, segment, rows, positives, loss, headroom: {value, low}, sentence}]:
                    ``rows`` and ``loss`` are shares; bounds hold for all segments together
    calibration     [{name, brier, recalibrated, gain: Estimate, sentence,
                    bins: [{rows, predicted, observed, low, high}]}] of scores within [0, 1]
    decision        None, or {prevalence, given, level, threshold, cost_fn, cost_fp,
                    sentences [str],
                    precision_recall: {recall, low, found, scores: [{name, precision}]},
                    curve: {threshold, low, found, all, scores: [{name, net_benefit, as_given}]},
                    points: [{name, at, fpr, recall, precision, lift, cost, net_benefit}],
                    headroom: [{name, value, low, level}]}: costs and net benefits of points and
                    the headroom in them are per 1,000 cases
    columns_importance    [{name, columns, importance, low, high}]: what the model found loses of
                    the AUC (comparison: of the arc length, and ``divergence`` of the columns alone;
                    multiclass: of the balanced accuracy, which its learning curve follows too)
    comparison      share_different (share of all rows),
                    changes [{name, type, labels, edges, first, second, missing, new, vanished,
                    n_new, n_vanished, distance, pvalue}]: shares of each sample by value or bin
"""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from typing import Any

from rocstar.report.html_page import html
from rocstar.report.markdown_text import markdown
from rocstar.report.terminal_text import terminal

__all__ = ["SCHEMA", "html", "json", "markdown", "terminal"]

# Summaries follow the JSON schemas of this number, rocstar/schemas/1/audit.json and so on. Keys may
# be added to them; a key that goes, or changes its meaning, needs a new number.
SCHEMA = 1


def json(summary: Mapping[str, Any]) -> str:
    """Summary as strict JSON text."""
    return dumps(summary, ensure_ascii=False, indent=2, allow_nan=False)
