"""The data sets of the scripts: numbers only, so that all libraries can take them.

Sets of the registry are looked for where `slantwood.data.load` looks, first of all in the folder that the
environment variable ``SLANTWOOD_DATA`` names; nothing is fetched. Three sets come with scikit-learn.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.model_selection import KFold

from slantwood_bench.problems import Problem, in_numbers, load_parts, load_problem

BUNDLED = {
    "digits": ("multi-class", load_digits),
    "breast_cancer": ("binary", load_breast_cancer),
    "sk_diabetes": ("regression", load_diabetes),
}

# Everyone who reports on these uses the split of the files.
_SPLIT_BY_FILES = ("eurlex-eurovoc",)


def data_folder() -> Path | None:
    """Return the folder of the data sets, or None where there is none."""
    folder = Path(os.environ.get("SLANTWOOD_DATA") or "absent")
    return folder if folder.is_dir() else None


def available() -> bool:
    """Tell whether there is a folder of data sets."""
    return data_folder() is not None


def read(name: str) -> Problem:
    """Read a data set; of one with several numbers, "name:2" has the third alone."""
    if name in BUNDLED:
        task, reader = BUNDLED[name]
        X, y = reader(return_X_y=True)
        return Problem(task, X.astype(np.float32), y, name=name)
    name, _, target = name.partition(":")
    problem = in_numbers(load_problem(name))
    return problem._replace(task="regression", y=problem.y[:, int(target)]) if target else problem


def read_parts(name: str) -> tuple[Problem, Problem]:
    """Read training and test rows: as the files have them where that is usual, else a third for testing."""
    return load_parts(name) if name in _SPLIT_BY_FILES else two_thirds(read(name))


def two_thirds(problem: Problem) -> tuple[Problem, Problem]:
    """Cut a problem in two: the first of three shuffled folds is the test part."""
    return next(three_folds(problem))


def three_folds(problem: Problem, seed: int = 1) -> Iterator[tuple[Problem, Problem]]:
    """Yield training and test rows of three shuffled folds."""
    for train, test in KFold(3, shuffle=True, random_state=seed).split(problem.X):
        yield problem.rows(train), problem.rows(test)
