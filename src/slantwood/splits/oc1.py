"""The OC1 split: coefficients of hyperplanes perturbed one at a time, from several starts, with random jumps.

S. K. Murthy, S. Kasif and S. Salzberg, A system for induction of oblique decision trees, Journal of
Artificial Intelligence Research 2 (1994). The first start is the best axis-parallel split, the others are
random planes. From each start on,

1. coefficients are perturbed: a coefficient, or the offset, takes the value that removes the most impurity
   while all others are held. Which one is next says `order`: all "sequential", again and again until none
   improves the split; the "best" of all, until it does not improve the split; or `n_perturbations` "random"
   ones. A perturbation that leaves the impurity as it was is taken with probability `stagnation`, which falls
   by a tenth of itself each time, until a better one is found;
2. then up to `n_jumps` random directions h are tried: the plane w + t h with the best t. If one improves
   the split, perturbing begins anew.

The best plane of all starts is the split. The impurity is the variance of the clustering attributes, which
for classes is Gini's. Random planes begin with their best offset.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from slantwood.kernels.coefficient_search import (
    as_split,
    begin,
    best_step,
    clear,
    feature_step,
    gain_of,
    is_higher,
    note_step,
    rescale,
    take_step,
)
from slantwood.kernels.compiling import exact
from slantwood.kernels.products import dot, project
from slantwood.kernels.random import below, normal, uniform
from slantwood.kernels.scratch import copy_into, scratch
from slantwood.splits.learner import BaseSplit
from slantwood.splits.parameters import AUTO, check_numbers, check_word, compiled_form
from slantwood.splits.protocol import split_learner

# What `order` becomes is its place here.
_ORDERS = ("random", "sequential", "best")
_RANDOM = 0
_SEQUENTIAL = 1
_BEST = 2

# Of so many features, 50 random perturbations try each more than twice; of more they miss some.
_FEW_FEATURES = 20

# Rounds of perturbing from one start: each improves the split, but may do so by very little.
_MOST_ROUNDS = 100


class OC1Parameters(NamedTuple):
    """The compiled form of `OC1Split`."""

    n_restarts: int
    n_jumps: int
    order: int  # place in _ORDERS
    n_perturbations: int
    stagnation: float


@exact
def _candidates(parameters, d, tried, start, is_jump, state):
    # Coefficients from .. to (not included) that are perturbed, of which the best is taken; d is the offset.
    if tried < 0 and start == 0:
        return 0, d
    if is_jump:
        return d, d + 1  # in its place stands the direction
    if parameters.order == _BEST:
        return 0, d + 1
    j = tried if parameters.order == _SEQUENTIAL else below(state, d + 1)
    return j, j + 1


@exact
def _climb(parameters, search, X, Z, start, state, direction, along):
    # Begins at the empty plane. The first move takes the best axis-parallel split or, in later starts, a
    # jump: the best cut along a random direction.
    d = X.n_columns
    n_tries = (parameters.n_perturbations, d + 1, 1)[parameters.order]
    tried = -1
    jumped = 0
    rounds = 0
    improved = False
    willing = parameters.stagnation
    while rounds < _MOST_ROUNDS and jumped <= parameters.n_jumps:
        is_jump = tried == n_tries or (tried < 0 and start > 0)
        if is_jump:
            if tried >= 0 and jumped == parameters.n_jumps:
                return
            for j in range(d):
                direction[j] = normal(state)
            project(X, direction, along)
        first, last = _candidates(parameters, d, tried, start, is_jump, state)
        now = gain_of(search)
        best = -1.0
        length = 0.0
        chosen = first
        for j in range(first, last):
            values, rows = feature_step(search, j)
            t, gain = best_step(search, Z, along if is_jump else values, rows, 0.0)
            if is_higher(search, gain, best) or best < 0.0:
                best = gain
                length = t
                chosen = j
        is_better = is_higher(search, best, now)
        is_equal = best >= 0.0 and not is_better and not is_higher(search, now, best)
        takes = is_better or (tried < 0 and best >= 0.0)
        if is_equal and not is_jump and not takes:
            takes = uniform(state) < willing
            willing -= 0.1 * parameters.stagnation if takes else 0.0
        if is_better:
            willing = parameters.stagnation
        if takes:
            values, rows = feature_step(search, chosen)
            take_step(search, Z, along if is_jump else values, rows, 0.0, length)
            if is_jump:
                # Scores of sparse blocks are sums of stored values: what the means take off is the offset's.
                for j in range(d):
                    search.w[j] += length * np.float64(direction[j])
                search.offset[0] -= length * np.float64(dot(X.mean, direction))
            else:
                note_step(search, chosen, 0.0, length)
            rescale(search)
        if tried < 0:
            if not takes:
                return
            tried = 0
        elif is_jump:
            jumped = 0 if is_better else jumped + 1
            tried = 0 if is_better else tried
            rounds += 1 if is_better else 0
        else:
            improved = improved or is_better
            tried += 1
            if tried == n_tries:
                if improved and parameters.order != _RANDOM:
                    tried = 0
                    rounds += 1
                improved = False


@split_learner(OC1Parameters)
@exact
def learn_oc1(parameters, X, Z, weights, state):
    """Climb from every start and keep the best plane."""
    search = begin(X, Z, weights)
    direction = scratch(X.n_columns, np.float32)
    along = scratch(X.n_rows, np.float32)
    best = -1.0
    best_w = np.zeros(X.n_columns)
    best_offset = 0.0
    for start in range(parameters.n_restarts + 1):
        clear(search)
        _climb(parameters, search, X, Z, start, state, direction, along)
        gain = gain_of(search)
        if start == 0 or is_higher(search, gain, best):
            best = gain
            copy_into(best_w, search.w)
            best_offset = search.offset[0]
    copy_into(search.w, best_w)
    search.offset[0] = best_offset
    return as_split(search, X)


@dataclass(frozen=True, repr=False)
class OC1Split(BaseSplit):
    """Split learner that perturbs the coefficients of hyperplanes, from several starts and with random jumps.

    `OC1Split.published()` has the values of the method's publication.

    Parameters
    ----------
    n_restarts : int or "auto"
        Random planes to start from, beside the best axis-parallel split; 0 for that one only. With 20
        features at the most, single trees and forests of several numbers have 20, others none.
    n_jumps : int, default=5
        Random directions to try where no coefficient improves the split.
    order : {"auto", "sequential", "random", "best"}
        Which coefficient is perturbed next: each in turn, a random one, or that which helps the most.
        Of many features random ones are mostly never tried, and to look for the best takes long. "auto" is
        "random" with restarts and "sequential" without.
    n_perturbations : int, default=50
        Perturbations in "random" order before jumps are tried.
    stagnation : float, default=0.2
        Probability of taking a perturbation that leaves the impurity as it was.
    target_power : float, default=0
        Clustering attributes are divided by their standard deviation to this power: 0 leaves their scales as
        they are, which for classes makes the impurity Gini's.
    min_support : int or "auto"
        Where X is mostly zeros, a split uses only features that are not zero in so many rows of the node.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import OC1Split, ObliqueTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(split=OC1Split(n_restarts=3), max_depth=2, random_state=0).fit(X, y)
    >>> bool(tree.score(X, y) > 0.9)
    True
    """

    n_restarts: int = AUTO
    n_jumps: int = 5
    order: Literal["auto", "random", "sequential", "best"] = AUTO
    n_perturbations: int = 50
    stagnation: float = 0.2
    target_power: float = 0.0
    min_support: int = AUTO

    def __post_init__(self) -> None:
        """Check every value that is not "auto"."""
        check_numbers(
            self,
            counts={"n_perturbations", "min_support"},
            counts_from_zero={"n_restarts", "n_jumps"},
            not_negative={"stagnation", "target_power"},
        )
        check_word(self, "order", _ORDERS)

    @classmethod
    def published(cls) -> OC1Split:
        """Return the split as it was published: 20 random planes, 5 jumps, 50 random perturbations.

        Returns
        -------
        OC1Split
            The learner, for the parameter `split` of an estimator.

        Examples
        --------
        >>> from slantwood import OC1Split
        >>> split = OC1Split.published()
        >>> split.n_restarts, split.order
        (20, 'random')
        """
        return cls(20, 5, "random", 50, 0.2, 0.0, 1)

    def preferences(self, traits: Any) -> dict[str, Any]:
        """Return values for parameters at "auto" that suit this learner."""
        # Trees of a forest make up for each other's starts, but not where several numbers must be met.
        alone = traits.single_tree or traits.task == "multi-target regression"
        if alone and traits.n_features <= _FEW_FEATURES:
            return {"bootstrap": True, "max_features": 1.0, "n_restarts": 20, "order": "random"}
        return {"bootstrap": True, "max_features": 0.5, "n_restarts": 0, "order": "sequential"}

    def compiled(self) -> OC1Parameters:
        """Parameters in the form that the compiled grower takes."""
        return compiled_form(OC1Parameters, self, order=_ORDERS.index(self.order))
