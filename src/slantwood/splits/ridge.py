"""The ridge split: a regression of the main direction of the clustering attributes, cut where it is best.

Menze, Kelm, Splitthoff, Koethe & Hamprecht (On oblique random forests, ECML PKDD 2011) regress the class of a
node's rows on their features, z ~ x.w with a penalty on |w|^2, and cut the line of fitted values where the
impurity falls the most. With several clustering attributes the regression is of

    t_i = z_i.u

with u the direction in which the attributes vary the most, found by power iterations u <- Z^T R Z u (R the
row weights) from a random start: iterations that have not come to their end leave a random mixture of the
main directions. Menze et al. choose the strength of the penalty on rows outside the tree's bootstrap sample;
here generalised cross-validation chooses it on the rows of the node, at no further pass over the data
(`slantwood.kernels.ridge`).

Without a penalty the direction is the one of Jaeger et al. (Accelerated and interpretable oblique random
survival forests, J. Comp. Graph. Stat. 2024): they take a single Newton-Raphson step of a likelihood
regression from weights of zero. There all rows of a logistic regression have the fitted value 1/2 and so the
same curvature 1/4: the step is (X^T R X / 4)^-1 X^T R (t - 1/2), and its direction that of least squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact
from slantwood.kernels.products import back_project, dot, has_missing, project
from slantwood.kernels.random import normal
from slantwood.kernels.ridge import fit_ridge
from slantwood.kernels.scratch import scratch
from slantwood.kernels.thresholds import best_threshold
from slantwood.splits.learner import BaseSplit
from slantwood.splits.parameters import AUTO, check_numbers, compiled_form
from slantwood.splits.protocol import split_learner

_0 = np.float32(0.0)


class RidgeParameters(NamedTuple):
    """The compiled form of `RidgeSplit`."""

    strength: float
    is_given: bool  # or else cross-validation chooses the strength
    max_iter: int
    tol: float
    target_iter: int


@split_learner(RidgeParameters)
@exact
def learn_ridge(parameters, X, Z, weights, state):
    """Regress the main direction of Z on X, and cut along the fitted values."""
    w = scratch(X.n_columns, np.float32)
    s = scratch(X.n_rows, np.float32)
    main_direction(Z, weights, parameters.target_iter, state, s)
    r = weights
    if has_missing(Z):
        # Rows of which no attribute is known have no say in the regression.
        r = weights.copy()
        for i in range(Z.n_rows):
            if Z.missing_indptr[i + 1] - Z.missing_indptr[i] == Z.n_columns:
                r[i] = _0
    strength = fit_ridge(
        X, s, r, parameters.strength, parameters.is_given, parameters.max_iter, parameters.tol, w
    )
    if strength < 0.0:
        return w, _0, False
    project(X, w, s)
    cut, gain = best_threshold(s, Z, weights)
    return w, -cut, gain >= 0.0


@exact
def main_direction(Z, weights, n_iter, state, out):
    """Write Z u, with u on its way from a random direction to the one of the largest variance."""
    n = Z.n_rows
    K = Z.n_columns
    heaviest = _0
    for i in range(n):
        heaviest = max(heaviest, weights[i])
    u = scratch(K, np.float32)
    for j in range(K):
        u[j] = normal(state) if K > 1 else np.float32(1.0)
    for step in range(n_iter + 1 if K > 1 else 1):
        if step > 0:
            for i in range(n):
                out[i] *= weights[i] / heaviest
            back_project(Z, out, u)
            length = np.sqrt(dot(u, u))
            if length > _0:
                for j in range(K):
                    u[j] /= length
        project(Z, u, out)


@dataclass(frozen=True, repr=False)
class RidgeSplit(BaseSplit):
    """Split learner that cuts along a ridge regression of the targets on the features.

    Parameters left at "auto" are chosen from the data by the estimator; the fitted estimator's `settings_`
    shows what they became. `RidgeSplit.published()` is nearest to the method's publication, together with
    ``bootstrap=True, max_features="sqrt"`` of the forest.

    Parameters
    ----------
    strength : {"gcv", "newton"} or float, default="gcv"
        Penalty on the squared weights: "gcv" chooses it in every node by generalised cross-validation,
        "newton" has none, which gives the direction of one Newton-Raphson step of a logistic regression. A
        number is relative to the total weight of the node's rows: where features have variance 1 and are
        uncorrelated, 1 halves the weights. Cross-validation counts rows, whatever their weights; with a
        number, and with "newton", a row of weight 2 is the same as two rows.
    max_iter : int, default=20
        Dimensions, at the most, of the space in which the regression is solved. Where there are no more
        features, or no more rows, the solution is exact.
    tol : float, default=0.001
        Add no further dimension once one lowers the squared residual by less than this share.
    target_iter : int or "auto"
        Power iterations from a random direction of the targets to the one of the largest variance: few make
        the trees of a forest differ.
    feature_power, target_power : float or "auto"
        Columns of a node are divided by their standard deviation to this power: 1 standardises them,
        0 leaves their scales as they are.
    min_support : int or "auto"
        Where X is mostly zeros, a split uses only features that are not zero in so many rows of the node.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueTreeClassifier, RidgeSplit
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(split=RidgeSplit(strength=0.1), max_depth=2, random_state=0).fit(X, y)
    >>> bool(tree.score(X, y) > 0.9)
    True
    """

    strength: float | Literal["gcv", "newton"] = "gcv"
    max_iter: int = 20
    tol: float = 0.001
    target_iter: int = AUTO
    feature_power: float = AUTO
    target_power: float = AUTO
    min_support: int = AUTO

    def __post_init__(self) -> None:
        """Check every value that is not "auto"."""
        is_word = isinstance(self.strength, str)
        if is_word and self.strength not in ("gcv", "newton"):
            raise ValueError(f"RidgeSplit: strength={self.strength!r} must be 'gcv' or 'newton', or a number")
        check_numbers(
            self,
            counts={"max_iter", "target_iter", "min_support"},
            positive=set() if is_word else {"strength"},
            not_negative={"tol", "feature_power", "target_power"},
        )

    @classmethod
    def published(cls) -> RidgeSplit:
        """Return the split as it was published, but for cross-validation, with everything standardised.

        Returns
        -------
        RidgeSplit
            The learner, for the parameter `split` of an estimator.

        Examples
        --------
        >>> from slantwood import RidgeSplit
        >>> split = RidgeSplit.published()
        >>> split.strength, split.target_iter
        ('gcv', 20)
        """
        return cls("gcv", 20, 0.001, 20, 1.0, 1.0, 1)

    def preferences(self, traits: Any) -> dict[str, Any]:
        """Return values for parameters at "auto" that suit this learner."""
        chosen: dict[str, Any] = {"target_iter": 20 if traits.single_tree else 3}
        if traits.n_targets == 1:
            # One target has one regression on the same rows and features: without chance all trees are equal.
            # Features are chance enough where X is dense and splits do not take all of them.
            mostly_zeros = traits.sparse_features or traits.wide_nominal
            needs_rows = mostly_zeros or traits.n_features <= self.fewest_features
            chosen |= {
                "bootstrap": needs_rows or traits.many_rows,
                "max_features": "sqrt" if traits.task == "regression" else 0.5,
            }
        return chosen

    def compiled(self) -> RidgeParameters:
        """Parameters in the form that the compiled grower takes."""
        return compiled_form(
            RidgeParameters,
            self,
            strength=0.0 if isinstance(self.strength, str) else self.strength,
            is_given=self.strength != "gcv",
        )
