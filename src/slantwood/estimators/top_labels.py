"""The best few classes or labels of each row, by name, best first."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.output import frame_of


class TopLabels(NamedTuple):
    """The best classes or labels of each row, and their scores: what `predict_top_k` returns.

    Parameters
    ----------
    labels : array of shape (n_rows, k)
        Values of `classes_`, best first.
    scores : array of float of shape (n_rows, k)
        Their probabilities.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from slantwood import ObliqueForestClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    >>> labels, scores = forest.predict_top_k(X, k=2)
    >>> labels.shape, bool((scores[:, 0] >= scores[:, 1]).all())
    ((178, 2), True)
    """

    labels: np.ndarray
    scores: np.ndarray

    def to_frame(self, library: str = "pandas", index: Any = None) -> Any:
        """Return a data frame with columns label_1, score_1, label_2, score_2, ...

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            The library of the frame.
        index : index of a pandas frame, optional
            Names of the rows, such as `X.index`.

        Returns
        -------
        data frame
            One row for each row of X.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood import TopLabels
        >>> best = TopLabels(np.array([["sun", "sea"]], object), np.array([[0.7, 0.5]]))
        >>> best.to_frame()
          label_1  score_1 label_2  score_2
        0     sun      0.7     sea      0.5
        """
        columns = {}
        for place in range(self.labels.shape[1]):
            columns[f"label_{place + 1}"] = self.labels[:, place]
            columns[f"score_{place + 1}"] = self.scores[:, place]
        return frame_of(columns, library, index)

    def to_list(self) -> list[list[dict[str, Any]]]:
        """Return lists of Python's own values, which JSON can hold.

        Returns
        -------
        list of lists of dict
            For each row of X a dictionary for each of its best labels, best first: ``"label"`` and
            ``"score"``.

        Examples
        --------
        >>> import json
        >>> import numpy as np
        >>> from slantwood import TopLabels
        >>> best = TopLabels(np.array([["sun", "sea"]], object), np.array([[0.75, 0.5]], np.float32))
        >>> json.dumps(best.to_list())
        '[[{"label": "sun", "score": 0.75}, {"label": "sea", "score": 0.5}]]'
        """
        labels = [[_python_value(label) for label in row] for row in np.asarray(self.labels).tolist()]
        rows = zip(labels, np.asarray(self.scores).tolist(), strict=True)
        return [[{"label": label, "score": score} for label, score in zip(*row, strict=True)] for row in rows]


def _python_value(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


class TopColumns(NamedTuple):
    """Columns of the largest scores of each row, and these, largest first."""

    columns: np.ndarray
    scores: np.ndarray


def top_of_dense(scores: np.ndarray, k: int) -> TopColumns:
    """Return the k largest scores of each row; of equal ones the first goes first."""
    columns = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return TopColumns(columns, np.take_along_axis(scores, columns, axis=1))


def top_only(scores: np.ndarray, k: int) -> np.ndarray:
    """Return the scores with zeros in place of all but the k largest of each row."""
    best = top_of_dense(scores, k)
    kept = np.zeros_like(scores)
    np.put_along_axis(kept, best.columns, best.scores, axis=1)
    return kept


def keep_top(scores: sp.csr_array, ranks: np.ndarray, k: int) -> sp.csr_array:
    """Return the k largest scores of each row only; of equal ones those of lower rank."""
    n_stored = np.diff(scores.indptr)
    row = np.repeat(np.arange(scores.shape[0]), n_stored)
    order = np.lexsort((ranks[scores.indices], -scores.data, row))
    place = np.arange(len(row)) - np.repeat(scores.indptr[:-1], n_stored)
    kept = np.sort(order[place < k])
    starts = np.concatenate([[0], np.cumsum(np.minimum(n_stored, k))])
    return sp.csr_array((scores.data[kept], scores.indices[kept], starts), shape=scores.shape)


def top_of_sparse(scores: sp.csr_array, ranks: np.ndarray, k: int) -> TopColumns:
    """Return the k largest scores of each row, which stores no more; then columns of score 0, by rank."""
    n, n_stored = scores.shape[0], np.diff(scores.indptr)
    row = np.repeat(np.arange(n), n_stored)
    order = np.lexsort((ranks[scores.indices], -scores.data, row))
    place = np.arange(len(row)) - np.repeat(scores.indptr[:-1], n_stored)
    columns, values = np.zeros((n, k), np.intp), np.zeros((n, k), scores.dtype)
    columns[row, place], values[row, place] = scores.indices[order], scores.data[order]
    empty = np.arange(k) >= n_stored[:, None]
    if empty.any():
        # The k columns of lowest rank have enough others.
        lowest = np.argsort(ranks)[:k]
        is_stored = np.zeros((n, k), np.bool_)
        among = ranks[scores.indices] < k
        is_stored[row[among], ranks[scores.indices[among]]] = True
        others = lowest[np.argsort(is_stored, axis=1, kind="stable")]
        shifted = np.arange(k) - n_stored[:, None]
        columns[empty] = others[np.nonzero(empty)[0], shifted[empty]]
    return TopColumns(columns, values)
