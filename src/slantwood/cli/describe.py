"""What is said about data and tasks: plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slantwood.cli.training_options import TrainingOptions
from slantwood.hints import listed, pluralize
from slantwood.task_names import SEVERAL_TASKS

if TYPE_CHECKING:
    from slantwood.data.table import Data


def describe_data(data: Data) -> str:
    """Say how much there is, and in which form."""
    import numpy as np
    import scipy.sparse as sp

    from slantwood.data.table import is_frame

    n_rows, n_features = data.X.shape
    n_cells = max(n_rows * n_features, 1)
    if is_frame(data.X):
        form = f"{sum(dtype.name == 'category' for dtype in data.X.dtypes):,} of them nominal"
        n_missing = data.X.isna().to_numpy().sum()
    elif sp.issparse(data.X):
        form, n_missing = f"sparse, {_share(data.X.nnz / n_cells)} non-zero", np.isnan(data.X.data).sum()
    else:
        form, n_missing = "dense", np.isnan(data.X).sum()
    missing = f"; {_share(n_missing / n_cells)} of the values are missing" if n_missing else ""
    weights = "; rows have weights" if data.weights is not None else ""
    return f"{pluralize(n_rows, 'row')}, {pluralize(n_features, 'feature')} ({form}){missing}{weights}"


def reason_for_task(data: Data, options: TrainingOptions) -> str:
    """Say why the targets pose their task, and how to say otherwise."""
    from slantwood.data.table import known_values

    names, task = data.target_names, data.task
    if options.task is not None:
        return f"as --task {options.task} says"
    if task == "hierarchical multi-label":
        return f"the file has a hierarchy of {pluralize(len(names), 'label')}"
    if task == "multi-label":
        return f"{len(names):,} targets hold 0 and 1 only; --task regression if these are numbers"
    if task == "multi-target regression":
        return f"{len(names):,} targets hold numbers"
    if task in SEVERAL_TASKS:
        numbers = [name for name in names if data.y[name].dtype.kind == "f"]
        classes = [name for name in names if name not in numbers]
        also = f", and {listed(numbers)} numbers" if numbers else ""
        return f"{listed(classes)} have classes of their own{also}; --nominal or --task if not so"
    holds = f"target {names[0]!r} holds"
    if task == "regression":
        return f"{holds} numbers; --task classification if they are classes"
    classes = sorted(known_values(data.y))
    shown = f"{pluralize(len(classes), 'class', 'classes')} {listed(classes)}"
    if data.y.dtype.kind in "iuf":
        return f"{holds} {shown}; --task regression if they are numbers"
    return f"{holds} text: {shown}"


def _share(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"
