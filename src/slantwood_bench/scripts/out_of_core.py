"""Forests of more rows than memory holds: time, peak of memory and quality, within a limit of memory.

`python -m slantwood_bench.scripts.out_of_core --gigabytes 20 --limit 4 --max-memory 3GB` writes rows to
Parquet files, and then to one array on disk. A process of its own, which may not have more than the limit,
fits a forest on them and predicts all of them. The limit is RLIMIT_DATA: what the process allocates counts,
pages of files that the system keeps in memory do not. (Where systemd is there, `systemd-run --scope -p
MemoryMax=4G` before the command limits both.) Rows of a file are sorted by their class, so that its first
rows say little of all. `docs/out_of_core.md` holds the output.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from slantwood import ObliqueForestClassifier
from slantwood.data import scan
from slantwood_bench.scripts.report import print_environment, print_head, print_row
from slantwood_bench.usage import peak_megabytes

_FORMS = ("parquet", "array")
_ROWS_WRITTEN = 50_000  # in one go
_ROWS_OF_A_FILE = 1_000_000
_N_NEW = 50_000
_CLASSES = 3


class Rows(NamedTuple):
    """Features and classes."""

    X: np.ndarray
    y: np.ndarray


def drawn(n_rows: int, n_features: int, seed: int) -> Rows:
    """Draw rows of a planted problem, which is the same with every seed; they are sorted by class."""
    planted = np.random.default_rng(0)
    directions = planted.standard_normal((n_features, _CLASSES), np.float32)
    rng = np.random.default_rng([1, seed])
    X = rng.standard_normal((n_rows, n_features), np.float32)
    scores = X @ directions / np.float32(np.sqrt(n_features))
    scores[:, 0] += np.abs(X[:, 0] + X[:, 1]) - 1
    y = (scores + 0.2 * rng.standard_normal(scores.shape, np.float32)).argmax(axis=1)
    order = np.argsort(y, kind="stable")
    return Rows(X[order], y[order])


def _pieces(n_rows: int, n_features: int) -> Iterator[Rows]:
    for number, start in enumerate(range(0, n_rows, _ROWS_WRITTEN)):
        yield drawn(min(_ROWS_WRITTEN, n_rows - start), n_features, number)


def write_parquet(folder: Path, n_rows: int, n_features: int) -> None:
    """Write rows to files of a million each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"x{j}" for j in range(n_features)]
    writer, in_file, number = None, 0, 0
    for piece in _pieces(n_rows, n_features):
        columns = [np.ascontiguousarray(column) for column in piece.X.T]
        batch = pa.record_batch([*columns, np.array(["ash", "elm", "oak"])[piece.y]], names=[*names, "tree"])
        if writer is None:
            path = folder / f"part-{number:04}.parquet"
            writer = pq.ParquetWriter(path, batch.schema, compression="none", use_dictionary=["tree"])
        writer.write_batch(batch)
        in_file += len(piece.y)
        if in_file >= _ROWS_OF_A_FILE:
            writer.close()
            writer, in_file, number = None, 0, number + 1
    if writer is not None:
        writer.close()


def write_arrays(folder: Path, n_rows: int, n_features: int) -> None:
    """Write rows as arrays of float32 numbers and of classes."""
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float32, (n_rows, n_features))
    y = np.lib.format.open_memmap(folder / "y.npy", "w+", np.int8, (n_rows,))
    start = 0
    for piece in _pieces(n_rows, n_features):
        stop = start + len(piece.y)
        X[start:stop], y[start:stop] = piece
        start = stop


# ---- in a process of its own


