"""`slantwood report`: a model, and maybe a data file, as one page to read and to send."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slantwood.cli.console import say, say_written
from slantwood.cli.options import FileForm, Force, Jobs, ModelFile, argument, option, with_options
from slantwood.cli.results import check_result
from slantwood.cli.sources import data_path
from slantwood.report.ending import check_ending

_DATA = "A data file with the model's inputs and targets, of rows that it did not learn from."


@with_options
def report(
    *,
    model: ModelFile,
    data: Annotated[str | None, argument("DATA", _DATA)] = None,
    output: Annotated[Path, option("FILE", "Write to this HTML file.")] = Path("report.html"),
    targets: Annotated[
        str | None, option("COLUMNS", "Which columns hold the truth.", show_default="those of training")
    ] = None,
    form: FileForm,
    jobs: Jobs = None,
    force: Force = False,
) -> None:
    """Write a report on a model: one HTML file that needs no network.

    With DATA it says how good the model is, whether its probabilities are met, and explains five rows.
    """
    output = output.expanduser()
    try:
        check_ending(output)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--output") from error
    sources = [model] if data is None else [model, data_path(data)]
    check_result(output, *sources, force=force)

    from slantwood.cli import models
    from slantwood.cli.sources import data_for_model
    from slantwood.report import write_report

    forest = models.load(model, jobs)
    if data is None:
        say("No data is given: the report has what the model itself knows.")
        write_report(forest, output)
    else:
        found = data_for_model(forest, data, form, targets)
        write_report(forest, output, found.X, found.y)
    say_written(output)
