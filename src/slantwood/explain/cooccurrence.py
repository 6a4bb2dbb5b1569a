"""Which labels come together, in truth and by what a model predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.names import output_names
from slantwood.explain.held_out import said_of
from slantwood.explain.models import check_model
from slantwood.explain.named_positions import output_positions
from slantwood.explain.shortcuts import PlotsCooccurrence
from slantwood.explain.truth import truth_of
from slantwood.hints import pluralize
from slantwood.task_names import LABEL_TASKS

if TYPE_CHECKING:
    import pandas as pd

# More labels than this make tables of more than half a gigabyte.
_MOST_LABELS = 8000


@dataclass(frozen=True, eq=False, repr=False)
class Cooccurrence(PlotsCooccurrence):
    """How often labels come together.

    Parameters
    ----------
    names : tuple of str
        Names of the labels.
    observed, predicted : array of shape (n_labels, n_labels)
        The share of the rows with both labels: as it is, and as it is expected from the probabilities. On the
        diagonal the share of the rows with a label.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.explain import Cooccurrence
    >>> share = np.array([[0.5, 0.1], [0.1, 0.2]])
    >>> Cooccurrence(("sea", "sun"), share, share)
    Cooccurrence(2 labels)
    """

    names: tuple[str, ...]
    observed: np.ndarray
    predicted: np.ndarray

    def to_frame(self) -> pd.DataFrame:
        """Return the pairs of labels as a table; needs pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each pair, those that are predicted most wrongly first, with the columns "first",
            "second", "observed" and "predicted".

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import Cooccurrence
        >>> share = np.array([[0.5, 0.1], [0.1, 0.2]])
        >>> Cooccurrence(("sea", "sun"), share, share).to_frame()
          first second  observed  predicted
        0   sea    sun       0.1        0.1
        """
        import pandas as pd

        first, second = np.triu_indices(len(self.names), 1)
        observed, predicted = self.observed[first, second], self.predicted[first, second]
        order = np.argsort(-np.abs(observed - predicted), kind="stable")
        names = np.array(self.names, object)
        columns = {"first": names[first[order]], "second": names[second[order]]}
        return pd.DataFrame(columns | {"observed": observed[order], "predicted": predicted[order]})

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Cooccurrence({pluralize(len(self), 'label')})"


def cooccurrence(model: Any, X: Any, y: Any, *, targets: Any = None) -> Cooccurrence:
    """Compare how often labels come together with what a model expects.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of labels, with a hierarchy or without.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows that the model was not fitted on.
    y : array, sparse matrix, data frame or label sets
        Their labels.
    targets : str, int or list of these, optional
        Names or positions of the labels. By default all.

    Returns
    -------
    Cooccurrence
        Shares of the rows. Two labels of probability p and q are expected together with probability p q,
        as if they were independent in rows of the same features.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import cooccurrence
    >>> X, Y = make_multilabel_classification(300, random_state=0)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X[::2], Y[::2])
    >>> found = cooccurrence(forest, X[1::2], Y[1::2])
    >>> bool(abs(found.observed - found.predicted).max() < 0.2)
    True
    """
    check_model(model, "the co-occurrence of labels")
    if model.targets_.task not in LABEL_TASKS:
        raise ValueError(f"the model is one of {model.targets_.task}; co-occurrence is for labels")
    names = output_names(model)
    chosen = np.arange(len(names)) if targets is None else output_positions(targets, names)
    if len(chosen) > _MOST_LABELS:
        raise ValueError(
            f"{len(chosen):,} labels make too many pairs; name at most {_MOST_LABELS:,} with targets="
        )
    said = said_of(model, model.encode_features(X)).predicted
    indicator = truth_of(model, y, said.shape[0]).indicator
    observed, predicted = (_together(part[:, chosen]) for part in (indicator, said))
    # A label is always together with itself, whatever its probability is.
    np.fill_diagonal(predicted, np.asarray(said[:, chosen].mean(axis=0)).ravel())
    return Cooccurrence(tuple(names[j] for j in chosen), observed, predicted)


def _together(scores: Any) -> np.ndarray:
    columns = scores.astype(np.float64)
    product = columns.T @ columns
    return np.asarray(product.toarray() if sp.issparse(product) else product) / scores.shape[0]
