"""What would have to change for another prediction: the nearest change of one feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.names import input_names, output_names
from slantwood.explain.models import check_model
from slantwood.explain.named_positions import feature_positions, output_positions
from slantwood.explain.single_changes import changed_rows, single_changes, value_of
from slantwood.hints import printable
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS, NUMBER_TASKS
from slantwood.validation import check_real

# Changed rows that are predicted in one go.
_ROWS = 512


@dataclass(frozen=True, eq=False, repr=False)
class Counterfactual:
    """A change of one feature that changes the prediction.

    Parameters
    ----------
    feature : str
        Name of the feature.
    position : int
        Its column in X.
    value_before, value : object
        Its value in the row, and the nearest value of another prediction.
    distance : float
        How far it moves, in standard deviations of the feature; 1 for another category.
    before, after : object
        What is predicted: a class, a number, or a tuple of labels or of numbers.

    Examples
    --------
    >>> from slantwood.explain import Counterfactual
    >>> Counterfactual("age", 0, 30.0, 41.5, 0.9, "no", "yes")
    Counterfactual(age from 30 to 41.5, 0.9 deviations: 'no' becomes 'yes')
    """

    feature: str
    position: int
    value_before: Any
    value: Any
    distance: float
    before: Any
    after: Any

    def __repr__(self) -> str:
        old, new = (f"{v:.6g}" if isinstance(v, float) else repr(v) for v in (self.value_before, self.value))
        moved = f"{printable(self.feature)} from {old} to {new}, {self.distance:.3g} deviations"
        return f"Counterfactual({moved}: {self.before!r:.60} becomes {self.after!r:.60})"


def counterfactual(
    model: Any, row: Any, X: Any, *, targets: Any = None, amount: float | None = None, features: Any = None
) -> Counterfactual | None:
    """Find the nearest change of a single feature that changes what a model predicts for a row.

    Along a feature, every tree is constant between thresholds that can be computed, and values are tried a
    thousandth of a deviation beyond each; so nothing that is nearer by more is missed. The change is measured
    in standard deviations of the feature, and its value stays within the range that it has in `X`. The result
    is verified by a prediction.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of one kind of targets.
    row : array of shape (n_features,), or array, sparse matrix or data frame of shape (1, n_features)
        The row.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows that tell the spread and range of the features, such as those of `fit`.
    targets : str, int or list of these, optional
        What is to change: of labels or numbers, any of these (by default of all); of classes, the class that
        is to be predicted, or several (by default any other one).
    amount : float, optional
        Of numbers, which need it: by how much the prediction is to change at least, up or down.
    features : str, int or list of these, optional
        Features that may change, by name or position. By default all.

    Returns
    -------
    Counterfactual or None
        None where no change of a single feature does it. A missing value counts as the mean of X; a nominal
        feature may have any category that the model knows, at distance 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import counterfactual
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> found = counterfactual(forest, X.iloc[[70]], X)
    >>> changed = X.iloc[[70]].assign(**{found.feature: found.value})
    >>> bool(forest.predict(changed)[0] == found.after != found.before)
    True
    """
    check_model(model, "a counterfactual")
    if model.forest_.slopes is not None:
        raise ValueError(
            "a counterfactual is found where a row changes its leaf, and leaves of this model have slopes, "
            "along which predictions change as well; fit it with leaves='mean'"
        )
    if isinstance(row, (list, tuple)) or (isinstance(row, np.ndarray) and row.ndim == 1):
        row = np.asarray(row).reshape(1, -1)
    base = model.encode_features(row)
    if base.shape[0] != 1:
        raise ValueError(f"row has {base.shape[0]} rows; give one")
    wanted = _Wanted.of(model, base, targets, amount)
    names = input_names(model) or tuple(f"x{j}" for j in range(model.n_features_in_))
    allowed = np.arange(len(names)) if features is None else feature_positions(features, names)
    changes = sorted(
        single_changes(model, base, model.encode_features(X), allowed), key=lambda each: each.distance
    )
    for first in range(0, len(changes), _ROWS):
        some = changes[first : first + _ROWS]
        hits = np.flatnonzero(wanted.met(changed_rows(base, some)))
        if len(hits):
            best = some[hits[0]]
            after = wanted.said(changed_rows(base, [best]))
            old = value_of(model, base, best.position)
            return Counterfactual(
                names[best.position], best.position, old, best.value, best.distance, wanted.before, after
            )
    return None


@dataclass(frozen=True, eq=False)
class _Wanted:
    """Tells whether the prediction of an encoded row is another one, in the way that is asked for."""

    model: Any
    chosen: np.ndarray | None  # positions of outputs
    amount: float
    decided: np.ndarray  # what is predicted for the row itself

    @classmethod
    def of(cls, model: Any, base: Any, targets: Any, amount: float | None) -> _Wanted:
        task = model.targets_.task
        chosen = None if targets is None else output_positions(targets, output_names(model))
        if task in NUMBER_TASKS and amount is None:
            raise ValueError("the model predicts numbers; say with amount= how far these are to change")
        if task not in NUMBER_TASKS and amount is not None:
            raise ValueError(f"amount={amount!r} is for numbers, and the model predicts classes or labels")
        least = 0.0 if amount is None else check_real("amount", amount, 0.0, open_minimum=True)
        return cls(model, chosen, least, _decided(model, base)[0])

    @property
    def before(self) -> Any:
        return self._named(self.decided)

    def said(self, encoded: Any) -> Any:
        return self._named(_decided(self.model, encoded)[0])

    def met(self, encoded: Any) -> np.ndarray:
        decided, task = _decided(self.model, encoded), self.model.targets_.task
        if task in CLASS_TASKS:
            other = decided[:, 0] != self.decided[0]
            return other if self.chosen is None else other & np.isin(decided[:, 0], self.chosen)
        chosen = slice(None) if self.chosen is None else self.chosen
        change = np.abs(decided[:, chosen] - self.decided[chosen])
        return np.asarray((change >= self.amount if task in NUMBER_TASKS else change > 0).any(axis=1))

    def _named(self, decided: np.ndarray) -> Any:
        task = self.model.targets_.task
        if task in NUMBER_TASKS:
            return float(decided[0]) if len(decided) == 1 else tuple(decided.tolist())
        names = self.model.classes_.tolist()
        return tuple(names[j] for j in np.flatnonzero(decided)) if task in LABEL_TASKS else names[decided[0]]


def _decided(model: Any, encoded: Any) -> np.ndarray:
    """Return what is predicted: codes of classes, indicators of labels, or numbers; columns by rows."""
    targets = model.targets_
    if targets.task in LABEL_TASKS:
        scores = model._predictor.mean(encoded, sparse=targets.is_sparse)
        decided = targets.decided(scores, model.decision_threshold())
        return (decided.toarray() if sp.issparse(decided) else decided).astype(np.int8)
    means = model._predictor.mean(encoded)
    if targets.task in NUMBER_TASKS:
        return np.asarray(targets.decode(means).reshape(len(means), -1))
    classes = targets.decode(targets.probabilities(means), model.decision_threshold())
    return np.searchsorted(targets.classes, classes)[:, None]
