"""The command line: parse, call, print. No numerics here.

Results go to standard output, everything else to standard error; `errors` lists the exit codes.
Heavy modules are imported inside the commands, so that ``rocstar --help`` is quick.
"""

from __future__ import annotations

from typing import Annotated

try:
    import typer
except ImportError:  # pragma: no cover - needs an environment without the extra
    raise SystemExit("The command line needs more: pip install 'rocstar[cli]'.") from None

from rocstar.cli import audit, compare, fit, score, watch
from rocstar.cli.errors import EXIT_CODES, INTERRUPTED, STOPS, report_error
from rocstar.cli.process import ends_in_order, prepare_process

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="How good could any classifier be, and how far is yours from the best?",
    epilog="Start with [bold]rocstar audit[/bold]: without a file it audits an example. Exit "
    f"codes: {'; '.join(f'{code} {meaning}' for code, meaning in EXIT_CODES.items())}.",
)
for command in (audit.audit, compare.compare, fit.fit, score.score, watch.watch):
    app.command()(command)


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
    prepare_process()
    try:
        with ends_in_order():
            code = app(standalone_mode=False)
        if code == INTERRUPTED:  # newer versions of typer do not raise
            raise KeyboardInterrupt
    except (Exception, *STOPS) as error:
        code = report_error(error)
        # An interruption inside a text that Python executes, as dataclasses do, is taken by
        # ``python -m`` as unhandled, even after we handled it: the process would die by the signal
        # instead of its exit code. The next such text clears that mark.
        exec("pass")
    raise SystemExit(code if isinstance(code, int) else 0)
