"""Label trees, a forest, and both in one model, beside the label trees of Omikuji, on sets with many labels.

`python -m slantwood_bench.scripts.many_labels [NAME ...]`. P@1, 3 and 5, the processor time of fitting (of
all threads, which depends less than others on what else the machine does) and of predicting the best five
labels of a row, and the size of the model as a file in half precision, for predicting only; Omikuji's files
are as it writes them. Eurlex has its official test rows, of other sets a third of the rows tests. Omikuji
learns from a file: reading it is part of the time, writing it is not.
"""

import argparse
import io
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood import LabelTreeClassifier, ObliqueForestClassifier
from slantwood.metrics import precision_at_k
from slantwood_bench.problems import Problem
from slantwood_bench.scripts.data import read_parts, two_thirds
from slantwood_bench.scripts.report import print_environment, print_head, print_row

NAMES = ("eurlex-eurovoc", "bibtex", "delicious", "rcv1subset1")
AT = (1, 3, 5)

# Of label trees that do divide these labels.
LEAF_LABELS = 100

# As Bonsai is run: wide, shallow, clusters as they fall.
BONSAI = {"cluster_balanced": False, "cluster_k": 100, "max_depth": 3}


class Found(NamedTuple):
    """What one model did on one set."""

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
}
OMIKUJI: dict[str, dict[str, Any]] = {"Omikuji, Parabel": {}, "Omikuji, Bonsai": BONSAI}


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
    precision = precision_at_k(test.y, scores, AT)
    return Found(precision, fitted - started, predicted - fitted, len(file.getvalue()))


def judged_omikuji(parameters: dict[str, Any], train: Problem, test: Problem, jobs: int) -> Found:
    """Fit a model of Omikuji."""
    import omikuji

    given = omikuji.Model.default_hyper_param()
    for name, value in parameters.items():
        setattr(given, name, value)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.txt")
        path.write_text("\n".join(lines(sp.csr_array(train.X), sp.csr_array(train.y))) + "\n")
        started = time.process_time()
        model = omikuji.Model.train_on_data(str(path), given, jobs)
        fitted = time.process_time()
        model.save(str(Path(folder, "model")))
        n_bytes = sum(file.stat().st_size for file in Path(folder, "model").rglob("*") if file.is_file())
    begun = time.process_time()
    rows, columns, values = [], [], []
    for i, row in enumerate(pairs(sp.csr_array(test.X))):
        for label, score in model.predict(row, top_k=AT[-1]):
            rows.append(i)
            columns.append(label)
            values.append(score)
    predicted = time.process_time()
    scores = sp.csr_array((values, (rows, columns)), shape=test.y.shape)
    return Found(precision_at_k(test.y, scores, AT), fitted - started, predicted - begun, n_bytes)


def pairs(X: sp.csr_array) -> Iterator[list[tuple[int, float]]]:
    """Yield the columns and values of each row."""
    for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        yield list(zip(X.indices[start:stop].tolist(), X.data[start:stop].tolist(), strict=True))


def lines(X: sp.csr_array, labels: sp.csr_array) -> Iterator[str]:
    """Yield the lines of a file as Omikuji reads it."""
    yield f"{X.shape[0]} {X.shape[1]} {labels.shape[1]}"
    for own, cells in zip(pairs(labels), pairs(X), strict=True):
        yield " ".join([",".join(str(label) for label, _ in own), *(f"{j}:{x:.9g}" for j, x in cells)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--models", nargs="*", choices=[*OMIKUJI, *OURS], default=[*OMIKUJI, *OURS])
    parser.add_argument("--held-out", action="store_true", help="test on a third of the training rows")
    options = parser.parse_args(arguments)
    print_environment(["omikuji-bonsai"], jobs=options.jobs)
    print_head(["data", "model", *(f"P@{k}" for k in AT), "fit, CPU s", "predict, CPU ms a row", "MB"])
    for name in options.names:
        train, test = read_parts(name)
        if options.held_out:  # to choose settings by
            train, test = two_thirds(train)
        for model in options.models:
            if model in OURS:
                found = judged(OURS[model](options.jobs), train, test)
            else:
                found = judged_omikuji(OMIKUJI[model], train, test, options.jobs)
            figures = [f"{value:.3f}" for value in found.precision]
            per_row = 1000 * found.predict_seconds / test.X.shape[0]
            costs = [f"{found.fit_seconds:.1f}", f"{per_row:.2f}", f"{found.n_bytes / 1e6:.1f}"]
            print_row([name, model, *figures, *costs])


if __name__ == "__main__":
    main()
