"""How large a report on a model of many labels is, and how long it takes.

`python -m slantwood_bench.scripts.report_size [--labels 4000] [--trees 50]`. Made-up sparse rows in groups,
each group with labels of its own, are learned by a forest with default settings; the report is on a sixth of
the rows, kept aside. Times are CPU seconds of the second report: the first compiles.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from slantwood import ObliqueForestClassifier
from slantwood_bench.scripts.report import print_environment, print_head, print_row

_LABELS_OF_A_GROUP = 10
_LABELS_OF_A_ROW = 5


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, report, and print sizes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=6000)
    parser.add_argument("--features", type=int, default=3000)
    parser.add_argument("--labels", type=int, default=4000)
    parser.add_argument("--trees", type=int, default=50)
    options = parser.parse_args(arguments)
    print_environment(**vars(options))
    X, Y = _problem(options.rows, options.features, options.labels)
    n_learn = options.rows * 5 // 6
    names = [f"a rather long name of the label number {j}" for j in range(options.labels)]
    forest = ObliqueForestClassifier(options.trees, random_state=0)
    forest.fit(X[:n_learn], Y[:n_learn], target_names=names)
    print_head(["trees", "nodes", "labels", "megabytes", "seconds"])
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            started = time.process_time()
            path = forest.report(Path(folder) / "report.html", X[n_learn:], Y[n_learn:])
            seconds, size = time.process_time() - started, path.stat().st_size
    n_nodes = len(forest.trees_.left)
    print_row([len(forest), n_nodes, options.labels, f"{size / 1e6:.2f}", f"{seconds:.1f}"])


def _problem(n_rows: int, n_features: int, n_labels: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Make sparse rows, each with the feature of its group, and labels of the group."""
    rng = np.random.default_rng(0)
    noise = sp.random_array((n_rows, n_features), density=0.02, rng=rng, dtype=np.float32)
    group = rng.integers(0, max(n_labels // _LABELS_OF_A_GROUP, 1), n_rows)
    mark = sp.csr_array(
        (np.full(n_rows, 3, np.float32), (np.arange(n_rows), group % n_features)), shape=noise.shape
    )
    rows = np.repeat(np.arange(n_rows), _LABELS_OF_A_ROW)
    offset = rng.integers(0, _LABELS_OF_A_GROUP, len(rows))
    labels = (np.repeat(group, _LABELS_OF_A_ROW) * _LABELS_OF_A_GROUP + offset) % n_labels
    Y = sp.csr_array((np.ones(len(rows), np.float32), (rows, labels)), shape=(n_rows, n_labels))
    Y.data[:] = 1
    return sp.csr_array(noise + mark), Y


if __name__ == "__main__":
    main()
