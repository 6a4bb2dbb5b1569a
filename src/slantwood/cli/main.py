"""Entry point of the `slantwood` command: global options, subcommands, and how errors are told.

Only typer is loaded here. What a subcommand computes with is imported when it runs, so that help and
version appear at once.
"""

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from slantwood import __version__
from slantwood.cli.demo import demo


class _OneLineErrors(TyperGroup):
    """A command group that ends every error in one line on stderr and exit code 1."""

    shows_tracebacks = False

    def invoke(self, ctx: Any) -> Any:
        self.shows_tracebacks = ctx.params["debug"]
        return super().invoke(ctx)

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            # An exit code where the command asked for one (130 after Ctrl-C), else None.
            code = super().main(*args, **(extra | {"standalone_mode": False}))
        except Exception as error:
            if self.shows_tracebacks:
                raise
            typer.echo(f"slantwood: {_in_one_line(error)}", err=True)
            code = 1
        sys.exit(code)


def _in_one_line(error: Exception) -> str:
    if hasattr(error, "format_message"):  # wrong usage, which typer has put in words
        message = error.format_message()
    else:
        message = f"{type(error).__name__}: {error} (slantwood --debug shows the traceback)"
    return " ".join(message.split())


app = typer.Typer(
    cls=_OneLineErrors,
    add_completion=False,
    # Boxes around the help would cost more time than everything else in it.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
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


app.command()(demo)


def main() -> None:
    """Run the command line."""
    app(prog_name="slantwood")


if __name__ == "__main__":
    main()
