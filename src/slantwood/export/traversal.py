"""How does a graph of plain operations find the mean leaf of each row.

A split of any number of weights is a chain of links with `width` weights each: no row of a table is longer
than that, and the tables grow with the number of weights that are not zero. All rows of X go through all
trees at once, one link at a step; a row that has reached the leaf of a tree is left out of the following
steps.

Sums are added up in the order in which the compiled code adds them, so that a row on a boundary goes to the
same side, and scores that are equal there are equal here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from slantwood.export.nodes import Nodes, typed
from slantwood.kernels.matrix import Matrix
from slantwood.model.trees import Trees

_WIDEST = 32

# What a step costs beside its weights, in weights: measured with onnxruntime.
_STEP_COST = 4

_SLOT_BYTES, _LINK_BYTES = 12, 16


class Links(NamedTuple):
    """All trees as one table of links.

    A link that is not the last of its chain has the next one on both sides. A negative number stands for a
    leaf: -1 for the first one, -2 for the second.
    """

    roots: np.ndarray  # int32, first link of each tree
    left: np.ndarray  # int32
    right: np.ndarray
    bias: np.ndarray  # float64, 0 but at the first link of a chain
    columns: np.ndarray  # int32, (n_links, width)
    weights: np.ndarray  # float32, beside them
    means: np.ndarray


def chain_width(trees: Trees) -> int:
    """Return how many weights a link should have, for the rows that reached each node in training."""
    inner = trees.left >= 0
    n_weights, n_rows = np.diff(trees.indptr)[inner], trees.node_weight[inner]
    if np.isnan(n_rows).any():  # not known of models that serve prediction only
        n_rows = np.ones(len(n_rows))
    costs = [
        (n_rows * _n_links(n_weights, width)).sum() * (width + _STEP_COST) for width in range(1, _WIDEST + 1)
    ]
    return int(np.argmin(costs)) + 1


def stored_bytes(trees: Trees, width: int) -> int:
    """Return how many bytes the tables of a graph take, before any is made."""
    n_links = int(_n_links(np.diff(trees.indptr)[_linked_nodes(trees)], width).sum())
    leaves = trees.leaves
    values = leaves.values.nbytes + leaves.indptr.nbytes + leaves.indices.nbytes + leaves.data.nbytes
    return n_links * (width * _SLOT_BYTES + _LINK_BYTES) + values


def linked(trees: Trees, width: int) -> Links:
    """Make the table of links."""
    nodes = _linked_nodes(trees)
    n_links = _n_links(np.diff(trees.indptr)[nodes], width)
    first_link = np.zeros(len(trees.left), np.int64)
    first_link[nodes] = np.cumsum(n_links) - n_links
    goal = np.where(trees.left >= 0, first_link, -1 - trees.leaf.astype(np.int64))

    node = np.repeat(nodes, n_links)
    link = np.arange(len(node))
    place = link - first_link[node]
    is_last = place + 1 == np.repeat(n_links, n_links)
    is_leaf = trees.left[node] < 0

    def next_links(children: np.ndarray) -> np.ndarray:
        child = np.where(is_leaf, node, children[node])
        return np.where(is_last, goal[child], link + 1).astype(np.int32)

    slot = trees.indptr[node][:, None] + place[:, None] * width + np.arange(width)
    slot[slot >= trees.indptr[node + 1][:, None]] = len(trees.indices)  # where a zero is put

    def in_slots(values: np.ndarray) -> np.ndarray:
        return np.append(values, values.dtype.type(0))[slot]

    return Links(
        roots=first_link[trees.roots].astype(np.int32),
        left=next_links(trees.left),
        right=next_links(trees.right),
        bias=np.where((place == 0) & ~is_leaf, trees.bias[node], 0.0),
        columns=in_slots(trees.indices.astype(np.int32)),
        weights=in_slots(trees.weights),
        means=in_slots(trees.means),
    )


def _linked_nodes(trees: Trees) -> np.ndarray:
    # A tree that is a leaf gets a link too, which leads to this leaf: every tree then begins with a link.
    return np.union1d(np.flatnonzero(trees.left >= 0), trees.roots)


def _n_links(n_weights: np.ndarray, width: int) -> np.ndarray:
    return np.maximum(1, -(-n_weights // width))


def add_mean_leaves(graph: Nodes, X: str, n_columns: int, trees: Trees, width: int) -> str:
    """Add the nodes from float32 rows to the mean of the leaves that each reaches; return its name."""
    n_rows = graph.add("Gather", graph.add("Shape", X), graph.constant([0]))
    leaf = _add_routing(graph, X, n_rows, n_columns, linked(trees, width))
    add_sums = _add_sums_of_dense if trees.leaves.is_dense else _add_sums_of_sparse
    sums = add_sums(graph, leaf, n_rows, trees)
    return graph.add("Mul", sums, graph.constant(np.float32(1.0) / np.float32(trees.n_trees)))


class _State(NamedTuple):
    """Names of what the loop carries on, of each pair of a row and a tree that is on its way."""

    link: str
    total: str  # of the links before, in the same chain
    pair: str
    first_cell: str  # of its row, among all cells of X
    reached: str  # of all pairs: the last link, in the end a leaf

    def typed(self) -> list[Any]:
        """Say what the values are; how many pairs are left is another number at each step."""
        dtypes = (np.int32, np.float64, np.int64, np.int64, np.int32)
        return [typed(name, dtype, (None,)) for name, dtype in zip(self, dtypes, strict=True)]


def _add_routing(graph: Nodes, X: str, n_rows: str, n_columns: int, links: Links) -> str:
    """Add the loop over links; return the leaf of each pair of a row and a tree, trees side by side."""
    n_trees = len(links.roots)
    cells = graph.add("Reshape", X, graph.constant([-1]))
    none, one = graph.constant(0), graph.constant(1)
    n_pairs = graph.add("Mul", n_rows, graph.constant([n_trees]))
    pair = graph.add("Range", none, graph.add("Squeeze", n_pairs), one)
    row = graph.add("Div", pair, graph.constant(n_trees))
    start = _State(
        link=graph.add("Tile", graph.constant(links.roots), n_rows),
        total=_add_zeros(graph, n_pairs, np.float64),
        pair=pair,
        first_cell=graph.add("Mul", row, graph.constant(n_columns)),
        reached=_add_zeros(graph, n_pairs, np.int32),
    )
    any_row = graph.add("Greater", graph.add("Squeeze", n_rows), none)
    end = _State(*(graph.name(f"{field}_at_the_end") for field in _State._fields))
    # As many steps as there are: a missing input would mean the same, but skl2onnx cannot sort such a node.
    most_steps = graph.constant(np.iinfo(np.int64).max)
    graph.add_many("Loop", most_steps, any_row, *start, outputs=list(end), body=_step(graph, cells, links))
    return graph.add("Sub", graph.constant(np.int32(-1)), end.reached)


def _step(graph: Nodes, cells: str, links: Links) -> Any:
    """Make the body of the loop: takes every pair that is on its way over one link."""
    step = graph.body()
    number, any_left = step.name("number"), step.name("any_left")
    state = _State(*map(step.name, _State._fields))
    total = _add_totals(step, state, cells, links)
    # Single numbers are picked with GatherElements, which is many times faster at it than Gather.
    left = step.add("GatherElements", graph.constant(links.left, "left"), state.link)
    right = step.add("GatherElements", graph.constant(links.right, "right"), state.link)
    nothing = graph.constant(0.0)
    following = step.add("Where", step.add("GreaterOrEqual", total, nothing), right, left)
    in_chain = step.add("Equal", left, right)
    total = step.add("Where", in_chain, total, nothing)
    reached = step.add("ScatterElements", state.reached, state.pair, following)
    on_the_way = step.add("GreaterOrEqual", following, graph.constant(np.int32(0)))
    kept = step.add("Reshape", step.add("NonZero", on_the_way), graph.constant([-1]))
    still_any = step.add("Greater", step.add("Size", kept), graph.constant(0))
    carried = (following, total, state.pair, state.first_cell)
    link, total, pair, first_cell = (step.add("GatherElements", each, kept) for each in carried)
    left_over = _State(link, total, pair, first_cell, reached)
    return step.graph(
        "step",
        [typed(number, np.int64, ()), typed(any_left, np.bool_, ()), *state.typed()],
        [typed(still_any, np.bool_, ()), *left_over.typed()],
    )


def _add_totals(step: Nodes, state: _State, cells: str, links: Links) -> str:
    """Add the weighted sum of each pair, up to its link."""
    width = links.columns.shape[1]
    columns = step.add("Gather", step.constant(links.columns, "columns"), state.link)
    means = step.add("Gather", step.constant(links.means, "means"), state.link)
    weights = step.add("Gather", step.constant(links.weights, "weights"), state.link)
    bias = step.add("GatherElements", step.constant(links.bias, "bias"), state.link)
    last_axis = step.constant([1])

    its_cells = step.add("Unsqueeze", state.first_cell, last_axis)
    its_cells = step.add("Add", step.cast(columns, np.int64), its_cells)
    x = step.add("GatherElements", cells, step.add("Reshape", its_cells, step.constant([-1])))
    x = step.add("Reshape", x, step.constant([-1, width]))
    x = step.add("Where", step.add("IsNaN", x), means, x)
    products = step.add("Mul", step.cast(x, np.float64), step.cast(weights, np.float64))
    parts = [products]
    if width > 1:
        parts = [step.name("product") for _ in range(width)]
        step.add_many("Split", products, step.constant([1] * width), outputs=parts, axis=1)
    total = step.add("Unsqueeze", step.add("Add", state.total, bias), last_axis)
    for part in parts:  # one by one: an operation that sums may do so in any order
        total = step.add("Add", total, part)
    return step.add("Squeeze", total, last_axis)


def _add_sums_of_dense(graph: Nodes, leaf: str, n_rows: str, trees: Trees) -> str:
    """Add up the leaves of each row tree by tree, which never holds those of all trees in memory."""
    values = graph.constant(trees.leaves.values, "leaves")
    by_tree = graph.add("Reshape", leaf, graph.constant([-1, trees.n_trees]))
    by_tree = graph.add("Transpose", by_tree, perm=[1, 0])
    n_columns = graph.constant([trees.leaves.n_columns])
    zeros = _add_zeros(graph, graph.add("Concat", n_rows, n_columns, axis=0), np.float32)

    tree = graph.body()
    before, its_leaf = tree.name("before"), tree.name("leaf")
    after = tree.add("Add", before, tree.add("Gather", values, its_leaf))
    shape = (None, trees.leaves.n_columns)
    body = tree.graph(
        "tree",
        [typed(before, np.float32, shape), typed(its_leaf, np.int32, (None,))],
        [typed(after, np.float32, shape)],
    )
    return graph.add("Scan", zeros, by_tree, body=body, num_scan_inputs=1)


def _add_sums_of_sparse(graph: Nodes, leaf: str, n_rows: str, trees: Trees) -> str:
    """Add up the leaves of each row over what they store: a list of cells and values, in order."""
    leaves: Matrix = trees.leaves
    starts = graph.constant(leaves.indptr[:-1].astype(np.int64), "starts")
    lengths = graph.constant(np.diff(leaves.indptr).astype(np.int64), "lengths")
    columns = graph.constant(_never_empty(leaves.indices.astype(np.int32)), "labels")
    values = graph.constant(_never_empty(leaves.data), "values")
    n_columns = graph.constant([leaves.n_columns])
    none, one = graph.constant(0), graph.constant(1)
    first = graph.constant([0])

    start = graph.add("GatherElements", starts, leaf)
    length = graph.add("GatherElements", lengths, leaf)
    stop = graph.add("CumSum", length, none)
    # The last of the stops, or 0 where there is no row.
    n_listed = graph.add("Gather", graph.add("Concat", first, stop, axis=0), graph.constant([-1]))
    # The pair that each entry of the list is of: the number of pairs whose entries have all come before it.
    marks = _add_zeros(graph, graph.add("Add", n_listed, one), np.int64)
    ones = graph.add("Add", graph.add("Mul", stop, none), one)
    marks = graph.add("ScatterElements", marks, stop, ones, reduction="add")
    pair = graph.add("Slice", graph.add("CumSum", marks, none), first, n_listed)
    # Entry k of the list is stored at k + shift of its pair.
    shift = graph.add("Sub", graph.add("Add", start, length), stop)
    entry = graph.add("Range", none, graph.add("Squeeze", n_listed), one)
    stored = graph.add("Add", entry, graph.add("GatherElements", shift, pair))
    first_cell = graph.add("Mul", graph.add("Div", pair, graph.constant(trees.n_trees)), n_columns)
    cell = graph.add("Add", first_cell, graph.cast(graph.add("GatherElements", columns, stored), np.int64))
    sums = _add_zeros(graph, graph.add("Mul", n_rows, n_columns), np.float32)
    value = graph.add("GatherElements", values, stored)
    sums = graph.add("ScatterElements", sums, cell, value, reduction="add")
    return graph.add("Reshape", sums, graph.constant([-1, leaves.n_columns]))


def _add_zeros(graph: Nodes, shape: str, dtype: Any) -> str:
    from onnx import numpy_helper

    return graph.add("ConstantOfShape", shape, value=numpy_helper.from_array(np.zeros(1, dtype)))


def _never_empty(values: np.ndarray) -> np.ndarray:
    # Not every runtime takes an empty table, even where nothing is read from it.
    return values if len(values) else np.zeros(1, values.dtype)
