"""How trees are kept small, in the words of scikit-learn and of CLUS."""

from __future__ import annotations

from typing import Any

import numpy as np

from slantwood import ObliqueForestClassifier, ObliqueTreeClassifier
from slantwood_bench.expectations.data import irises
from slantwood_bench.expectations.row import Group

GROUP = Group("growth and pruning")


def _tree(**parameters: Any) -> Any:
    make: Any = ObliqueTreeClassifier
    # Classes at random: a tree without limits has many leaves.
    y = np.random.default_rng(0).permutation(irises().y)
    return make(split="axis", random_state=0, **{"min_samples_split": 2} | parameters).fit(irises().X, y)


def _n_leaves(tree: Any) -> int:
    return int((tree.trees_.left < 0).sum())


def _leaf_sizes(tree: Any) -> np.ndarray:
    return tree.trees_.node_weight[tree.trees_.left < 0]


@GROUP.row("max_depth, min_samples_split, min_impurity_decrease")
def depth() -> None:
    """Limit the depth."""
    assert _n_leaves(_tree(max_depth=2)) <= 4
    assert _n_leaves(_tree(min_samples_split=40)) < _n_leaves(_tree())


@GROUP.row("min_samples_leaf")
def smallest_leaf() -> None:
    """Ask for leaves of some size."""
    assert _leaf_sizes(_tree(min_samples_leaf=6)).min() >= 6


@GROUP.row("min_weight_fraction_leaf")
def lightest_leaf() -> None:
    """Ask for leaves of some weight."""
    assert _leaf_sizes(_tree(min_weight_fraction_leaf=0.1)).min() >= 7.5


@GROUP.row("max_leaf_nodes")
def most_leaves() -> None:
    """Allow few leaves."""
    assert _n_leaves(_tree(max_leaf_nodes=5)) <= 5


@GROUP.row("max_samples")
def rows_of_a_tree() -> None:
    """Draw fewer rows for each tree."""
    make: Any = ObliqueForestClassifier
    model = make(n_estimators=3, bootstrap=True, max_samples=0.4, random_state=0)
    model.fit(irises().X, irises().y)
    assert (model.trees_.node_weight[model.trees_.roots] == 30).all()


@GROUP.row("ccp_alpha")
def pruned() -> None:
    """Prune by cost and complexity."""
    assert _n_leaves(_tree(ccp_alpha=0.05)) < _n_leaves(_tree())


@GROUP.row("cost_complexity_pruning_path")
def pruning_path() -> None:
    """List the values of ccp_alpha that matter."""
    make: Any = ObliqueTreeClassifier
    path = make(random_state=0).cost_complexity_pruning_path(irises().X, irises().y)
    assert (np.diff(path.ccp_alphas) >= 0).all()
    assert len(path.impurities) == len(path.ccp_alphas)


@GROUP.row("ftest, as CLUS has it")
def significance() -> None:
    """Split only where it is significant."""
    assert _n_leaves(_tree(ftest=0.001)) < _n_leaves(_tree())
