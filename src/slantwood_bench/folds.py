"""The folds of each data set, kept in files so that every method, run and machine uses the same ones.

A file `<data set>-<number of folds>.txt` has the fold of one row in each line, in the order of the rows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.model_selection import KFold

from slantwood.model_selection import LabelStratifiedKFold
from slantwood.task_names import NUMBER_TASKS
from slantwood_bench.files import write_whole
from slantwood_bench.problems import Problem

_SEED = 0


def fold_of_rows(problem: Problem, n_folds: int, folder: Path) -> np.ndarray:
    """Return the fold of each row: as the file says, or dealt now and written to it.

    Every class and label has its share in each fold. Dealing depends on nothing but the data set, so that
    several processes that do it at the same time write the same file.
    """
    path = folder / f"{problem.name}-{n_folds}.txt"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, "".join(f"{fold}\n" for fold in _assigned(problem, n_folds)).encode())
    lines = path.read_text().split()
    n_rows = problem.X.shape[0]
    wrong = sorted(set(lines) - set(map(str, range(n_folds))))
    if len(lines) != n_rows or wrong:
        has = f"has the folds of {len(lines)} rows" + (f", among them {wrong[0]!r}" if wrong else "")
        raise ValueError(
            f"{path} {has}; expected those of {n_rows} rows, from 0 to {n_folds - 1}. "
            "Remove the file to deal them again"
        )
    return np.array(lines, np.int64)


def _assigned(problem: Problem, n_folds: int) -> np.ndarray:
    folds = np.empty(problem.X.shape[0], np.int64)
    if problem.task in NUMBER_TASKS:
        parts = KFold(n_folds, shuffle=True, random_state=_SEED).split(folds)
    else:
        dealer = LabelStratifiedKFold(n_folds, shuffle=True, random_state=_SEED)
        parts = dealer.split(folds, problem.y)
    for number, (_, test) in enumerate(parts):
        folds[test] = number
    return folds
