"""Which targets are scored together, and what groups are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.names import output_names
from slantwood.hints import did_you_mean

# More numbers than this, a gigabyte of them, are hardly wanted.
_MOST_CELLS = 1 << 27


class TargetGroups(NamedTuple):
    """Groups of the columns of the encoded targets."""

    names: tuple[str, ...]
    members: sp.csr_array  # float64, columns by groups: 1 where the target of a column is in a group


def target_groups(model: Any, groups: Any) -> TargetGroups:
    """Read what a user gives as groups: None, "targets", "levels", or targets by the name of a group."""
    targets, names = model.targets_, output_names(model)
    # The columns of each target: several where it is one of several with classes of their own.
    sizes = targets.block_sizes if len(targets.block_sizes) else np.ones(targets.n_columns, np.intp)
    names = names[-len(sizes) :]  # two classes are one target
    target_of = np.repeat(np.arange(len(sizes)), sizes)
    if groups is None:
        return _of({}, target_of)
    if isinstance(groups, Mapping):
        return _of({str(name): _positions(name, given, names) for name, given in groups.items()}, target_of)
    if groups == "targets":
        n_cells = model.n_features_in_ * len(names)
        if n_cells > _MOST_CELLS:
            raise ValueError(
                f"groups='targets' makes {model.n_features_in_} x {len(names)} scores; give groups=None for "
                "scores of all targets together, or a dict with some groups of targets"
            )
        columns = (np.ones(len(target_of)), (np.arange(len(target_of)), target_of))
        return TargetGroups(names, sp.csr_array(columns, shape=(len(target_of), len(names))))
    if groups == "levels" and targets.hierarchy is not None:
        depth = targets.hierarchy.depth
        return _of({f"level {d}": np.flatnonzero(depth == d) for d in np.unique(depth)}, target_of)
    raise ValueError(
        f"groups={groups!r:.60} is not known; give None, 'targets', 'levels' (with a hierarchy) or a dict "
        "with the targets of each group"
    )


def _positions(group: Any, given: Any, names: tuple[str, ...]) -> np.ndarray:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"groups has {given!r:.60} for {group!r}; give a list of targets")
    position = {name: j for j, name in enumerate(names)}
    found = []
    for target in given:
        if str(target) in position:
            found.append(position[str(target)])
        elif isinstance(target, int | np.integer) and 0 <= target < len(names):
            found.append(int(target))
        else:
            hint = did_you_mean(str(target), names, f"targets are {', '.join(names[:5])}, ...")
            raise ValueError(f"groups has {target!r:.60} in {group!r}, which is no target; {hint}")
    if not found:
        raise ValueError(f"groups has no target in {group!r}; give at least one")
    return np.unique(found)


def _of(groups: Mapping[str, np.ndarray], target_of: np.ndarray) -> TargetGroups:
    members = [np.flatnonzero(np.isin(target_of, targets)) for targets in groups.values()]
    rows = np.concatenate([np.empty(0, np.intp), *members])
    columns = np.repeat(np.arange(len(groups)), [len(each) for each in members])
    cells = (np.ones(len(rows)), (rows, columns))
    return TargetGroups(tuple(groups), sp.csr_array(cells, shape=(len(target_of), len(groups))))
