"""The sizes at which costs are measured, and rows of these sizes with planted structure.

Sizes are drawn once, from a fixed seed, and every second one is held out before anything is measured; so are
a few that lie beyond all others. Rows have classes and labels that are clusters, and numbers that bend along
a few directions: trees have something to find, and noise enough to grow as deep as on real rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood_bench.extreme import Shape, drawn

SPLITS = ("gradient", "axis", "svm")
DENSE_TASKS = ("binary", "multi-class", "multi-label", "regression", "multi-target regression")
SPARSE_TASKS = ("binary", "multi-class", "multi-label")

# Of one group (a split learner, dense or sparse rows): so many are measured, half of them held out.
_PER_GROUP = {True: 40, False: 30}
# Cells of X and of what scores splits, so that no fit takes longer than some seconds.
_MOST_CELLS = {"gradient": 4e6, "axis": 6e6, "svm": 4e6}
_MOST_ROWS = 100_000
_FURTHER = {True: 30, False: 20}
_LEAF_SIZES = (None, None, 10, 40, 160)
_N_HIDDEN = 6
# A class of texts is made of so many topics, which have words of their own.
_TOPICS_OF_CLASS = 30


@dataclass(frozen=True)
class Point:
    """One size at which a fit is measured."""

    split: str
    task: str
    rows: int
    features: int
    targets: int  # classes, labels or numbers
    nonzeros_per_row: float = 0.0  # 0 for dense rows
    labels_per_row: float = 1.0
    min_samples_split: int | None = None
    leaves: str = "mean"
    pilot: bool = False  # whether settings are chosen on unseen rows first
    held_out: bool = False
    beyond: bool = False  # larger than anything that coefficients are fitted on


def points() -> list[Point]:
    """Return all sizes, in the order in which they are measured."""
    rng = np.random.default_rng(20261118)
    found = []
    for split in SPLITS:
        for dense in (True, False):
            group = [_drawn_point(split, dense, rng, number) for number in range(_PER_GROUP[dense])]
            held_out = set(rng.permutation(len(group))[: len(group) // 2].tolist())
            found += [replace(each, held_out=number in held_out) for number, each in enumerate(group)]
        found += _beyond(split)
    return found + list(_pilots(rng)) + _further()


def _further() -> list[Point]:
    """Return sizes to fit on that were added later; what is held out stays as it was."""
    rng = np.random.default_rng(20261119)
    return [
        _drawn_point(split, dense, rng, number)
        for split in SPLITS
        for dense in (True, False)
        for number in range(_FURTHER[dense])
    ]


def fresh(seed: int, number: int) -> list[Point]:
    """Return sizes that nothing was fitted on or looked at for, as many of each learner and form of X.

    Parameters
    ----------
    seed : int
        Seed of the draw.
    number : int
        Points of a group.

    Returns
    -------
    list of Point
        The sizes, all held out.
    """
    rng = np.random.default_rng(seed)
    groups = [(split, dense) for split in SPLITS for dense in (True, False)]
    drawn_points = [_drawn_point(*group, rng, k) for group in groups for k in range(number)]
    return [replace(each, held_out=True) for each in drawn_points]


def _drawn_point(split: str, dense: bool, rng: np.random.Generator, number: int) -> Point:
    tasks = DENSE_TASKS if dense else SPARSE_TASKS
    task = tasks[number % len(tasks)]
    while True:
        rows = int(_between(rng, 1e3, _MOST_ROWS))
        features = int(_between(rng, 10, 2000) if dense else _between(rng, 1000, 50_000))
        per_row = 0.0 if dense else float(round(_between(rng, 20, min(200, features / 15))))
        targets = _n_targets(task, rng)
        per_label = float(round(_between(rng, 1, min(8, targets / 4)))) if task == "multi-label" else 1.0
        cells = rows * ((features if dense else 2 * per_row) + min(targets, 4 * per_label + 20))
        if 2e4 < cells <= _MOST_CELLS[split]:
            break
    leaf_size = _LEAF_SIZES[int(rng.integers(len(_LEAF_SIZES)))]
    leaves = "linear" if task in DENSE_TASKS[3:] and rng.random() < 0.5 else "mean"
    return Point(split, task, rows, features, targets, per_row, per_label, leaf_size, leaves)


def _n_targets(task: str, rng: np.random.Generator) -> int:
    if task == "binary":
        return 2
    if task == "regression":
        return 1
    low, high = {"multi-class": (3, 50), "multi-label": (8, 2000)}.get(task, (2, 60))
    return int(_between(rng, low, high))


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(max(high, low)))))


def _beyond(split: str) -> Iterator[Point]:
    """Sizes of which one number at least is larger than in any other point."""
    sizes = (
        Point(split, "binary", 300_000, 20, 2),
        Point(split, "regression", 250_000, 12, 1),
        Point(split, "multi-class", 2_000, 4_000, 10),
        Point(split, "multi-label", 200_000, 20, 5_000, 0.0, 4.0),
        Point(split, "multi-label", 60_000, 100_000, 6_000, 40.0, 4.0),
        Point(split, "binary", 150_000, 80_000, 2, 30.0),
    )
    yield from (replace(each, held_out=True, beyond=True) for each in sizes)


def _pilots(rng: np.random.Generator) -> Iterator[Point]:
    for split in SPLITS:
        for number, task in enumerate(("binary", "multi-label", "regression", "multi-class", "multi-label")):
            sparse = number == 4
            rows = int(_between(rng, 1500, 30_000))
            targets = {"binary": 2, "regression": 1, "multi-class": 8}.get(task, 100 if sparse else 30)
            features = 5000 if sparse else int(_between(rng, 10, 60))
            leaves = "auto" if task == "regression" else "mean"
            yield Point(
                split,
                task,
                rows,
                features,
                targets,
                40.0 if sparse else 0.0,
                3.0 if task == "multi-label" else 1.0,
                leaves=leaves,
                pilot=True,
                held_out=number % 2 == 1,
            )


def problem(point: Point, seed: int = 0) -> tuple[Any, Any]:
    """Draw rows of a size, X and y as an estimator takes them.

    Parameters
    ----------
    point : Point
        The size.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    tuple of X and y
        Dense float32 or CSR features; classes, a matrix of labels, or numbers.
    """
    rng = np.random.default_rng(seed)
    if point.nonzeros_per_row:
        is_labels = point.task == "multi-label"
        labels = point.targets if is_labels else _TOPICS_OF_CLASS * point.targets
        shape = Shape(point.rows, point.features, labels, point.nonzeros_per_row, point.labels_per_row)
        X, Y = drawn(shape, seed)
        return X, (Y if is_labels else _as_classes(Y, point.targets, rng))
    if point.task in ("regression", "multi-target regression"):
        return _numbers(point, rng)
    return _clusters(point, rng)


def _as_classes(Y: sp.csr_array, n_classes: int, rng: np.random.Generator) -> np.ndarray:
    classes = Y.indices[Y.indptr[:-1]].astype(np.int64) % n_classes
    wrong = rng.random(len(classes)) < 0.1
    classes[wrong] = rng.integers(n_classes, size=int(wrong.sum()))
    return classes


def _numbers(point: Point, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.standard_normal((point.rows, point.features), dtype=np.float32)
    directions = rng.standard_normal((point.features, _N_HIDDEN), dtype=np.float32) / point.features**0.5
    bent = np.tanh(1.5 * (X @ directions))
    Y = bent @ rng.standard_normal((_N_HIDDEN, point.targets))
    Y += 0.5 * rng.standard_normal(Y.shape)
    return X, (Y[:, 0] if point.task == "regression" else Y)


def _clusters(point: Point, rng: np.random.Generator) -> tuple[np.ndarray, Any]:
    """Rows around the sum of the centres of their labels; a class has three centres."""
    n, per_row = point.rows, max(1, round(point.labels_per_row))
    if point.task == "multi-label":
        first = (point.targets * rng.random((n, 1)) ** 2).astype(np.int64)
        near = np.rint(rng.normal(0.0, 4.0, (n, per_row - 1))).astype(np.int64)
        labels = np.hstack([first, (first + near) % point.targets])
        centre_of, n_centres = labels, point.targets
    else:
        labels = rng.integers(point.targets, size=(n, 1))
        centre_of, n_centres = labels * 3 + rng.integers(3, size=(n, 1)), 3 * point.targets
        wrong = rng.random(n) < 0.05
        labels[wrong, 0] = rng.integers(point.targets, size=int(wrong.sum()))
    width = min(point.features, 20)
    centres = rng.standard_normal((n_centres, width), dtype=np.float32) * np.float32(2.5 / width**0.5)
    # Centres lie in a space of few dimensions, which all features show.
    shown = rng.standard_normal((width, point.features), dtype=np.float32) / np.float32(width**0.5)
    inner = sum(centres[centre_of[:, k]] for k in range(centre_of.shape[1])) / np.float32(per_row**0.5)
    inner = inner + rng.standard_normal((n, width), dtype=np.float32) * np.float32(0.5)
    X = inner @ shown + rng.standard_normal((n, point.features), dtype=np.float32) * np.float32(0.5)
    if point.task != "multi-label":
        return X, labels[:, 0]
    rows = np.repeat(np.arange(n), per_row)
    Y = sp.csr_array((np.ones(labels.size, np.int8), (rows, labels.ravel())), (n, point.targets))
    Y.sum_duplicates()
    Y.data[:] = 1
    return X, Y
