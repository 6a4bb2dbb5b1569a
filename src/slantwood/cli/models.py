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
from slantwood.cli.training_options import AUTO_SPLIT, Kind, TrainingOptions
from slantwood.data.scans.scan import Scan
from slantwood.estimators.label_tree import check_label_tree_parameters
from slantwood.estimators.validation import check_parameters, check_preset
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
    "max_memory",
)


# Estimators by kind, without the end that the task gives them.
_CLASSES = {
    Kind.forest: "ObliqueForest",
    Kind.tree: "ObliqueTree",
    Kind.boosting: "ObliqueBoosting",
    Kind.label_trees: "LabelTree",
}

# What to do in place of options that a kind of model does not have.
_LIMITS = "--max-depth, --min-samples-leaf and --max-leaf-nodes limit its trees"
_INSTEAD = {
    (Kind.tree, "trees"): "it grows one tree; --kind forest has it",
    (Kind.tree, "jobs"): "it grows one tree, on one thread; --kind forest has it",
    (Kind.tree, "oob_score"): "it grows one tree of all rows; --kind forest has it",
    (Kind.tree, "max_samples"): "it sees all rows; --kind forest has it",
    (
        Kind.boosting,
        "oob_score",
    ): "--test, or slantwood cv, scores rows that no tree saw",
    (Kind.boosting, "max_samples"): "--set subsample=0.5 gives the share of the rows that a tree sees",
    (Kind.tree, "max_memory"): "it needs all rows; --kind forest has it",
    (Kind.boosting, "max_memory"): "it needs all rows; --kind forest has it",
    (Kind.boosting, "preset"): "--trees and --set learning_rate=0.05 say how much time it takes",
    (Kind.boosting, "ftest"): _LIMITS,
    (Kind.boosting, "ccp_alpha"): _LIMITS,
    (Kind.label_trees, "oob_score"): "--test, or slantwood cv, scores rows that it did not see",
    (Kind.label_trees, "preset"): "--set max_leaf_labels=100 and --set n_forest_trees=0 take less time",
    (Kind.label_trees, "min_samples_split"): "--set forest_min_samples_split=20 is for the forest beside it",
}
_OF_FORESTS = "its trees divide labels, with linear classifiers; --kind forest has it"


def check_options(options: TrainingOptions, *, oob: bool = False) -> None:
    """Refuse options before data are read: those that the kind of model has for no task, and wrong values."""
    if options.kind == Kind.label_trees:
        _check_no_splits(options)
    tasks = {
        None: ("Classifier", "Regressor"),
        "classification": ("Classifier",),
        "regression": ("Regressor",),
    }
    of_tasks = ("Classifier",) if options.kind == Kind.label_trees else tasks[options.task]
    refusals: list[typer.BadParameter] = []
    for of_task in of_tasks:
        try:
            _make_model(options, of_task, None, oob)
        except typer.BadParameter as refusal:
            refusals.append(refusal)
    if len(refusals) == len(of_tasks):
        raise refusals[0]


def new_model(options: TrainingOptions, data: Data | Scan, *, oob: bool = False) -> Any:
    """Make the estimator that the options ask for."""
    of_task = "Regressor" if data.task in NUMBER_TASKS else "Classifier"
    if options.kind == Kind.label_trees:
        _check_no_splits(options)
        if data.task != "multi-label":
            raise typer.BadParameter(
                f"{options.kind} is for rows with labels, and the task is {data.task}; "
                "--kind forest is for it",
                param_hint="--kind",
            )
    return _make_model(options, of_task, data.hierarchy, oob)


def _make_model(options: TrainingOptions, of_task: str, hierarchy: Any, oob: bool) -> Any:
    """Make the estimator of a kind of task, and check its parameters."""
    make = getattr(slantwood, f"{_CLASSES[options.kind]}{of_task}")
    said = {name: getattr(options, name) for name in _SAME_NAME}
    said |= {"hierarchy": hierarchy, "oob_score": oob or None}
    said["preset"] = None if options.preset == "default" else str(options.preset)
    given: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    _check_options(options, given, make)
    if "max_features" in given:
        given["max_features"] = parse_value(given["max_features"])
    given |= {} if options.kind == Kind.label_trees else {"split": _split(options)}
    if options.kind != Kind.tree:
        given["n_jobs"] = options.jobs or -1
        given |= {} if options.trees is None else {"n_estimators": options.trees}
    given["random_state"] = options.seed
    model = make(**given | _parameters("--set", options.parameters, make))
    check = check_label_tree_parameters if is_label_trees(model) else check_parameters
    try:
        check(model.get_params(deep=False))
        if options.kind == Kind.tree:
            check_preset(model.preset, is_single_tree=True)
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(str(error)) from error
    return model


def _split(options: TrainingOptions) -> Any:
    split: Any = str(options.split)
    if options.split_parameters:
        learner = split_class("gradient" if split == "auto" else split)
        parameters = _parameters("--split-set", options.split_parameters, learner)
        try:
            split = learner(**parameters)
        except (TypeError, ValueError) as error:
            raise typer.BadParameter(str(error), param_hint="--split-set") from error
    return split


def _check_no_splits(options: TrainingOptions) -> None:
    """Refuse how splits of trees of rows are learned, which label trees do not have."""
    for name, said in (("--split", options.split != AUTO_SPLIT), ("--split-set", options.split_parameters)):
        if said:
            raise typer.BadParameter(
                f"--kind {options.kind} does not have it: {_OF_FORESTS}", param_hint=name
            )


def _check_options(options: TrainingOptions, given: Iterable[str], make: Any) -> None:
    """Refuse options that this kind of model does not have."""
    kind = options.kind
    unknown = [name for name in given if name not in (*inspect.signature(make).parameters, "hierarchy")]
    # Trees and jobs are parameters of other names.
    if kind == Kind.tree:
        unknown += [name for name in ("trees", "jobs") if getattr(options, name) is not None]
    for name in unknown:
        option = "--oob" if name == "oob_score" else f"--{name.replace('_', '-')}"
        instead = _INSTEAD.get((kind, name), _OF_FORESTS)
        raise typer.BadParameter(f"--kind {kind} does not have it: {instead}", param_hint=option)


def fit_with_progress(model: Any, data: Data | Scan, show: Show) -> Any:
    """Fit, and show each tree, each round of boosting, or each step of label trees."""
    name = f"{model.stage}s"
    # Before the first tree is there settings are chosen, or labels divided, which may take a while.
    show(name, 0, None if is_label_trees(model) else getattr(model, "n_estimators", 1))
    names = {"feature_names": tuple(data.feature_names), "target_names": tuple(data.target_names)}
    model.set_callbacks(_EachTree(partial(show, name)))
    try:
        if isinstance(data, Scan):
            return model.fit(data)  # which has names and targets
        return model.fit(data.X, data.y, sample_weight=data.weights, **names)
    finally:
        model.set_callbacks()


def is_label_trees(model: Any) -> bool:
    """Tell label trees from models of oblique trees alone."""
    return isinstance(model, slantwood.LabelTreeClassifier)


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
