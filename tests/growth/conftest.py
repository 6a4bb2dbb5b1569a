"""Makers of grown trees."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def split():
    """Make a gradient split whose every parameter is settled; those of the publication unless given."""
    from dataclasses import replace

    from slantwood import GradientSplit

    return lambda **given: replace(GradientSplit.published(), **given)


@pytest.fixture(scope="session")
def plan(split):
    """Make a growth plan; targets evaluate splits unless other attributes are given."""
    from slantwood.features.matrix import column_means, training_matrix
    from slantwood.growth.grow import Limits
    from slantwood.growth.plan import GrowthPlan
    from slantwood.growth.significance import critical_values

    def make(
        X,
        Y,
        Z=None,
        *,
        attribute_weights=(),
        target_weights=(),
        row_weights=None,
        learner=None,
        max_depth=10**6,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_leaf_nodes=0,
        min_impurity_decrease=0.05,
        ftest=None,
        ccp_alpha=0.0,
        max_features=10**6,
        features_per_row=0,
        is_plain=False,
        by_impurity=False,
        importance_power=1.0,
        shuffle=False,
        bootstrap=False,
        seed=0,
    ):
        Y = np.asarray(Y, np.float32).reshape(X.shape[0], -1) if isinstance(Y, (list, np.ndarray)) else Y
        learner = learner or split()
        row_weights = np.ones(X.shape[0]) if row_weights is None else np.array(row_weights, np.float64)
        return GrowthPlan(
            X=training_matrix(X),
            Y=training_matrix(Y),
            overall=column_means(Y, row_weights).astype(np.float32),
            Z=training_matrix(Y if Z is None else Z),
            attribute_weights=np.array(attribute_weights, np.float32),
            row_weights=row_weights,
            split=learner,
            importance_power=importance_power,
            limits=Limits(
                max_depth=max_depth,
                min_samples_split=min_samples_split,
                min_samples_leaf=min_samples_leaf,
                min_weight_fraction_leaf=min_weight_fraction_leaf,
                max_leaf_nodes=max_leaf_nodes,
                min_impurity_decrease=min_impurity_decrease,
                critical_f=critical_values(ftest),
                max_features=max_features,
                features_per_row=features_per_row,
                min_support=learner.min_support,
                is_plain=is_plain,
                by_impurity=by_impurity,
                min_part=float(learner.min_part),
                shuffle_above=0 if shuffle else learner.rows_in_order,
            ),
            target_weights=np.array(target_weights, np.float64),
            ccp_alpha=ccp_alpha,
            bootstrap=bootstrap,
            n_draws=X.shape[0],
            seed=seed,
        )

    return make


@pytest.fixture(scope="session")
def grown():
    """Grow a tree straight from a plan's data, with given counts; return it with the training row weights."""
    from slantwood.growth.grow import grow
    from slantwood.splits.protocol import LearnerAddress

    def go(plan, counts=None, seed=88172645463325252, stopped=False):
        n = len(plan.row_weights)
        counts = np.ones(n, np.int32) if counts is None else np.array(counts, np.int32)
        weights = (plan.row_weights * counts).astype(np.float32)
        learner = LearnerAddress(plan.split.compiled())
        return grow(
            plan.X,
            plan.Z,
            plan.attribute_weights,
            np.arange(n, dtype=np.uint32),
            counts.copy(),
            weights.copy(),
            learner.address,
            learner.numbers,
            plan.split.scaling,
            plan.importance_power,
            plan.limits,
            np.uint64(seed),
            np.array([stopped], np.uint8),
        )

    return go


@pytest.fixture(scope="session")
def predicted():
    """Predict with one grown tree, by compiled routing."""
    from slantwood.features.matrix import prediction_matrix
    from slantwood.model.leaf_means import add_leaves
    from slantwood.model.routing import route

    def go(tree, X):
        nodes = np.empty((X.shape[0], 1), np.int32)
        route(prediction_matrix(X), tree, np.arange(X.shape[0], dtype=np.uint32), nodes)
        means = np.zeros((X.shape[0], tree.leaves.n_columns), np.float32)
        add_leaves(nodes, np.empty((0, 0), np.bool_), tree, means)
        return means

    return go


@pytest.fixture(scope="session")
def leaf_of_each_row():
    """Tell the node number of the leaf in whose range of rows each training row of a grown tree lies."""

    def go(tree):
        leaf = np.full(len(tree.rows), -1)
        for node in np.flatnonzero(tree.left < 0):
            leaf[tree.rows[tree.start[node] : tree.stop[node]]] = node
        return leaf

    return go


@pytest.fixture(scope="session")
def routed():
    """Tell the node number of the leaf that compiled routing sends each row to, in a tree as it was grown."""
    from slantwood.kernels.matrix import dense_matrix
    from slantwood.model.routing import route
    from slantwood.model.trees import Trees

    def go(X, tree):
        trees = Trees(
            np.zeros(1, np.int32),
            tree.left,
            tree.right,
            np.full(len(tree.left), -1, np.int32),
            tree.indptr,
            tree.indices,
            tree.weights,
            tree.means,
            tree.bias,
            tree.depth,
            tree.node_weight,
            dense_matrix(np.zeros((1, 1), np.float32)),
        )
        nodes = np.empty((len(tree.rows), 1), np.int32)
        route(X, trees, np.arange(len(nodes), dtype=np.uint32), nodes)
        return nodes[:, 0]

    return go
