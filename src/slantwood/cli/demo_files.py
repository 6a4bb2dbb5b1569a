"""The data sets of `slantwood demo` as files: two thirds to train on, the rest to predict.

Training files are ARFF, test files CSV with the inputs in another order: columns are known by their names.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from slantwood.cli.demo_tasks import bent_planes, labelled_rows
from slantwood.cli.results import check_result
from slantwood.data.read import write
from slantwood.data.table import Data

_ENDS = _TRAIN, _TEST = "train.arff", "test.csv"


def write_files(folder: Path, *, force: bool = False) -> list[Path]:
    """Write all files to a folder, which is made if it is not there; return their paths.

    Before the first one is written, files that are there already are refused unless forced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sets = demo_data()
    for name in sets:
        for end in _ENDS:
            check_result(folder / f"{name}.{end}", force=force)
    paths = []
    for name, data in sets.items():
        order = np.random.default_rng(0).permutation(len(data.X))
        n_train = 2 * len(order) // 3
        for rows, end in zip((order[:n_train], order[n_train:]), _ENDS, strict=True):
            part = replace(data, X=data.X[rows], y=data.y[rows])
            paths.append(folder / f"{name}.{end}")
            write(part if end == _TRAIN else _reversed(part), paths[-1])
    return paths


def demo_data() -> dict[str, Data]:
    """Return a data set for each task, with names."""
    cancer, digits, diabetes = load_breast_cancer(), load_digits(), load_diabetes()
    tags, waves = labelled_rows(), bent_planes()
    return {
        "cancer": _data(
            cancer.data, cancer.target_names[cancer.target], cancer.feature_names, ["diagnosis"], "binary"
        ),
        "digits": _data(digits.data, digits.target, digits.feature_names, ["digit"], "multi-class"),
        "tags": _data(*tags, _numbered("word", 60), _numbered("tag", 12), "multi-label"),
        "diabetes": _data(
            diabetes.data, diabetes.target, diabetes.feature_names, ["progression"], "regression"
        ),
        "waves": _data(*waves, _numbered("x", 20), _numbered("y", 6), "multi-target regression"),
    }


def _data(X: Any, y: Any, feature_names: Any, target_names: Any, task: str) -> Data:
    names = tuple(map(str, feature_names)), tuple(target_names)
    return Data(np.asarray(X, np.float32), np.asarray(y), *names, task=task)


def _numbered(word: str, count: int) -> list[str]:
    return [f"{word}{i + 1}" for i in range(count)]


def _reversed(data: Data) -> Data:
    return replace(data, X=data.X[:, ::-1], feature_names=data.feature_names[::-1])
