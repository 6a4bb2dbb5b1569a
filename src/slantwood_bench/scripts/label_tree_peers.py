"""One fit of a label tree of another library, in the Python in which that is installed.

`PYTHON label_tree_peers.py NAME FOLDER JOBS`, as `many_labels` runs it. This file imports NumPy, SciPy and
the library only, so that the library may have an environment of its own. The folder holds `train_X.npz`,
`train_y.npz` and `test_X.npz`; beside them it writes `best.npz`, the five best labels of each test row as
the library finds them by default; `all.npz`, the scores of up to 1000 labels, for which a search visits up
to 1000 nodes of a level; and `found.json`, with processor seconds and the size of the model's files.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

# Labels of a row: those that users see, and those that are ranked to judge the order of all.
FEW, MANY = 5, 1000

# As Bonsai is run: wide, shallow, clusters as they fall.
BONSAI = {"cluster_balanced": False, "cluster_k": 100, "max_depth": 3}

# Finds the labels of rows: (X, how many, whether many nodes may be visited).
Predict = Callable[[sp.csr_matrix, int, bool], sp.csr_matrix]
# Fits on (X, Y, folder for files, threads).
Fit = Callable[[sp.csr_matrix, sp.csr_matrix, Path, int], Predict]


def omikuji(**parameters: Any) -> Fit:
    """Label trees of Omikuji, which learns from a file; it scales rows to length 1 itself."""

    def fit(X: sp.csr_matrix, Y: sp.csr_matrix, folder: Path, jobs: int) -> Predict:
        from omikuji import Model

        given = Model.default_hyper_param()
        for name, value in parameters.items():
            setattr(given, name, value)
        model = Model.train_on_data(str(folder.parent / "rows.txt"), given, jobs)
        model.save(str(folder))

        def predict(X: sp.csr_matrix, k: int, widely: bool) -> sp.csr_matrix:
            beam = MANY if widely else 10
            found = (model.predict(row, beam_size=beam, top_k=k) for row in pairs(X))
            return matrix(found, (X.shape[0], Y.shape[1]))

        return predict

    return fit


def napkinxc(X: sp.csr_matrix, Y: sp.csr_matrix, folder: Path, jobs: int) -> Predict:
    """Fit a probabilistic label tree of napkinXC; it scales rows to length 1 itself."""
    from napkinxc.models import PLT

    model = PLT(str(folder), threads=jobs, seed=0)
    model.fit(X, Y)

    def predict(X: sp.csr_matrix, k: int, widely: bool) -> sp.csr_matrix:
        # Its search is exact either way.
        return matrix(model.predict_proba(X, top_k=k), (X.shape[0], Y.shape[1]))

    return predict


def pecos(X: sp.csr_matrix, Y: sp.csr_matrix, folder: Path, jobs: int) -> Predict:
    """Fit an XR-Linear model of PECOS, on rows of length 1."""
    from pecos.xmc import Indexer, LabelEmbeddingFactory  # type: ignore[import-not-found]
    from pecos.xmc.xlinear.model import XLinearModel  # type: ignore[import-not-found]

    rows = unit(X)
    labels = LabelEmbeddingFactory.create(Y, rows, method="pifa")
    clusters = Indexer.gen(labels, indexer_type="hierarchicalkmeans")
    model = XLinearModel.train(rows, Y, C=clusters, threads=jobs)
    model.save(str(folder))

    def predict(X: sp.csr_matrix, k: int, widely: bool) -> sp.csr_matrix:
        return model.predict(unit(X), only_topk=k, beam_size=MANY if widely else 10, threads=jobs)

    return predict


PEERS: dict[str, tuple[str, Fit]] = {
    "Omikuji, Parabel": ("omikuji", omikuji()),
    "Omikuji, Bonsai": ("omikuji", omikuji(**BONSAI)),
    "napkinXC": ("napkinxc", napkinxc),
    "PECOS": ("libpecos", pecos),
}


def unit(X: sp.csr_matrix) -> sp.csr_matrix:
    """Scale rows to length 1."""
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    scaled = sp.csr_matrix(sp.diags(1.0 / np.where(lengths > 0, lengths, 1.0)) @ X, dtype=np.float32)
    scaled.sort_indices()
    return scaled


def pairs(X: sp.csr_matrix) -> Iterator[list[tuple[int, float]]]:
    """Yield the columns and values of each row."""
    for i in range(X.shape[0]):
        cells = slice(X.indptr[i], X.indptr[i + 1])
        yield list(zip(X.indices[cells].tolist(), X.data[cells].tolist(), strict=True))


def lines(X: sp.csr_matrix, labels: sp.csr_matrix) -> Iterator[str]:
    """Yield the lines of a file as Omikuji reads it."""
    yield f"{X.shape[0]} {X.shape[1]} {labels.shape[1]}"
    for own, cells in zip(pairs(labels), pairs(X), strict=True):
        yield " ".join([",".join(str(label) for label, _ in own), *(f"{j}:{x:.9g}" for j, x in cells)])


def matrix(found: Iterable[list[tuple[int, float]]], shape: tuple[int, int]) -> sp.csr_matrix:
    """Make a matrix of the labels and scores of each row."""
    cells = [(i, label, score) for i, row in enumerate(found) for label, score in row]
    rows, columns, values = np.array(cells, dtype=np.float64).reshape(-1, 3).T
    return sp.csr_matrix((values, (rows.astype(int), columns.astype(int))), shape=shape)


def main(name: str, folder: Path, jobs: int) -> None:
    """Fit one model, and write what it finds."""
    package, fit = PEERS[name]
    X, Y, X_test = (
        sp.csr_matrix(sp.load_npz(folder / f"{part}.npz"), dtype=np.float32)
        for part in ("train_X", "train_y", "test_X")
    )
    if package == "omikuji":  # reading the file is part of fitting, writing it is not
        (folder / "rows.txt").write_text("\n".join(lines(X, Y)) + "\n")
    files = folder / "model"
    started = time.process_time()
    predict = fit(X, Y, files, jobs)
    fitted = time.process_time()
    best = predict(X_test, FEW, False)
    predicted = time.process_time()
    n_bytes = sum(file.stat().st_size for file in files.rglob("*") if file.is_file())
    sp.save_npz(folder / "best.npz", best)
    sp.save_npz(folder / "all.npz", predict(X_test, min(MANY, Y.shape[1]), True))
    found = {
        "fit_seconds": fitted - started,
        "predict_seconds": predicted - fitted,
        "n_bytes": n_bytes,
    }
    (folder / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
