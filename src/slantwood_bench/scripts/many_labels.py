"""Label trees, a forest, and both in one model, beside the label trees of others, on sets with many labels.

`python -m slantwood_bench.scripts.many_labels [NAME ...]`. LRAP, P@1, 3 and 5, the processor time of fitting
(of all threads, which depends less than others on what else the machine does) and of predicting the best five
labels of a row, and the size of the model as a file in half precision, for predicting only; the files of
others are as they write them, and reading the rows from a file is part of Omikuji's time. Eurlex has its
official test rows, of other sets a third of the rows are tests.

Omikuji, napkinXC and PECOS are run in processes of their own, by the Python that `--peer-python
"napkinXC=/path/to/python"` names, so that each may have its own environment; by default by this one. Those
that are not installed are left out, with a word. LRAP of the others is that of their 1000 best labels, found
by a search that visits up to 1000 nodes of a level.
"""

import argparse
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood import LabelTreeClassifier, ObliqueForestClassifier
from slantwood.metrics import label_ranking_average_precision, precision_at_k
from slantwood_bench.problems import Problem
from slantwood_bench.scripts import label_tree_peers
from slantwood_bench.scripts.data import read_parts, two_thirds
from slantwood_bench.scripts.report import print_environment, print_head, print_row

NAMES = ("eurlex-eurovoc", "bibtex", "delicious", "corel5k", "rcv1subset1", "tmc2007-500")
AT = (1, 3, 5)

# What more trees than the default are worth, for those who ask for it.
LARGER = "classifiers and 200 trees"

# Of label trees that do divide these labels.
LEAF_LABELS = 100


class Found(NamedTuple):
    """What one model did on one set."""

    lrap: float
    precision: np.ndarray  # at 1, 3 and 5
    fit_seconds: float
    predict_seconds: float
    n_bytes: int


def label_trees(jobs: int, **parameters: Any) -> LabelTreeClassifier:
    """Make label trees; by default these sets have classifiers of all labels in one node, and a forest."""
    return LabelTreeClassifier(n_jobs=jobs, random_state=0, **parameters)


def forest(jobs: int) -> ObliqueForestClassifier:
    """Make a forest with defaults."""
    return ObliqueForestClassifier(n_jobs=jobs, random_state=0)


OURS: dict[str, Callable[[int], Any]] = {
    "forest": forest,
    "classifiers": lambda jobs: label_trees(jobs, n_forest_trees=0),
    "label trees": lambda jobs: label_trees(jobs, n_forest_trees=0, max_leaf_labels=LEAF_LABELS),
    "classifiers and forest": label_trees,
    LARGER: lambda jobs: label_trees(jobs, n_forest_trees=200),
}
PEERS = tuple(label_tree_peers.PEERS)


def judged(model: Any, train: Problem, test: Problem) -> Found:
    """Fit a model of ours."""
    # Compiling is not what is measured.
    model.fit(train.X[:100], train.y[:100]).predict_proba(train.X[:2], top_k=AT[-1])
    started = time.process_time()
    model.fit(train.X, train.y)
    fitted = time.process_time()
    scores = model.predict_proba(test.X, top_k=AT[-1])
    predicted = time.process_time()
    file = io.BytesIO()
    model.save(file, float16=True, predict_only=True)
    lrap = label_ranking_average_precision(test.y, model.predict_proba(test.X))
    precision = precision_at_k(test.y, scores, AT)
    return Found(lrap, precision, fitted - started, predicted - fitted, len(file.getvalue()))


def judged_peer(name: str, python: str, train: Problem, test: Problem, jobs: int) -> Found | None:
    """Fit a model of another library in a process of its own; None where it is not installed."""
    package = label_tree_peers.PEERS[name][0]
    asked = f"import importlib.metadata as m; print(m.version({package!r}))"
    version = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
    if version.returncode:
        print(f"{name} is not installed in {python}", file=sys.stderr)
        return None
    print(f"{package} {version.stdout.strip()}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for part, cells in {"train_X": train.X, "train_y": train.y, "test_X": test.X}.items():
            sp.save_npz(folder / f"{part}.npz", sp.csr_matrix(cells))
        command = [python, str(label_tree_peers.__file__), name, made, str(jobs)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{name} failed: {done.stderr[-2000:]}")
        best, everything = (sp.csr_array(sp.load_npz(folder / f"{part}.npz")) for part in ("best", "all"))
        costs = json.loads((folder / "found.json").read_text())
    return Found(
        label_ranking_average_precision(test.y, everything),
        precision_at_k(test.y, best, AT),
        costs["fit_seconds"],
        costs["predict_seconds"],
        costs["n_bytes"],
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    usual = [name for name in (*PEERS, *OURS) if name != LARGER]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--models", nargs="*", choices=[*PEERS, *OURS], default=usual)
    parser.add_argument("--peer-python", action="append", default=[], metavar="MODEL=PYTHON")
    parser.add_argument("--held-out", action="store_true", help="test on a third of the training rows")
    options = parser.parse_args(arguments)
    pythons = dict(given.split("=", 1) for given in options.peer_python)
    if unknown := pythons.keys() - set(PEERS):
        parser.error(f"--peer-python {unknown.pop()!r} is none of {', '.join(PEERS)}")
    print_environment(jobs=options.jobs)
    columns = ["LRAP", *(f"P@{k}" for k in AT), "fit, CPU s", "predict, CPU ms a row", "MB"]
    print_head(["data", "model", *columns])
    for name in options.names:
        train, test = read_parts(name)
        if options.held_out:  # to choose settings by
            train, test = two_thirds(train)
        for model in options.models:
            if model in OURS:
                found: Found | None = judged(OURS[model](options.jobs), train, test)
            else:
                found = judged_peer(model, pythons.get(model, sys.executable), train, test, options.jobs)
            if found is None:
                continue
            figures = [f"{value:.3f}" for value in (found.lrap, *found.precision)]
            per_row = 1000 * found.predict_seconds / test.X.shape[0]
            costs = [f"{found.fit_seconds:.1f}", f"{per_row:.2f}", f"{found.n_bytes / 1e6:.1f}"]
            print_row([name, model, *figures, *costs])


if __name__ == "__main__":
    main()
