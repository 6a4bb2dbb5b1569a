"""Data larger than one likes to copy: memory of reading text, and of fitting arrays that lie on disk.

`python -m slantwood_bench.scripts.on_disk text --megabytes 100 1000` writes generated rows of the shape of
Amazon-670K in the formats of extreme classification and of svmlight, reads each file in a process of its own,
and prints the size of the file, of the arrays that come out of it, and the peak of memory above what the
process took before. `... arrays --rows 100000` does so for models that are fitted on memory-mapped arrays:
what the fit takes before trees grow, which is for checking and encoding, and in all. `docs/data.md` holds the
output.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood import LabelTreeClassifier, ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.callbacks import Callback
from slantwood.data import Data, read, write
from slantwood_bench.extreme import SHAPES, drawn
from slantwood_bench.scripts.report import print_environment, print_head, print_row
from slantwood_bench.usage import usage_of

_SHAPE = SHAPES["Amazon-670K"]
_ROWS_WRITTEN = 20_000  # which are then repeated
_FORMATS = ("extreme", "svmlight")


def megabytes(matrix: Any) -> float:
    """Return the size of a dense or sparse matrix in memory."""
    arrays = (matrix.data, matrix.indices, matrix.indptr) if sp.issparse(matrix) else (matrix,)
    return sum(each.nbytes for each in arrays) / 1e6


# ---- text


def write_text(path: Path, form: str, size: float) -> None:
    """Write a file of so many megabytes: some rows, again and again."""
    X, Y = drawn(_SHAPE.scaled(_ROWS_WRITTEN / _SHAPE.rows), 1)
    has_rows = np.unique(Y.indices)  # svmlight knows no others
    Y = sp.csr_array(Y[:, has_rows])
    features, labels = (tuple(map(str, range(n))) for n in (X.shape[1], Y.shape[1]))
    part = path.with_name("part.txt")
    write(Data(X, Y, features, labels, task="multi-label"), part, format=form)
    rows = part.read_bytes()
    if form == "extreme":
        rows = rows.partition(b"\n")[2]
    repeats = max(1, round(1e6 * size / len(rows)))
    with path.open("wb") as file:
        if form == "extreme":
            file.write(f"{repeats * X.shape[0]} {X.shape[1]} {Y.shape[1]}\n".encode())
        for _ in range(repeats):
            file.write(rows)
    part.unlink()


def print_reading(path: Path, form: str) -> None:
    """Read a file, and print what that took."""
    with tempfile.TemporaryDirectory() as folder:
        tiny = Path(folder, "tiny.txt")
        tiny.write_bytes(b"1 2 2\n0,1 0:1 1:1\n" if form == "extreme" else b"0,1 0:1 1:1\n")
        read(tiny, format=form)  # loads code
    found: list[Data] = []
    usage = usage_of(lambda: found.append(read(path, format=form)))
    arrays = megabytes(found[0].X) + megabytes(found[0].y)
    rows, seconds = found[0].X.shape[0], f"{usage.seconds:.1f}"
    numbers = (path.stat().st_size / 1e6, arrays, usage.grown)
    print_row(
        [form, f"{rows:,}", *(f"{each:.0f}" for each in numbers), f"{usage.grown / arrays:.2f}", seconds]
    )


def compare_text(sizes: Sequence[float]) -> None:
    """Write and read files of each format and size."""
    print_head(["format", "rows", "file, MB", "arrays, MB", "memory of reading, MB", "ratio", "seconds"])
    for form in _FORMATS:
        for size in sizes:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "rows.txt")
                write_text(path, form, size)
                command = [sys.executable, "-m", "slantwood_bench.scripts.on_disk", "read", str(path), form]
                print(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout, end="")


# ---- arrays


class _Watch(Callback):
    """Notes the peak of memory when all is checked and encoded."""

    peak = 0

    def setup(self, estimator: Any, context: Any) -> None:
        self.peak = tracemalloc.get_traced_memory()[1]


def memory_of(model: Any, given: Sequence[Any]) -> tuple[float, float]:
    """Return the megabytes that a fit takes before trees grow, and in all."""
    watch = _Watch()
    tracemalloc.start()
    model.set_callbacks(watch).fit(*given)
    in_all = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return watch.peak / 1e6, in_all / 1e6


def compare_arrays(n_rows: int) -> None:
    """Fit models on memory-mapped arrays."""
    shape = _SHAPE.scaled(0.002)  # few labels: memory of rows is what counts
    X, Y = drawn(shape, 1, n_rows)
    rng = np.random.default_rng(0)
    dense, numbers = rng.normal(size=(n_rows, 100)).astype(np.float32), rng.normal(size=n_rows)
    one_tree: dict[str, Any] = {"n_estimators": 1, "min_samples_split": 1000, "random_state": 0}
    models: dict[str, tuple[Any, Any, Any]] = {
        "LabelTreeClassifier": (LabelTreeClassifier(1, n_forest_trees=0, max_iter=1, random_state=0), X, Y),
        "ObliqueForestClassifier, sparse": (ObliqueForestClassifier(**one_tree), X, Y),
        "ObliqueForestRegressor, sparse": (ObliqueForestRegressor(**one_tree), X, numbers),
        "ObliqueForestClassifier, dense": (ObliqueForestClassifier(**one_tree), dense, numbers > 0),
        "ObliqueForestRegressor, dense": (ObliqueForestRegressor(**one_tree), dense, numbers),
    }
    print_head(["model", "rows", "X, MB", "y, MB", "before trees grow, MB", "in all, MB"])
    with tempfile.TemporaryDirectory() as folder:
        for name, (model, rows, y) in models.items():
            model.fit(rows[:1000], y[:1000])  # loads code
            given = [_mapped(Path(folder), each) for each in (rows, y)]
            before, in_all = memory_of(model, given)
            sizes = (megabytes(rows), megabytes(y), before, in_all)
            print_row([name, f"{n_rows:,}", *(f"{each:.1f}" for each in sizes)])


def _mapped(folder: Path, matrix: Any) -> Any:
    if not sp.issparse(matrix):
        return _on_disk(folder, matrix)
    parts = (_on_disk(folder, each) for each in (matrix.data, matrix.indices, matrix.indptr))
    return sp.csr_array(tuple(parts), shape=matrix.shape)


def _on_disk(folder: Path, array: np.ndarray) -> np.ndarray:
    path = Path(folder, f"{len(list(folder.iterdir()))}.npy")
    np.save(path, array)
    return np.load(path, mmap_mode="r")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    text = commands.add_parser("text")
    text.add_argument("--megabytes", type=float, nargs="*", default=[100.0, 1000.0])
    arrays = commands.add_parser("arrays")
    arrays.add_argument("--rows", type=int, default=100_000)
    one = commands.add_parser("read")
    one.add_argument("path", type=Path)
    one.add_argument("format", choices=_FORMATS)
    options = parser.parse_args(arguments)
    if options.command == "read":
        print_reading(options.path, options.format)
        return
    print_environment([])
    if options.command == "text":
        compare_text(options.megabytes)
    else:
        compare_arrays(options.rows)


if __name__ == "__main__":
    main()
