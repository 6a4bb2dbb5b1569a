"""How well predicted labels of a hierarchy agree with the true ones.

Labels are judged with their ancestors, so a near miss counts in part. The
counterpart for scores is `label_ranking_average_precision` with
``label_weights=hierarchy.weights()``: the deeper a label lies, the less it counts.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import scipy.sparse as sp

from slantwood.metrics._input import MatrixLike, check_indicator, check_same_shape, hits
from slantwood.targets.label_sets import holds_label_sets

if TYPE_CHECKING:
    from slantwood.targets.hierarchy import Hierarchy

LabelSets: TypeAlias = Collection[Collection[Any]]


class PrecisionRecallF1(NamedTuple):
    """Precision, recall, and their harmonic mean.

    Parameters
    ----------
    precision : float
        Share of the predicted labels that are true.
    recall : float
        Share of the true labels that are predicted.
    f1 : float
        Harmonic mean of the two.

    Examples
    --------
    >>> from slantwood.metrics import PrecisionRecallF1
    >>> PrecisionRecallF1(precision=0.5, recall=1.0, f1=2 / 3).recall
    1.0
    """

    precision: float
    recall: float
    f1: float


def hierarchical_precision_recall_f1(
    y_true: MatrixLike | LabelSets, y_pred: MatrixLike | LabelSets, *, hierarchy: Hierarchy | None = None
) -> PrecisionRecallF1:
    r"""Compute precision, recall and F1 of label sets that contain their ancestors.

    With :math:`T_i` the true and :math:`P_i` the predicted labels of row :math:`i`,
    both together with all their ancestors (Kiritchenko et al., 2005 [1]_; Silla and
    Freitas, 2011 [2]_),

    .. math::

        hP = \frac{\sum_i |P_i \cap T_i|}{\sum_i |P_i|}, \quad
        hR = \frac{\sum_i |P_i \cap T_i|}{\sum_i |T_i|}, \quad
        hF = \frac{2\, hP\, hR}{hP + hR}.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_labels), or sets of labels
        Indicator of the true labels, zeros and ones. If ``hierarchy`` is given, also
        a sequence with the set of labels of each row, or a data frame whose columns
        are named like the labels, in any order.
    y_pred : array-like or sparse matrix of shape (n_rows, n_labels), or sets of labels
        Predicted labels, in either form.
    hierarchy : slantwood.targets.hierarchy.Hierarchy, optional
        Hierarchy by which ancestors are added to both arguments. By default they
        are taken as they are, which is right if they contain all ancestors already.

    Returns
    -------
    PrecisionRecallF1
        Named tuple ``(precision, recall, f1)``. Precision is 0 if nothing is
        predicted, recall is 0 if nothing is true, and F1 is 0 without any hit.

    References
    ----------
    .. [1] S. Kiritchenko, S. Matwin, A. F. Famili: Functional annotation of genes using
       hierarchical text categorization, BioLINK SIG 2005.
    .. [2] C. N. Silla, A. A. Freitas: A survey of hierarchical classification across
       different application domains, Data Mining and Knowledge Discovery 22, 2011.

    Examples
    --------
    The columns are tree, tree/oak and tree/elm. An elm taken for an oak is a tree still.

    >>> from slantwood.metrics import hierarchical_precision_recall_f1
    >>> y_true = [[1, 0, 1], [1, 1, 0]]
    >>> y_pred = [[1, 1, 0], [1, 0, 0]]
    >>> scores = hierarchical_precision_recall_f1(y_true, y_pred)
    >>> round(scores.precision, 4), scores.recall, round(scores.f1, 4)
    (0.6667, 0.5, 0.5714)

    With the hierarchy the most specific labels will do.

    >>> from slantwood.targets.hierarchy import Hierarchy
    >>> trees = Hierarchy.from_paths(["tree", "tree/oak", "tree/elm"])
    >>> y_true, y_pred = [{"tree/elm"}, {"tree/oak"}], [{"tree/oak"}, {"tree"}]
    >>> hierarchical_precision_recall_f1(y_true, y_pred, hierarchy=trees) == scores
    True
    """
    true, predicted = _closed(y_true, "y_true", hierarchy), _closed(y_pred, "y_pred", hierarchy)
    check_same_shape(predicted.shape, true.shape, "y_pred")
    n_hits = hits(true, predicted).nnz
    # Where a divisor is 0, so is the number of hits.
    return PrecisionRecallF1(
        precision=n_hits / max(predicted.nnz, 1),
        recall=n_hits / max(true.nnz, 1),
        f1=2 * n_hits / max(predicted.nnz + true.nnz, 1),
    )


def _closed(value: Any, name: str, hierarchy: Hierarchy | None) -> sp.csr_array:
    """Return an indicator of the labels and, given a hierarchy, of their ancestors."""
    if hierarchy is not None:
        # Here, as most metrics need no hierarchy.
        from slantwood.targets.hierarchical_labels import closed_labels

        return check_indicator(closed_labels(value, hierarchy, called=name), name)
    if holds_label_sets(value):
        raise ValueError(
            f"{name} holds sets of labels, which only a hierarchy can turn into columns; "
            "pass hierarchy, or an indicator of zeros and ones."
        )
    return check_indicator(value, name)
