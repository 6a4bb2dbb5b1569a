"""Whether a change leaves every model as it was, to the last bit.

`python -m slantwood_bench.scripts.fingerprints > before.txt` prints a hash of the trees and of the
predictions of fits over tasks, containers and split learners, all on data made here. After the change,
`python -m slantwood_bench.scripts.fingerprints --compare before.txt` names those that differ and fails if
there are any. Hashes are those of one machine: another one rounds otherwise.
"""

import argparse
import hashlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood import (
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)

_ROWS, _FEATURES = 300, 12


def _features() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(_ROWS, _FEATURES)).astype(np.float32)


def _words() -> sp.csr_array:
    counts = np.random.default_rng(1).poisson(0.05, size=(_ROWS, 200)).astype(np.float32)
    return sp.csr_array(counts)


def _with_missing() -> np.ndarray:
    X = _features()
    X[np.random.default_rng(2).random(X.shape) < 0.1] = np.nan
    return X


def _frame() -> Any:
    import pandas as pd

    X = _features()
    frame = pd.DataFrame(X[:, :4], columns=["a", "b", "c", "d"])
    frame["colour"] = pd.Categorical(np.where(X[:, 4] > 0, "red", np.where(X[:, 5] > 0, "green", "blue")))
    return frame


def _numbers() -> np.ndarray:
    X, noise = _features(), np.random.default_rng(3).normal(size=(_ROWS, 3))
    return X[:, :3] * X[:, 1:4] + 0.3 * noise


def _binary() -> np.ndarray:
    return (_numbers()[:, 0] > 0).astype(int)


def _classes() -> np.ndarray:
    return np.array(["low", "mid", "high"])[np.digitize(_numbers()[:, 0], [-0.4, 0.4])]


def _labels() -> np.ndarray:
    return (_numbers() > 0.2).astype(int)


def _many_labels() -> sp.csr_array:
    rng = np.random.default_rng(4)
    topics = _words() @ sp.csr_array((rng.random((200, 60)) < 0.1).astype(np.float32))
    return sp.csr_array((topics.toarray() > 1.5).astype(np.int8))


def _sets() -> list[list[str]]:
    Y = _labels()
    return [["a/b"] if row[0] else ["a/c", "d"] if row[1] else ["d"] for row in Y]


def _partly_labelled() -> np.ndarray:
    y = _binary()
    y[100:] = -1
    return y


def _forest(kind: Any, **parameters: Any) -> Any:
    return kind(n_estimators=5, random_state=0, **parameters)


def _fitted(model: Any, X: Any, y: Any) -> tuple[Any, Any]:
    return model.fit(X, y), X


def _learner_fitted(split: str) -> tuple[Any, Any]:
    return _fitted(_forest(ObliqueForestClassifier, split=split), _features(), _classes())


_Fit = Callable[[], tuple[Any, Any]]

# A name, and what makes the fitted model and the rows that it predicts.
FITS: dict[str, _Fit] = {
    "binary, dense": lambda: _fitted(_forest(ObliqueForestClassifier), _features(), _binary()),
    "multi-class, frame": lambda: _fitted(_forest(ObliqueForestClassifier), _frame(), _classes()),
    "multi-label, dense": lambda: _fitted(_forest(ObliqueForestClassifier), _features(), _labels()),
    "many labels, sparse": lambda: _fitted(_forest(ObliqueForestClassifier), _words(), _many_labels()),
    "hierarchy": lambda: _fitted(
        _forest(ObliqueForestClassifier, hierarchy=Hierarchy.from_paths(["a/b", "a/c", "d"])),
        _features(),
        _sets(),
    ),
    "one number, missing values": lambda: _fitted(
        _forest(ObliqueForestRegressor), _with_missing(), _numbers()[:, 0]
    ),
    "several numbers, dense": lambda: _fitted(_forest(ObliqueForestRegressor), _features(), _numbers()),
    "several numbers, sparse": lambda: _fitted(_forest(ObliqueForestRegressor), _words(), _numbers()),
    "rows without label": lambda: _fitted(
        _forest(ObliqueForestClassifier, unlabeled_weight=0.5), _features(), _partly_labelled()
    ),
    "tree of classes": lambda: _fitted(ObliqueTreeClassifier(random_state=0), _features(), _classes()),
    "tree of numbers": lambda: _fitted(ObliqueTreeRegressor(random_state=0), _features(), _numbers()),
    **{
        f"{split}, multi-class": partial(_learner_fitted, split)
        for split in ("svm", "axis", "ridge", "cart-lc", "oc1", "wodt", "ndcg")
    },
}


def fingerprint(model: Any, X: Any) -> str:
    """Hash what a fitted model holds and predicts."""
    seen = hashlib.sha256()

    def add(value: Any) -> None:
        if isinstance(value, tuple):
            for part in value:
                add(part)
        elif sp.issparse(value):
            add((value.indptr, value.indices, value.data))
        else:
            array = np.ascontiguousarray(value)
            seen.update(f"{array.dtype.kind}{array.shape}".encode())
            seen.update(array.astype(str).tobytes() if array.dtype == object else array.tobytes())

    add(tuple(model.trees_))
    add(model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X))
    return seen.hexdigest()[:16]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compare", type=Path, help="hashes printed before; fail where one differs")
    options = parser.parse_args(arguments)
    found = {}
    for name, fit in FITS.items():
        found[name] = fingerprint(*fit())
        print(f"{found[name]}  {name}", flush=True)
    if options.compare is None:
        return
    before = dict(reversed(line.split("  ", 1)) for line in options.compare.read_text().splitlines())
    other = [name for name in found.keys() | before.keys() if found.get(name) != before.get(name)]
    if other:
        sys.exit(f"{len(other)} of {len(found)} models are not what they were: {'; '.join(sorted(other))}")
    print(f"All {len(found)} models are what they were.")


if __name__ == "__main__":
    main()
