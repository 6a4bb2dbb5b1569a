"""The SVM split: two clusters of the clustering attributes, and a sparse hyperplane between them.

2-means divides the node's rows by their clustering attributes alone; the L1-regularised support vector
machine then finds the side of each row from its features. With two classes the clusters are the classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.l1_svm import fit_l1_svm
from slantwood.kernels.products import has_missing
from slantwood.kernels.scratch import scratch
from slantwood.kernels.sides import has_weight, side_weights
from slantwood.kernels.two_means import two_means
from slantwood.splits.learner import BaseSplit
from slantwood.splits.parameters import AUTO, check_numbers, check_word, compiled_form
from slantwood.splits.protocol import split_learner
from slantwood.task_names import SEVERAL_TASKS


class SVMParameters(NamedTuple):
    """The compiled form of `SVMSplit`."""

    C: float
    max_iter: int
    cluster_iter: int
    tol: float
    balanced: bool


@split_learner(SVMParameters)
@exact
def learn_svm(parameters, X, Z, weights, state):
    """Cluster the rows by Z, then separate the clusters by X."""
    w = scratch(X.n_columns, np.float32)
    is_right = scratch(X.n_rows, np.bool_)
    if not two_means(Z, weights, parameters.cluster_iter, state, is_right):
        return w, np.float32(0.0), False
    if has_missing(Z):
        # Rows of which no attribute is known are in no cluster.
        weights = weights.copy()
        for i in range(Z.n_rows):
            if Z.missing_indptr[i + 1] - Z.missing_indptr[i] == Z.n_columns:
                weights[i] = np.float32(0.0)
    left, right = side_weights(is_right, weights)
    if not (left > 0.0 and right > 0.0):
        return w, np.float32(0.0), False
    left_cost = parameters.C
    right_cost = parameters.C
    if parameters.balanced:
        left_cost *= 0.5 * (left + right) / left
        right_cost *= 0.5 * (left + right) / right
    # A stream of its own, so that the number of passes does not decide what later nodes draw.
    visits = state.copy()
    b = fit_l1_svm(
        X, is_right, weights, left_cost, right_cost, parameters.max_iter, parameters.tol, visits, w
    )
    return w, b, has_weight(w)


@dataclass(frozen=True, repr=False)
class SVMSplit(BaseSplit):
    """Split learner that separates two clusters of rows by a sparse linear support vector machine.

    Parameters left at "auto" are chosen from the data by the estimator; the fitted estimator's `settings_`
    shows what they became. `SVMSplit.published()` has the values of the method's publication.

    Parameters
    ----------
    C : float or "auto"
        Weight of rows on the wrong side or inside the margin against sparsity of the split; larger means less
        regularisation.
    max_iter : int, default=100
        Passes over the node's features at the most.
    cluster_iter : int, default=10
        Rounds of 2-means at the most.
    tol : float, default=0.01
        Stop when the violations of optimality have fallen to this share of what they were at first, times the
        share of the smaller cluster.
    class_weight : {"auto", "balanced", None}
        "balanced" weights the rows of a cluster inversely to its size, so that the smaller one is not given
        up.
    feature_power, target_power : float or "auto"
        Columns of a node are divided by their standard deviation to this power: 1 standardises them,
        0 leaves their scales as they are.
    min_support : int or "auto"
        Where X is mostly zeros, a split uses only features that are not zero in so many rows of the node.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueTreeClassifier, SVMSplit
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(split=SVMSplit(C=1), max_depth=2, random_state=0).fit(X, y)
    >>> bool(tree.score(X, y) > 0.9)
    True
    """

    C: float = AUTO
    max_iter: int = 100
    cluster_iter: int = 10
    tol: float = 0.01
    class_weight: Literal["auto", "balanced"] | None = AUTO
    feature_power: float = AUTO
    target_power: float = AUTO
    min_support: int = AUTO

    def __post_init__(self) -> None:
        """Check every value that is not "auto"."""
        check_numbers(
            self,
            counts={"max_iter", "cluster_iter", "min_support"},
            positive={"C"},
            not_negative={"tol", "feature_power", "target_power"},
        )
        check_word(self, "class_weight", ("balanced", None, "auto"))

    @classmethod
    def published(cls) -> SVMSplit:
        """Return the split as it was published: clusters as they fall, everything standardised, larger C.

        Returns
        -------
        SVMSplit
            The learner, for the parameter `split` of an estimator.

        Examples
        --------
        >>> from slantwood import SVMSplit
        >>> split = SVMSplit.published()
        >>> split.C, split.class_weight
        (10.0, None)
        """
        return cls(10.0, 100, 10, 0.01, None, 1.0, 1.0, 1)

    def preferences(self, traits: Any) -> dict[str, Any]:
        """Return values for parameters at "auto" that suit this learner."""
        # Clusters of equal say keep small ones from being given up, and trees from ending early. Of many rare
        # labels, small clusters are better given up, and frequent labels should make the clusters.
        rare = traits.many_labels or traits.sparse_features
        chosen: dict[str, Any] = {
            "class_weight": None if rare else "balanced",
            "target_power": 0.0 if rare else 1.0,
            # Several classes or numbers are clusters with more to tell apart.
            "C": 1.0 if traits.task in ("multi-class", "multi-target regression", *SEVERAL_TASKS) else 0.1,
        }
        if traits.single_tree and traits.task == "binary":
            # Clusters of equal say divide what is noise, too. Where two classes overlap, a tree ends earlier.
            chosen |= {"min_samples_split": 50}
        return chosen

    def compiled(self) -> SVMParameters:
        """Parameters in the form that the compiled grower takes."""
        return compiled_form(SVMParameters, self, balanced=self.class_weight == "balanced")
