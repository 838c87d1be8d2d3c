"""``rocstar watch``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from glob import glob
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rocstar.cli.errors import DIFFERENT, STOPS, Stopped
from rocstar.cli.files import deliver, read, source_name
from rocstar.cli.options import (
    COLUMN,
    Drop,
    Json,
    Level,
    MaxMemory,
    Model,
    Positive,
    Quiet,
    Reports,
    Seed,
    existing,
)
from rocstar.cli.session import Tell, session

if TYPE_CHECKING:
    from pandas import DataFrame

    from rocstar.watching.monitor import Monitor


def watch(
    reference: Annotated[
        str,
        typer.Argument(
            callback=existing, metavar="REFERENCE", help="Table to compare with, as for audit."
        ),
    ],
    batches: Annotated[
        list[str] | None,
        typer.Argument(
            callback=existing,
            metavar="BATCH...",
            help="Tables to judge, oldest first; or a pattern.",
        ),
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="State to continue from and to update; created on the first run. Tables counted "
            "before are skipped.",
        ),
    ] = None,
    tolerance: Annotated[
        float, typer.Option(metavar="D", help="Largest difference that raises no alarm.")
    ] = 0.0,
    unit: Annotated[
        Literal["tv", "divergence"],
        typer.Option(help="Unit of the tolerance: total variation or ROC divergence."),
    ] = "tv",
    period: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Tables after which the stream repeats, e.g. 7."),
    ] = 1,
    score: Annotated[
        str | None,
        typer.Option(metavar=COLUMN, help="Column with a model's score, whose AUC is watched."),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar=COLUMN, help="Column with the classes.")
    ] = None,
    positive: Positive = None,
    auc_drop: Annotated[
        float, typer.Option(metavar="D", help="Largest fall of the AUC that raises no alarm.")
    ] = 0.0,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            callback=existing,
            metavar="FILE",
            help="Table with scores and late labels; may be repeated.",
        ),
    ] = None,
    reset: Annotated[
        bool, typer.Option("--reset", help="Acknowledge an alarm before the tables are judged.")
    ] = False,
    drop: Drop = None,
    model: Model = "auto",
    level: Level = 0.95,
    seed: Seed = 0,
    quiet: Quiet = False,
    output: Reports = None,
    json: Json = False,
    max_memory: MaxMemory = None,
) -> None:
    """Have the data changed? One probability of a false alarm covers all batches together."""
    settings = {
        "model": model,
        "level": level,
        "tolerance": tolerance,
        "unit": unit,
        "period": period,
        "score": score,
        "target": target,
        "positive": positive,
        "auc_drop": auc_drop,
        "random_state": seed,
    }
    # Options first: what reads tables takes seconds to load.
    from rocstar.watching.units import check_settings

    check_settings(tolerance, unit, period, auc_drop, score, target, positive)
    sources = expanded(batches or [])
    _check_files(state, [reference, *sources, *(labels or [])])
    if labels and score is None:
        raise ValueError("--labels needs --score and --target, whose AUC is watched; got neither.")
    with told_what_is_saved() as saved:
        with session(quiet) as (stages, tell):
            from rocstar.watching.files import locked

            with nullcontext() if state is None else locked(state):
                with stages("reference", share=0.2):
                    monitor = _monitor(reference, state, settings, drop or [], max_memory)
                with saved.whole_batches(monitor, state), stages("batches"):
                    if reset:
                        monitor.reset()
                    stages.plan(len(sources))
                    for source in sources:
                        _judge(monitor, source, drop or [], max_memory, tell)
                        stages.tick()
                    for source in labels or []:
                        _labels(monitor, source, max_memory, tell)
        deliver(monitor.summary(f"Watch against {source_name(reference)}"), output, json, tell)
    if monitor.alarm:
        raise typer.Exit(DIFFERENT)


def expanded(sources: list[str]) -> list[str]:
    """Patterns that the shell has left as they are become the files they match, in order."""
    found: list[str] = []
    for source in sources:
        matches = sorted(glob(source)) if any(sign in source for sign in "*?[") else []
        found += matches or [source]
    return found


def _check_files(state: str | None, sources: list[str]) -> None:
    """Refuse folders where files are needed, before anything is read."""
    for source in sources:
        if os.path.isdir(source):
            some = os.path.join(source, "*.parquet")
            raise ValueError(f"`{source}` is a folder; name the files in it, such as {some}.")
    if state is not None and os.path.isdir(state):
        raise ValueError(f"--state must name a file; `{state}` is a folder.")


def _monitor(
    reference: str,
    state: str | None,
    settings: dict[str, Any],
    drop: list[str],
    max_memory: float | None,
) -> Monitor:
    from rocstar.checks import InputError
    from rocstar.tables.column_names import require_column
    from rocstar.watching.files import load
    from rocstar.watching.monitor import Monitor

    origin = {**settings, "reference": content_key(reference), "drop": sorted(drop)}
    if state is None or not os.path.exists(state):
        frame = read(reference, max_memory)
        for name in drop:
            require_column(frame, name, source_name(reference))
        with _named("reference", reference):
            monitor = Monitor(frame.drop(columns=drop), **settings)
        monitor.origin = origin
        return monitor
    monitor = load(state, max_memory=max_memory)
    if not monitor.origin:
        raise InputError(
            f"`{state}` was saved in Python, not by rocstar watch; continue with it in Python, or "
            "use another file for --state."
        )
    for name, value in origin.items():
        if monitor.origin.get(name) != value:
            what = {
                "reference": "another reference",
                "random_state": f"another --seed, {monitor.origin.get(name)}",
            }.get(name, f"another --{name.replace('_', '-')}, {monitor.origin.get(name)}")
            raise InputError(
                f"`{state}` was begun with {what}; use the same, or another file for --state."
            )
    return monitor


def _judge(
    monitor: Monitor, source: str, drop: list[str], max_memory: float | None, tell: Tell
) -> None:
    found = _new_table(monitor, source, max_memory, tell)
    if found is None:
        return
    frame, key = found
    with _named("batch", source):
        frame = frame.drop(columns=drop, errors="ignore")
        monitor.update(frame, os.path.splitext(source_name(source))[0], key=key)


def _labels(monitor: Monitor, source: str, max_memory: float | None, tell: Tell) -> None:
    found = _new_table(monitor, source, max_memory, tell)
    if found is not None:
        frame, key = found
        with _named("rows", source):
            monitor.update_labels(frame, os.path.splitext(source_name(source))[0], key=key)


@contextmanager
def _named(argument: str, source: str) -> Iterator[None]:
    """Sentences that name an argument name the file instead."""
    from rocstar.checks import InputError

    try:
        yield
    except InputError as error:
        told = str(error).replace(f"`{argument}`", f"`{source_name(source)}`")
        raise InputError(told) from None


def _new_table(
    monitor: Monitor, source: str, max_memory: float | None, tell: Tell
) -> tuple[DataFrame, str | None] | None:
    """A table and what it is known again by; None if it was counted before."""
    key, name = content_key(source), source_name(source)
    if key not in monitor.keys:
        frame = read(source, max_memory, needs_rows=False)
        # Tables without rows are all alike: each is a day of its own, known by its name.
        key = f"{key} {name}" if key is not None and not len(frame) else key
        if key not in monitor.keys:
            return frame, key
    tell(f"Skipped {name}: counted before.")
    return None


def content_key(source: str) -> str | None:
    """Hash of a file's content, by which it is known again; None for what is no file."""
    if not os.path.isfile(source):
        return None
    digest = sha256()
    with open(source, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


@dataclass
class Saved:
    """What a run has saved so far, in words."""

    sentence: str = "nothing was written"

    @contextmanager
    def whole_batches(self, monitor: Monitor, state: str | None) -> Iterator[None]:
        """Save the monitor at the end; if it comes early, what was counted until then."""
        # A monitor counts a batch whole or not at all, whatever stops it.
        counted, resets = len(monitor.records), monitor.stream.resets
        try:
            yield
        except BaseException:
            if len(monitor.records) > counted:
                self._save(monitor, state, counted, resets)
            raise
        self._save(monitor, state, counted, resets)

    def _save(self, monitor: Monitor, state: str | None, counted: int, resets: int) -> None:
        if state is None:
            return
        from rocstar.report.words import plural
        from rocstar.watching.files import save

        save(monitor, state)
        new = len(monitor.records) - counted
        counted_now = f"{plural(new, 'table')} {'was' if new == 1 else 'were'} counted and saved"
        after = " after the reset" if monitor.stream.resets > resets else ""
        self.sentence = (counted_now if new else "the state was saved") + after


@contextmanager
def told_what_is_saved() -> Iterator[Saved]:
    """What is saved until a signal ends the run, which then says so."""
    saved = Saved()
    try:
        yield saved
    except STOPS as signal:
        raise Stopped(signal, saved.sentence) from None
