"""Section 3 of the publication in plain NumPy, written from its text: slow, and in float64.

Trees grow level by level, as ours do, so that both draw the same random numbers in the same order. What the
text leaves open is as in `slantwood.splits.gradient`: how Adam treats a weight that crosses zero, and when it
stops.
"""

from collections import deque
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from slantwood.kernels.random import normal


class Node(NamedTuple):
    rows: np.ndarray
    prototype: np.ndarray
    weights: np.ndarray | None  # of all features, in standardised units; None for a leaf
    offset: float = 0.0


def variance(values, weights):
    """Return the weighted variance of each column: mean of squares minus squared mean."""
    mean = weights @ values / weights.sum()
    return weights @ (values - mean) ** 2 / weights.sum()


def standardised(values):
    deviation = values.std(axis=0)
    varies = np.ptp(values, axis=0) > 0
    return (values[:, varies] - values[:, varies].mean(axis=0)) / deviation[varies], varies


def impurity(Z, p, weights):
    return p @ variance(Z, weights)


def is_acceptable(Z, p, is_right, least=0.05):
    """Whether the impurity is reduced by at least 5 % in at least one of the subsets."""
    if is_right.all() or not is_right.any():
        return False
    before = impurity(Z, p, np.ones(len(Z)))
    sides = [impurity(Z, p, side.astype(float)) for side in (is_right, ~is_right)]
    return min(sides) <= (1 - least) * before


def grow_tree(X, Y, Z, p, best_test):
    """Return all nodes, level by level."""
    nodes, waiting = [], deque([np.arange(len(X))])
    while waiting:
        rows = waiting.popleft()
        node = Node(rows, Y[rows].mean(axis=0), None)
        x, varies = standardised(X[rows])
        z, z_varies = standardised(Z[rows])
        if len(rows) >= 2 and x.shape[1] and z.shape[1]:
            w, b = best_test(x, z, p[z_varies])
            is_right = x @ w + b >= 0
            if is_acceptable(z, p[z_varies], is_right):
                weights = np.zeros(X.shape[1])
                weights[varies] = w
                node = node._replace(weights=weights, offset=b)
                waiting += [rows[~is_right], rows[is_right]]
        nodes.append(node)
    return nodes


def fitness(x, z, p, w, b):
    """Return f(w, b), and its slopes over w and b."""
    s = 1 / (1 + np.exp(-(x @ w + b)))
    value = s.sum() * impurity(z, p, s) + (1 - s).sum() * impurity(z, p, 1 - s)
    # The means are where the variances are least, so that they may be taken as fixed.
    inside, outside = (side @ z / side.sum() for side in (s, 1 - s))
    over_s = ((z - inside) ** 2 - (z - outside) ** 2) @ p
    over_u = over_s * s * (1 - s)
    return value, x.T @ over_u, over_u.sum()


def half_norm(w):
    return np.sqrt(np.abs(w)).sum() ** 2


def gradient_test(state, C=10.0, rate=0.1, max_iter=100, tol=0.01, scale_penalty=True):
    """Return BEST_TEST by gradient descent, from the random numbers of a state."""

    def best_test(x, z, p):
        d = x.shape[1]
        root = np.sqrt(d) if scale_penalty else 1.0
        w = np.array([normal(state) for _ in range(d)], np.float64)
        w /= np.linalg.norm(w)
        b = -np.median(x @ w)
        parts, first, second = np.append(w, b), np.zeros(d + 1), np.zeros(d + 1)
        for step in range(1, max_iter + 1):
            _, over_w, over_b = fitness(x, z, p, parts[:d], parts[d])
            w = parts[:d]
            slope = np.sqrt(half_norm(w)) / np.sqrt(np.maximum(np.abs(w), 1e-8)) / root / C
            # At zero only what exceeds the slope of the norm can move a weight.
            at_zero = np.sign(over_w) * np.maximum(np.abs(over_w) - slope, 0)
            over_w = np.where(w == 0, at_zero, over_w + np.sign(w) * slope)
            slopes = np.append(over_w, over_b)
            first = 0.9 * first + 0.1 * slopes
            second = 0.999 * second + 0.001 * slopes**2
            moved = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
            new = parts - rate * moved
            crossed = np.append(new[:d] * w < 0, False)
            new[crossed], first[crossed] = 0.0, 0.0
            step_size, parts = np.abs(new - parts).sum(), new
            if step_size < tol * rate * (d + 1):
                break
        return parts[:d], parts[d]

    return best_test


def svm_test(cluster, C=10.0):
    """Return BEST_TEST by a support vector machine between two clusters of rows."""

    def best_test(x, z, p):
        c = np.where(cluster(z * np.sqrt(p)), 1.0, -1.0)
        d = x.shape[1]

        def objective(parts):
            # w = u - v with both at least 0, so that |w| has slopes.
            u, v, b = parts[:d], parts[d : 2 * d], parts[-1]
            loss = np.maximum(0, 1 - c * (x @ (u - v) + b))
            over_w = -2 * C * x.T @ (c * loss)
            slopes = np.concatenate([1 + over_w, 1 - over_w, [-2 * C * (c * loss).sum()]])
            return (u + v).sum() + C * (loss**2).sum(), slopes

        bounds = [(0, None)] * (2 * d) + [(None, None)]
        found = minimize(
            objective,
            np.zeros(2 * d + 1),
            jac=True,
            bounds=bounds,
            options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
        )
        return found.x[:d] - found.x[d : 2 * d], found.x[-1]

    return best_test


def importances(nodes, n_features):
    """Return imp(T): the sum over splits of the share of rows times the share of each weight."""
    total = np.zeros(n_features)
    for node in nodes:
        if node.weights is not None:
            total += len(node.rows) / len(nodes[0].rows) * np.abs(node.weights) / np.abs(node.weights).sum()
    return total
