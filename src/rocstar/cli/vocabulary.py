"""The words of the command line: options take the place of arguments in every sentence.

Other rooms speak Python. Their sentences name an argument at the start, before "must" or "needs",
or after "with" or "use"; anything else between backticks is a column or a file and stays.
"""

from __future__ import annotations

import re
from typing import Any

OPTIONS = {
    "X": "The table",
    "address": "--cluster",
    "cost_fn": "--cost-fn",
    "cost_fp": "--cost-fp",
    "prevalence": "--prevalence",
    "threshold": "--threshold",
    "y": "The target",
    "groups": "--group",
    "level": "--level",
    "max_memory": "--max-memory",
    "method": "--method",
    "memory": "--max-memory",
    "model": "--model",
    "n_jobs": "--jobs",
    "positive": "--positive",
    "random_state": "--seed",
    "sample_weight": "--weight",
    "scores": "--score",
    "time": "--time",
    "tolerance": "--tolerance",
    "auc_drop": "--auc-drop",
    "score": "--score",
    "target": "--target",
}
_NAMES = "|".join(OPTIONS)
_ARGUMENT = re.compile(
    rf"^`(?P<first>{_NAMES})`(?=(?: \w+)? (?:must|needs)\b(?! more memory))"
    rf"|(?<=\bwith )`(?P<with>{_NAMES})`|(?<=\buse )`(?P<use>{_NAMES})`"
)
# What has no option of its own name, and remedies that only Python has.
PHRASES = {
    r"^`cv=(\d+)` needs": r"Cross-validation with \1 folds needs",
    r"^`cv='holdout'` needs": "--fast needs",
    r"\buse cv=\d+": "use --fast, or add rows",
    r"^`cv` needs at least two rows of each class .*": (
        "Each part that a model is fitted to must hold at least two rows of each class; "
        "got a class with one row: add rows of it."
    ),
    r"^`cv` must leave (both classes|every class) in every part": r"Every part must hold \1",
    r"use fewer folds, stratify, or use finer groups": (
        "add rows, use finer groups, or leave --time out"
    ),
    r"use fewer folds, or finer groups": "use --fast, or finer groups",
    r"pass X\.compute\(\)[^.]*": "leave --cluster out",
    r"\bor audit it as a table in memory": "or leave --cluster out",
    r"\bor audit it as a Dask dataframe": "or audit it as Parquet with --cluster local",
    r"\bor read a folder of Parquet files with dask\.dataframe\.read_parquet": (
        "or use --cluster local for a folder of Parquet files"
    ),
    r"\(`max_memory`\)": "(--max-memory)",
    r"`groups=near_copies\(X\)`": "--group-copies",
    # scikit-learn's words for more stretches of time than rows.
    r"^Cannot have number of folds=(\d+) greater than the number of samples=(\d+)\.": (
        r"--time needs at least \1 rows; got \2: use --fast, or add rows."
    ),
    r"`cv=\"holdout\"`": "--fast",
    r"`?\bmethod=['\"](\w+)['\"]`?": r"--method \1",
    r"\btakes no `sample_weight`": "takes no --weight",
    r"\bperiod of `time`": "period of --time",
    r"\bdrop it if it names rows\b": "leave it out with --drop if it names rows",
    r"`(--[a-z-]+)`": r"\1",
    # typer's frame around our own checks of values, and a trace of the library it checks with.
    r"^Invalid value for '(--[a-z-]+)': must": r"\1 must",
    r": Value error, ": ": ",
}


def in_options(sentence: str) -> str:
    """The sentence with options in place of arguments."""
    sentence = _ARGUMENT.sub(lambda found: OPTIONS[found[found.lastgroup or 0]], sentence)
    for phrase, words in PHRASES.items():
        sentence = re.sub(phrase, words, sentence)
    return sentence


def summary_in_options(summary: dict[str, Any]) -> dict[str, Any]:
    """The summary of an audit or a comparison, with options in the sentences that give advice."""
    data = dict(summary["data"])
    data["warnings"] = [{**seen, "text": in_options(seen["text"])} for seen in data["warnings"]]
    caveats = [in_options(caveat) for caveat in summary["caveats"]]
    method = dict(summary["method"])
    method["guarantee_sentence"] = in_options(method["guarantee_sentence"])
    return {**summary, "data": data, "method": method, "caveats": caveats}
