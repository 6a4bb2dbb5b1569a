"""`slantwood cv`: how well models learned from most of a data file predict the rest of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slantwood.cli.config import Config, PrintConfig, options_as_toml
from slantwood.cli.console import bars, print_json, print_table, say
from slantwood.cli.options import AllMeasures, Json, number, with_options
from slantwood.cli.sources import training_data
from slantwood.cli.training_options import TrainingOptions
from slantwood.hints import pluralize
from slantwood.task_names import NUMBER_TASKS, SEVERAL_TASKS

if TYPE_CHECKING:
    from slantwood.data.table import Data


@with_options
def cv(
    context: typer.Context,
    training: TrainingOptions,
    folds: Annotated[int, number("Number of folds.", 2)] = 10,
    every: AllMeasures = False,
    json: Json = False,
    config: Config = None,
    print_config: PrintConfig = False,
) -> None:
    """Cross-validate on a data file.

    Each part is predicted by a model of the others; every class of one target, and every label, has its share
    in each part.
    """
    if print_config:
        typer.echo(options_as_toml(context))
        return

    from slantwood.cli import models
    from slantwood.cli.score_tables import mean_and_deviation
    from slantwood.evaluation.measure_names import measure_name

    models.check_options(training)
    data = training_data(training)
    started = time.perf_counter()
    by_fold = list(_scores_by_fold(training, data, folds, every))
    seconds = time.perf_counter() - started
    say(f"{pluralize(folds, 'fold')} in {seconds:.1f} s.")
    # A model that never saw a rare class may know two where others know three, which have other measures.
    shared = [name for name in by_fold[0] if all(name in one for one in by_fold)]
    summary = {name: mean_and_deviation([one[name] for one in by_fold]) for name in shared}
    if not json:
        rows = [[measure_name(name), mean, deviation] for name, (mean, deviation) in summary.items()]
        print_table(["measure", "mean", "deviation"], rows)
        return
    document = {"data": training.data, "task": data.task, "rows": data.X.shape[0], "folds": folds}
    document |= {"seconds": seconds, "mean": {name: mean for name, (mean, _) in summary.items()}}
    document["deviation"] = {name: deviation for name, (_, deviation) in summary.items()}
    print_json(document | {"by_fold": by_fold})


def _scores_by_fold(
    training: TrainingOptions, data: Data, n_folds: int, every: bool
) -> Iterator[dict[str, float]]:
    from slantwood.cli import models
    from slantwood.cli.scores import scores
    from slantwood.data.table import rows_of

    with bars() as show:
        for number, (learn, test) in enumerate(_folds(data, n_folds, training.seed)):
            show("folds", number, n_folds)
            part = replace(
                data,
                X=rows_of(data.X, learn),
                y=rows_of(data.y, learn),
                weights=None if data.weights is None else data.weights[learn],
                keys=None,
            )
            model = models.fit_with_progress(models.new_model(training, data), part, show)
            found = scores(model, rows_of(data.X, test), rows_of(data.y, test), every=every)
            yield found.together
        show("folds", n_folds, n_folds)


def _folds(data: Data, n_folds: int, seed: int) -> Iterator[tuple[Any, Any]]:
    import numpy as np
    from sklearn.model_selection import KFold

    from slantwood.model_selection import LabelStratifiedKFold

    n_rows = data.X.shape[0]
    if n_folds > n_rows:
        raise typer.BadParameter(
            f"{n_folds} is more than the {n_rows} rows of the data", param_hint="--folds"
        )
    if data.task in (*NUMBER_TASKS, *SEVERAL_TASKS):
        folds: Any = KFold(n_folds, shuffle=True, random_state=seed)
    else:
        folds = LabelStratifiedKFold(n_folds, hierarchy=data.hierarchy, shuffle=True, random_state=seed)
    return folds.split(np.empty(n_rows), data.y)
