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
    if model.targets_.task in (*CLASS_TASKS, HIERARCHICAL):
        return tuple(map(str, model.classes_.tolist()))
    named = getattr(model, "target_names_", None)
    n_names = len(model.targets_.block_sizes) or model.targets_.n_columns
    return tuple(named) if named else tuple(f"y{j}" for j in range(n_names))
