"""`slantwood train`: a data file to a model file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from slantwood.cli.config import Config, PrintConfig, options_as_toml
from slantwood.cli.console import bars, print_json, say, say_written
from slantwood.cli.options import Force, Json, flag, option, with_options
from slantwood.cli.results import check_result
from slantwood.cli.sources import check_exists, data_for_model, data_path, is_folder, training_rows
from slantwood.cli.training_options import Kind, TrainingOptions


@with_options
def train(
    context: typer.Context,
    training: TrainingOptions,
    model: Annotated[
        Path | None, option("FILE", "The model file to write.", show_default="DATA's name, .slant")
    ] = None,
    test: Annotated[str | None, option("DATA", "Score the model on this data file afterwards.")] = None,
    oob: Annotated[bool, flag("--oob", "Score each row by the trees that did not see it.")] = False,
    float16: Annotated[bool, flag("--float16", "Write weights in half precision: smaller files.")] = False,
    predict_only: Annotated[
        bool, flag("--predict-only", "Leave out what only further training needs.")
    ] = False,
    onnx: Annotated[Path | None, option("FILE", "Also write the model as ONNX.")] = None,
    force: Force = False,
    json: Json = False,
    config: Config = None,
    print_config: PrintConfig = False,
) -> None:
    """Learn from a data file and write a model file.

    DATA may be a folder of data files with the same columns; with --max-memory, they may be larger than
    memory. It may also be a settings file of CLUS (.s): options that have a counterpart are taken from it.
    """
    if print_config:
        typer.echo(options_as_toml(context))
        return
    path = training.path
    sources = [path] if test is None else [path, test]
    for source in sources:
        if source == test or not is_folder(source):
            check_exists(source)
    target = model.expanduser() if model is not None else _beside(path)
    onnx = None if onnx is None else onnx.expanduser()
    for file in (target, onnx):
        check_result(file, *map(data_path, sources), force=force)

    from slantwood.cli import models
    from slantwood.cli.fitted import training_document, training_summary
    from slantwood.cli.score_tables import print_scores
    from slantwood.cli.scores import rows_in_words, scores

    if onnx is not None and training.kind == Kind.label_trees:
        raise typer.BadParameter("label trees cannot be written as ONNX; leave it out", param_hint="--onnx")
    models.check_options(training, oob=oob)
    data = training_rows(training)
    estimator = models.new_model(training, data, oob=oob)
    started = time.perf_counter()
    with bars() as show:
        models.fit_with_progress(estimator, data, show)
    seconds = time.perf_counter() - started
    for sentence in training_summary(estimator, seconds):
        say(sentence)
    estimator.save(target, float16=float16, predict_only=predict_only)
    say_written(target)
    document: dict[str, Any] = {"model": str(target), "bytes": target.stat().st_size, "data": path}
    document |= training_document(estimator, seconds)
    if onnx is not None:
        from slantwood.export import to_onnx

        to_onnx(estimator, onnx)
        say_written(onnx)
    oob_score = getattr(estimator, "oob_score_", None)
    if oob_score is not None:
        document["oob_score"] = oob_score
    if test is not None:
        found = data_for_model(estimator, test, training.form)
        say(f"Testing on {test}: {rows_in_words(estimator, found.y, found.X.shape[0])}.")
        tested = scores(estimator, found.X, found.y)
        document["test"] = tested.together
    if json:
        print_json(document)
        return
    if oob_score is not None:
        say(f"Out-of-bag score: {oob_score:.4f}.")
    if test is not None:
        print_scores(tested)


def _beside(path: str) -> Path:
    """Return the name of the model where none is given: that of the data, in the current folder."""
    name = path.removeprefix("dataset:").split("/")[0] if path.startswith("dataset:") else Path(path).name
    return Path(f"{name.split('.')[0] or 'model'}.slant")
