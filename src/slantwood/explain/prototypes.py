"""Rows that stand for the others of their class or label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from slantwood.estimators.names import output_names
from slantwood.estimators.tree_models import check_tree_model
from slantwood.explain.named_positions import output_positions
from slantwood.explain.proximity import leaf_indicator, proximity_blocks
from slantwood.explain.truth import LabelTruth, truth_of
from slantwood.hints import pluralize
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS
from slantwood.validation import check_integer

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Prototypes:
    """A few rows for each class or label.

    Parameters
    ----------
    names : tuple of str
        Names of the classes or labels; "all" where there are none.
    rows : tuple of arrays of int
        Positions of the rows that stand for each of them, the first for most of the others.
    shares : tuple of arrays
        The share of the rows of the class that are nearest to each prototype.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.explain import Prototypes
    >>> Prototypes(("oak",), (np.array([4, 2]),), (np.array([0.7, 0.3]),))
    Prototypes(1 class, 2 rows)
    """

    names: tuple[str, ...]
    rows: tuple[np.ndarray, ...]
    shares: tuple[np.ndarray, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return the prototypes as a table; needs pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each prototype, with the columns "class", "row" and "share".

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import Prototypes
        >>> Prototypes(("oak",), (np.array([4, 2]),), (np.array([0.7, 0.3]),)).to_frame()
          class  row  share
        0   oak    4    0.7
        1   oak    2    0.3
        """
        import pandas as pd

        names = np.repeat(np.array(self.names, object), [len(each) for each in self.rows])
        none = [np.empty(0, np.intp)]
        columns = {"row": np.concatenate([*none, *self.rows]), "share": np.concatenate([*none, *self.shares])}
        return pd.DataFrame({"class": names} | columns)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        n_rows = sum(map(len, self.rows))
        return f"Prototypes({pluralize(len(self), 'class', 'classes')}, {pluralize(n_rows, 'row')})"


def prototypes(
    model: Any,
    X: Any,
    y: Any = None,
    k: int = 3,
    *,
    targets: Any = None,
    max_rows: int = 2000,
    random_state: int | np.random.RandomState | None = None,
) -> Prototypes:
    """Find rows that stand for the others of their class or label.

    One after the other, the row is taken that brings the rows of its class nearest to their nearest
    prototype, by proximity. So the first one is the most usual row, and the next ones are usual rows of
    another kind.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of slantwood, of any task.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows, such as those of `fit`.
    y : array, sparse matrix or label sets, optional
        Their classes or labels; without it, what the model predicts. Models of numbers have prototypes of
        all rows together.
    k : int, default=3
        How many for each class at the most; fewer where these are like all others already.
    targets : str, int or list of these, optional
        Names or positions of the classes or labels. By default all.
    max_rows : int, default=2000
        Of a class with more rows, so many are drawn at random.
    random_state : int, RandomState or None, default=None
        Seed of these draws.

    Returns
    -------
    Prototypes
        Classes and labels without rows have none.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import prototypes
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> found = prototypes(forest, X, y, k=2)
    >>> found.names, y[found.rows[0]].tolist()[:1]
    (('0', '1', '2'), [0])
    """
    check_tree_model(model)
    check_integer("k", k, 1)
    check_integer("max_rows", max_rows, 1)
    random = check_random_state(random_state)
    leaves = leaf_indicator(model, X)
    names, rows, shares = [], [], []
    for name, members in _groups(model, X, y, leaves.shape[0], targets):
        if len(members) > max_rows:
            members = np.sort(random.choice(members, max_rows, replace=False))
        found = _covering(leaves[members], k)
        names.append(name)
        rows.append(members[found.rows])
        shares.append(found.shares)
    return Prototypes(tuple(names), tuple(rows), tuple(shares))


class _Covering(NamedTuple):
    rows: np.ndarray
    shares: np.ndarray


def _covering(leaves: sp.csr_array, k: int) -> _Covering:
    """Choose rows one by one, each the one that most raises the sum of proximities to the nearest chosen."""
    n_rows = leaves.shape[0]
    blocks = [shares for _, shares in proximity_blocks(leaves, leaves)]
    near = sp.csr_array(sp.vstack(blocks, format="csr")) if blocks else sp.csr_array((0, 0))
    row = np.repeat(np.arange(n_rows), np.diff(near.indptr))
    best, nearest = np.zeros(n_rows), np.full(n_rows, -1)
    chosen: list[int] = []
    while len(chosen) < min(k, n_rows):
        gain = np.bincount(row, np.maximum(near.data - best[near.indices], 0.0), n_rows)
        candidate = int(np.argmax(gain))
        if gain[candidate] <= 0:
            break
        to_it = near[[candidate]].toarray()[0]
        nearest[to_it > best] = len(chosen)
        best = np.maximum(best, to_it)
        chosen.append(candidate)
    counts = np.bincount(nearest[nearest >= 0], minlength=len(chosen))
    return _Covering(np.array(chosen, np.intp), counts / max(n_rows, 1))


class _Group(NamedTuple):
    name: str
    rows: np.ndarray


def _groups(model: Any, X: Any, y: Any, n_rows: int, targets: Any) -> Iterator[_Group]:
    task = model.targets_.task
    if task not in (*CLASS_TASKS, *LABEL_TASKS):
        if targets is not None:
            raise ValueError(f"targets={targets!r:.60} are not classes or labels; leave targets out")
        yield _Group("all", np.arange(n_rows))
        return
    names = output_names(model)
    chosen = np.arange(len(names)) if targets is None else output_positions(targets, names)
    truth = truth_of(model, model.predict(X) if y is None else y, n_rows)
    by_label = sp.csc_array(truth.indicator) if isinstance(truth, LabelTruth) else None
    for j in chosen:
        if by_label is None:
            members = np.flatnonzero(truth == j)
        else:
            members = np.sort(by_label.indices[by_label.indptr[j] : by_label.indptr[j + 1]])
        yield _Group(names[j], members.astype(np.intp))
