"""What a fitted model calls its inputs and its outputs."""

from typing import Any

from slantwood.task_names import CLASS_TASKS, HIERARCHICAL


def input_names(model: Any) -> tuple[str, ...] | None:
    """Return the names of the columns that a model learned from, where it knows them."""
    names = getattr(model, "input_names_", None)
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    return None if names is None else tuple(map(str, names))


def output_names(model: Any) -> tuple[str, ...]:
    """Return the names of the columns of the scores, of classes, labels or numbers; or of several targets."""
    targets = model.targets_
    if targets.task in (*CLASS_TASKS, HIERARCHICAL) or getattr(targets, "names", None) is not None:
        return tuple(map(str, model.classes_.tolist()))
    # Of labels too, in files of models that knew their names as those of columns only.
    named = getattr(model, "target_names_", None)
    n_names = len(targets.block_sizes) or targets.n_columns
    return tuple(named) if named else tuple(f"y{j}" for j in range(n_names))


def target_columns(model: Any) -> tuple[str, ...]:
    """Return the names of the columns of a file that hold what a model predicts, where it knows them."""
    if model.targets_.task == "multi-label" and model.targets_.names is not None:
        return output_names(model)  # of label sets too: files have a column for each label
    return tuple(getattr(model, "target_names_", None) or ())
