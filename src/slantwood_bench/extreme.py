"""Generated rows with the shapes of the large sets for extreme classification, and with planted structure.

Labels are frequent by a power law, and labels of neighbouring numbers belong to one topic, of which a row has
few. A row's words come from its labels, from their topics, and from everywhere. Words of a label or topic
are computed from its number, so that nothing but rows takes memory, and rows of another seed are of the same
kind.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

_LABELS_PER_TOPIC = 50
_WORDS_OF_LABEL = 4
_WORDS_OF_TOPIC = 40

# Shares of the words of a row that its labels and their topics have.
_BY_LABEL, _BY_TOPIC = 0.3, 0.4

# Rows are drawn so many at a time.
_AT_ONCE = 20_000


@dataclass(frozen=True)
class Shape:
    """Size of a data set; the last two are means over rows."""

    rows: int
    features: int
    labels: int
    words_per_row: float
    labels_per_row: float

    def scaled(self, part: float) -> Shape:
        """Return a shape with a part of the rows and labels."""
        return replace(self, rows=max(1, int(part * self.rows)), labels=max(1, int(part * self.labels)))


# Training rows, as the extreme classification repository lists them.
SHAPES = {
    "AmazonCat-13K": Shape(1_186_239, 203_882, 13_330, 71.2, 5.04),
    "Delicious-200K": Shape(196_606, 782_585, 205_443, 301.0, 75.5),
    "Amazon-670K": Shape(490_449, 135_909, 670_091, 75.7, 5.45),
}


def drawn(shape: Shape, seed: int, n_rows: int | None = None) -> tuple[sp.csr_array, sp.csr_array]:
    """Draw rows and their labels: float32 and int8 CSR arrays."""
    rng = np.random.default_rng(seed)
    n = shape.rows if n_rows is None else n_rows
    parts = [_some(shape, rng, min(_AT_ONCE, n - start)) for start in range(0, n, _AT_ONCE)]
    X, Y = (sp.csr_array(sp.vstack(each, format="csr")) for each in zip(*parts, strict=True))
    return X, Y


def _some(shape: Shape, rng: np.random.Generator, n: int) -> tuple[sp.csr_array, sp.csr_array]:
    # The first label of a row is any, by a power law; the others are near to it.
    per_row = max(1, round(shape.labels_per_row))
    first = (shape.labels * rng.random((n, 1)) ** 2).astype(np.int64)
    near = np.rint(rng.normal(0.0, _LABELS_PER_TOPIC / 4, (n, per_row - 1))).astype(np.int64)
    labels = np.hstack([first, (first + near) % shape.labels])
    n_words = round(shape.words_per_row)
    n_own, n_shared = int(_BY_LABEL * n_words), int(_BY_TOPIC * n_words)
    of_label = np.take_along_axis(labels, rng.integers(per_row, size=(n, n_own)), 1)
    of_topic = np.take_along_axis(labels, rng.integers(per_row, size=(n, n_shared)), 1) // _LABELS_PER_TOPIC
    words = np.hstack(
        [
            _word(of_label, rng.integers(_WORDS_OF_LABEL, size=of_label.shape), shape.features),
            _word(-1 - of_topic, rng.integers(_WORDS_OF_TOPIC, size=of_topic.shape), shape.features),
            (shape.features * rng.random((n, n_words - n_own - n_shared)) ** 3).astype(np.int64),
        ]
    )
    X = _counted(words, shape.features)
    X.data = np.log1p(X.data)
    Y = _counted(labels, shape.labels)
    return X, sp.csr_array((np.ones(Y.nnz, np.int8), Y.indices, Y.indptr), shape=Y.shape)


def _word(owner: np.ndarray, number: np.ndarray, n_features: int) -> np.ndarray:
    """Return a word of a label or topic: always the same for the same numbers, and as good as drawn."""
    mixed = owner.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed += number.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(11)).astype(np.int64) % n_features


def _counted(columns: np.ndarray, n_columns: int) -> sp.csr_array:
    rows = np.repeat(np.arange(len(columns), dtype=np.int32), columns.shape[1])
    ones = np.ones(columns.size, np.float32)
    places = (rows, columns.ravel().astype(np.int32))  # of 32 bits, as are then the indices of the result
    found = sp.csr_array((ones, places), shape=(len(columns), n_columns))
    found.sum_duplicates()
    return found
