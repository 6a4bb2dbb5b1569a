"""Models as commands need them: made from options, fitted with a bar, and asked what they predict."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

import slantwood
from slantwood.callbacks import Callback
from slantwood.cli import interrupts
from slantwood.cli.console import Show
from slantwood.cli.toml import parse_pair, parse_value
from slantwood.cli.training_options import Kind, TrainingOptions
from slantwood.hints import did_you_mean
from slantwood.split_names import split_class
from slantwood.task_names import NUMBER_TASKS

if TYPE_CHECKING:
    from slantwood.data.table import Data


# Options that are called as the parameter that they give.
_SAME_NAME = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "max_leaf_nodes",
    "ftest",
    "ccp_alpha",
    "max_features",
    "max_samples",
)


# What to do in place of options that a kind of model does not have.
_LIMITS = "--max-depth, --min-samples-leaf and --max-leaf-nodes limit its trees"
_INSTEAD = {
    (Kind.tree, "oob_score"): "it grows one tree of all rows; --kind forest has it",
    (Kind.tree, "max_samples"): "it sees all rows; --kind forest has it",
    (
        Kind.boosting,
        "oob_score",
    ): "--test, or slantwood cv, scores rows that no tree saw",
    (Kind.boosting, "max_samples"): "--set subsample=0.5 gives the share of the rows that a tree sees",
    (Kind.boosting, "preset"): "--trees and --set learning_rate=0.05 say how much time it takes",
    (Kind.boosting, "ftest"): _LIMITS,
    (Kind.boosting, "ccp_alpha"): _LIMITS,
}


def new_model(options: TrainingOptions, data: Data, *, oob: bool = False) -> Any:
    """Make the estimator that the options ask for."""
    of_task = "Regressor" if data.task in NUMBER_TASKS else "Classifier"
    make = getattr(slantwood, f"Oblique{options.kind.capitalize()}{of_task}")
    said = {name: getattr(options, name) for name in _SAME_NAME}
    said |= {"hierarchy": data.hierarchy, "oob_score": oob or None}
    said["preset"] = None if options.preset == "default" else str(options.preset)
    given: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    _check_options(options.kind, given, make)
    if "max_features" in given:
        given["max_features"] = parse_value(given["max_features"])
    split: Any = str(options.split)
    if options.split_parameters:
        learner = split_class("gradient" if split == "auto" else split)
        split = learner(**_parameters("--split-set", options.split_parameters, learner))
    if options.kind != Kind.tree:
        given["n_jobs"] = options.jobs or -1
        given |= {} if options.trees is None else {"n_estimators": options.trees}
    given |= {"split": split, "random_state": options.seed}
    return make(**given | _parameters("--set", options.parameters, make))


def _check_options(kind: Kind, given: Iterable[str], make: Any) -> None:
    """Refuse options that this kind of model does not have."""
    for name in given:
        if name in inspect.signature(make).parameters or name == "hierarchy":
            continue
        option = "--oob" if name == "oob_score" else f"--{name.replace('_', '-')}"
        raise typer.BadParameter(f"--kind {kind} does not have it: {_INSTEAD[kind, name]}", param_hint=option)


def fit_with_progress(model: Any, data: Data, show: Show) -> Any:
    """Fit, and show each tree, or each round of boosting."""
    name = f"{model.stage}s"
    # Before the first tree is there settings are chosen, which may take a while.
    show(name, 0, getattr(model, "n_estimators", 1))
    names = {"feature_names": tuple(data.feature_names), "target_names": tuple(data.target_names)}
    model.set_callbacks(_EachTree(partial(show, name)))
    try:
        return model.fit(data.X, data.y, sample_weight=data.weights, **names)
    finally:
        model.set_callbacks()


class _EachTree(Callback):
    def __init__(self, show: Callable[[int, int], None]) -> None:
        self._show = show

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        if interrupts.any_received():
            raise KeyboardInterrupt
        if context.task_name == estimator.stage:
            self._show(context.task_id + 1, context.parent.max_subtasks)
        return False


def load(path: Any, jobs: int | None) -> Any:
    """Load a model that predicts on so many threads, or all; single trees have one."""
    model = slantwood.load_model(path)
    return model.set_params(n_jobs=jobs or -1) if "n_jobs" in model.get_params(deep=False) else model


def _parameters(option: str, pairs: Iterable[str] | None, make: Any) -> dict[str, Any]:
    known = list(inspect.signature(make).parameters)
    given = {}
    for pair in pairs or ():
        try:
            name, value = parse_pair(pair)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint=option) from error
        if name not in known:
            from slantwood.estimators.parameter_names import parameter_hint

            of_split = did_you_mean(name, known, f"expected one of {', '.join(known)}")
            hint = parameter_hint(name, known) if option == "--set" else of_split
            raise typer.BadParameter(f"{make.__name__} has no {name!r}; {hint}", param_hint=option)
        given[name] = value
    return given
