"""`slantwood train`: a data file to a model file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slantwood.cli import config as config_file
from slantwood.cli.config import Config, PrintConfig
from slantwood.cli.console import bars, format_bytes, print_json, say
from slantwood.cli.options import Force, Json
from slantwood.cli.results import check_result
from slantwood.cli.sources import check_exists, data_path, training_data
from slantwood.cli.training_options import TrainingOptions, with_training_options
from slantwood.hints import pluralize

if TYPE_CHECKING:
    from slantwood.cli.scores import Scores


@with_training_options
def train(
    context: typer.Context,
    training: TrainingOptions,
    model: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The model file to write.", show_default="DATA's name, .slant"),
    ] = None,
    test: Annotated[
        str | None, typer.Option(metavar="DATA", help="Score the model on this data file afterwards.")
    ] = None,
    oob: Annotated[
        bool, typer.Option("--oob", help="Score each row by the trees that did not see it.")
    ] = False,
    float16: Annotated[
        bool, typer.Option("--float16", help="Write weights in half precision: smaller files.")
    ] = False,
    predict_only: Annotated[
        bool, typer.Option("--predict-only", help="Leave out what only further training needs.")
    ] = False,
    onnx: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the model as ONNX.")] = None,
    force: Force = False,
    json: Json = False,
    config: Config = None,
    print_config: PrintConfig = False,
) -> None:
    """Learn from a data file and write a model file.

    DATA may also be a settings file of CLUS (.s): options that have a counterpart are taken from it.
    """
    if print_config:
        typer.echo(config_file.options_as_toml(context))
        return
    path = _needed(training.data)
    for source in (path, test):
        if source is not None:
            check_exists(source)
    target = model.expanduser() if model is not None else _beside(path)
    onnx = None if onnx is None else onnx.expanduser()
    for file in (target, onnx):
        check_result(file, data_path(path), *([] if test is None else [data_path(test)]), force=force)

    from slantwood.cli import models
    from slantwood.cli.describe import describe_settings, describe_split

    data = training_data(training, path)
    estimator = models.new_model(training, data, oob=oob)
    started = time.perf_counter()
    with bars() as show:
        models.fit_with_progress(estimator, data, show)
    seconds = time.perf_counter() - started
    chosen = {name: value for name, value in estimator.settings_.to_dict().items() if name != "split"}
    say(f"Settings: {describe_settings(chosen)}.")
    say(f"Split: {describe_split(estimator.settings_)}.")
    say(f"Trained {pluralize(estimator.trees_.n_trees, 'tree')} in {seconds:.1f} s.")
    estimator.save(target, float16=float16, predict_only=predict_only)
    size = target.stat().st_size
    say(f"Wrote {target} ({format_bytes(size)}).")
    if onnx is not None:
        _export(estimator, onnx)
    tested = _tested(estimator, test, training) if test is not None else None
    _report(json, estimator, path, target, size, seconds, tested)


def _needed(path: str | None) -> str:
    if path is None:
        raise typer.BadParameter("give a data file", param_hint="DATA")
    return path


def _beside(path: str) -> Path:
    """Return the name of the model where none is given: that of the data, in the current folder."""
    name = path.removeprefix("dataset:").split("/")[0] if path.startswith("dataset:") else Path(path).name
    return Path(f"{name.split('.')[0] or 'model'}.slant")


def _export(estimator: Any, path: Path) -> None:
    from slantwood.export import to_onnx

    to_onnx(estimator, path)
    say(f"Wrote {path} ({format_bytes(path.stat().st_size)}).")


def _tested(estimator: Any, path: str, training: TrainingOptions) -> Scores:
    from slantwood.cli.scores import scores
    from slantwood.cli.sources import data_for_model

    found = data_for_model(estimator, path, training.file_form)
    say(f"Testing on {path}: {pluralize(found.X.shape[0], 'row')}.")
    return scores(estimator, found.X, found.y)


def _report(
    as_json: bool,
    estimator: Any,
    data: str,
    file: Path,
    size: int,
    seconds: float,
    tested: Scores | None,
) -> None:
    from slantwood.cli.inspect_model import settings_as_json
    from slantwood.cli.score_tables import print_scores

    oob = getattr(estimator, "oob_score_", None)
    if as_json:
        document = {
            "model": str(file),
            "bytes": size,
            "data": data,
            "task": estimator.targets_.task,
            "trees": estimator.trees_.n_trees,
            "seconds": seconds,
            "settings": settings_as_json(estimator.settings_),
        }
        if oob is not None:
            document["oob_score"] = oob
        if tested is not None:
            document["test"] = tested.together
        print_json(document)
        return
    if oob is not None:
        say(f"Out-of-bag score: {oob:.4f}.")
    if tested is not None:
        print_scores(tested)
