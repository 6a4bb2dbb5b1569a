"""What is to be fitted, in numbers: rows, features, targets, and the settings that defaults make of them.

No data is looked at. What defaults depend on beside the numbers, such as signs, is as in most data of the
kind: sparse features are counts or weights of words, which are never negative.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from slantwood.ensemble.defaults import DataTraits, resolve_auto
from slantwood.ensemble.settings import count_draws
from slantwood.hints import did_you_mean, listed
from slantwood.kernels.matrix import DENSE_SHARE
from slantwood.split_names import split_class
from slantwood.task_names import NUMBER_TASKS

__all__ = ["PLANNED_SPLITS", "PLANNED_TASKS", "Growth", "Probe", "Workload", "distinct_rows"]

PLANNED_TASKS = ("binary", "multi-class", "multi-label", "regression", "multi-target regression")
PLANNED_SPLITS = ("gradient", "axis", "svm")


class Growth(NamedTuple):
    """What defaults make of a workload: the numbers that the cost of a tree depends on."""

    tree_rows: float  # distinct rows that a tree sees
    width: float  # features that a split may combine
    by_columns: bool  # whether it looks at one of them after the other, too
    min_samples_split: int
    max_iter: int
    batch_size: int
    bootstrap: bool
    normalize_rows: bool
    normalize_labels: bool


def distinct_rows(rows: float, bootstrap: bool, max_samples: int | float | None = None) -> float:
    """Return how many distinct rows a tree sees.

    Parameters
    ----------
    rows : float
        All rows.
    bootstrap : bool
        Whether rows are drawn with replacement.
    max_samples : int or float, optional
        How many are drawn, a number or a share; as many as there are by default, and at the most.

    Returns
    -------
    float
        Rows.

    Examples
    --------
    >>> from slantwood.planning.workload import distinct_rows
    >>> distinct_rows(100, bootstrap=False), round(distinct_rows(100, bootstrap=True))
    (100.0, 63)
    """
    if not bootstrap:
        return float(rows)
    draws = min(count_draws(max_samples, int(rows)), rows)
    return rows * -math.expm1(-draws / rows)


@dataclass(frozen=True)
class Probe:
    """What a few trees on some of the rows took.

    Parameters
    ----------
    rows : int
        Rows that these trees were drawn from.
    tree_seconds : float
        CPU seconds of one tree.
    rows_per_leaf : float, optional
        Distinct rows of a leaf, on average.
    depth : float, optional
        Depth of the leaf of a row, on average.
    tree_bytes : float, optional
        Size of one tree.
    choosing_seconds : float, optional
        CPU seconds in which settings were chosen before the first tree.
    smaller : Probe, optional
        What trees on a part of these rows took, which tells how costs grow with rows.
    others : tuple of Probe
        What trees took by other settings, where it is open which of them the fit chooses.

    Examples
    --------
    >>> from slantwood.planning import Probe
    >>> Probe(rows=20_000, tree_seconds=0.4).rows
    20000
    """

    rows: int
    tree_seconds: float
    rows_per_leaf: float | None = None
    depth: float | None = None
    tree_bytes: float | None = None
    choosing_seconds: float | None = None
    smaller: Probe | None = None
    others: tuple[Probe, ...] = ()

    def __post_init__(self) -> None:
        """Check what is given."""
        if self.rows < 1:
            raise ValueError(f"probe={self.rows} rows are too few; give 1 or more")
        if not self.tree_seconds > 0:
            raise ValueError(f"probe={self.tree_seconds!r} seconds a tree; give more than 0")
        if self.smaller is not None and not self.smaller.rows < self.rows:
            raise ValueError(f"the smaller probe has {self.smaller.rows} rows; give fewer than {self.rows}")

    def choices(self) -> list[Probe]:
        """Return this and the others, each with all that are left as its others.

        Returns
        -------
        list of Probe
            This one first.

        Examples
        --------
        >>> from slantwood.planning import Probe
        >>> found = Probe(2000, 0.1, others=(Probe(2000, 0.3),))
        >>> [(each.tree_seconds, len(each.others)) for each in found.choices()]
        [(0.1, 1), (0.3, 1)]
        """
        alone = (replace(self, others=()), *self.others)
        return [replace(each, others=tuple(other for other in alone if other is not each)) for each in alone]


@dataclass(frozen=True)
class Workload:
    """A forest to fit, in numbers.

    Parameters
    ----------
    rows : int
        Number of rows.
    features : int
        Number of features, after nominal ones became indicators.
    targets : int, default=1
        Number of classes, labels or numbers; 2 of two classes.
    task : str, default="auto"
        "binary", "multi-class", "multi-label", "regression" or "multi-target regression"; "auto" is
        "multi-label", of two targets "binary", of one "regression".
    nonzeros_per_row : float, optional
        Features of a row that are not zero, on average; all by default.
    labels_per_row : float, default=5
        Labels of a row, on average.
    n_trees : int, default=50
        Trees of the forest.
    split : {"gradient", "axis", "svm"}
        Split learner.
    min_samples_split : int, optional
        Nodes of fewer rows are leaves. By default what the rules say before a pilot has looked at the noise,
        which only makes it larger, and trees smaller and quicker.
    bootstrap : bool, optional
        Whether rows of a tree are drawn with replacement; by default as the rules say.
    max_samples : int or float, optional
        How many are then drawn, a number or a share of all; by default as many as there are.
    leaves : {"mean", "linear", "auto"}
        Whether leaves of numbers have slopes; with "auto" a second pilot finds out, and trees are those
        of "mean".
    rows_per_leaf : float, optional
        Rows of a leaf on average, which depends on the noise; by default as in the measurements.
    probe : Probe, optional
        What a few trees on some of these rows took, from which all else is then told.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> work = Workload(rows=1_000_000, features=200, targets=13_000)
    >>> work.task, work.is_sparse
    ('multi-label', False)
    """

    rows: int
    features: int
    targets: int = 1
    task: str = "auto"
    nonzeros_per_row: float | None = None
    labels_per_row: float = 5.0
    n_trees: int = 50
    split: str = "gradient"
    min_samples_split: int | None = None
    bootstrap: bool | None = None
    max_samples: int | float | None = None
    leaves: str = "mean"
    rows_per_leaf: float | None = None
    probe: Probe | None = None

    def __post_init__(self) -> None:
        """Check every number, and name the task."""
        for name in ("rows", "features", "targets", "n_trees"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)!r} is too small; give 1 or more")
        if self.task == "auto":
            task = {1: "regression", 2: "binary"}.get(self.targets, "multi-label")
            object.__setattr__(self, "task", task)
        _check_word("task", self.task, PLANNED_TASKS)
        _check_word("split", self.split, PLANNED_SPLITS)
        _check_word("leaves", self.leaves, ("mean", "linear", "auto"))
        if self.task == "binary" and self.targets != 2:
            raise ValueError(f"targets={self.targets} of task 'binary'; give 2, or task 'multi-class'")
        if self.task == "regression" and self.targets != 1:
            what = "give 1, or task 'multi-target regression'"
            raise ValueError(f"targets={self.targets} of task 'regression'; {what}")
        if self.nonzeros_per_row is not None and not 0 < self.nonzeros_per_row <= self.features:
            given = f"nonzeros_per_row={self.nonzeros_per_row:g}"
            raise ValueError(f"{given} of {self.features} features; give more than 0 and at most as many")
        if self.task == "multi-label" and not 0 < self.labels_per_row <= self.targets:
            # A few labels have fewer per row than the default says.
            if self.labels_per_row != Workload.labels_per_row:
                given = f"labels_per_row={self.labels_per_row:g}"
                raise ValueError(f"{given} of {self.targets} labels; give more than 0 and at most as many")
            object.__setattr__(self, "labels_per_row", self.targets / 2)
        if self.min_samples_split is not None and self.min_samples_split < 2:
            raise ValueError(f"min_samples_split={self.min_samples_split} is too small; give 2 or more")
        if self.max_samples is not None and not self.max_samples > 0:
            raise ValueError(f"max_samples={self.max_samples!r} is too small; give a number or share above 0")
        if self.rows_per_leaf is not None and not self.rows_per_leaf >= 1:
            raise ValueError(f"rows_per_leaf={self.rows_per_leaf:g} is too small; give 1 or more")

    @property
    def filled(self) -> float:
        """Features of a row that are not zero."""
        return float(self.features if self.nonzeros_per_row is None else self.nonzeros_per_row)

    @property
    def is_sparse(self) -> bool:
        """Whether X is held as CSR."""
        return self.filled / self.features < DENSE_SHARE

    @property
    def target_columns(self) -> int:
        """Columns of the encoded y: one of two classes."""
        return 1 if self.task == "binary" else self.targets

    @property
    def filled_targets(self) -> float:
        """Cells of a row of the encoded y that are not zero."""
        if self.task in NUMBER_TASKS:
            return float(self.targets)
        if self.task == "multi-label":
            return self.labels_per_row
        return 0.5 if self.task == "binary" else 1.0

    @property
    def has_sparse_targets(self) -> bool:
        """Whether y is held as CSR."""
        return self.filled_targets / self.target_columns < DENSE_SHARE

    def with_rows(self, rows: float) -> Workload:
        """Return the same with another number of rows.

        Parameters
        ----------
        rows : float
            Number of rows; it is rounded up.

        Returns
        -------
        Workload
            The other workload.

        Examples
        --------
        >>> from slantwood.planning import Workload
        >>> Workload(1000, 10).with_rows(10.5).rows
        11
        """
        return replace(self, rows=max(1, math.ceil(rows)))

    def part_of_rows(self, rows: float) -> Workload:
        """Return the same for a part of the rows; trees draw as many samples as they do from all.

        Parameters
        ----------
        rows : float
            Number of rows; it is rounded up.

        Returns
        -------
        Workload
            The other workload.

        Examples
        --------
        >>> from slantwood.planning import Workload
        >>> Workload(1000, 10, max_samples=0.2).part_of_rows(500).max_samples
        200
        """
        draws = None if self.max_samples is None else count_draws(self.max_samples, self.rows)
        return replace(self.with_rows(rows), max_samples=draws)

    def growth(self) -> Growth:
        """Return what the defaults of an estimator make of these numbers.

        Returns
        -------
        Growth
            Settings with which trees grow.

        Examples
        --------
        >>> from slantwood.planning import Workload
        >>> Workload(100_000, 30, 3, task="multi-class").growth().bootstrap
        True
        """
        split = split_class(self.split)()
        traits = DataTraits(
            task=self.task,
            n_rows=self.rows,
            n_features=self.features,
            n_targets=self.target_columns,
            nonzero_features=self.filled / self.features,
            wide_nominal=False,
            features_nonnegative=self.is_sparse,
            single_tree=False,
            sketched=False,
        )
        chosen = resolve_auto(traits, split, {})
        learner = split.filled_in(chosen)
        share = chosen["max_features"]
        width = math.sqrt(self.features) if share == "sqrt" else share * self.features
        bootstrap = bool(chosen["bootstrap"] if self.bootstrap is None else self.bootstrap)
        bootstrap |= self.max_samples is not None
        return Growth(
            tree_rows=distinct_rows(self.rows, bootstrap, self.max_samples),
            width=min(float(self.features), max(math.ceil(width), split.fewest_features)),
            by_columns=getattr(learner, "competitor", "axis") == "axis",
            min_samples_split=self.min_samples_split or chosen["min_samples_split"],
            max_iter=int(getattr(learner, "max_iter", 1)),
            batch_size=int(getattr(learner, "batch_size", 0) or 0),
            bootstrap=bootstrap,
            normalize_rows=bool(chosen["normalize_rows"]),
            normalize_labels=bool(chosen["normalize_labels"]),
        )


def _check_word(name: str, given: Any, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"{name}={given!r} is none of {listed(known)}{did_you_mean(given, known)}")
