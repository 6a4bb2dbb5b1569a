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
    from slantwood.cli.scores import rows_in_words, scores
    from slantwood.cli.sources import data_for_model
    from slantwood.evaluation.scores import scored_rows

    forest = models.load(model, jobs)
    found = data_for_model(forest, data, form, targets)
    task, n_rows = forest.targets_.task, found.X.shape[0]
    say(f"Task: {task}, {rows_in_words(forest, found.y, n_rows)}.")
    result = scores(forest, found.X, found.y, every=every)
    if not json:
        print_scores(result, per_target=per_target)
        return
    document = {"model": str(model), "data": data, "task": task, "rows": n_rows}
    document |= {"scored_rows": int(scored_rows(forest, found.y).sum()), **result.together}
    if result.positive is not None:
        document["positive_class"] = result.positive
    print_json(document | ({"per_target": result.each} if per_target else {}))
