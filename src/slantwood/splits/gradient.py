"""The gradient split: a hyperplane that makes both of its sides pure, found by Adam.

With s_i = sigmoid(x_i.w + b) the soft side of row i, r_i its weight, N = sum r_i, S = sum r_i s_i and
m = sum r_i s_i z_i (Z standardised, so sum r_i z_i = 0), the impurity that the split removes is

    gain(w, b) = N / (S (N - S)) * |m|^2

(where clustering attributes have missing values, sum_j N_j / (S_j (N_j - S_j)) m_j^2, with the sums of each
attribute over the rows in which it is known), and the split minimises |w|_(1/2) / sqrt(D) - C gain, where
|w|_(1/2) = (sum_j sqrt|w_j|)^2. Dividing the norm by the root of the number of features keeps the meaning of
C from ten features to a hundred thousand. A weight that would change its sign becomes zero: this is what
makes splits sparse.

A threshold of a single feature is a hyperplane too, but one that descent seldom finds. Where targets jump at
such thresholds, the split may look at one drawn at random for each feature, and take the best of them instead
where it removes more impurity than the best cut along the learned direction. Or it may look at all thresholds
of the one feature that has the largest weight, and take the best where it removes clearly more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from slantwood.kernels.axis_search import best_feature
from slantwood.kernels.block import row_range
from slantwood.kernels.compiling import exact, vectorised
from slantwood.kernels.products import (
    add_over_known,
    back_project,
    dot,
    gram,
    has_missing,
    known_weights,
    project,
)
from slantwood.kernels.random import normal
from slantwood.kernels.scratch import scratch
from slantwood.kernels.sigmoid import sigmoid
from slantwood.kernels.thresholds import best_threshold, weighted_median
from slantwood.splits.learner import BaseSplit
from slantwood.splits.parameters import AUTO, check_flag, check_numbers, check_word, compiled_form
from slantwood.splits.protocol import split_learner
from slantwood.task_names import NUMBER_TASKS, SEVERAL_TASKS

_0 = np.float32(0.0)
_1 = np.float32(1.0)

# Adam's usual constants (Kingma & Ba 2015).
_BETA1 = np.float32(0.9)
_BETA2 = np.float32(0.999)
_EPSILON = np.float32(1e-8)

# The slope of sqrt|w| is infinite at 0; it is taken at this distance from it.
_NEAR_ZERO = np.float32(1e-8)

# What may take the place of the learned hyperplane: nothing, the best of thresholds drawn at random, one of
# each feature, or the best of all thresholds of the feature with the largest weight.
_COMPETITORS = (None, "axis", "strongest")
_AXIS = _COMPETITORS.index("axis")

# A threshold of the strongest feature must remove so much more impurity, in rows of standardised attributes:
# in small nodes one of two cuts always seems better.
_CLEARLY = 5.0


class GradientParameters(NamedTuple):
    """The compiled form of `GradientSplit`."""

    C: float
    learning_rate: float
    max_iter: int
    tol: float
    informed_start: bool
    exact_threshold: bool
    batch_size: int  # 0 for all rows
    competitor: int  # place in _COMPETITORS
    scale_penalty: bool


@vectorised
def _weigh(s, r, rs):
    # rs = r s; returns S.
    S = _0
    for i in range(s.shape[0]):
        rs[i] = r[i] * s[i]
        S += rs[i]
    return S


@vectorised
def _centre(t, r, N):
    # Subtracts the weighted mean.
    total = _0
    for i in range(t.shape[0]):
        total += r[i] * t[i]
    mean = total / N
    for i in range(t.shape[0]):
        t[i] -= mean


@vectorised
def _slopes(s, rs, t, a, c):
    # t_i <- d gain / d u_i, from t_i = z_i.m; returns the sum, which is d gain / d b.
    total = _0
    for i in range(s.shape[0]):
        h = (a * t[i] - c) * rs[i] * (_1 - s[i])
        t[i] = h
        total += h
    return total


@vectorised
def _root_sum(w):
    total = _0
    for j in range(w.shape[0]):
        total += math.sqrt(abs(w[j]))
    return total


@vectorised
def _adam(w, gain_slope, first, second, penalty, rate, correction):
    # One ascent step on gain - |w|_(1/2) / (C sqrt D); returns sum |step|.
    moved = _0
    for j in range(w.shape[0]):
        old = w[j]
        slope = penalty / math.sqrt(max(abs(old), _NEAR_ZERO))
        g = gain_slope[j]
        # At zero only what exceeds the penalty's slope can move the weight.
        shrunk = max(abs(g) - slope, _0)
        at_zero = shrunk if g >= _0 else -shrunk
        away = g - slope if old > _0 else g + slope
        g = at_zero if old == _0 else away
        m = _BETA1 * first[j] + (_1 - _BETA1) * g
        v = _BETA2 * second[j] + (_1 - _BETA2) * g * g
        new = old + rate * m / (math.sqrt(v) * correction + _EPSILON)
        crossed = new * old < _0
        new = _0 if crossed else new
        first[j] = _0 if crossed else m  # or its momentum would carry it across at the next step
        second[j] = v
        w[j] = new
        moved += abs(new - old)
    return moved


@exact
def _start(parameters, X, Z, r, state, w, s):
    # Fills w and returns b; found is False where the projections do not vary.
    n = X.n_rows
    if parameters.informed_start:
        # X^T Z u for a random u: a random direction, but one that the targets support.
        u = scratch(Z.n_columns, np.float32)
        for j in range(u.shape[0]):
            u[j] = normal(state)
        project(Z, u, s)
        for i in range(n):
            s[i] *= r[i]
        back_project(X, s, w)
    else:
        for j in range(w.shape[0]):
            w[j] = normal(state)
    project(X, w, s)
    if parameters.informed_start:
        total = 0.0
        mean = 0.0
        square = 0.0
        for i in range(n):
            weighted = np.float64(r[i]) * np.float64(s[i])
            total += np.float64(r[i])
            mean += weighted
            square += weighted * np.float64(s[i])
        spread = math.sqrt(max(square / total - (mean / total) ** 2, 0.0))
    else:
        spread = math.sqrt(dot(w, w))
    if not spread > 1e-12:
        return _0, False
    factor = np.float32(1.0 / spread)
    for j in range(w.shape[0]):
        w[j] *= factor
    for i in range(n):
        s[i] *= factor
    return -weighted_median(s, r), True


@exact
def evaluate(X, Z, G, r, w, b, s, rs, m, t, slope):
    """Gain of the soft split (w, b), its slope over w (written to `slope`) and over b.

    G is empty, or the Gram matrix Z Z^T, which replaces Z where a node has fewer rows than targets.
    """
    n = X.n_rows
    project(X, w, s)
    for i in range(n):
        s[i] += b
    sigmoid(s)
    S = np.float64(_weigh(s, r, rs))
    if has_missing(Z):
        gain = _target_slopes_with_missing(Z, r, rs, m, t)
        slope_b = _slopes(s, rs, t, _1, _0)
        back_project(X, t, slope)
        return gain, slope_b
    N = 0.0
    for i in range(n):
        N += r[i]
    if G.shape[0] > 0:
        for i in range(n):
            t[i] = dot(G[i], rs)
        squared = np.float64(dot(rs, t))
    else:
        # Of a batch of the node's rows Z is not centred: m takes r (s - S/N) and z.m its distance from
        # the mean, which of all rows is zero.
        for i in range(n):
            t[i] = rs[i] - r[i] * np.float32(S / N)
        back_project(Z, t, m)
        project(Z, m, t)
        _centre(t, r, np.float32(N))
        squared = np.float64(dot(m, m))
    spread = max(S * (N - S), 1e-6 * N * N)
    a = np.float32(2.0 * N / spread)
    c = np.float32(N * (N - 2.0 * S) / (spread * spread) * squared)
    slope_b = _slopes(s, rs, t, a, c)
    back_project(X, t, slope)
    return N / spread * squared, slope_b


@exact
def _target_slopes_with_missing(Z, r, rs, m, t):
    # t_i <- d gain / d (r_i s_i); returns the gain. With k_ij = 1 where z_ij is known, else 0, and the mean
    # c_j of what is known, which is 0 unless Z is a batch, m_j = sum_i r_i s_i k_ij (z_ij - c_j) and
    # t_i = sum_j k_ij (2 a_j m_j (z_ij - c_j) - a_j^2 m_j^2 (1 - 2 S_j / N_j)), with
    # a_j = N_j / (S_j (N_j - S_j)).
    K = Z.n_columns
    N = scratch(K, np.float64)
    S = scratch(K, np.float64)
    levels = scratch(K, np.float64)
    centre = scratch(K, np.float32)
    known_weights(Z, r, N)
    known_weights(Z, rs, S)
    back_project(Z, r, centre)
    back_project(Z, rs, m)
    gain = 0.0
    for j in range(K):
        levels[j] = 0.0
        moment = 0.0
        if N[j] > 0.0:
            mean = np.float64(centre[j]) / N[j]
            moment = np.float64(m[j]) - S[j] * mean
            spread = max(S[j] * (N[j] - S[j]), 1e-6 * N[j] * N[j])
            a = N[j] / spread
            gain += a * moment * moment
            levels[j] = -2.0 * a * moment * mean - N[j] * (N[j] - 2.0 * S[j]) / spread**2 * moment**2
            moment *= 2.0 * a
        m[j] = moment
    project(Z, m, t)
    add_over_known(Z, levels, t)
    return gain


@exact
def _strongest_feature(X, Z, weights, w, s):
    # The feature with the largest weight, -1 where none has any; its best cut, and the gain of that.
    feature = -1
    for j in range(w.shape[0]):
        if abs(w[j]) > (abs(w[feature]) if feature >= 0 else _0):
            feature = j
    if feature < 0:
        return feature, _0, -1.0
    alone = scratch(w.shape[0], np.float32)
    alone[:] = _0
    alone[feature] = _1
    project(X, alone, s)
    cut, gain = best_threshold(s, Z, weights)
    return feature, cut, gain


@exact
def _clear_lead(Z, weights):
    # `_CLEARLY` in the units of gains: only with missing values these are multiplied by the node's weight.
    if has_missing(Z):
        return _CLEARLY
    N = 0.0
    for i in range(weights.shape[0]):
        N += np.float64(weights[i])
    return _CLEARLY / N


@split_learner(GradientParameters)
@exact
def learn_gradient(parameters, X, Z, weights, state):
    """Minimise the objective above by Adam from a random start.

    On nodes of several batches the start sees the first, and every step the next batch of the rows, which
    the grower keeps in random order.
    """
    n = X.n_rows
    d = X.n_columns
    n_batches = max(n // parameters.batch_size, 1) if parameters.batch_size > 0 else 1
    w = scratch(d, np.float32)
    s = scratch(n, np.float32)
    size = (n + n_batches - 1) // n_batches
    # Views of one batch; made anew only where there are several, since small nodes feel the making.
    x = row_range(X, 0, size)
    z = row_range(Z, 0, size)
    r = weights[:size]
    b, found = _start(parameters, x, z, r, state, w, s[:size])
    if not found:
        return w, b, False
    rs = scratch(size, np.float32)
    t = scratch(size, np.float32)
    m = scratch(Z.n_columns, np.float32)
    slope = scratch(d, np.float32)
    first = scratch(d, np.float32)
    first[:] = _0
    second = scratch(d, np.float32)
    second[:] = _0
    first_b = _0
    second_b = _0
    stored = n * Z.n_columns if Z.is_dense else Z.data.shape[0] + Z.n_columns
    n_gram = n if n_batches == 1 and n <= 64 and n * n <= 2 * stored and not has_missing(Z) else 0
    G = np.empty((n_gram, n_gram), np.float32)
    if n_gram > 0:
        gram(Z, G)
    power1 = 1.0
    power2 = 1.0
    # A batch has a share of the node's rows, and so of its gain.
    root = math.sqrt(d) if parameters.scale_penalty else 1.0
    norm = 1.0 / (parameters.C * root * n_batches)
    for step in range(parameters.max_iter):
        if n_batches > 1:
            start = step % n_batches * n // n_batches
            stop = (step % n_batches + 1) * n // n_batches
            x = row_range(X, start, stop)
            z = row_range(Z, start, stop)
            r = weights[start:stop]
        k = r.shape[0]
        _, slope_b = evaluate(x, z, G, r, w, b, s[:k], rs[:k], m, t[:k], slope)
        power1 *= 0.9
        power2 *= 0.999
        rate = np.float32(parameters.learning_rate / (1.0 - power1))
        correction = np.float32(1.0 / math.sqrt(1.0 - power2))
        penalty = np.float32(norm * _root_sum(w))
        moved = _adam(w, slope, first, second, penalty, rate, correction)
        first_b = _BETA1 * first_b + (_1 - _BETA1) * slope_b
        second_b = _BETA2 * second_b + (_1 - _BETA2) * slope_b * slope_b
        shift = rate * first_b / (math.sqrt(second_b) * correction + _EPSILON)
        b = np.float32(b + shift)
        if moved + abs(shift) < parameters.tol * parameters.learning_rate * (d + 1):
            break
    if parameters.exact_threshold:
        project(X, w, s)
        cut, gain = best_threshold(s, Z, weights)
        found = gain >= 0.0
        b = -cut
    if parameters.competitor > 0:
        if not parameters.exact_threshold:
            project(X, w, s)
            _, gain = best_threshold(s, Z, weights)
        if parameters.competitor == _AXIS:
            feature, cut, other_gain = best_feature(X, Z, weights, True, state)
        else:
            feature, cut, other_gain = _strongest_feature(X, Z, weights, w, s)
            gain += _clear_lead(Z, weights)
        if feature >= 0 and other_gain > gain:
            w[:] = _0
            w[feature] = _1
            b = -cut
            found = True
    return w, b, found


@dataclass(frozen=True, repr=False)
class GradientSplit(BaseSplit):
    """Split learner that lowers the impurity of both sides of a hyperplane by gradient descent.

    Parameters left at "auto" are chosen from the data by the estimator; the fitted estimator's `settings_`
    shows what they became. `GradientSplit.published()` has the values of the method's publication.

    Parameters
    ----------
    C : float or "auto"
        Weight of purity against sparsity of the split; larger means less regularisation.
    learning_rate : float or "auto"
        Step of Adam.
    max_iter : int or "auto"
        Steps of Adam at the most.
    tol : float, default=0.01
        Stop when the mean step is below this share of the learning rate.
    start : {"auto", "informed", "noise"}
        Begin at a random direction that is correlated with the targets, or at random noise.
    threshold : {"auto", "learned", "exact"}
        Keep the learned offset, or replace it by the best cut along the learned direction.
    feature_power, target_power : float or "auto"
        Columns of a node are divided by their standard deviation to this power: 1 standardises them,
        0 leaves their scales as they are.
    batch_size : int, None or "auto"
        On nodes of at least twice as many rows every step sees only about so many of them, in turn; None
        for all rows at every step.
    min_support : int or "auto"
        Where X is mostly zeros, a split uses only features that are not zero in so many rows of the node:
        a feature that a single row has says nothing about others.
    competitor : {"auto", "axis", "strongest", None}
        "axis" draws a threshold of each feature at random, and takes the best of them in place of the
        learned hyperplane where it removes more impurity. "strongest" takes the best threshold of the feature
        with the largest weight where that removes clearly more, by the impurity of five rows.
    min_part : float below 1 or "auto"
        Features that hardly matter are left out of a split: those whose part in the variance of its weighted
        sum, over the rows of the node, is less than so many times the mean part. 0 keeps all. Models of text
        become half as large, and no worse.
    scale_penalty : bool, default=True
        Divide the norm of the weights by the root of the number of features, as the publication's package
        does, so that C means the same with ten features and with a hundred thousand. False for the formula of
        its text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import GradientSplit, ObliqueTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(split=GradientSplit(C=3), max_depth=2, random_state=0).fit(X, y)
    >>> bool(tree.score(X, y) > 0.9)
    True
    """

    C: float = AUTO
    learning_rate: float = AUTO
    max_iter: int = AUTO
    tol: float = 0.01
    start: Literal["auto", "informed", "noise"] = "auto"
    threshold: Literal["auto", "learned", "exact"] = "auto"
    feature_power: float = AUTO
    target_power: float = AUTO
    batch_size: int | None = AUTO
    min_support: int = AUTO
    competitor: Literal["auto", "axis", "strongest"] | None = AUTO
    min_part: float = AUTO
    scale_penalty: bool = True

    def __post_init__(self) -> None:
        """Check every value that is not "auto"."""
        counts = {"max_iter", "min_support"} | ({"batch_size"} if self.batch_size is not None else set())
        check_numbers(
            self,
            counts=counts,
            positive={"C", "learning_rate"},
            not_negative={"tol", "feature_power", "target_power", "min_part"},
        )
        if self.min_part != AUTO and self.min_part >= 1:
            raise ValueError(f"GradientSplit: min_part={self.min_part!r} must be below 1, or nothing is left")
        check_flag(self, "scale_penalty")
        check_word(self, "start", ("informed", "noise", "auto"))
        check_word(self, "threshold", ("learned", "exact", "auto"))
        check_word(self, "competitor", (*_COMPETITORS, "auto"))

    @classmethod
    def published(cls, *, scale_penalty: bool = True) -> GradientSplit:
        """Return the split as it was published: from noise, 100 steps of 0.1, everything standardised.

        Parameters
        ----------
        scale_penalty : bool, default=True
            As the publication's package has it; False for the formula of its text.

        Returns
        -------
        GradientSplit
            The learner, for the parameter `split` of an estimator.

        Examples
        --------
        >>> from slantwood import GradientSplit
        >>> split = GradientSplit.published()
        >>> split.C, split.max_iter, split.start
        (10.0, 100, 'noise')
        """
        return cls(
            10.0,
            0.1,
            100,
            0.01,
            "noise",
            "learned",
            1.0,
            1.0,
            None,
            1,
            None,
            0.0,
            scale_penalty=scale_penalty,
        )

    def preferences(self, traits: Any) -> dict[str, Any]:
        """Return values for parameters at "auto" that suit this learner."""
        if traits.sparse_features:  # thresholds of single features look at every cell, zero or not
            return {}
        if traits.task == "multi-class":
            return {"competitor": "strongest"}
        if traits.single_tree:
            # One target bends a hyperplane to single rows sooner than several do.
            return {"C": 3.0} if traits.n_targets == 1 else {}
        if traits.task in SEVERAL_TASKS:
            return {"competitor": "axis"}
        # Numbers often jump where one feature passes a threshold. Thresholds drawn at random are for many
        # trees to average, which then differ on the same rows.
        if traits.task not in NUMBER_TASKS:
            return {}
        return {"competitor": "axis", "bootstrap": traits.many_rows or traits.wide_nominal}

    def compiled(self) -> GradientParameters:
        """Parameters in the form that the compiled grower takes."""
        return compiled_form(
            GradientParameters,
            self,
            informed_start=self.start == "informed",
            exact_threshold=self.threshold == "exact",
            batch_size=self.batch_size or 0,
            competitor=_COMPETITORS.index(self.competitor),
        )

    @property
    def rows_in_order(self) -> int:
        """Up to how many rows a node may keep them in any order, since it has a single batch."""
        return np.iinfo(np.int64).max if self.batch_size is None else 2 * self.batch_size - 1
