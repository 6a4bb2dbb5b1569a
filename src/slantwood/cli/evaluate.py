"""`slantwood evaluate`: how well a model predicts a data file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slantwood.cli.console import print_json, say
from slantwood.cli.options import Encoding, FileForm, Format, Header, IndexBaseOption, Jobs, Json
from slantwood.hints import pluralize


def evaluate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", show_default=False, help="A model file.")],
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", show_default=False, help="A data file with the model's inputs and targets."
        ),
    ],
    targets: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS", help="Which columns hold the truth.", show_default="those of training"
        ),
    ] = None,
    per_target: Annotated[
        bool, typer.Option("--per-target", help="Also score each class, label or target.")
    ] = False,
    json: Json = False,
    format: Format = None,
    header: Header = None,
    encoding: Encoding = None,
    index_base: IndexBaseOption = None,
    jobs: Jobs = None,
) -> None:
    """Score the predictions of a model on a data file."""
    from slantwood.cli import models
    from slantwood.cli.score_tables import print_scores
    from slantwood.cli.scores import scores
    from slantwood.cli.sources import data_for_model

    forest = models.load(model)
    models.use_threads(forest, jobs)
    form = FileForm(format, header, encoding, index_base)
    found = data_for_model(forest, data, form, targets)
    task = forest.targets_.task
    say(f"Task: {task}, {pluralize(found.X.shape[0], 'row')}.")
    result = scores(forest, found.X, found.y)
    if not json:
        print_scores(result, per_target=per_target)
        return
    document = {"model": str(model), "data": data, "task": task, "rows": found.X.shape[0], **result.together}
    if result.positive is not None:
        document["positive_class"] = result.positive
    print_json(document | ({"per_target": result.each} if per_target else {}))