def fit_and_predict(form: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Fit within a limit of memory, predict all rows, and say what that took."""
    new = drawn(_N_NEW, options.features, 10**6)
    ObliqueForestClassifier(2, n_jobs=options.jobs).fit(new.X[::100], new.y[::100])  # loads code
    limit = int(options.limit * 1e9)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    forest = ObliqueForestClassifier(
        options.trees,
        max_samples=options.max_samples,
        max_memory=options.max_memory,
        n_jobs=options.jobs,
        random_state=0,
        verbose=1,
    )
    found: dict[str, Any] = {}
    names = np.array(["ash", "elm", "oak"])
    with _measured(found, "fit"):
        if form == "parquet":
            rows = scan(folder, targets="tree")
            forest.fit(rows)
        else:
            X, y = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in "Xy")
            forest.fit(X, y)
    with _measured(found, "predict"):
        if form == "parquet":
            right = [int((forest.predict(block.X) == block.y).sum()) for block in rows]
            found["rows"], found["right"] = rows.n_rows, sum(right) / rows.n_rows
        else:
            found["rows"], found["right"] = len(y), float((forest.predict(X) == y).mean())
    truth = names[new.y] if form == "parquet" else new.y
    found["new"] = float((forest.predict(new.X) == truth).mean())
    found["rss"] = peak_megabytes()
    return found


class _measured:
    """Notes the seconds and CPU seconds of what is done within."""

    def __init__(self, found: dict[str, Any], name: str) -> None:
        self._found, self._name = found, name

    def __enter__(self) -> None:
        self._begun = time.perf_counter(), time.process_time()

    def __exit__(self, *error: object) -> None:
        ended = time.perf_counter(), time.process_time()
        seconds, cpu = (b - a for a, b in zip(self._begun, ended, strict=True))
        self._found[self._name] = {"seconds": seconds, "cpu": cpu}


def _run(form: str, folder: Path, arguments: Sequence[str]) -> dict[str, Any]:
    """Run the child, and watch what it allocates."""
    command = [sys.executable, "-m", "slantwood_bench.scripts.out_of_core", *arguments]
    command += ["--one", form, "--folder", str(folder)]
    # Pools that reserve more than they use would count against the limit.
    environment = os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    peaks = [0.0]

    def watch() -> None:
        while child.poll() is None:
            try:
                status = Path(f"/proc/{child.pid}/status").read_text()
            except OSError:
                return
            found = re.search(r"RssAnon:\s*(\d+)", status)
            peaks.append(int(found[1]) * 1024 / 1e6 if found else 0.0)
            time.sleep(0.05)

    watcher = threading.Thread(target=watch)
    watcher.start()
    said = child.communicate()[0]
    watcher.join()
    if child.returncode:
        raise SystemExit(f"the process ended with {child.returncode}")
    return json.loads(said.splitlines()[-1]) | {"anonymous": max(peaks)}


def _of_a_sample(options: argparse.Namespace) -> float:
    """Return the accuracy of the usual fit on so many rows as one tree draws."""
    sample, new = drawn(options.max_samples, options.features, 10**7), drawn(_N_NEW, options.features, 10**6)
    forest = ObliqueForestClassifier(options.trees, n_jobs=options.jobs, random_state=0)
    return float((forest.fit(*sample).predict(new.X) == new.y).mean())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=2.0, help="of rows on disk")
    parser.add_argument("--limit", type=float, default=0.5, help="gigabytes that the process may allocate")
    parser.add_argument(
        "--max-memory", default="150MB", help="of them for the fit; the rest is Python and code"
    )
    parser.add_argument("--features", type=int, default=200)
    parser.add_argument("--trees", type=int, default=10)
    parser.add_argument("--max-samples", type=int, default=100_000, help="rows that a tree draws")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--forms", nargs="*", choices=_FORMS, default=_FORMS)
    parser.add_argument("--folder", type=Path, help="where to write; by default a temporary folder")
    parser.add_argument("--one", choices=_FORMS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(fit_and_predict(options.one, options.folder, options)))
        return
    n_rows = int(options.gigabytes * 1e9 / (4 * options.features))
    given = {
        name: getattr(options, name) for name in ("limit", "max_memory", "features", "trees", "max_samples")
    }
    print_environment([], gigabytes=options.gigabytes, jobs=options.jobs, **given)
    heading = ["rows as", "rows", "GB on disk", "fit, s", "fit, CPU s", "predict, s", "predict, CPU s"]
    print_head(
        [
            *heading,
            "allocated at the most, MB",
            "resident at the most, MB",
            "right, all rows",
            "right, new rows",
        ]
    )
    for form in options.forms:
        folder = Path(tempfile.mkdtemp(dir=options.folder))
        try:
            (write_parquet if form == "parquet" else write_arrays)(folder, n_rows, options.features)
            size = sum(file.stat().st_size for file in folder.iterdir()) / 1e9
            found = _run(form, folder, _without_folder(arguments))
        finally:
            shutil.rmtree(folder)
        times = [f"{found[step][kind]:.0f}" for step in ("fit", "predict") for kind in ("seconds", "cpu")]
        sizes = [f"{found[name]:.0f}" for name in ("anonymous", "rss")]
        print_row([form, f"{found['rows']:,}", f"{size:.1f}", *times, *sizes, found["right"], found["new"]])
    print(f"\nthe usual fit on {options.max_samples:,} rows: {_of_a_sample(options):.4f} of new rows right")


def _without_folder(arguments: Sequence[str]) -> list[str]:
    kept = list(arguments)
    if "--folder" in kept:
        place = kept.index("--folder")
        del kept[place : place + 2]
    return kept


if __name__ == "__main__":
    main()
