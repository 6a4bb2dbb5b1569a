"""`slantwood evaluate`: how well a model predicts a data file."""

from __future__ import annotations

from typing import Annotated

from slantwood.cli.console import print_json, say
from slantwood.cli.options import (
    AllMeasures,
    FileForm,
    Jobs,
    Json,
    ModelFile,
    argument,
    flag,
    option,
    with_options,
)
from slantwood.hints import pluralize


@with_options
def evaluate(
    *,
    model: ModelFile,
    data: Annotated[str, argument("DATA", "A data file with the model's inputs and targets.")],
    targets: Annotated[
        str | None, option("COLUMNS", "Which columns hold the truth.", show_default="those of training")
    ] = None,
    per_target: Annotated[bool, flag("--per-target", "Also score each class, label or target.")] = False,
    every: AllMeasures = False,
    json: Json = False,
    form: FileForm,
    jobs: Jobs = None,
) -> None:
    """Score the predictions of a model on a data file."""
    from slantwood.cli import models
    from slantwood.cli.score_tables import print_scores
    from slantwood.cli.scores import scores
    from slantwood.cli.sources import data_for_model

    forest = models.load(model, jobs)
    found = data_for_model(forest, data, form, targets)
    task, n_rows = forest.targets_.task, found.X.shape[0]
    say(f"Task: {task}, {pluralize(n_rows, 'row')}.")
    result = scores(forest, found.X, found.y, every=every)
    if not json:
        print_scores(result, per_target=per_target)
        return
    document = {"model": str(model), "data": data, "task": task, "rows": n_rows, **result.together}
    if result.positive is not None:
        document["positive_class"] = result.positive
    print_json(document | ({"per_target": result.each} if per_target else {}))
