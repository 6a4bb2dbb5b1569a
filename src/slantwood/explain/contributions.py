"""Why a model predicts what it predicts: what each feature of a row adds to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slantwood.estimators.names import input_names, output_names
from slantwood.estimators.tree_models import check_tree_model
from slantwood.explain.named_positions import output_positions
from slantwood.explain.shortcuts import PlotsContributions
from slantwood.hints import pluralize
from slantwood.task_names import NUMBER_TASKS, SEVERAL_TASKS
from slantwood.validation import check_integer

if TYPE_CHECKING:
    import pandas as pd

# More numbers than this, a gigabyte of them, are hardly wanted.
_MOST_CELLS = 1 << 27


@dataclass(frozen=True, eq=False, repr=False)
class Contributions(PlotsContributions):
    """What the features of some rows add to the predictions for them.

    Parameters
    ----------
    values : array of shape (n_rows, n_features, n_outputs)
        What each feature adds to each output.
    base : array of shape (n_outputs,)
        What the model predicts before it knows anything of a row: the mean over its training rows.
    feature_names : tuple of str
        Names of the features.
    output_names : tuple of str
        Names of the outputs: numbers, classes or labels.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.explain import Contributions
    >>> Contributions(np.array([[[2.0], [-1.0]]]), np.array([5.0]), ("age", "size"), ("price",))
    Contributions(1 row, 2 features, 1 output)
    """

    values: np.ndarray
    base: np.ndarray
    feature_names: tuple[str, ...]
    output_names: tuple[str, ...]

    @property
    def predicted(self) -> np.ndarray:
        """What the contributions add up to, with the base: the prediction."""
        return self.base + self.values.sum(axis=1)

    def to_frame(self, row: int) -> pd.DataFrame:
        """Return the contributions to the predictions for a row as a table; needs pandas.

        Parameters
        ----------
        row : int
            Which of the rows, counted from 0.

        Returns
        -------
        pandas.DataFrame
            A row for each feature, those that change most first, and a column for each output.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import Contributions
        >>> found = Contributions(np.array([[[1.0], [-2.0]]]), np.array([5.0]), ("age", "size"), ("price",))
        >>> found.to_frame(0).index.tolist()
        ['size', 'age']
        """
        import pandas as pd

        if check_integer("row", row, 0) >= len(self.values):
            raise IndexError(f"row={row} of {pluralize(len(self.values), 'row')}, which count from 0")
        values = self.values[row]
        order = np.argsort(-np.abs(values).sum(axis=1), kind="stable")
        names = pd.Index([self.feature_names[j] for j in order], name="feature")
        return pd.DataFrame(values[order], index=names, columns=list(self.output_names))

    def to_shap(self, data: Any = None) -> Any:
        """Return them in the form that the plots of shap take; needs shap.

        Parameters
        ----------
        data : array of shape (n_rows, n_features), optional
            The values of the features, which some plots show.

        Returns
        -------
        shap.Explanation
            Of shape (n_rows, n_features), or with a third axis for several outputs: ``found[..., 0]`` is that
            of the first one.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import Contributions
        >>> found = Contributions(np.array([[[1.0], [-2.0]]]), np.array([5.0]), ("age", "size"), ("price",))
        >>> import shap  # doctest: +SKIP
        >>> shap.plots.waterfall(found.to_shap()[0])  # doctest: +SKIP
        """
        import shap

        single = len(self.output_names) == 1
        return shap.Explanation(
            values=self.values[:, :, 0] if single else self.values,
            base_values=np.broadcast_to(self.base, (len(self.values), len(self.base))).copy()[
                (..., 0) if single else ...
            ],
            data=None if data is None else np.asarray(data),
            feature_names=list(self.feature_names),
            output_names=None if single else list(self.output_names),
        )

    def __repr__(self) -> str:
        n_rows, n_features, n_outputs = self.values.shape
        counted = ((n_rows, "row"), (n_features, "feature"), (n_outputs, "output"))
        return f"Contributions({', '.join(pluralize(n, word) for n, word in counted)})"


def contributions(model: Any, X: Any, *, targets: Any = None) -> Contributions:
    """Tell what each feature of some rows adds to what a model predicts for them.

    A row's prediction by a tree is the mean of all training rows, changed at every split that the row passes.
    The features of a split share its change by how far each of them pushes the row to the side to which it
    goes, away from the mean of the node; those that push the other way have no part in it. So contributions
    add up to the prediction exactly. Of a forest they are means over the trees, of boosted trees sums.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or boosted model of slantwood.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows, which need not be those of `fit`.
    targets : str, int or list of these, optional
        The outputs to explain: names or positions of numbers, classes or labels. By default all.

    Returns
    -------
    Contributions
        To numbers in their units; to probabilities of classes and labels, before class weights; of boosted
        classes and labels, and where a loss predicts by a logarithm, to the scores of `decision_function` (of
        two classes, to that of the second). A nominal feature has those of its values together. Boosted
        numbers that `predict` puts at the ends of the range of the training rows are as they were before.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.explain import contributions
    >>> iris = load_iris(as_frame=True)
    >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(iris.data, iris.target)
    >>> found = contributions(forest, iris.data, targets=0)
    >>> bool(abs(found.predicted[:, 0] - forest.predict_proba(iris.data)[:, 0]).max() < 1e-6)
    True
    """
    check_tree_model(model)
    encoded = model.encode_features(X)
    if np.isnan(model.trees_.node_weight).any():
        raise ValueError(
            "the model was saved with predict_only=True and does not know how many rows its nodes had; save "
            "it without, or ask the model that was saved"
        )
    outputs = _outputs(model)
    chosen = np.arange(len(outputs.names)) if targets is None else output_positions(targets, outputs.names)
    n_cells = encoded.shape[0] * encoded.shape[1] * len(chosen)
    if n_cells > _MOST_CELLS:
        raise ValueError(
            f"{encoded.shape[0]} rows x {encoded.shape[1]} columns x {len(chosen)} outputs are too many "
            "contributions for memory; give fewer rows, or name some outputs with targets="
        )
    columns, place = np.unique(outputs.column[chosen], return_inverse=True)
    base, values = model._predictor.contributions(encoded, columns)
    factor = outputs.factor[chosen]
    names = input_names(model) or tuple(f"x{j}" for j in range(model.n_features_in_))
    return Contributions(
        _by_input(values, model.encoding_)[:, :, place] * factor,
        base[place] * factor + outputs.constant[chosen],
        names,
        tuple(outputs.names[j] for j in chosen),
    )


def _by_input(values: np.ndarray, encoding: Any) -> np.ndarray:
    """Add up the contributions of the values of nominal features."""
    if np.array_equal(encoding.source, np.arange(encoding.n_inputs)):
        return values
    added = np.zeros((len(values), encoding.n_inputs, values.shape[2]))
    for j, source in enumerate(encoding.source):
        added[:, source] += values[:, j]
    return added


class _Outputs(NamedTuple):
    """Outputs as numbers that follow from columns of the encoded targets: constant + factor * column."""

    names: tuple[str, ...]
    column: np.ndarray
    factor: np.ndarray
    constant: np.ndarray


def _outputs(model: Any) -> _Outputs:
    targets, names, additive = model.targets_, output_names(model), model.forest_.additive
    if targets.task in SEVERAL_TASKS:
        raise ValueError("contributions are not there for several targets with classes of their own")
    n = targets.n_columns
    column, ones, zeros = np.arange(n), np.ones(n), np.zeros(n)
    if targets.task in NUMBER_TASKS and (additive is None or additive.loss.link == "identity"):
        return _Outputs(names, column, ones * targets.scale, zeros + targets.mean)
    if targets.task == "binary" and additive is None:
        return _Outputs(names, np.zeros(2, np.intp), np.array([-1.0, 1.0]), np.array([1.0, 0.0]))
    return _Outputs(names[-len(column) :], column, ones, zeros)
