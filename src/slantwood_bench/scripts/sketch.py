"""What a random projection of the clustering attributes costs in quality and saves in time.

`python -m slantwood_bench.scripts.sketch`. Default forests on data of many labels, with the labels as they
are and sketched; with `--dense` also on the same labels mixed to dense columns, as numbers would be.
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from slantwood import Clustering, ObliqueForestClassifier
from slantwood_bench.scripts.data import read_parts
from slantwood_bench.scripts.report import print_environment, print_head, print_row
from slantwood_bench.scripts.timed_fit import MANY_LABELS, qualities

NAMES = ("delicious", "eurlex-eurovoc")
WIDTHS = (64, 256)


def mixed(Y: Any) -> np.ndarray:
    """Return a random rotation of the labels: dense columns with the same distances between rows."""
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(Y.shape[1], Y.shape[1])))[0]
    return np.asarray(Y @ rotation.astype(np.float32))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dense", action="store_true", help="also the labels as dense columns")
    options = parser.parse_args(arguments)
    print_environment(trees=options.trees, jobs=options.jobs)
    # Compiling is not what is measured.
    few, _ = read_parts(options.names[0])
    ObliqueForestClassifier(n_estimators=1).fit(few.X[:50], few.y[:50]).predict_proba(few.X[:5])
    print_head(["data", "clustering", "quality", "seconds"])
    for name in options.names:
        train, test = read_parts(name)
        top_k = 5 if train.n_targets > MANY_LABELS else None
        ways: dict[str, Any] = {"labels": None}
        ways |= {f"labels, sketch of {width}": Clustering(sketch=width) for width in WIDTHS}
        if options.dense:
            columns = mixed(train.y)
            ways |= {"dense columns": columns}
            ways |= {f"dense columns, sketch of {w}": Clustering(columns, sketch=w) for w in WIDTHS}
        for way, clustering in ways.items():
            forest = ObliqueForestClassifier(n_estimators=options.trees, n_jobs=options.jobs, random_state=0)
            started = time.perf_counter()
            forest.fit(train.X, train.y, clustering=clustering)
            seconds = time.perf_counter() - started
            found = qualities(test, forest.predict_proba(test.X, top_k=top_k))
            shown = ", ".join(f"{measure} {value:.3f}" for measure, value in found.items())
            print_row([name, way, shown, f"{seconds:.1f}"])


if __name__ == "__main__":
    main()
