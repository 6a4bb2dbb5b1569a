"""Claims about where in a tree slopes are learned, and from what."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.growth.slopes import leaf_slopes
from slantwood.leaves.linear import find_slopes, ridge_memory

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 4)).astype(np.float32)
Y = np.stack([X[:, 0] + np.abs(X[:, 1]), X[:, 2] * X[:, 0]], axis=1).astype(np.float32)


class Twin:
    """The slopes of a tree, node by node in plain Python."""

    def __init__(self, X, Y, grown, least_rows, most_splits, n_errors):
        self.tree, counts, weights = grown
        tree = self.tree
        self.scores = np.zeros((len(X), len(tree.left)))
        for node in range(len(tree.left)):
            part = slice(tree.indptr[node], tree.indptr[node + 1])
            values = X[:, tree.indices[part]].astype(np.float64)
            values = np.where(np.isnan(values), tree.means[part], values)
            self.scores[:, node] = values @ tree.weights[part].astype(np.float64) + tree.bias[node]
        self.Y, self.rows = Y.astype(np.float64), tree.rows
        known = ~np.isnan(Y[tree.rows]).any(axis=1)
        self.weights, self.counts = (
            np.where(known, weights, 0.0).astype(np.float64),
            np.where(known, counts, 0),
        )
        self.parent = {
            int(c): n for n in range(len(tree.left)) for c in (tree.left[n], tree.right[n]) if c >= 0
        }
        self.leaf_at = {}
        for leaf in np.flatnonzero(tree.left < 0).tolist():
            self.leaf_at |= dict.fromkeys(self.places(leaf).tolist(), leaf)
        self.models = {}
        self.settings = least_rows, most_splits, n_errors

    def places(self, node):
        return np.arange(self.tree.start[node], self.tree.stop[node])

    def holder(self, leaf):
        node = leaf
        while node is not None:
            here = self.places(node)
            if self.counts[here].sum() >= self.settings[0]:
                return node
            node = self.parent.get(node)
        return None

    def deviations(self, node, path):
        values = np.hstack([self.scores[self.rows][:, path], self.Y[self.rows]])
        found, used = [], []
        for i in self.places(node).tolist():
            leaf = self.leaf_at[i]
            for near in (leaf, self.parent.get(leaf)):
                here = self.places(near)
                without = self.weights[here] * (here != i)
                if without.sum() > 1e-9 or leaf == node:
                    break
            has_others = self.weights[i] > 0 and without.sum() > 1e-9
            others = np.nan_to_num(values[here]).T @ without / max(without.sum(), 1e-300)
            found.append(values[i] - others if has_others else np.zeros(values.shape[1]))
            used.append(self.weights[i] * has_others)
        return np.array(found), np.array(used)

    def model(self, node):
        """Return the splits of a node that may have slopes, and these."""
        if node in self.models:
            return self.models[node]
        path = [node] if self.tree.left[node] >= 0 else []
        while len(path) < self.settings[1] and (path or [node])[-1] in self.parent:
            path.append(self.parent[(path or [node])[-1]])
        found, used = self.deviations(node, path)
        k, T = len(path), self.Y.shape[1]
        slopes = np.zeros((k, T))
        V, U = np.ascontiguousarray(found[:, :k]), np.ascontiguousarray(found[:, k:])
        counts = self.counts[self.places(node)]
        some = used > 0
        row_weight = (used[some] ** 2 / counts[some]).sum() / used.sum() if some.any() else 1.0
        find_slopes(V, U, used, row_weight, len(V), k, self.settings[2], ridge_memory(k, T), slopes)
        self.models[node] = path, slopes
        return path, slopes


@pytest.mark.parametrize("case", ["plain", "weighted", "missing", "coarse"])
def test_slopes_are_those_of_rows_beside_their_neighbours(plan, case):
    rows, targets, more = X, Y, {}
    if case == "weighted":
        # Of some draws, two strengths of slopes are equally good but for rounding, and processors differ.
        more = {"row_weights": np.random.default_rng(4).choice([0.5, 1, 2], len(X)), "bootstrap": True}
    if case == "missing":
        rows = np.where(np.random.default_rng(2).random(X.shape) < 0.1, np.nan, X)
        targets = np.where(np.random.default_rng(3).random(Y.shape) < 0.1, np.nan, Y)
    if case == "coarse":
        more = {"min_samples_leaf": 30}
    settings = (20, 3, 0.0)
    data = plan(rows, targets, **more)
    grown = data._grown(0, np.zeros(1, np.uint8))
    found = leaf_slopes(data.X, data.Y, *grown, *settings)
    twin = Twin(rows, targets, grown, *settings)
    tree = twin.tree
    assert found.model.max() >= (0 if case == "coarse" else 2)
    for number, leaf in enumerate(np.flatnonzero(tree.left < 0)):
        holder = twin.holder(int(leaf))
        path, slopes = (None, np.zeros(0)) if holder is None else twin.model(holder)
        here = twin.places(leaf)
        if not slopes.any() or not twin.weights[here].any():
            assert found.model[number] == -1
            continue
        model = found.model[number]
        part = slice(found.indptr[model], found.indptr[model + 1])
        assert_array_equal(found.nodes[part], path)
        assert_allclose(found.coefficients[part], slopes, rtol=1e-4, atol=1e-6)
        mean = np.average(twin.scores[twin.rows[here]][:, path], axis=0, weights=twin.weights[here])
        assert_allclose(found.offset[number], mean @ slopes, rtol=1e-4, atol=1e-5)
        below = twin.places(holder)
        known = targets[twin.rows[below]][twin.weights[below] > 0]
        assert_array_equal(found.low[model], known.min(axis=0).astype(np.float32))
        assert_array_equal(found.high[model], known.max(axis=0).astype(np.float32))


def test_equal_rows_have_no_slopes(plan):
    same = np.repeat(np.array([[1 / 3, 7e5]], np.float32), 90, axis=0)
    same[:40] = 0.1
    data = plan(same, np.random.default_rng(0).normal(size=90) + same[:, 1])
    found = leaf_slopes(data.X, data.Y, *data._grown(0, np.zeros(1, np.uint8)), 20, 8, -1e9)
    assert not found.coefficients.any()
