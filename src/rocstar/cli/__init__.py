"""The command line: parse, call, print. No numerics here.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 failure,
2 bad input, 3 the samples differ by more than ``--fail-above``. Heavy modules are imported inside
the commands, so that ``rocstar --help`` is quick.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

try:
    import typer
except ImportError:  # pragma: no cover - needs an environment without the extra
    raise SystemExit("The command line needs more: pip install 'rocstar[cli]'.") from None

if TYPE_CHECKING:
    from pandas import DataFrame

    from rocstar.audits.audit import Finding
    from rocstar.audits.judge import Progress, Stages
    from rocstar.tables.table import LabelledTable

FAILURE, BAD_INPUT, DIFFERENT, INTERRUPTED = 1, 2, 3, 130
EXTRAS = ["jinja2", "narwhals", "pandas", "plotly", "pyarrow", "rich", "skops", "skrub", "typer"]
SUFFIXES = (".html", ".md", ".json")

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="How good could any classifier be, and how much does yours leave on the table?",
    epilog="Start with [bold]rocstar audit[/bold]: without a file it audits an example.",
)

File = Annotated[str, typer.Argument(help="CSV (also .gz), Parquet or Arrow; - is standard input.")]
Target = Annotated[str, typer.Option("--target", "-t", help="Column with the classes.")]
Positive = Annotated[
    str | None, typer.Option(help="Its value that counts as positive; by default the larger.")
]
Drop = Annotated[list[str] | None, typer.Option(help="Column to leave out; may be repeated.")]
Weight = Annotated[str | None, typer.Option(help="Column with row weights.")]
Model = Annotated[str, typer.Option(help="auto, linear, rbf or trees.")]
Fast = Annotated[bool, typer.Option("--fast", help="One held-out half, and no kernel model.")]
Level = Annotated[float, typer.Option(help="Confidence of each bound.")]
Seed = Annotated[int, typer.Option(help="Same seed, same answer.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no remarks.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
Output = Annotated[
    list[str] | None,
    typer.Option("--output", "-o", help="Report to write: .html, .md or .json; may be repeated."),
]
Memory = Annotated[
    str | None,
    typer.Option(help="Refuse tables that need more, such as 8GB; default: what is free."),
]
Jobs = Annotated[int | None, typer.Option(help="Threads; default: one for each core.")]


@app.command()
def audit(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="CSV (also .gz), Parquet or Arrow; - is standard input. With --cluster: Parquet "
            "files, patterns and folders.",
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Column with the classes.")
    ] = None,
    positive: Positive = None,
    score: Annotated[
        list[str] | None,
        typer.Option(help="Column with a model's score, to be judged; may be repeated."),
    ] = None,
    drop: Drop = None,
    weight: Weight = None,
    group: Annotated[
        str | None, typer.Option(help="Column whose values stay together in the folds.")
    ] = None,
    time: Annotated[
        str | None, typer.Option(help="Column that orders the rows: models learn from the past.")
    ] = None,
    model: Model = "auto",
    fast: Fast = False,
    level: Level = 0.95,
    seed: Seed = 0,
    quiet: Quiet = False,
    output: Output = None,
    json: Json = False,
    max_memory: Memory = None,
    jobs: Jobs = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Audit a table larger than memory with Dask: local[:WORKERS] on this machine, or "
            "the address of a scheduler, such as tcp://host:8786."
        ),
    ] = None,
) -> None:
    """How good could any classifier be on this table, and what do given scores leave?

    Without a file, an example is audited: ten measurements of 442 diabetes patients.
    """
    with _session(quiet, "Reading") as (stages, tell):
        outputs = _checked_outputs(output)
        if cluster is not None:
            refused: dict[str, Any] = {"--group": group, "--time": time, "--jobs": jobs}
            with _cluster(cluster, refused, max_memory):
                found = _audit_partitions(
                    files or [],
                    stages,
                    {"model": model, "level": _level(level), "random_state": seed, "fast": fast},
                    target=target,
                    positive=positive,
                    scores=score or [],
                    drop=drop or [],
                    weight=weight,
                )
            _deliver(found, outputs, json, tell)
            return
        from rocstar.audits.audit import audit_table

        file = _one_file(files)
        with stages("read"):
            if file is None:
                frame, columns = _example()
                name, target, score = "the diabetes example", columns["target"], columns["score"]
                tell("No file given: auditing the diabetes data that come with scikit-learn.")
            else:
                name = _name(file)
                frame = _read(file, max_memory)
        with stages("columns"):
            table = _prepared(
                frame,
                name,
                target=target,
                positive=positive,
                scores=score or [],
                drop=drop or [],
                weight=weight,
                group=group,
                time=time,
            )
        found = audit_table(
            table,
            model=model,
            level=_level(level),
            n_jobs=jobs or _cores(),
            random_state=seed,
            fast=fast,
            stages=stages,
        )
    _deliver(found, outputs, json, tell)


@app.command()
def compare(
    old: Annotated[str, typer.Argument(help="First sample: a table, as for audit.")],
    new: Annotated[str, typer.Argument(help="Second sample.")],
    drop: Drop = None,
    fail_above: Annotated[
        float | None,
        typer.Option(help="Exit with 3 if the ROC divergence is certainly above this."),
    ] = None,
    model: Model = "auto",
    fast: Fast = False,
    level: Level = 0.95,
    seed: Seed = 0,
    quiet: Quiet = False,
    output: Output = None,
    json: Json = False,
    max_memory: Memory = None,
    jobs: Jobs = None,
) -> None:
    """Do two samples differ, by how much, and which columns carry the difference?"""
    with _session(quiet, "Reading") as (stages, tell):
        outputs = _checked_outputs(output)
        from rocstar.audits.compare import compare as compare_tables

        names = _name(old), _name(new)
        if names[0] == names[1]:
            names = old, new
        with stages("read"):
            samples = [
                _without(_read(source, max_memory), drop or [], name)
                for source, name in zip((old, new), names, strict=True)
            ]
        found = compare_tables(
            *samples,
            model=model,
            level=_level(level),
            n_jobs=jobs or _cores(),
            random_state=seed,
            fast=fast,
            names=names,
            progress=stages.progress,
        )
    _deliver(found, outputs, json, tell)
    if fail_above is not None and found.divergence.low > fail_above:
        tell(
            f"The ROC divergence is at least {found.divergence.low:.4f}, above {fail_above:g}.",
            always=True,
        )
        raise typer.Exit(DIFFERENT)


@app.command()
def fit(
    file: File,
    target: Target,
    output: Annotated[str, typer.Option("--output", "-o", help="Model file: .skops.")],
    positive: Positive = None,
    drop: Drop = None,
    weight: Weight = None,
    model: Model = "auto",
    seed: Seed = 0,
    quiet: Quiet = False,
    max_memory: Memory = None,
    jobs: Jobs = None,
) -> None:
    """Fit a model of the likelihood ratio to a table and keep it in a file."""
    with _session(quiet, "Reading") as (stages, tell):
        _check_writable(output, (".skops",))
        from rocstar.tables.model import TableModel, save

        with stages("read"):
            frame = _read(file, max_memory)
        with stages("columns"):
            table = _prepared(
                frame,
                _name(file),
                target=target,
                positive=positive,
                drop=drop or [],
                weight=weight,
            )
        with stages("fit"):
            fitted = TableModel(model, n_jobs=jobs or _cores(), random_state=seed).fit_table(table)
        save(fitted, output)
    for warning in table.warnings:
        tell(f"Beware: {warning}")
    tell(f"Fitted to {len(table.y):,} rows; wrote {output}.")


@app.command()
def score(
    model: Annotated[str, typer.Argument(help="Model file that rocstar fit has written.")],
    file: File,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help=".parquet, .feather or .csv; default: CSV on stdout."),
    ] = None,
    quiet: Quiet = False,
    max_memory: Memory = None,
) -> None:
    """Score the rows of a table: angle, likelihood ratio and probability of the positive class."""
    with _session(quiet, "Reading") as (stages, tell):
        if output is not None:
            _check_writable(output, (".parquet", ".feather", ".csv"))
        from rocstar.tables.memory import at_most
        from rocstar.tables.model import load
        from rocstar.tables.writing import replace_file

        with at_most(_bytes(max_memory)):
            loaded = load(model, max_memory=_bytes(max_memory))
        with stages("read"):
            frame = _read(file, max_memory)
        with stages("score"):
            scores = loaded.scores(frame).add_prefix("rocstar_")
        scored = frame.drop(columns=[c for c in scores if c in frame]).join(scores)
        content = _table_bytes(scored, output)
        if output is not None:
            replace_file(output, content)
            tell(f"Scored {len(scored):,} rows; wrote {output}.")
    if output is None:
        sys.stdout.write(content.decode())


@app.callback(invoke_without_command=True)
def about(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from rocstar import __version__

        typer.echo(f"rocstar {__version__}")
        raise typer.Exit


def main() -> None:
    """Entry point of ``rocstar``."""
    # Threads that wait must not burn the cores that others compute on, and each of our threads
    # computes alone; both are read when the numeric libraries are loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Arrow's own allocator would set a gigabyte aside, out of reach of --max-memory.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    _return_freed_arrays()
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:  # newer versions of typer do not raise
            raise KeyboardInterrupt
    except (Exception, KeyboardInterrupt) as error:
        code = _told(error)
    raise SystemExit(code if isinstance(code, int) else 0)


def _return_freed_arrays() -> None:
    """Ask the C library to give large arrays back to the system as soon as they are freed.

    By default glibc keeps what threads have freed for later, which grew an audit of 50,000 rows by
    several hundred megabytes and made nothing quicker.
    """
    import ctypes

    trim_threshold, mmap_threshold, one_megabyte = -1, -3, 1 << 20
    try:
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(mmap_threshold, one_megabyte)
        mallopt(trim_threshold, one_megabyte)
    except (OSError, AttributeError, TypeError):  # another C library keeps its own counsel
        return


def _told(error: BaseException) -> int:
    """One sentence on standard error, and the exit code that goes with it."""
    if os.environ.get("ROCSTAR_TRACEBACK"):
        raise error
    if hasattr(error, "format_message"):  # a usage error of typer
        _say(f"{error.format_message()} See rocstar --help.")
        return BAD_INPUT
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        _say("Interrupted; nothing was written.")
        return INTERRUPTED
    if isinstance(error, ImportError):
        missing = (error.name or "").split(".")[0]
        _say(f"{missing} is missing: pip install 'rocstar[cli]'." if missing in EXTRAS else error)
        return FAILURE
    if isinstance(error, ValueError):
        _say(error)
        return BAD_INPUT
    if isinstance(error, MemoryError):
        _say("Memory ran out; take fewer rows or columns, or use --fast.")
        return FAILURE
    _say(
        f"Unexpected failure: {type(error).__name__}: {error} "
        "(set ROCSTAR_TRACEBACK=1 to see where)."
    )
    return FAILURE


def _say(message: object) -> None:
    print(" ".join(str(message).split()), file=sys.stderr)


# Reading and writing


def _read(source: str, max_memory: str | None) -> DataFrame:
    from rocstar.tables.memory import at_most
    from rocstar.tables.reading import read_table

    limit = _bytes(max_memory)
    with at_most(limit):
        return read_table(source, max_memory=limit)


def _one_file(files: list[str] | None) -> str | None:
    from rocstar.checks import InputError

    if files and len(files) > 1:
        raise InputError(
            f"One table is audited in memory; got {len(files)} files: add --cluster local to audit "
            "Parquet files as one."
        )
    return files[0] if files else None


def _prepared(frame: DataFrame, name: str, *, target: str | None, **roles: Any) -> LabelledTable:
    from rocstar.tables.table import prepare

    return prepare(frame, target=_target(frame, name, target), source=name, **roles)


def _target(frame: Any, name: str, target: str | None) -> str:
    from rocstar.checks import InputError

    if target is None:
        some = ", ".join(f"`{column}`" for column in list(frame.columns)[-4:])
        raise InputError(
            f"Say which column holds the classes with --target; `{name}` has {some} among others."
        )
    return target


@contextmanager
def _cluster(address: str, refused: dict[str, Any], max_memory: str | None) -> Iterator[None]:
    """A Dask client for as long as the work lasts."""
    from rocstar.checks import InputError
    from rocstar.scale.cluster import connected

    for name, value in refused.items():
        if value is not None:
            raise InputError(f"{name} does not go with --cluster; leave one of them out.")
    if max_memory is not None and not address.startswith("local"):
        raise InputError("--max-memory is for --cluster local; a cluster has its own limits.")
    try:
        with connected(address, _bytes(max_memory)):
            yield
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # the usual end of a worker without memory
            raise MemoryError from None
        raise


def _audit_partitions(
    files: list[str], stages: Stages, how: dict[str, Any], *, target: str | None, **roles: Any
) -> Finding:
    from rocstar.audits.audit import audit_partitions
    from rocstar.checks import InputError
    from rocstar.tables.partitions import prepare_partitions, read_partitions

    if not files:
        raise InputError("Name the Parquet files that --cluster is to read.")
    name = _name(files[0].rstrip("/"))
    if len(files) > 1:
        name = f"{name} and {len(files) - 1} more"
    with stages("read"):
        frame = read_partitions(files)
    with stages("columns"):
        table = prepare_partitions(frame, target=_target(frame, name, target), source=name, **roles)
    return audit_partitions(table, stages=stages, **how)


def _without(frame: DataFrame, drop: list[str], name: str) -> DataFrame:
    from rocstar.checks import InputError
    from rocstar.tables.roles import nearest

    for column in drop:
        if column not in frame.columns:
            raise InputError(
                f"`{name}` has no column `{column}`; {nearest(column, list(frame.columns))}"
            )
    return frame.drop(columns=drop)


def _example() -> tuple[DataFrame, dict[str, Any]]:
    """A question with room above the obvious answer: body mass alone against all measurements."""
    from sklearn.datasets import load_diabetes

    data = load_diabetes(as_frame=True, scaled=False)
    frame = data.data.assign(
        sex=data.data["sex"].map({1.0: "a", 2.0: "b"}),
        body_mass_rule=data.data["bmi"],
        progression=(data.target > data.target.median()).map({True: "worse", False: "better"}),
    )
    return frame, {"target": "progression", "score": ["body_mass_rule"]}


def _table_bytes(frame: DataFrame, output: str | None) -> bytes:
    import io

    if output is None or output.endswith(".csv"):
        return str(frame.to_csv(index=False)).encode()
    buffer = io.BytesIO()
    if output.endswith(".parquet"):
        frame.to_parquet(buffer)
    else:
        frame.to_feather(buffer)
    return buffer.getvalue()


def _deliver(found: Finding, outputs: list[str], json: bool, tell: Any) -> None:
    from rocstar import report

    for path in outputs:
        write = {".html": found.to_html, ".md": found.to_markdown, ".json": found.to_json}
        write[os.path.splitext(path)[1].lower()](path)
        tell(f"Wrote {path}.")
    if json:
        sys.stdout.write(report.json(found.summary()) + "\n")
        return
    from rich.console import Console

    console = Console()
    text = report.terminal(
        found.summary(), width=console.width, color=console.is_terminal and not console.no_color
    )
    sys.stdout.write(text)


def _checked_outputs(output: list[str] | None) -> list[str]:
    for path in output or []:
        _check_writable(path, SUFFIXES)
    return output or []


def _check_writable(path: str, suffixes: tuple[str, ...]) -> None:
    """Refuse now what could not be written after minutes of work."""
    from rocstar.checks import InputError

    if not path.lower().endswith(suffixes):
        raise InputError(f"`{path}` must end in {' or '.join(suffixes)}.")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise InputError(f"`{path}` cannot be written: there is no folder `{folder}`.")
    if os.path.isdir(path) or not os.access(folder, os.W_OK):
        raise InputError(f"`{path}` cannot be written.")


def _name(source: str) -> str:
    return "standard input" if source == "-" else os.path.basename(source)


def _bytes(text: str | None) -> float | None:
    """A size such as 8GB or 500 MB in bytes."""
    from rocstar.checks import InputError

    if text is None:
        return None
    units = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
    number, unit = text.strip().upper().replace(" ", ""), 1.0
    for name, size in units.items():
        if number.endswith(name):
            number, unit = number.removesuffix(name), size
    try:
        return float(number) * unit
    except ValueError:
        raise InputError(f"--max-memory must be a size such as 8GB; got {text}.") from None


def _level(level: float) -> float:
    from rocstar.checks import fraction

    return fraction(level, "level")


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


@contextmanager
def _session(quiet: bool, first: str) -> Iterator[tuple[Stages, Any]]:
    """Progress on a terminal while the work lasts, and a way to tell remarks."""

    def tell(remark: str, always: bool = False) -> None:
        if always or not quiet:
            _say(remark)

    # Warnings of libraries are for programmers, and scikit-learn's own handling of them is not safe
    # between threads: it may warn of nothing.
    warnings.showwarning = lambda *_, **__: None
    with _progress(quiet, first) as progress:
        from rocstar.audits.judge import Stages

        yield Stages(progress), tell


@contextmanager
def _progress(quiet: bool, first: str) -> Iterator[Progress | None]:
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<16}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("left"),
    )
    with Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        speed_estimate_period=3600,  # one fit may take minutes
    ) as bar:
        task = bar.add_task(first, total=1.0)
        yield lambda stage, done: bar.update(task, description=stage.capitalize(), completed=done)


if __name__ == "__main__":
    main()
