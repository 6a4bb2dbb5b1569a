"""Hundreds of thousands of labels: time, memory and file size of label trees against rows and labels.

`python -m slantwood_bench.scripts.scale Amazon-670K --parts 0.125 0.25 0.5 1` draws rows of the shape of the
named set, or a part of its rows and labels, fits a `LabelTreeClassifier` in a process of its own for each
part, and prints the megabytes of the rows and labels, CPU seconds of the fit, the peak of memory above what
the process took before, milliseconds of CPU time to predict the best five labels of a row, the size of the
file, and P@1 on new rows; last the exponent with which the time of the fit grows. `docs/label_trees.md` holds
the output.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from slantwood import LabelTreeClassifier
from slantwood.metrics import precision_at_k
from slantwood_bench.extreme import SHAPES, drawn
from slantwood_bench.scripts.report import print_environment, print_head, print_row
from slantwood_bench.scripts.scaling import fitted_exponent
from slantwood_bench.usage import usage_of

_N_NEW = 2000
_OPTIONS = ("trees", "forest-trees", "jobs")
_KEYS = ("rows", "labels", "input", "fit", "grown", "predict", "file", "P@1")


def megabytes(matrix: sp.csr_array) -> float:
    """Return the size of a matrix in memory."""
    return sum(each.nbytes for each in (matrix.data, matrix.indices, matrix.indptr)) / 1e6


def measured(name: str, part: float, trees: int, forest_trees: int, jobs: int) -> dict[str, float]:
    """Fit one model, and say what it took."""
    shape = SHAPES[name].scaled(part)
    given: dict[str, Any] = {"n_forest_trees": forest_trees, "n_jobs": jobs, "random_state": 0}
    tiny = drawn(shape.scaled(300 / shape.rows), 3)
    LabelTreeClassifier(2, max_leaf_labels=20, **given).fit(*tiny).predict_proba(
        tiny[0], top_k=5
    )  # loads code
    (X, Y), (X_new, Y_new) = drawn(shape, 1), drawn(shape, 2, _N_NEW)
    model = LabelTreeClassifier(trees, **given)
    begun = time.process_time()
    usage = usage_of(lambda: model.fit(X, Y))
    fit = time.process_time() - begun
    begun = time.process_time()
    scores = model.predict_proba(X_new, top_k=5)
    predict = (time.process_time() - begun) / _N_NEW * 1000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.slant")
        model.save(path, float16=True, predict_only=True)
        file = path.stat().st_size / 1e6
    values = (*Y.shape, megabytes(X) + megabytes(Y), fit, usage.grown, predict, file)
    return dict(zip(_KEYS, (*values, float(precision_at_k(Y_new, scores, (1,))[0])), strict=True))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=list(SHAPES))
    parser.add_argument("--parts", type=float, nargs="*", default=[0.0625, 0.125, 0.25])
    parser.add_argument(
        "--trees", type=int, default=1, help="label trees; three are the default of the estimator"
    )
    parser.add_argument("--forest-trees", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--one", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        sizes = (options.trees, options.forest_trees, options.jobs)
        print(json.dumps(measured(options.name, options.one, *sizes)))
        return
    print_environment([], trees=options.trees, forest_trees=options.forest_trees, jobs=options.jobs)
    titles = ["rows", "labels", "rows and labels, MB", "fit, CPU s", "memory of the fit, MB"]
    print_head([options.name, *titles, "predict, CPU ms a row", "file, MB", "P@1"])
    found = []
    for part in options.parts:
        sizes_given = [f"--{each}={getattr(options, each.replace('-', '_'))}" for each in _OPTIONS]
        command = [sys.executable, "-m", "slantwood_bench.scripts.scale", options.name, f"--one={part}"]
        said = subprocess.run([*command, *sizes_given], check=True, stdout=subprocess.PIPE, text=True).stdout
        found.append(json.loads(said.splitlines()[-1]))
        print_row([f"{part:g}", *(f"{found[-1][key]:.4g}" for key in _KEYS)])
    if len(found) > 1:
        exponent = fitted_exponent(options.parts, [each["fit"] for each in found])
        print(f"\nseconds of the fit grow with exponent {exponent:.2f} of rows and labels together")


if __name__ == "__main__":
    main()
