"""A tree as a reader sees it: the nodes down to a depth, what each asks and predicts, who came there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.estimators.reading.conditions import Condition, Conditions, Spreads
from slantwood.estimators.reading.graphs import dot_of, networkx_of
from slantwood.estimators.reading.outcomes import Prediction, Predictions
from slantwood.estimators.reading.text import text_of
from slantwood.estimators.tree_models import check_tree_model
from slantwood.estimators.tree_view import TreeView
from slantwood.features.matrix import to_array
from slantwood.hints import pluralize
from slantwood.model.trees import Trees, single_tree
from slantwood.validation import check_integer

# Leaves below nodes that are averaged in one go.
_CELLS = 1 << 20

_BY_SPREAD = "Percentages are parts of features in a sum: weight times spread over the rows in the node."
_BY_TRAINING = "Percentages are parts of features in a sum: weight times spread over the training rows."
_BY_WEIGHT = (
    "Percentages are parts of features in the weights of a sum, which depend on units: the model was saved "
    "with predict_only=True, or long ago, and does not keep how far features are spread. With rows, "
    "read_tree(model, X=X), they are those of weight times spread."
)


@dataclass(frozen=True, eq=False, repr=False)
class TreeReading:
    """One tree, down to some depth, with one entry for each node in every array; parents come first.

    `read_tree` makes it. All other forms of a tree follow from it: text, graphs, pictures, plain values.

    Parameters
    ----------
    title : str
        Which tree of which model it is.
    notes : tuple of str
        What one must know to read it.
    kind : {"classes", "labels", "numbers", "several", "steps"}
        What nodes predict; "steps" are those of boosted scores.
    node : array of int
        Numbers of the nodes within the tree, as `apply` returns those of leaves.
    parent : array of int
        Positions of their parents in these arrays; -1 at the root.
    is_yes : array of bool
        Whether rows come here that meet the condition of the parent.
    depth : array of int
        Splits on the way from the root.
    rows : array of float
        Weight of the training rows that came there; NaN where a model was saved for prediction only.
    n_hidden : array of int
        Splits at and below the node that are not shown, as they lie too deep.
    conditions : tuple of Condition or None
        What nodes ask; None of those that are shown without the nodes below them.
    predictions : tuple of Prediction or None
        What nodes predict: of leaves that, of others the mean of the leaves below; None if not known.

    Examples
    --------
    >>> from slantwood import ObliqueTreeClassifier
    >>> from slantwood.explain import read_tree
    >>> model = ObliqueTreeClassifier(split="axis").fit([[0], [1], [2], [3]], ["low", "low", "high", "high"])
    >>> reading = read_tree(model)
    >>> reading
    <Tree 0 of ObliqueTreeClassifier, binary: 3 nodes>
    >>> reading.conditions[0].text(), [each.text for each in reading.predictions[1:]]
    ('x0 >= 1.5', ['high (1.00)', 'low (1.00)'])
    """

    title: str
    notes: tuple[str, ...]
    kind: str
    node: np.ndarray
    parent: np.ndarray
    is_yes: np.ndarray
    depth: np.ndarray
    rows: np.ndarray
    n_hidden: np.ndarray
    conditions: tuple[Condition | None, ...]
    predictions: tuple[Prediction | None, ...]

    def __len__(self) -> int:
        return len(self.node)

    def __repr__(self) -> str:
        return f"<{self.title}: {pluralize(len(self), 'node')}>"

    @cached_property
    def share(self) -> np.ndarray:
        """Part of the tree's training rows that came to each node; NaN where it is not known."""
        return self.rows / self.rows[0] if self.rows[0] > 0 else np.full(len(self.rows), np.nan)

    def to_text(self) -> str:
        """Return the tree as indented text, a line for each node.

        Returns
        -------
        str
            What `slantwood.export.export_text` returns.

        Examples
        --------
        >>> from slantwood import ObliqueTreeRegressor
        >>> from slantwood.explain import read_tree
        >>> model = ObliqueTreeRegressor(split="axis").fit([[0], [1], [2], [3]], [5, 5, 8, 8])
        >>> print(read_tree(model).to_text())
        Tree 0 of ObliqueTreeRegressor, regression
        x0 >= 1.5?  [4 rows, 100 %]
          yes: y0 = 8  [2 rows, 50 %]
          no:  y0 = 5  [2 rows, 50 %]
        """
        return text_of(self)

    def to_dot(self) -> str:
        """Return the tree in the language of Graphviz.

        Returns
        -------
        str
            A graph for the program `dot`, or for `graphviz.Source`.

        Examples
        --------
        >>> from slantwood import ObliqueTreeRegressor
        >>> from slantwood.explain import read_tree
        >>> model = ObliqueTreeRegressor(split="axis").fit([[0], [1], [2], [3]], [5, 5, 8, 8])
        >>> read_tree(model).to_dot().splitlines()[-2]
        '  0 -> 1 [label="no"];'
        """
        return dot_of(self)

    def to_networkx(self) -> Any:
        """Return the tree as a graph; needs networkx.

        Returns
        -------
        networkx.DiGraph
            Nodes by their numbers in the tree, with the attributes of `to_dict` and a `label`; edges from
            parents to children, with the attribute `branch`, "yes" or "no".

        Examples
        --------
        >>> from slantwood import ObliqueTreeRegressor
        >>> from slantwood.explain import read_tree
        >>> model = ObliqueTreeRegressor(split="axis").fit([[0], [1], [2], [3]], [5, 5, 8, 8])
        >>> list(read_tree(model).to_networkx().edges(data="branch"))
        [(0, 2, 'yes'), (0, 1, 'no')]
        """
        return networkx_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain values, for JSON.

        Returns
        -------
        dict
            `title`, `notes`, `kind` and `nodes`: a list with, for each node, its number `node`, `parent`
            (the number of it, None at the root), `branch` ("yes" or "no"), `depth`, `rows`, `share`,
            `n_hidden`, `condition` (`text`, `terms`, `n_more`, `share_more`, `relation`, `threshold`) and
            `prediction` (`text`, `outcomes`, `n_more`); None where there is none.

        Examples
        --------
        >>> import json
        >>> from slantwood import ObliqueTreeRegressor
        >>> from slantwood.explain import read_tree
        >>> model = ObliqueTreeRegressor(split="axis").fit([[0], [1], [2], [3]], [5, 5, 8, 8])
        >>> plain = json.loads(json.dumps(read_tree(model).to_dict()))
        >>> plain["nodes"][0]["condition"]["threshold"], plain["nodes"][1]["prediction"]["text"]
        (1.5, 'y0 = 8')
        """
        nodes = [self._node_to_dict(i) for i in range(len(self))]
        return {"title": self.title, "notes": list(self.notes), "kind": self.kind, "nodes": nodes}

    def _node_to_dict(self, i: int) -> dict[str, Any]:
        condition, prediction, parent = self.conditions[i], self.predictions[i], self.parent[i]
        known = bool(self.rows[0] > 0)
        return {
            "node": int(self.node[i]),
            "parent": int(self.node[parent]) if parent >= 0 else None,
            "branch": None if parent < 0 else "yes" if self.is_yes[i] else "no",
            "depth": int(self.depth[i]),
            "rows": float(self.rows[i]) if known else None,
            "share": float(self.share[i]) if known else None,
            "n_hidden": int(self.n_hidden[i]),
            "condition": None if condition is None else condition.to_dict(),
            "prediction": None if prediction is None else prediction.to_dict(),
        }


def reading_of(
    model: Any, tree: int = 0, max_depth: int | None = None, spreads: Spreads | None = None
) -> TreeReading:
    """Read one tree of a fitted model; `read_tree` describes the parameters.

    `spreads` is what rows tell of the nodes of the tree, counted from 0.
    """
    model, tree = tree_of(model, tree)
    if max_depth is not None:
        check_integer("max_depth", max_depth, 0)
    alone = single_tree(model.trees_, tree)
    nodes = _Nodes(alone, max_depth)
    conditions, predictions = Conditions(model, alone, spreads), Predictions(model)
    is_split = nodes.is_split
    asked = tuple(
        conditions.of(node) if split else None for node, split in zip(nodes.node, is_split, strict=True)
    )
    targets = None if spreads is None else spreads.targets
    predicted: list[Prediction | None] = [None] * len(nodes.node)
    for place, means in nodes.means():
        node = int(nodes.node[place])
        spread = None if targets is None else targets[node]
        predicted[place] = predictions.of(means, spread, int(alone.leaf[node]))
    title, notes = f"Tree {tree} of {type(model).__name__}, {model.targets_.task}", []
    if predictions.steps is not None:
        title = f"{title}, round {predictions.steps.round_of(tree)}"
        notes.append(predictions.steps.head())
    if model.settings_.normalize_rows:
        notes.append("Conditions are for rows of length 1.")
    if any(condition is not None and len(condition.terms) > 1 for condition in asked):
        without_rows = _BY_WEIGHT if model.forest_.column_spread is None else _BY_TRAINING
        notes.append(without_rows if spreads is None else _BY_SPREAD)
    return TreeReading(
        title,
        tuple(notes),
        predictions.kind,
        nodes.node,
        nodes.parent,
        nodes.is_yes,
        alone.depth[nodes.node] - alone.depth[0],
        alone.node_weight[nodes.node].astype(np.float64),
        nodes.n_hidden,
        asked,
        tuple(predicted),
    )


class OneTree(NamedTuple):
    """A tree of a model."""

    model: Any
    place: int  # counted from 0


def tree_of(model: Any, tree: int) -> OneTree:
    """Return the model and the number of the tree that are meant; a view of a tree is both."""
    if isinstance(model, TreeView):
        model, tree = model._forest, model.index
    check_tree_model(model)
    n_trees = model.trees_.n_trees
    if not 0 <= tree < n_trees:
        raise ValueError(f"tree={tree}: the model has {n_trees} trees, counted from 0")
    return OneTree(model, tree)


class _Nodes:
    """The nodes of a tree that are shown, in the order of reading: a node, those below its yes, its no."""

    def __init__(self, tree: Trees, max_depth: int | None) -> None:
        self._tree = tree
        depth = tree.depth - tree.depth[0]
        n_nodes = len(tree.left)
        order: list[int] = []
        parent: list[int] = []
        is_yes: list[bool] = []
        # Leaves in the order of reading: those below a node stand side by side, from its first on.
        first = np.zeros(n_nodes, np.int64)
        leaves: list[int] = []
        place = np.full(n_nodes, -1)
        # A tree may have as many levels as rows: no function that calls itself goes down so far.
        waiting = [(0, -1, False)]
        walked = []
        while waiting:
            node, above, yes = waiting.pop()
            walked.append(node)
            first[node] = len(leaves)
            if max_depth is None or depth[node] <= max_depth:
                place[node] = len(order)
                order.append(node)
                parent.append(above)
                is_yes.append(yes)
            if tree.left[node] < 0:
                leaves.append(node)
            else:
                waiting.append((int(tree.left[node]), int(place[node]), False))
                waiting.append((int(tree.right[node]), int(place[node]), True))
        stop = first + 1
        for node in reversed(walked):
            if tree.left[node] >= 0:
                stop[node] = stop[tree.left[node]]
        self.node, self.parent = np.array(order), np.array(parent)
        self.is_yes = np.array(is_yes, np.bool_)
        self._leaves, self._first, self._stop = np.array(leaves), first[order], stop[order]
        is_cut = np.zeros(len(order), np.bool_) if max_depth is None else depth[order] == max_depth
        self.n_hidden = np.where(is_cut, self._stop - self._first - 1, 0)
        self.is_split = (tree.left[order] >= 0) & ~is_cut

    def means(self) -> Iterator[tuple[int, Any]]:
        """Yield places of nodes and what the nodes would predict as leaves, where it is known."""
        tree = self._tree
        weights = tree.node_weight[self._leaves].astype(np.float64)
        is_known = np.isfinite(weights).all()
        of_leaves = to_array(tree.leaves)[tree.leaf[self._leaves]]
        n_below = self._stop - self._first
        places = np.flatnonzero(n_below == 1) if not is_known else np.arange(len(self.node))
        block = np.cumsum(n_below[places]) // _CELLS
        for part in np.split(places, np.flatnonzero(np.diff(block)) + 1):
            indptr = np.concatenate([[0], np.cumsum(n_below[part])])
            below = np.arange(indptr[-1]) + np.repeat(self._first[part] - indptr[:-1], n_below[part])
            node = np.repeat(np.arange(len(part)), n_below[part])
            # A leaf without weight, of rows that a forest did not draw, is that leaf all the same.
            of_node = np.where(n_below[part][node] == 1, 1.0, weights[below] if is_known else 1.0)
            total = np.bincount(node, of_node, len(part))
            shares = of_node / np.where(total > 0, total, 1.0)[node]
            mixing = sp.csr_array((shares, below, indptr), shape=(len(part), len(self._leaves)))
            mixed = mixing @ of_leaves
            yield from ((int(place), mixed[[i]]) for i, place in enumerate(part))
