"""How long it takes to find the leaves of sparse rows, of one at a time and of many together.

`python -m slantwood_bench.scripts.routing` grows a few trees on generated text, in which every topic has its
words and labels, and prints microseconds of CPU time for each row. A split of such a forest has many thousand
weights, a row about a hundred values. `docs/benchmarks.md` holds the output. `... --bookmarks` prints the CPU
seconds in which 50 trees predict the best five labels of 7,900 rows of the shape of bookmarks, which
has 2150 words and 208 labels.
"""

import argparse
import time
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from slantwood import ObliqueForestClassifier
from slantwood_bench.scripts.report import print_environment, print_head, print_row

_N_TOPICS = 200
_LABELS_PER_TOPIC = 5

# Rows that are measured, and how many go into one call.
_CALLS = ((300, 1), (1000, 10), (3000, 1000), (3000, 3000))

# A tenth of bookmarks, its shape, and the default number of trees.
_BOOKMARKS, _WORDS_OF_BOOKMARKS, _LABELS_OF_BOOKMARKS, _WORDS_PER_BOOKMARK = 7900, 2150, 208, 126
_TREES_OF_BOOKMARKS = 50


def documents(
    n_rows: int, n_features: int, n_labels: int, per_row: int, seed: int
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Draw rows of words, and their labels: half of the words and all labels come from two topics a row."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(_N_TOPICS, size=(n_rows, 2))
    # The topics themselves do not depend on the seed, so that other rows are of the same kind.
    first_word = np.random.default_rng(0).integers(n_features, size=_N_TOPICS)
    of_topic = rng.integers(2, size=(n_rows, per_row // 2))
    near = (n_features // 50 * rng.random(of_topic.shape) ** 2).astype(np.int64)
    own = (first_word[np.take_along_axis(topics, of_topic, 1)] + near) % n_features
    common = (n_features * rng.random((n_rows, per_row - per_row // 2)) ** 3).astype(np.int64)
    X = _indicator(np.hstack([own, common]), n_features)
    labels = _LABELS_PER_TOPIC * topics[:, [0, 0, 1, 1]] + rng.integers(_LABELS_PER_TOPIC, size=(n_rows, 4))
    return X, _indicator(labels % n_labels, n_labels)


def _indicator(columns: np.ndarray, n_columns: int) -> sparse.csr_array:
    rows = np.repeat(np.arange(len(columns)), columns.shape[1])
    cells = (np.ones(columns.size, np.float32), (rows, columns.ravel()))
    found = sparse.csr_array(cells, shape=(len(columns), n_columns))
    found.data[:] = 1.0  # words that come twice count once
    return found


def microseconds_per_row(forest: ObliqueForestClassifier, X: sparse.csr_array, together: int) -> float:
    """Return the CPU time of finding the leaves of a row, of so many rows in one call."""
    parts = [X[start : start + together] for start in range(0, X.shape[0], together)]
    begun = time.process_time()
    for part in parts:
        forest.apply(part)
    return (time.process_time() - begun) / X.shape[0] * 1e6


def print_bookmarks(n_rows: int) -> None:
    """Print how long it takes to predict as many rows as a fold of bookmarks has."""
    X, Y = documents(n_rows, _WORDS_OF_BOOKMARKS, _LABELS_OF_BOOKMARKS, _WORDS_PER_BOOKMARK, 1)
    forest = ObliqueForestClassifier(_TREES_OF_BOOKMARKS, random_state=0, n_jobs=-1).fit(X, Y)
    forest.set_params(n_jobs=1)
    X, _ = documents(_BOOKMARKS, _WORDS_OF_BOOKMARKS, _LABELS_OF_BOOKMARKS, _WORDS_PER_BOOKMARK, 2)
    forest.predict_top_k(X[:100], 5)  # loads code
    begun = time.process_time()
    forest.apply(X)
    routed = time.process_time()
    forest.predict_top_k(X, 5)
    cells = [f"{_BOOKMARKS:,}", str(_TREES_OF_BOOKMARKS), f"{len(forest.trees_.left):,}"]
    print_head(["rows", "trees", "nodes", "leaves found, CPU s", "best five labels, CPU s"])
    print_row([*cells, f"{routed - begun:.2f}", f"{time.process_time() - routed:.2f}"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--features", type=int, nargs="*", default=[5_000, 50_000])
    parser.add_argument("--labels", type=int, default=500)
    parser.add_argument("--per-row", type=int, default=120)
    parser.add_argument("--trees", type=int, default=10)
    parser.add_argument("--bookmarks", action="store_true")
    options = parser.parse_args(arguments)
    print_environment([], rows=options.rows, labels=options.labels, trees=options.trees)
    if options.bookmarks:
        print_bookmarks(options.rows)
        return
    print_head(["features", "values a row", "weights a root", "1 row", "10 together", "1000", "all"])
    for n_features in options.features:
        X, Y = documents(options.rows, n_features, options.labels, options.per_row, 1)
        forest = ObliqueForestClassifier(options.trees, random_state=0, n_jobs=-1).fit(X, Y)
        forest.set_params(n_jobs=1)
        roots = np.diff(forest.trees_.indptr)[forest.trees_.roots]
        X, _ = documents(3000, n_features, options.labels, options.per_row, 2)
        forest.apply(X)
        times = [microseconds_per_row(forest, X[:n], together) for n, together in _CALLS]
        print_row(
            [n_features, f"{X.nnz / X.shape[0]:.0f}", f"{roots.mean():.0f}", *(f"{t:.0f}" for t in times)]
        )


if __name__ == "__main__":
    main()
