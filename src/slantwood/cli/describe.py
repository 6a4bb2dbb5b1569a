"""What is said about data, tasks and models: plain sentences."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from slantwood.cli.training_options import TrainingOptions
from slantwood.hints import listed, pluralize

if TYPE_CHECKING:
    from slantwood.data.table import Data


def describe_data(data: Data) -> str:
    """Say how much there is, and in which form."""
    import numpy as np
    import scipy.sparse as sp

    from slantwood.data.table import is_frame

    n_rows, n_features = data.X.shape
    if is_frame(data.X):
        n_nominal = sum(dtype.name == "category" for dtype in data.X.dtypes)
        form = f"{n_nominal:,} of them nominal"
        missing = float(data.X.isna().to_numpy().mean())
    elif sp.issparse(data.X):
        form = f"sparse, {_share(data.X.nnz / max(n_rows * n_features, 1))} non-zero"
        missing = float(np.isnan(data.X.data).sum()) / max(n_rows * n_features, 1)
    else:
        form, missing = "dense", float(np.isnan(data.X).mean())
    missing_share = f"; {_share(missing)} of the values are missing" if missing else ""
    weights = "; rows have weights" if data.weights is not None else ""
    return f"{pluralize(n_rows, 'row')}, {pluralize(n_features, 'feature')} ({form}){missing_share}{weights}"


def describe_task(data: Data, options: TrainingOptions | None = None) -> str:
    """Say which task the targets pose, why, and how to say otherwise."""
    return f"{data.task} ({_reason(data, options)})"


def _reason(data: Data, options: TrainingOptions | None) -> str:
    names, task = data.target_names, data.task
    if options is not None and options.task is not None:
        return f"as --task {options.task} says"
    if task == "hierarchical multi-label":
        return f"the file has a hierarchy of {pluralize(len(names), 'label')}"
    if task == "multi-label":
        return f"{len(names):,} targets hold 0 and 1 only; --task regression if these are numbers"
    if task == "multi-target regression":
        return f"{len(names):,} targets hold numbers"
    holds = f"target {names[0]!r} holds"
    if task == "regression":
        return f"{holds} numbers; --task classification if they are classes"
    known = [value for value in data.y.tolist() if value is not None and value == value]
    classes = sorted(set(known))
    shown = f"{pluralize(len(classes), 'class', 'classes')} {listed(classes)}"
    if data.y.dtype.kind in "iuf":
        return f"{holds} {shown}; --task regression if they are numbers"
    return f"{holds} text: {shown}"


def describe_settings(settings: dict[str, Any]) -> str:
    """Put settings in a row."""
    return ", ".join(f"{name}={value!r}" for name, value in settings.items())


def describe_split(settings: Any) -> str:
    """Name the split learner and its own settings."""
    split = settings.split
    own = asdict(split) if is_dataclass(split) and not isinstance(split, type) else {}
    return f"{type(split).__name__}({describe_settings(own)})"


def _share(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"
