"""Entry point of the `slantwood` command: global options, subcommands, and how errors are reported.

Only typer is loaded here. What a subcommand computes with is imported when it runs, so that help and
version appear at once.
"""

import os
import sys
import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from slantwood import __version__
from slantwood.cli import interrupts
from slantwood.cli.convert import convert
from slantwood.cli.cv import cv
from slantwood.cli.datasets import datasets
from slantwood.cli.demo import demo
from slantwood.cli.evaluate import evaluate
from slantwood.cli.inspect_model import inspect
from slantwood.cli.plan import plan
from slantwood.cli.predict import predict
from slantwood.cli.report import report
from slantwood.cli.train import train
from slantwood.hints import printable

# Other packages add commands by entry points of this group. Each names a function as typer takes it.
_PLUGINS = "slantwood.commands"


class _Commands(TyperGroup):
    """A command group that other packages may add to, and that ends every error in one line on stderr.

    Exit codes: 1 for data and models that are not right, 2 for wrong usage, 130 after Ctrl-C.
    """

    shows_tracebacks = False

    def list_commands(self, ctx: Any) -> list[str]:
        self._add_plugins()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # Plugins are looked for only where they may be meant: that takes time.
        if cmd_name not in self.commands:
            self._add_plugins()
        return super().get_command(ctx, cmd_name)

    def _add_plugins(self) -> None:
        from importlib.metadata import entry_points

        for plugin in entry_points(group=_PLUGINS):
            if plugin.name not in self.commands:
                alone = typer.Typer(add_completion=False, rich_markup_mode=None)
                alone.command(plugin.name)(plugin.load())
                self.commands[plugin.name] = typer.main.get_command(alone)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        # Also where it stands behind the command.
        own = args[: args.index("--")] if "--" in args else args
        if "--debug" in own:
            args = ["--debug", *(word for word in own if word != "--debug"), *args[len(own) :]]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        self.shows_tracebacks = ctx.params["debug"]
        return super().invoke(ctx)

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            # An exit code where the command asked for one (130 after Ctrl-C), else None.
            code = super().main(*args, **(extra | {"standalone_mode": False}))
            if interrupts.any_received():  # and lost, as in a destructor
                code = _INTERRUPTED
        except Exception as error:
            if interrupts.any_received():
                sys.exit(_INTERRUPTED)
            if self.shows_tracebacks:
                raise
            typer.echo(f"slantwood: {_in_one_line(error)}", err=True)
            code = getattr(error, "exit_code", 1)
        sys.exit(code)


_INTERRUPTED = 130

# Errors that say themselves what is wrong with a file, a value, or the installation.
_TELLING = (ValueError, OSError, ImportError)


def _in_one_line(error: Exception) -> str:
    if hasattr(error, "format_message"):  # wrong usage, which typer has put in words
        message = error.format_message()
    elif isinstance(error, OSError) and error.strerror:
        message = error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    elif isinstance(error, UnicodeEncodeError):
        message = f"{error.object[error.start]!r} cannot be written in {error.encoding}; set PYTHONUTF8=1"
    elif isinstance(error, _TELLING):
        message = str(error)
    else:
        message = f"{type(error).__name__}: {error} (slantwood --debug shows the traceback)"
    return printable(" ".join(message.split()))


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    # Boxes around the help would cost more time than everything else in it.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Oblique predictive clustering trees: one learner for classes, label sets and numbers."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for _command in (train, predict, evaluate, cv, inspect, report, datasets, convert, demo, plan):
    app.command()(_command)


def _warn_in_one_line(message: Warning | str, *where: Any, **more: Any) -> None:
    typer.echo(f"slantwood: warning: {printable(' '.join(str(message).split()))}", err=True)


def main() -> None:
    """Run the command line."""
    warnings.showwarning = _warn_in_one_line
    interrupts.remember()
    try:
        app(prog_name="slantwood")
    except SystemExit as end:
        if end.code == _INTERRUPTED:
            # At once: threads may be in the middle of a tree, and Python itself may end otherwise.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(_INTERRUPTED)
        raise


if __name__ == "__main__":
    main()
