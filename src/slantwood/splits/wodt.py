"""The WODT split: soft sides whose class distributions have the least entropy, found by L-BFGS.

With s_i = sigmoid(x_i.w + b) the soft side of row i and r_i its weight, the classes k have the weights
R_k = sum r_i s_i on the right and L_k = sum r_i (1 - s_i) on the left, each over the rows of class k, and the
sides have W_R = sum_k R_k and W_L = sum_k L_k. The split minimises

    (W_L H(L) + W_R H(R)) / (W_L + W_R) + alpha / 2 |w|^2,    W_R H(R) = - sum_k R_k log(R_k / W_R),

from a random start. Where classes differ so little along any direction that the penalty pulls w to zero, the
search is made without it. The slope of W_L H(L) + W_R H(R) over s_i, for a row of class k, is
r_i (log(L_k / W_L) - log(R_k / W_R)). Along a direction of descent all rows move in proportion, so that steps
of any length are tried without looking at X: a search along a line takes one product with X, and one more
for the gradient at its end.

B.-B. Yang, S.-Q. Shen and W. Gao, Weighted oblique decision trees, AAAI 2019; the penalty, and a start that
suits the number of features, are not in the publication.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from slantwood.kernels.block import copy_row
from slantwood.kernels.compiling import exact, indexed, vectorised
from slantwood.kernels.lbfgs import descend, make_history, remember
from slantwood.kernels.products import back_project, dot, has_missing, project
from slantwood.kernels.random import normal, uniform
from slantwood.kernels.scratch import scratch
from slantwood.kernels.sigmoid import sigmoid
from slantwood.splits.learner import BaseSplit
from slantwood.splits.parameters import AUTO, check_numbers, check_word, compiled_form
from slantwood.splits.protocol import split_learner
from slantwood.task_names import CLASS_TASKS

_0 = np.float32(0.0)
_1 = np.float32(1.0)

# Pairs of moves and slopes that L-BFGS remembers.
_PAIRS = 10

# A step must bring this share of what the slope promises, and leave no more than that share of the slope
# (Wolfe's conditions); so many lengths are tried.
_PROMISED = 1e-4
_LEFT_OVER = 0.9
_TRIALS = 20

# Stands for a class that a side does not have; its logarithm is finite.
_NOTHING = 1e-200

# Spread of the rows across the plane: at the start; none at all; and where the penalty left nothing of the
# sides.
_SPREAD = 1.0
_NO_SPREAD = 1e-12
_COLLAPSED = 0.05


class WODTParameters(NamedTuple):
    """The compiled form of `WODTSplit`."""

    alpha: float
    max_iter: int
    tol: float
    from_spread: bool


@exact
def class_numbers(Z, classes, known):
    """Write each row's class, and whether it is known; return how many classes there may be.

    A column of Z has two values, the higher one in the rows of its class. Rows that stand high in none have
    the class that has no column: the first of two, or one whose column does not vary.
    """
    n = Z.n_rows
    K = Z.n_columns
    row = scratch(K, np.float32)
    low = scratch(K, np.float32)
    high = scratch(K, np.float32)
    low[:] = np.inf
    high[:] = -np.inf
    for look in range(2):
        for i in range(n):
            known[i] = not has_missing(Z) or Z.missing_indptr[i] == Z.missing_indptr[i + 1]
            classes[i] = K
            if not known[i]:
                continue
            copy_row(Z, i, row)
            for j in range(K):
                if look == 0:
                    low[j] = min(low[j], row[j])
                    high[j] = max(high[j], row[j])
                elif row[j] - low[j] > high[j] - row[j]:
                    classes[i] = j
    return K + 1


class _SoftSides(NamedTuple):
    # What the rows have to do with the objective, and memory for it.
    classes: np.ndarray
    q: np.ndarray  # weights of the rows, of sum 1; 0 where the class is unknown
    u: np.ndarray  # x_i.w + b at the present plane
    du: np.ndarray  # change of u along the direction
    s: np.ndarray  # soft sides of the step that was tried last
    h: np.ndarray  # slope of the entropy over u there
    left: np.ndarray  # weights of the classes there
    right: np.ndarray
    logs: np.ndarray  # log(L_k / W_L) - log(R_k / W_R) there


@exact
def _make_sides(Z, weights):
    # Returns them, at u = 0, and whether any row has a class.
    n = Z.n_rows
    classes = scratch(n, np.int64)
    known = scratch(n, np.bool_)
    n_classes = class_numbers(Z, classes, known)
    total = 0.0
    for i in range(n):
        total += np.float64(weights[i]) if known[i] else 0.0
    q = scratch(n, np.float32)
    u = scratch(n, np.float32)
    for i in range(n):
        q[i] = np.float64(weights[i]) / total if known[i] else 0.0
        u[i] = _0
    sides = _SoftSides(
        classes,
        q,
        u,
        scratch(n, np.float32),
        scratch(n, np.float32),
        scratch(n, np.float32),
        scratch(n_classes, np.float64),
        scratch(n_classes, np.float64),
        scratch(n_classes, np.float32),
    )
    return sides, total > 0.0


@vectorised
def _move(u, du, step, out):
    for i in range(out.shape[0]):
        out[i] = u[i] + step * du[i]


@indexed
def _sum_classes(sides):
    left = sides.left
    right = sides.right
    for k in range(left.shape[0]):
        left[k] = 0.0
        right[k] = 0.0
    for i in range(sides.s.shape[0]):
        k = sides.classes[i]
        s = sides.s[i]
        right[k] += np.float64(sides.q[i] * s)
        left[k] += np.float64(sides.q[i] * (_1 - s))


@exact
def _entropy(left, right, logs):
    # Returns W_L H(L) + W_R H(R), and writes the logarithms.
    weight_left = _NOTHING
    weight_right = _NOTHING
    for k in range(left.shape[0]):
        weight_left += left[k]
        weight_right += right[k]
    entropy = 0.0
    for k in range(left.shape[0]):
        log_left = math.log(max(left[k], _NOTHING) / weight_left)
        log_right = math.log(max(right[k], _NOTHING) / weight_right)
        entropy -= left[k] * log_left + right[k] * log_right
        logs[k] = log_left - log_right
    return entropy


@indexed
def _set_slopes(sides):
    # Writes the slopes over u; returns the slope along du.
    total = 0.0
    for i in range(sides.s.shape[0]):
        s = sides.s[i]
        h = sides.logs[sides.classes[i]] * (sides.q[i] * s * (_1 - s))
        sides.h[i] = h
        total += np.float64(h) * np.float64(sides.du[i])
    return total


@exact
def evaluate(sides, step):
    """Entropy of the soft sides a step along the direction, and its slope over the length of the step."""
    _move(sides.u, sides.du, np.float32(step), sides.s)
    sigmoid(sides.s)
    _sum_classes(sides)
    entropy = _entropy(sides.left, sides.right, sides.logs)
    return entropy, _set_slopes(sides)


@exact
def _spread_around(centre, values, q):
    # Root mean square distance, where the weights q sum to 1.
    square = 0.0
    for i in range(q.shape[0]):
        square += np.float64(q[i]) * (np.float64(values[i]) - np.float64(centre)) ** 2
    return math.sqrt(square)


@exact
def _start(from_spread, state, direction):
    d = direction.shape[0] - 1
    if from_spread:
        for j in range(d):
            direction[j] = normal(state)
        direction[d] = _0
    else:
        for j in range(d + 1):
            direction[j] = np.float32(uniform(state) - 0.5)


@exact
def _first_length(from_spread, iteration, sides):
    # Of the step to the start and of the first one from there nothing is known but what it does to the rows;
    # 0 where it does nothing.
    if iteration > 1 or (iteration == 0 and not from_spread):
        return 1.0
    spread = _spread_around(0.0, sides.du, sides.q)
    return _SPREAD / spread if spread > _NO_SPREAD else 0.0


@exact
def _search(sides, plane, direction, alpha, value, slope, step):
    # The first length that fulfils Wolfe's conditions, by doubling and halving (Lewis & Overton 2013), or the
    # given one where the slope is 0. Returns it, the objective there and whether there is such a length.
    d = plane.shape[0] - 1
    norm = np.float64(dot(plane[:d], plane[:d]))
    across = np.float64(dot(plane[:d], direction[:d]))
    square = np.float64(dot(direction[:d], direction[:d]))
    shortest = 0.0
    longest = np.inf
    for _ in range(_TRIALS):
        there, slope_there = evaluate(sides, step)
        there += 0.5 * alpha * (norm + step * (2.0 * across + step * square))
        slope_there += alpha * (across + step * square)
        if slope == 0.0:
            return step, there, True
        if not there <= value + _PROMISED * step * slope:
            longest = step
        elif slope_there < _LEFT_OVER * slope:
            shortest = step
        else:
            return step, there, True
        step = 0.5 * (shortest + longest) if longest < np.inf else 2.0 * step
    return shortest, value, False


@exact
def _set_gradient(X, h, alpha, plane, gradient, change):
    # Writes the gradient at the plane, and how it changed.
    d = X.n_columns
    back_project(X, h, change[:d])
    total = 0.0
    for i in range(h.shape[0]):
        total += np.float64(h[i])
    change[d] = total
    for j in range(d + 1):
        slope = change[j] + (np.float32(alpha) * plane[j] if j < d else _0)
        change[j] = slope - gradient[j]
        gradient[j] = slope


@exact
def _minimise(parameters, alpha, X, sides, state, plane):
    # L-BFGS; the first step leads from zero to the random start.
    d = X.n_columns
    plane[:] = _0
    sides.u[:] = _0
    gradient = scratch(d + 1, np.float32)
    gradient[:] = _0
    change = scratch(d + 1, np.float32)
    direction = scratch(d + 1, np.float32)
    _start(parameters.from_spread, state, direction)
    history = make_history(_PAIRS, d + 1)
    value = 0.0
    enough = 0.0
    for iteration in range(parameters.max_iter + 1):
        slope = np.float64(dot(gradient, direction))
        if iteration > 0 and not slope < 0.0:
            break
        project(X, direction[:d], sides.du)
        for i in range(X.n_rows):
            sides.du[i] += direction[d]
        step = _first_length(parameters.from_spread, iteration, sides)
        if step == 0.0:
            break
        step, there, fulfilled = _search(sides, plane, direction, alpha, value, slope, step)
        for j in range(d + 1):
            direction[j] *= np.float32(step)
            plane[j] += direction[j]
        _move(sides.u, sides.du, np.float32(step), sides.u)
        if not fulfilled or (iteration > 0 and value - there <= enough):
            break
        if iteration == 0:
            enough = parameters.tol * there
        value = there
        _set_gradient(X, sides.h, alpha, plane, gradient, change)
        if iteration > 0:
            remember(history, direction, change)
        descend(history, gradient, direction)


@split_learner(WODTParameters)
@exact
def learn_wodt(parameters, X, Z, weights, state):
    """Minimise the objective above; once more without penalty where it left nothing."""
    d = X.n_columns
    plane = scratch(d + 1, np.float32)  # w, b
    plane[:] = _0
    sides, found = _make_sides(Z, weights)
    alpha = parameters.alpha
    while found:
        _minimise(parameters, alpha, X, sides, state, plane)
        if alpha == 0.0 or _spread_around(plane[d], sides.u, sides.q) > _COLLAPSED:
            break
        alpha = 0.0
    found = False
    for j in range(d):
        found = found or plane[j] != _0
    for j in range(d + 1):
        found = found and np.isfinite(plane[j])
    return plane[:d], plane[d], found


@dataclass(frozen=True, repr=False)
class WODTSplit(BaseSplit):
    """Split learner for classes that lowers the entropy of the soft sides of a hyperplane by L-BFGS.

    Parameters left at "auto" are chosen from the data by the estimator; the fitted estimator's `settings_`
    shows what they became. `WODTSplit.published()` is nearest to the method's publication.

    Parameters
    ----------
    alpha : float, default=0.003
        Penalty on the squared length of the split's weights; larger means softer sides, which overlap more.
    max_iter : int, default=100
        Steps of L-BFGS at the most.
    tol : float, default=0.0001
        Stop when a step lowers the objective by no more than this share of what it was at the start.
    start : {"spread", "noise"}
        Begin at a random direction, along which the rows have a standard deviation of 1, or at weights that
        are drawn from -1/2 to 1/2, whatever the number of features.
    feature_power : float or "auto"
        Columns of a node are divided by their standard deviation to this power: 1 standardises them,
        0 leaves their scales as they are.
    min_support : int or "auto"
        Where X is mostly zeros, a split uses only features that are not zero in so many rows of the node.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueTreeClassifier, WODTSplit
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(split=WODTSplit(alpha=0.01), max_depth=2, random_state=0).fit(X, y)
    >>> bool(tree.score(X, y) > 0.9)
    True
    """

    tasks: ClassVar[tuple[str, ...]] = CLASS_TASKS
    reads_labels: ClassVar[bool] = True

    alpha: float = 0.003
    max_iter: int = 100
    tol: float = 0.0001
    start: Literal["spread", "noise"] = "spread"
    feature_power: float = AUTO
    min_support: int = AUTO

    def __post_init__(self) -> None:
        """Check every value that is not "auto"."""
        check_numbers(
            self,
            counts={"max_iter", "min_support"},
            not_negative={"alpha", "tol", "feature_power"},
        )
        check_word(self, "start", ("spread", "noise"))

    @classmethod
    def published(cls) -> WODTSplit:
        """Return the split as it was published: from noise and without penalty, on standardised features.

        Returns
        -------
        WODTSplit
            The learner, for the parameter `split` of an estimator.

        Examples
        --------
        >>> from slantwood import WODTSplit
        >>> split = WODTSplit.published()
        >>> split.alpha, split.start
        (0.0, 'noise')
        """
        return cls(0.0, 10, 1e-7, "noise", 1.0, 1)

    def preferences(self, traits: Any) -> dict[str, Any]:
        """Return values for parameters at "auto" that suit this learner."""
        # With two classes there are few good planes, and trees that see all rows and most features find the
        # same ones. With more there is much to choose from, and few rows of each class to leave out.
        alike = traits.task == "binary" and not traits.sparse_features
        return {"bootstrap": True, "max_features": "sqrt"} if alike else {}

    def compiled(self) -> WODTParameters:
        """Parameters in the form that the compiled grower takes."""
        return compiled_form(WODTParameters, self, from_spread=self.start == "spread")
