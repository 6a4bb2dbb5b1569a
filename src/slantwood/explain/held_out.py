"""What a model says of rows that it did not see, in three ways.

Out of bag, by the trees of a forest whose bootstrap sample a row is not in; by rows that the user kept aside;
or by models that are fitted again, each on a part of the rows, and say what they think of the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing

from slantwood.estimators.validation import check_row_weights
from slantwood.explain.training_rows import training_rows
from slantwood.explain.tree_values import variance_between
from slantwood.explain.truth import LabelTruth, labels_of, truth_of
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, NUMBER_TASKS
from slantwood.validation import check_flag, check_integer

# Out of bag, so that each quarter of the trees that speak of a row has one, and each half a deviation.
_FEWEST_TREES = 4


class Said(NamedTuple):
    """What a model says of rows."""

    predicted: Any  # numbers (n_rows, n_targets); or an array or CSR array of probabilities
    deviation: np.ndarray | None  # of numbers between trees, where each of several predicts by itself


class FewerTrees(NamedTuple):
    """What parts of the trees that speak of a row say of it, where not all trees of a model speak."""

    halves: tuple[Said, Said]
    quarters: tuple[Said, ...]  # none for numbers
    share: float  # of the trees of the model, those that speak of a row
    n_trees: int  # of the model


class HeldOut(NamedTuple):
    """What a model says of rows that it did not see, and what they are."""

    said: Said
    truth: Any  # as `truth_of` returns it
    weights: np.ndarray
    fewer: FewerTrees | None = None  # None where all trees speak
    of_fit: bool = False  # whether the model was fitted on these rows, though other trees speak of them


def said_of(model: Any, encoded: Any, tree_mask: np.ndarray | None = None) -> Said:
    """Return what a model, or of each row some trees of it, say of rows.

    Parameters
    ----------
    model : estimator
        A fitted model.
    encoded : array or CSR array
        Rows, as `encode_features` returns them.
    tree_mask : array of bool of shape (n_rows, n_trees), optional
        Which trees have a say on which row; by default all.
    """
    predictor, targets = model._predictor, model.targets_
    if targets.task in LABEL_TASKS:
        return Said(predictor.mean(encoded, tree_mask, sparse=targets.is_sparse), None)
    means = predictor.mean(encoded, tree_mask)
    if targets.task in CLASS_TASKS:
        return Said(targets.probabilities(means), None)
    predicted = targets.decode(means).reshape(len(means), -1)
    if model.forest_.additive is not None or model.trees_.n_trees < 2:
        return Said(predicted, None)
    variance = variance_between(predictor, encoded, predictor.leaves(encoded), tree_mask)
    return Said(predicted, np.sqrt(variance) * targets.scale)


def held_out(
    model: Any, X: Any, y: Any, sample_weight: Any, *, unseen: bool, cv: Any, random_state: Any
) -> HeldOut:
    """Return what a model says of rows that it did not see; `conformal` describes the parameters."""
    if check_flag("unseen", unseen) and cv is not None:
        raise ValueError(
            f"unseen=True and cv={cv!r}: rows that the model did not see need no other models; give one of "
            "the two"
        )
    if cv is not None:
        return _crossed(model, X, y, sample_weight, cv, random_state)
    return _kept_aside(model, X, y, sample_weight) if unseen else _out_of_bag(model, X, y, sample_weight)


def _kept_aside(model: Any, X: Any, y: Any, sample_weight: Any) -> HeldOut:
    said = said_of(model, model.encode_features(X))
    n_rows = said.predicted.shape[0]
    return HeldOut(said, truth_of(model, y, n_rows), check_row_weights(sample_weight, n_rows))


def _out_of_bag(model: Any, X: Any, y: Any, sample_weight: Any) -> HeldOut:
    forest = model.forest_
    other_ways = "give rows that it did not see and unseen=True, or cv=5, which fits five models more"
    if forest.additive is not None or not forest.settings.bootstrap:
        raise ValueError(
            f"every tree of this {type(model).__name__} saw the rows that it was fitted on; fit a forest "
            f"with bootstrap=True, or {other_ways}"
        )
    if model.unlabeled_weight_ > 0:
        raise ValueError(
            f"with unlabeled_weight={model.unlabeled_weight!r} a first model saw all labelled rows to tell "
            f"the others; {other_ways}"
        )
    rows = training_rows(model, X, y, sample_weight)
    unseen = np.stack([rows.tree(tree).counts == 0 for tree in range(rows.n_trees)], axis=1)
    n_trees = unseen.sum(axis=1)
    chosen = np.flatnonzero(n_trees >= _FEWEST_TREES)
    if not len(chosen):
        raise ValueError(
            f"no row was left out by {_FEWEST_TREES} of the {rows.n_trees} trees; fit more of them, or "
            f"{other_ways}"
        )
    if model.targets_.task in LABEL_TASKS:  # of training rows also those of which some labels are not known
        truth: Any = labels_of(rows.Y[chosen])
    else:
        truth = truth_of(model, y, len(n_trees))[chosen]
    encoded, unseen = model.encode_features(X)[chosen], unseen[chosen]
    place = unseen.cumsum(axis=1)
    halves = tuple(said_of(model, encoded, unseen & (place % 2 == part)) for part in (1, 0))
    quarters: tuple[Said, ...] = ()
    if model.targets_.task not in NUMBER_TASKS:
        quarters = tuple(said_of(model, encoded, unseen & (place % 4 == part)) for part in range(4))
    share = 1.0 / (rows.n_trees * np.mean(1.0 / n_trees[chosen]))
    weights = check_row_weights(sample_weight, len(n_trees))[chosen]
    fewer = FewerTrees((halves[0], halves[1]), quarters, float(share), rows.n_trees)
    return HeldOut(said_of(model, encoded, unseen), truth, weights, fewer, of_fit=True)


def _crossed(model: Any, X: Any, y: Any, sample_weight: Any, cv: Any, random_state: Any) -> HeldOut:
    n_rows = model.encode_features(X).shape[0]
    truth = truth_of(model, y, n_rows)
    weights = check_row_weights(sample_weight, n_rows)
    folds = KFold(check_integer("cv", cv, 2), shuffle=True, random_state=random_state)
    if cv > n_rows:
        raise ValueError(f"cv={cv} is more than the {n_rows} rows of X; give fewer")
    parts, order = [], []
    for train, test in folds.split(np.arange(n_rows)):
        given = None if sample_weight is None else weights[train]
        other = clone(model).fit(_safe_indexing(X, train), _safe_indexing(y, train), given)
        parts.append(
            _in_columns_of(model, other, said_of(other, other.encode_features(_safe_indexing(X, test))))
        )
        order.append(test)
    rows = np.concatenate(order)
    predicted = [part.predicted for part in parts]
    stacked = sp.csr_array(sp.vstack(predicted)) if sp.issparse(predicted[0]) else np.concatenate(predicted)
    deviations = [part.deviation for part in parts if part.deviation is not None]
    deviation = np.concatenate(deviations) if deviations else None
    if isinstance(truth, LabelTruth):
        truth = LabelTruth(truth.indicator[rows], truth.has_others[rows])
    else:
        truth = truth[rows]
    return HeldOut(Said(stacked, deviation), truth, weights[rows], of_fit=True)


def _in_columns_of(model: Any, other: Any, said: Said) -> Said:
    """Put probabilities into the columns of a model that knows more classes or labels."""
    if model.targets_.task in NUMBER_TASKS or np.array_equal(model.classes_, other.classes_):
        return said
    position = {name: column for column, name in enumerate(model.classes_.tolist())}
    columns = np.array([position[name] for name in other.classes_.tolist()])
    shape = (said.predicted.shape[0], len(position))
    if sp.issparse(said.predicted):
        csr = said.predicted
        return Said(sp.csr_array((csr.data, columns[csr.indices], csr.indptr), shape=shape), None)
    wide = np.zeros(shape, said.predicted.dtype)
    wide[:, columns] = said.predicted
    return Said(wide, None)
