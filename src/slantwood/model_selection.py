"""Folds for cross-validation in which every label has its share.

Plugs into scikit-learn as `cv=`. Reads labels in every form in which users have them, and knows no estimator.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from slantwood.features.frames import is_missing
from slantwood.features.sparse_input import check_sparse
from slantwood.kernels.stratify import stratify
from slantwood.targets.hierarchical_labels import closed_labels
from slantwood.targets.hierarchy import Hierarchy
from slantwood.targets.label_sets import are_label_sets, holds_label_sets, is_collection, rows_of
from slantwood.targets.reading import as_array, as_numbers

__all__ = ["LabelStratifiedKFold"]


class LabelStratifiedKFold(BaseCrossValidator):
    """K folds that share out the rows of every label equally, for any number of labels per row.

    Rows are dealt out by iterative stratification [1]_: the label with the fewest rows left goes first, and
    each of its rows is given to the fold that has the fewest rows of that label. Where several folds do, it
    goes to the one with the smallest part of the row's other labels, then to the one with the fewest rows,
    then to the first of them, or to one at random if `shuffle`. Rows without labels fill up the folds.

    Folds differ in size by one row at most. With one label per row, folds also differ by one row at most in
    each label.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    hierarchy : Hierarchy or None, default=None
        Labels are completed by their ancestors in it first, so that inner labels are shared out too.
    shuffle : bool, default=False
        Whether to take the rows in random order, and to decide between equally good folds at random.
    random_state : int, RandomState instance or None, default=None
        With `shuffle`, an int gives the same folds in every call.

    Notes
    -----
    Folds do not depend on the names of labels, nor on the order of the columns of y.

    References
    ----------
    .. [1] K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data", ECML PKDD
       2011.

    Examples
    --------
    >>> from slantwood.model_selection import LabelStratifiedKFold
    >>> tags = [{"sun"}, {"sun", "sea"}, {"sea"}, {"sun", "sea"}, {"sun"}, {"sea"}]
    >>> for train, test in LabelStratifiedKFold(n_splits=2).split(tags, tags):
    ...     print(test)
    [0 2 3]
    [1 4 5]
    """

    n_splits: int
    hierarchy: Hierarchy | None
    shuffle: bool
    random_state: Any

    def __init__(
        self,
        n_splits: int = 5,
        *,
        hierarchy: Hierarchy | None = None,
        shuffle: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        if isinstance(n_splits, bool) or not isinstance(n_splits, Integral):
            raise TypeError(f"n_splits={n_splits!r} must be a whole number")
        if n_splits < 2:
            raise ValueError(f"n_splits={n_splits!r} must be at least 2: each fold is tested on the others")
        if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
            raise TypeError(f"hierarchy={hierarchy!r:.60} must be a Hierarchy of labels, or None")
        if not isinstance(shuffle, (bool, np.bool_)):
            raise TypeError(f"shuffle={shuffle!r} must be True or False")
        if random_state is not None and not shuffle:
            raise ValueError(
                f"random_state={random_state!r} has no effect with shuffle=False; pass shuffle=True for "
                "random folds, or leave random_state out"
            )
        self.n_splits = int(n_splits)
        self.hierarchy = hierarchy
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds; the arguments exist for compatibility.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        int
            `n_splits`.

        Examples
        --------
        >>> from slantwood.model_selection import LabelStratifiedKFold
        >>> LabelStratifiedKFold(n_splits=3).get_n_splits()
        3
        """
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows to train on and the rows to test on, in ascending order, for one fold after another.

        Parameters
        ----------
        X : object with a length
            Only the number of its rows matters.
        y : array or sparse matrix of shape (n_rows, n_labels), label sets, or classes
            Labels of each row: zeros and ones, dense or sparse; or one collection of labels for each row, in
            a list or an array of objects; or one class for each row, which counts as its label. NaN, and None
            in place of a label or a collection, count as no label. Lists of numbers of equal length are rows
            of zeros and ones; where they are meant as labels, make them sets.
        groups : object
            Ignored, with a warning.

        Returns
        -------
        iterator of pairs of int arrays
            Positions of the rows to train on and to test on. Each row is in one test array.

        Examples
        --------
        >>> from slantwood.model_selection import LabelStratifiedKFold
        >>> tags = [{"sun"}, {"sun", "sea"}, {"sea"}, {"sun", "sea"}]
        >>> for train, test in LabelStratifiedKFold(n_splits=2).split(tags, tags):
        ...     print(train, test)
        [1 2] [0 3]
        [0 3] [1 2]
        """
        if groups is not None:
            warnings.warn(f"The groups parameter is ignored by {type(self).__name__}", stacklevel=2)
        if y is None:
            raise ValueError(f"{type(self).__name__} needs y: it shares out the rows of each label")
        check_sparse(X, "X")  # here, as scikit-learn converts both
        check_sparse(y, "y")
        return super().split(X, y)

    def _iter_test_masks(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[np.ndarray]:
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if self.n_splits > n_rows:
            raise ValueError(
                f"n_splits={self.n_splits} is more than the number of rows, {n_rows}; each fold needs a row"
            )
        folds = self._folds(self._indicator(y, n_rows))
        for fold in range(self.n_splits):
            yield folds == fold

    def _indicator(self, y: Any, n_rows: int) -> sp.csr_array:
        """Return the labels of each row as a CSR array whose stored entries all mean a label."""
        are_sets = holds_label_sets(y) if self.hierarchy is None else are_label_sets(y, len(self.hierarchy))
        matrix = None if are_sets else as_array(y, n_rows)
        if matrix is not None and matrix.ndim == 2:
            if self.hierarchy is None:
                return _of_matrix(matrix)
            return _of_matrix(closed_labels(y, self.hierarchy, n_rows))  # y, as a frame has names of columns
        label_sets = _known_labels(rows_of(y)) if matrix is None else _classes(matrix)
        if self.hierarchy is None:
            return _of_label_sets(label_sets)
        return _of_matrix(closed_labels(label_sets, self.hierarchy, n_rows))

    def _folds(self, indicator: sp.csr_array) -> np.ndarray:
        n_rows = indicator.shape[0]
        order = np.arange(n_rows)
        state = np.zeros(1, np.uint64)
        if self.shuffle:
            rng = check_random_state(self.random_state)
            order = rng.permutation(n_rows)
            seeds = np.random.SeedSequence(int(rng.randint(np.iinfo(np.int32).max)))
            state = seeds.generate_state(1, np.uint64) | np.uint64(1)
        by_row = _with_labels_in_order_of_rows(indicator[order])
        by_label = by_row.tocsc()
        parts = (part.astype(np.int64) for each in (by_row, by_label) for part in (each.indptr, each.indices))
        folds = np.empty(n_rows, np.int64)
        folds[order] = stratify(*parts, self.n_splits, state)
        return folds


def _known_labels(rows: list[Any]) -> list[set[Any]]:
    """Return the labels of each row, without those that are missing."""
    known = []
    for i, row in enumerate(rows):
        if not is_collection(row) and not is_missing(row):
            raise ValueError(
                f"y[{i}] is {row!r:.60}, while other rows are collections of labels; make it a set too"
            )
        known.append({label for label in row if not is_missing(label)} if is_collection(row) else set())
    return known


def _classes(y: Any) -> list[set[Any]]:
    """Return the class of each row as its only label."""
    y = y.toarray() if sp.issparse(y) else y
    if y.dtype.kind == "f" and (fractions := y[(y == y) & (y != np.floor(y))]).size:
        raise ValueError(
            f"y holds the number {fractions[0]!s}; one value for each row must be a class. Numbers have no "
            "labels to share out: use KFold"
        )
    rows = list(y) if y.dtype.kind in "mM" else y.tolist()  # plain Python, except that NaT would be lost
    return [set() if is_missing(label) else {label} for label in rows]


def _of_matrix(y: Any) -> sp.csr_array:
    if sp.issparse(y):
        indicator = sp.csr_array(sp.coo_array(y))  # COO adds up duplicates
    else:
        y = y if y.dtype.kind in "biuf" else as_numbers(y)
        indicator = sp.csr_array(np.nan_to_num(y) if y.dtype.kind == "f" else y)
    known = indicator.data == indicator.data
    wrong = known & (indicator.data != 0) & (indicator.data != 1)
    if wrong.any():
        raise ValueError(
            f"y has shape {y.shape} and holds the value {indicator.data[wrong][0]!s}; a matrix must be a "
            "label indicator of zeros and ones (NaN counts as no label). Pass classes as a 1-D array, and "
            "labels as one set for each row"
        )
    indicator = sp.csr_array((known & (indicator.data != 0), indicator.indices, indicator.indptr), y.shape)
    indicator.eliminate_zeros()
    return indicator


def _of_label_sets(label_sets: list[set[Any]]) -> sp.csr_array:
    columns: dict[Any, int] = {}
    indices = [columns.setdefault(label, len(columns)) for labels in label_sets for label in labels]
    indptr = np.concatenate([[0], np.cumsum([len(labels) for labels in label_sets])])
    data = np.ones(len(indices), np.bool_)
    return sp.csr_array((data, np.array(indices, np.int64), indptr), shape=(len(label_sets), len(columns)))


def _with_labels_in_order_of_rows(indicator: sp.csr_array) -> sp.csr_array:
    """Sort the columns by the lists of their rows: where labels are equally rare, the first goes first.

    Columns may come in any order, and label sets of text in another one in each process. Columns with the
    same rows are interchangeable, so that the folds depend on nothing but which rows share labels.
    """
    by_label = indicator.tocsc()
    by_label.sort_indices()
    rows = by_label.indices.astype(">u4")  # as bytes, in the order of the numbers
    keys = [rows[start:stop].tobytes() for start, stop in pairwise(by_label.indptr)]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    # Labels without a row would only be waited for.
    return by_label[:, [label for label in order if keys[label]]].tocsr()
