"""Model files: their size, how fast they are written and read, and what half precision costs.

`python -m slantwood_bench.scripts.model_files [NAME]`. A forest of 50 trees with default settings learns a
multi-label set that has a test part, and is saved in all ways, each several times, of which the fastest
counts. Writing ends when the file is on the disk; reading begins with the file in the system's cache and ends
when checksum and contents are checked and every page of the arrays was touched. Megabytes per second are
those of the file. Sizes are compared with that of the trees in memory.
"""

import argparse
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from slantwood import ObliqueForestClassifier, load_model
from slantwood.metrics import precision_at_k
from slantwood_bench.scripts.data import read_parts
from slantwood_bench.scripts.report import print_environment, print_head, print_row

WAYS: dict[str, dict[str, bool]] = {
    "whole": {},
    "predict-only": {"predict_only": True},
    "float16": {"float16": True},
    "float16, predict-only": {"float16": True, "predict_only": True},
}
_BEST = 5
_PAGE = 4096


def fastest(call: Callable[[], Any], repeats: int) -> float:
    """Seconds of the fastest of several calls."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def load_and_touch(path: Path) -> None:
    """Read a model, and one byte of every page of its trees."""
    trees = load_model(path).trees_
    for array in (*trees[:-1], trees.leaves.values, trees.leaves.indices, trees.leaves.data):
        array.reshape(-1).view(np.uint8)[::_PAGE].max(initial=0)


def predict_to_file(model: Path, rows: Path, result: Path) -> None:
    """Predict with a model file: what the other process does."""
    sparse.save_npz(result, load_model(model).predict_proba(sparse.load_npz(rows), top_k=_BEST))


def same_elsewhere(forest: Any, X: Any, folder: Path) -> bool:
    """Whether another process that loads the forest predicts the very same numbers."""
    forest.save(folder / "other.slant")
    sparse.save_npz(folder / "rows.npz", sparse.csr_array(X))
    paths = [str(folder / name) for name in ("other.slant", "rows.npz", "result.npz")]
    subprocess.run(
        [sys.executable, "-m", "slantwood_bench.scripts.model_files", "--predict", *paths], check=True
    )
    here, there = forest.predict_proba(X, top_k=_BEST), sparse.load_npz(paths[-1])
    parts = ("data", "indices", "indptr")
    return all(np.array_equal(getattr(here, part), getattr(there, part)) for part in parts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", default="eurlex-eurovoc")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--folder", help="where to write, on the disk to be measured; else a temporary folder"
    )
    parser.add_argument("--predict", nargs=3, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.predict:
        predict_to_file(*options.predict)
        return
    print_environment(data=options.name, trees=options.trees, repeats=options.repeats)
    train, test = read_parts(options.name)
    forest = ObliqueForestClassifier(n_estimators=options.trees, n_jobs=options.jobs, random_state=0)
    forest.fit(train.X, train.y)
    in_memory = len(pickle.dumps(forest.trees_, protocol=5)) / 1e6
    pickled = len(pickle.dumps(forest, protocol=5)) / 1e6
    print()
    print_head(["file", "MB", "of memory", "saving MB/s", "loading MB/s", "P@1"])
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        for way, how in WAYS.items():
            path = folder / "model.slant"
            saving = fastest(partial(forest.save, path, **how), options.repeats)
            loading = fastest(partial(load_and_touch, path), options.repeats)
            size = path.stat().st_size / 1e6
            scores = load_model(path).predict_proba(test.X, top_k=_BEST)
            speeds = [f"{size / seconds:.0f}" for seconds in (saving, loading)]
            quality = float(precision_at_k(test.y, scores, 1))
            print_row([way, f"{size:.1f}", f"{size / in_memory:.0%}", *speeds, quality])
        print_row(["pickle, protocol 5", f"{pickled:.1f}", f"{pickled / in_memory:.0%}", "", "", ""])
        print_row(["trees in memory", f"{in_memory:.1f}", "100%", "", "", ""])
        print(f"\nthe same predictions in another process: {same_elsewhere(forest, test.X, folder)}")


if __name__ == "__main__":
    main()
