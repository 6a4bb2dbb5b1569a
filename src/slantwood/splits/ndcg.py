"""The nDCG split of FastXML: two sides whose rankings of the labels suit their rows, and a sparse plane.

Rows go to the side whose ranking of the labels gives them the larger normalised discounted cumulative gain,
and each side ranks the labels as suits its rows, in turn until both are at rest
(`slantwood.kernels.ndcg_partition` has the formulas). L1-regularised logistic regression then finds the side
from the features: with c_i = -1 or 1 the side of row i, r_i its weight and D the number of features of the
node, it minimises

    sqrt(D) |w|_1 + C sum_i r_i N / N_(side of i) log(1 + exp(-c_i (x_i.w + b)))

over features that have variance 1 on average. Rows then have the mean square length D, and the root of it
gives C the meaning that it has for rows of length 1 and the plain norm. In the published form features are as
given, the norm is plain, and C counts in the units of X. N / N_side, the weight of all rows over that of a
side, is there where `class_weight` is "balanced", as in the authors' code.

Y. Prabhu, M. Varma: FastXML: a fast, accurate and stable tree-classifier for extreme multi-label learning,
KDD 2014. With inverse propensities as weights of the labels (`target_weights`) the split is that of
PfastreXML (H. Jain, Y. Prabhu, M. Varma, KDD 2016).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.l1_logistic import fit_l1_logistic
from slantwood.kernels.ndcg_partition import labels_of, ndcg_partition
from slantwood.kernels.scratch import scratch
from slantwood.kernels.sides import has_weight, side_weights
from slantwood.splits.learner import BaseSplit
from slantwood.splits.parameters import AUTO, check_flag, check_numbers, check_word, compiled_form
from slantwood.splits.protocol import split_learner
from slantwood.task_names import LABEL_TASKS


class NDCGParameters(NamedTuple):
    """The compiled form of `NDCGSplit`."""

    C: float
    max_iter: int
    cluster_iter: int
    tol: float
    balanced: bool
    unit_variance: bool


@split_learner(NDCGParameters)
@exact
def learn_ndcg(parameters, X, Z, weights, state):
    """Divide the rows by their labels, then separate the two sides by X."""
    w = scratch(X.n_columns, np.float32)
    is_right = scratch(X.n_rows, np.bool_)
    lists = labels_of(Z)
    # A stream of its own, so that the number of passes does not decide what later nodes draw.
    visits = state.copy()
    if not ndcg_partition(lists, weights, parameters.cluster_iter, state, is_right):
        return w, np.float32(0.0), False
    # Rows without labels are on no side.
    labelled = weights.copy()
    for i in range(X.n_rows):
        if lists.indptr[i + 1] == lists.indptr[i]:
            labelled[i] = np.float32(0.0)
    left, right = side_weights(is_right, labelled)
    left_cost = parameters.C / math.sqrt(X.n_columns) if parameters.unit_variance else parameters.C
    right_cost = left_cost
    if parameters.balanced:
        left_cost *= (left + right) / left
        right_cost *= (left + right) / right
    b = fit_l1_logistic(
        X, is_right, labelled, left_cost, right_cost, parameters.max_iter, parameters.tol, visits, w
    )
    return w, b, has_weight(w)


@dataclass(frozen=True, repr=False)
class NDCGSplit(BaseSplit):
    """Split learner of FastXML, for many labels: each side of a split ranks the labels in its own way.

    Parameters left at "auto" are chosen from the data by the estimator; the fitted estimator's `settings_`
    shows what they became. The published system is a forest of 50 trees with `split=NDCGSplit.published()`
    and nothing else: the rows of X as they are, all rows and features for every tree, and leaves of at most
    ten rows. `min_impurity_decrease` is 0 here unless given: a split that serves rankings need not lower the
    variance of labels by much.

    Parameters
    ----------
    C : float or "auto"
        Weight of rows on the wrong side against sparsity of the split; larger means less regularisation.
    max_iter : int, default=10
        Newton steps of the logistic regression at the most.
    cluster_iter : int, default=50
        Rounds of ranking labels and choosing sides at the most.
    tol : float, default=0.1
        Stop when the violations of optimality have fallen to this share of what they were at first, times the
        share of the smaller side.
    class_weight : {"balanced", None}, default="balanced"
        "balanced" weights the rows of a side inversely to its size.
    feature_power : float or "auto"
        Features of a node are divided by their standard deviation to this power: 1 standardises them,
        0 leaves their scales as they are.
    min_support : int or "auto"
        Where X is mostly zeros, a split uses only features that are not zero in so many rows of the node.
    unit_variance : bool, default=True
        Bring the features of a node to a variance of 1 on average, so that C means the same in whatever units
        X is. With False they are as given, as in the publication, and C has to suit their units;
        `normalize_rows` is then False and `min_samples_split` 11 unless given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import NDCGSplit, ObliqueTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(split=NDCGSplit(C=1), max_depth=2, random_state=0).fit(X, y)
    >>> bool(tree.score(X, y) > 0.9)
    True
    """

    tasks: ClassVar[tuple[str, ...]] = (*LABEL_TASKS, "multi-class")
    reads_labels: ClassVar[bool] = True

    C: float = AUTO
    max_iter: int = 10
    cluster_iter: int = 50
    tol: float = 0.1
    class_weight: Literal["balanced"] | None = "balanced"
    feature_power: float = AUTO
    min_support: int = AUTO
    unit_variance: bool = True

    # The scale of a column is the weight of its label, and of nothing else.
    target_power = 0.0

    def __post_init__(self) -> None:
        """Check every value that is not "auto"."""
        check_numbers(
            self,
            counts={"max_iter", "cluster_iter", "min_support"},
            positive={"C"},
            not_negative={"tol", "feature_power"},
        )
        check_word(self, "class_weight", ("balanced", None))
        check_flag(self, "unit_variance")

    @classmethod
    def published(cls) -> NDCGSplit:
        """Return the split as it was published: every feature as it is given, C = 1 and `tol` 0.01.

        Returns
        -------
        NDCGSplit
            The learner, for the parameter `split` of an estimator.

        Examples
        --------
        >>> from slantwood import NDCGSplit
        >>> split = NDCGSplit.published()
        >>> split.C, split.tol
        (1.0, 0.01)
        """
        return cls(1.0, 10, 50, 0.01, "balanced", 0.0, 1, False)

    def preferences(self, traits: Any) -> dict[str, Any]:
        """Return values for parameters at "auto" that suit this learner."""
        # Random sides make trees differ; rows, features and labels need not.
        chosen: dict[str, Any] = {
            "normalize_labels": False,
            "bootstrap": False,
            "max_features": 1.0,
            "min_samples_split": 10,
            "min_impurity_decrease": 0.0,
            "C": 3.0,
        }
        if traits.sparse_features:
            # Words keep their scales: the rarest ones would be the loudest.
            chosen |= {"C": 2.0, "feature_power": 0.0}
        elif traits.task == "multi-class":
            # Rankings of labels want rows to average over, a class does not.
            chosen |= {"min_samples_split": 2}
        elif traits.single_tree:
            # No other tree makes up for what few rows say of rankings.
            chosen |= {"C": 0.3}
        if not self.unit_variance:
            # Units of X count, and rows of length 1 would have none: all as in the published system.
            chosen |= {"normalize_rows": False, "min_samples_split": 11}
        return chosen

    def compiled(self) -> NDCGParameters:
        """Parameters in the form that the compiled grower takes."""
        return compiled_form(NDCGParameters, self, balanced=self.class_weight == "balanced")
