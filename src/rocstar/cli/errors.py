"""Each failure as one sentence on standard error, with the exit code that goes with it."""

from __future__ import annotations

import os
import sys

from rocstar.cli.vocabulary import in_options

FAILURE, BAD_INPUT, INTERRUPTED, TERMINATED = 1, 2, 130, 143
# Limits that pipelines set: what was asked is done, and its answer is beyond a limit.
DIFFERENT, TOO_LOW, HEADROOM, LEAK = 3, 4, 5, 6
EXIT_CODES = {
    0: "done",
    FAILURE: "failure",
    BAD_INPUT: "bad input",
    DIFFERENT: "a difference above a limit (compare --fail-above) or an alarm (watch)",
    TOO_LOW: "best AUC or balanced accuracy below a limit (audit --fail-below)",
    HEADROOM: "headroom above a limit (audit --fail-headroom)",
    LEAK: "a leak (audit --fail-on leak)",
    INTERRUPTED: "interrupted",
    TERMINATED: "terminated",
}
EXTRA = ("jinja2", "narwhals", "pandas", "pyarrow", "rich", "skops", "skrub", "typer")


class Terminated(BaseException):
    """A request to end, as schedulers make it; like an interruption, no error of the work."""


STOPS = (KeyboardInterrupt, Terminated)


class Stopped(Exception):
    """The end of a command by a signal, which says what was written until then."""

    def __init__(self, by: BaseException, written: str = "nothing was written") -> None:
        asked = isinstance(by, Terminated)
        super().__init__(f"{'Terminated' if asked else 'Interrupted'}; {written}.")
        self.code = TERMINATED if asked else INTERRUPTED


def report_error(error: BaseException) -> int:
    """Print what went wrong, and return the exit code."""
    if os.environ.get("ROCSTAR_TRACEBACK"):
        raise error
    code, message = sentence(error)
    say(message)
    return code


def sentence(error: BaseException) -> tuple[int, str]:
    """Exit code and message of an error, in the words of the command line."""
    if hasattr(error, "format_message"):  # a usage error of typer
        message = in_options(error.format_message()).rstrip(".")
        return BAD_INPUT, f"{message}. See rocstar --help."
    if isinstance(error, STOPS) or type(error).__name__ == "Abort":
        error = Stopped(error)
    if isinstance(error, Stopped):
        return error.code, str(error)
    if isinstance(error, ImportError):
        missing = (error.name or "").split(".")[0]
        known = f"{missing} is missing: pip install 'rocstar[cli]'."
        return FAILURE, known if missing in EXTRA else str(error)
    if isinstance(error, ValueError):
        return BAD_INPUT, in_options(str(error))
    if isinstance(error, MemoryError):
        return FAILURE, "Memory ran out; take fewer rows or columns, or use --fast."
    told = f"Unexpected failure: {type(error).__name__}: {error}"
    return FAILURE, f"{told} (set ROCSTAR_TRACEBACK=1 to see where)."


def say(message: str) -> None:
    """Print one line on standard error."""
    print(" ".join(message.split()), file=sys.stderr)
