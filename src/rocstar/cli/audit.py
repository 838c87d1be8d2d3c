"""``rocstar audit``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rocstar.cli.errors import HEADROOM, LEAK, TOO_LOW, say
from rocstar.cli.files import deliver, prepared, read, required_target, source_name
from rocstar.cli.limits import Limits
from rocstar.cli.options import (
    COLUMN,
    TABLE_FORMATS,
    Drop,
    Fast,
    Group,
    Jobs,
    Json,
    Level,
    MaxMemory,
    Method,
    Model,
    Positive,
    Quiet,
    Reports,
    Seed,
    Time,
    Weight,
    existing,
    positive_cost,
    share,
    within,
)
from rocstar.cli.process import threads
from rocstar.cli.session import session
from rocstar.cli.vocabulary import summary_in_options

if TYPE_CHECKING:
    from pandas import DataFrame

    from rocstar.audits.audit import Audit
    from rocstar.audits.classes import ClassAudit
    from rocstar.audits.stages import Stages
    from rocstar.cli.session import Tell


def audit(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            callback=existing,
            metavar="FILE",
            help=f"{TABLE_FORMATS} With --cluster: Parquet files, patterns and folders.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", metavar=COLUMN, help="Column with the classes."),
    ] = None,
    positive: Positive = None,
    score: Annotated[
        list[str] | None,
        typer.Option(
            metavar=COLUMN,
            help="Column with a model's score to evaluate; may be repeated. For more than two "
            "classes: its predicted class, or its probabilities, one column per class with commas "
            "between them, e.g. p_bronze,p_gold,p_silver (names that end with the classes, or in "
            "their sorted order).",
        ),
    ] = None,
    drop: Drop = None,
    weight: Weight = None,
    group: Group = None,
    group_copies: Annotated[
        bool,
        typer.Option("--group-copies", help="Keep near-copies of a row together in the folds."),
    ] = False,
    time: Time = None,
    model: Model = "auto",
    fast: Fast = False,
    level: Level = 0.95,
    method: Method = "dirichlet",
    seed: Seed = 0,
    quiet: Quiet = False,
    output: Reports = None,
    json: Json = False,
    max_memory: MaxMemory = None,
    jobs: Jobs = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Audit a table larger than memory with Dask: local[:WORKERS] on this machine, or "
            "the address of a scheduler, such as tcp://host:8786.",
        ),
    ] = None,
    prevalence: Annotated[
        float | None,
        typer.Option(
            parser=share,
            metavar="SHARE",
            help="Share of positives where the score will be used, e.g. 0.05 or 5%; default: that "
            "of the table.",
        ),
    ] = None,
    cost_fn: Annotated[
        float | None,
        typer.Option(callback=positive_cost, metavar="COST", help="Cost of a missed positive."),
    ] = None,
    cost_fp: Annotated[
        float | None,
        typer.Option(callback=positive_cost, metavar="COST", help="Cost of a false alarm."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            parser=share,
            metavar="P",
            help="Probability above which you act; default: from the costs.",
        ),
    ] = None,
    fail_below: Annotated[
        float | None,
        typer.Option(
            callback=within(0.0, 1.0),
            metavar="AUC",
            help=f"Exit with {TOO_LOW} if the lower bound of the best AUC (of balanced accuracy "
            "for more than two classes) is below this.",
        ),
    ] = None,
    fail_headroom: Annotated[
        float | None,
        typer.Option(
            callback=within(0.0, 1.0),
            metavar="AUC",
            help=f"Exit with {HEADROOM} if the lower bound of a score's headroom is above this.",
        ),
    ] = None,
    fail_on: Annotated[
        Literal["leak"] | None,
        typer.Option(help=f"Exit with {LEAK} if a column is a likely leak of the target."),
    ] = None,
) -> None:
    """How good could any classifier be on this table, and how far from the best are given scores?

    Without a file, an example is audited: ten measurements of 442 diabetes patients.
    """
    roles: dict[str, Any] = {
        "target": target,
        "positive": positive,
        "scores": score or [],
        "drop": drop or [],
        "weight": weight,
    }
    how: dict[str, Any] = {
        "model": model,
        "level": level,
        "method": method,
        "random_state": seed,
        "fast": fast,
    }
    for cost, option, other in ((cost_fn, "fn", "fp"), (cost_fp, "fp", "fn")):
        if cost is not None and None in (cost_fn, cost_fp):
            raise ValueError(f"--cost-{option} must come with --cost-{other}.")
    if fail_headroom is not None and files and not score:
        raise ValueError("--fail-headroom must come with --score, a column to judge.")
    with session(quiet) as (stages, tell):
        from rocstar.audits.decision import Decision

        how["decision"] = Decision(prevalence, cost_fn, cost_fp, threshold)
        if cluster is None:
            roles |= {"group": group, "group_copies": group_copies, "time": time}
            how["n_jobs"] = jobs
            found = _audit_in_memory(files or [], max_memory, roles, how, fail_below, stages, tell)
        else:
            alone = {"--group": group, "--group-copies": group_copies or None}
            _check_alone(cluster, max_memory, {**alone, "--time": time, "--jobs": jobs})
            _check_auc_limit(fail_below)
            with _connected(cluster, max_memory):
                found = _audit_on_cluster(files or [], roles, how, stages)
    deliver(summary_in_options(found.summary()), output, json, tell)
    limits = Limits(fail_below, fail_headroom, fail_on)
    if broken := limits.broken(found.summary()):
        for _, sentence in broken:
            say(sentence)  # also with --quiet: it explains the exit code
        raise typer.Exit(broken[0][0])


def _audit_in_memory(
    files: list[str],
    max_memory: float | None,
    roles: dict[str, Any],
    how: dict[str, Any],
    fail_below: float | None,
    stages: Stages,
    tell: Tell,
) -> Audit | ClassAudit:
    from rocstar.checks import InputError

    if len(files) > 1:
        raise InputError(
            f"Without --cluster, one file is audited; got {len(files)}: add --cluster local to "
            "audit Parquet files as one table."
        )
    if roles["group"] is not None and roles["group_copies"]:
        raise InputError(
            "--group and --group-copies cannot be used together; leave one of them out."
        )
    with stages("read"):
        if files:
            name, frame = source_name(files[0]), read(files[0], max_memory)
        else:
            tell("No file given: auditing the diabetes data that come with scikit-learn.")
            name, frame = "the diabetes example", _example()
            roles = {**roles, "target": "progression", "scores": ["body_mass_rule"]}
    with stages("columns"):
        table = prepared(frame, name, **roles)
    how["n_jobs"] = threads(how["n_jobs"], table.X.size)
    # Only now, so that a table that cannot be used is reported before all models are loaded.
    from rocstar.audits.audit import audit_table
    from rocstar.audits.classes import audit_classes, refuse_decision
    from rocstar.tables.class_table import ClassTable

    if isinstance(table, ClassTable):
        asked = how.pop("decision")
        refuse_decision(**vars(asked))
        return audit_classes(table, stages=stages, **how)
    _check_auc_limit(fail_below)
    return audit_table(table, stages=stages, **how)


def _check_auc_limit(limit: float | None) -> None:
    from rocstar.checks import InputError

    if limit is not None and limit < 0.5:
        raise InputError(
            f"--fail-below must lie between 0.5 and 1 for a target of two classes; got {limit:g}."
        )


def _example() -> DataFrame:
    """A score with room for improvement: body mass alone against all measurements."""
    from sklearn.datasets import load_diabetes

    data = load_diabetes(as_frame=True, scaled=False)
    frame: DataFrame = data.data.assign(
        sex=data.data["sex"].map({1.0: "a", 2.0: "b"}),
        body_mass_rule=data.data["bmi"],
        progression=(data.target > data.target.median()).map({True: "worse", False: "better"}),
    )
    return frame


def _audit_on_cluster(
    files: list[str], roles: dict[str, Any], how: dict[str, Any], stages: Stages
) -> Audit:
    from rocstar.audits.audit import audit_partitions
    from rocstar.checks import InputError
    from rocstar.tables.partitions import prepare_partitions, read_partitions

    if not files:
        raise InputError("With --cluster, name at least one Parquet file, pattern or folder.")
    name = source_name(files[0].rstrip("/"))
    if len(files) > 1:
        name = f"{name} and {len(files) - 1} more"
    with stages("read"):
        frame = read_partitions(files)
    with stages("columns"):
        target = required_target(frame, name, roles["target"])
        table = prepare_partitions(frame, source=name, **{**roles, "target": target})
    return audit_partitions(table, stages=stages, **how)


def _check_alone(cluster: str, max_memory: float | None, others: dict[str, Any]) -> None:
    """Reject options that do not go with --cluster."""
    from rocstar.checks import InputError

    for option, value in others.items():
        if value is not None:
            raise InputError(f"{option} cannot be used with --cluster; leave one of them out.")
    if max_memory is not None and not cluster.startswith("local"):
        raise InputError(
            "--max-memory applies to --cluster local; other clusters have their own limits."
        )


@contextmanager
def _connected(address: str, max_memory: float | None) -> Iterator[None]:
    """A Dask client for as long as the work lasts."""
    from rocstar.scale.client import connected

    try:
        with connected(address, max_memory):
            yield
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # the usual end of a worker without memory
            raise MemoryError from None
        raise
