"""The CART-LC split: the best axis-parallel split, made oblique one coefficient at a time.

L. Breiman, J. Friedman, R. Olshen and C. Stone, Classification and Regression Trees (1984), section 5.2.2.
Features are standardised. From the best axis-parallel split v = x_m <= c on, each feature m in turn, for
gamma in (-0.25, 0, 0.25), looks for the delta by which

    v - delta (x_m + gamma) <= c

removes the most impurity, and the best of the three is taken where it removes more than before; at the end of
a sweep over all features the same is done for c. Sweeps go on until the impurity removed rises by no more
than a share `epsilon`. Then features are dropped whose removal, with c found anew, would cost less than
`beta` times what the removal of the most important one costs.

The impurity is the variance of the clustering attributes, which for classes is Gini's. The published deletion
looks at all features again after each one that it drops, which takes time in the square of their number. Here
costs are found once, and then each feature is tried once, the least important first. In sparse blocks gamma
is 0 only: with any other, rows that do not have the feature would move too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from slantwood.kernels.coefficient_search import (
    as_split,
    begin,
    best_step,
    change_coefficient,
    feature_step,
    gain_of,
    is_higher,
    rescale,
)
from slantwood.kernels.compiling import exact
from slantwood.kernels.sorting import sort_rows, sorting_workspace
from slantwood.splits.learner import BaseSplit
from slantwood.splits.parameters import AUTO, check_numbers, compiled_form
from slantwood.splits.protocol import split_learner

_GAMMA = 0.25


class CARTLCParameters(NamedTuple):
    """The compiled form of `CARTLCSplit`."""

    max_iter: int
    epsilon: float
    beta: float


@exact
def _climb(parameters, search, Z):
    # Sweep 0 takes the best axis-parallel split, from the empty plane; the others take what improves the
    # split feature by feature.
    d = search.w.shape[0]
    for sweep in range(parameters.max_iter + 1):
        before = gain_of(search)
        last = d if sweep > 0 else d - 1
        chosen = -1
        best = before
        best_length = 0.0
        best_shift = 0.0
        for j in range(last + 1):
            values, rows = feature_step(search, j)
            n_shifts = 3 if sweep > 0 and j < d and search.columns.is_dense else 1
            for q in range(n_shifts):
                shift = (0.0, -_GAMMA, _GAMMA)[q]
                length, gain = best_step(search, Z, values, rows, shift)
                if is_higher(search, gain, best):
                    chosen = j
                    best = gain
                    best_length = length
                    best_shift = shift
            if chosen >= 0 and (sweep > 0 or j == last):
                change_coefficient(search, Z, chosen, best_shift, best_length)
                rescale(search)
                chosen = -1
                best = gain_of(search)
        if sweep > 0 and best - before <= parameters.epsilon * before:
            return


@exact
def _used_features(w):
    used = np.empty(w.shape[0], np.int64)
    n = 0
    for j in range(w.shape[0]):
        if w[j] != np.float32(0.0):
            used[n] = j
            n += 1
    return used[:n]


@exact
def _delete(parameters, search, Z):
    # Round 0 measures what each feature's removal costs, round 1 removes.
    d = search.w.shape[0]
    used = _used_features(search.w)
    if used.shape[0] < 2:
        return
    cost = np.zeros(used.shape[0], np.float32)
    workspace = sorting_workspace(used.shape[0])
    ones, everybody = feature_step(search, d)
    for attempt in range(2):
        order = sort_rows(cost, workspace)
        largest = cost[order[used.shape[0] - 1]]
        allowed = parameters.beta * largest * search.whole
        for q in order:
            j = used[q]
            coefficient = search.w[j]
            gain = gain_of(search)
            change_coefficient(search, Z, j, 0.0, -coefficient)
            length, without = best_step(search, Z, ones, everybody, 0.0)
            changed = j
            if attempt == 0:
                cost[q] = (gain - max(without, 0.0)) / search.whole
            elif without >= 0.0 and gain - without < allowed:
                changed = d
            change_coefficient(search, Z, changed, 0.0, length if changed == d else coefficient)


@split_learner(CARTLCParameters)
@exact
def learn_cart_lc(parameters, X, Z, weights, state):
    """Climb from the best axis-parallel split, then drop features that hardly matter."""
    search = begin(X, Z, weights)
    _climb(parameters, search, Z)
    if parameters.beta > 0.0:
        _delete(parameters, search, Z)
    return as_split(search, X)


@dataclass(frozen=True, repr=False)
class CARTLCSplit(BaseSplit):
    """Split learner that climbs from the best axis-parallel split, one coefficient at a time.

    It uses no random numbers: trees of a forest differ by their rows and features only.

    Parameters
    ----------
    max_iter : int, default=10
        Sweeps over the node's features at the most.
    epsilon : float, default=0.01
        Stop when a sweep raises the impurity that the split removes by no more than this share.
    beta : float, default=0.2
        Drop features whose removal costs less than this share of what that of the most important one costs;
        0 keeps all.
    target_power : float, default=0
        Clustering attributes are divided by their standard deviation to this power: 0 leaves their scales as
        they are, which for classes makes the impurity Gini's.
    min_support : int or "auto"
        Where X is mostly zeros, a split uses only features that are not zero in so many rows of the node.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import CARTLCSplit, ObliqueTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(split=CARTLCSplit(max_iter=5), max_depth=2, random_state=0).fit(X, y)
    >>> bool(tree.score(X, y) > 0.9)
    True
    """

    max_iter: int = 10
    epsilon: float = 0.01
    beta: float = 0.2
    target_power: float = 0.0
    min_support: int = AUTO

    def __post_init__(self) -> None:
        """Check every value that is not "auto"."""
        check_numbers(
            self,
            counts={"max_iter", "min_support"},
            not_negative={"epsilon", "beta", "target_power"},
        )

    def preferences(self, traits: Any) -> dict[str, Any]:
        """Return values for parameters at "auto" that suit this learner."""
        return {"bootstrap": True, "max_features": 0.5}

    def compiled(self) -> CARTLCParameters:
        """Parameters in the form that the compiled grower takes."""
        return compiled_form(CARTLCParameters, self)
