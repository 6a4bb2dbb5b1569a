"""Which labels and links a user's input to a hierarchy stands for, and what is wrong with it.

Reads labels, edges, paths, graphs, JSON and sets of labels, and refuses what is wrong with an error that
says how to correct it. Does not follow links, so it finds no cycles.
"""

import json
import reprlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.sparse_input import check_sparse
from slantwood.hints import did_you_mean, pluralize, shortened, shown

Label = str | int

_FORMAT, _VERSION = "slantwood hierarchy", 1

NOT_JSON_OF_A_HIERARCHY = (
    f"from_json expects the text that Hierarchy.to_json returns, a JSON object with 'format': {_FORMAT!r}, "
    f"'version': {_VERSION}, 'nodes' and 'edges'; this text is not one: "
)


# ---- labels and edges


def as_nodes(nodes: Iterable[Any]) -> tuple[Label, ...]:
    """Return the labels of a hierarchy: at least one, all of one type, each once."""
    labels = tuple(map(as_label, _as_list(nodes, "nodes")))
    if not labels:
        raise ValueError("Hierarchy: there are no labels; give at least one")
    other = next((label for label in labels if type(label) is not type(labels[0])), None)
    if other is not None:
        raise TypeError(
            f"Hierarchy: labels mix strings and whole numbers, as {shown(labels[0])} and {shown(other)}; "
            "give all as strings"
        )
    _refuse_repeats(labels, "label")
    return labels


def as_label(label: Any) -> Label:
    """Return a label as a plain string or int."""
    if isinstance(label, str):
        return str.__str__(label)  # of subclasses, numpy's among them, the plain string
    if isinstance(label, (int, np.integer)) and not isinstance(label, bool):
        return int(label)
    raise TypeError(f"Hierarchy: label {shown(label)} is of type {type(label).__name__}; give str or int")


def as_pair(edge: Any) -> tuple[Label, Label]:
    """Return an edge as (parent, child)."""
    # Two letters are no pair, and sets have no order.
    is_ordered = isinstance(edge, Iterable) and not isinstance(edge, (str, bytes, set, frozenset, dict))
    pair = tuple(map(as_label, edge)) if is_ordered else ()
    if len(pair) != 2:
        raise ValueError(f"Hierarchy: edge {shown(edge, 120)} must be a pair (parent, child)")
    return pair


def edges_as_columns(edges: Iterable[Any], columns: Mapping[Label, int]) -> np.ndarray:
    """Return the columns of parent and child of each edge, sorted, of shape (n_edges, 2)."""
    pairs = list(map(as_pair, edges))
    for pair in pairs:
        for label in pair:
            if label not in columns:
                raise ValueError(
                    f"Hierarchy: edge {shown(pair, 120)} has the label {shown(label)}, which is not among "
                    f"the nodes{hint_at_labels_close_to(label, columns)}"
                )
    _refuse_repeats(pairs, "edge")
    found = sorted((columns[parent], columns[child]) for parent, child in pairs)
    return np.array(found, np.int64).reshape(-1, 2)


def without_root(
    nodes: Iterable[Any], pairs: list[tuple[Label, Label]], root: Any
) -> tuple[list[Label], list[tuple[Label, Label]]]:
    """Leave an artificial root out of labels and edges."""
    root = as_label(root)
    _refuse_repeats(pairs, "edge")
    for parent, child in pairs:
        if child == root:
            raise ValueError(f"Hierarchy: root={shown(root)} has the parent {shown(parent)}; a root has none")
    rest = [pair for pair in pairs if pair[0] != root]
    if len(rest) == len(pairs):
        raise ValueError(f"Hierarchy: root={shown(root)} is the parent of no edge; correct or omit it")
    return [node for node in map(as_label, _as_list(nodes, "nodes")) if node != root], rest


def _as_list(labels: Iterable[Any], name: str) -> list[Any]:
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise TypeError(f"Hierarchy: {name}={shown(labels)} must be a list; give [{shown(labels)}]")
    return list(labels)


def _refuse_repeats(items: Iterable[Hashable], name: str) -> None:
    for item, count in Counter(items).items():
        if count > 1:
            raise ValueError(f"Hierarchy: {name} {shown(item, 120)} is given twice; give it once")


# ---- paths, graphs and JSON


def nodes_and_edges_of_paths(paths: Iterable[str], sep: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return paths with all their prefixes, and an edge to each from the prefix before it."""
    if not isinstance(sep, str) or not sep:
        raise ValueError(f"Hierarchy: sep={shown(sep)} must be a string of at least one character, as '/'")
    listed = _as_list(paths, "paths")
    for path in listed:
        if not isinstance(path, str):
            raise TypeError(f"Hierarchy: path {shown(path)} ({type(path).__name__}) must be a string")
        if "" in path.split(sep):
            raise ValueError(f"Hierarchy: path {shown(path)} has an empty part before or after {shown(sep)}")
    _refuse_repeats(listed, "path")
    known = set(listed)
    nodes: list[str] = []
    for path in listed:
        missing = [path]
        parent, found, _ = path.rpartition(sep)
        while found and parent not in known:
            known.add(parent)
            missing.append(parent)
            parent, found, _ = parent.rpartition(sep)
        nodes += reversed(missing)
    return nodes, [(node.rpartition(sep)[0], node) for node in nodes if sep in node]


def refuse_all_but_directed_graphs(graph: Any) -> None:
    """Refuse what is not a `networkx.DiGraph` or like one."""
    if not (hasattr(graph, "is_directed") and hasattr(graph, "is_multigraph")):
        raise TypeError(f"Hierarchy: graph is of type {type(graph).__name__}, must be a networkx.DiGraph")
    if not graph.is_directed():
        raise ValueError(
            f"Hierarchy: graph is a {type(graph).__name__}, whose edges have no direction; give a "
            "networkx.DiGraph with edges from parents to children"
        )
    if graph.is_multigraph():
        raise ValueError(
            f"Hierarchy: graph is a {type(graph).__name__}, which may hold an edge several times; give "
            "networkx.DiGraph(graph), with edges from parents to children"
        )


def nodes_and_edges_to_json(nodes: tuple[Label, ...], edges: np.ndarray) -> str:
    """Write labels, and edges as pairs of their positions."""
    return json.dumps({"format": _FORMAT, "version": _VERSION, "nodes": nodes, "edges": edges.tolist()})


def nodes_and_edges_of_json(text: str) -> tuple[list[Any], list[Any]]:
    """Read labels, and edges as pairs of labels."""
    content = json.loads(text)
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError(f"'format' is not {_FORMAT!r}")
    version = content.get("version")
    if type(version) is not int or version != _VERSION:
        raise ValueError(f"'version' is {reprlib.repr(version)}; a later slantwood may have written it")
    nodes, edges = content.get("nodes"), content.get("edges")
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise ValueError("'nodes' and 'edges' must be lists")
    for edge in edges:
        is_pair = isinstance(edge, list) and len(edge) == 2
        if not is_pair or not all(type(i) is int and 0 <= i < len(nodes) for i in edge):
            pair = f"a pair of positions in 'nodes', 0 to {len(nodes) - 1}"
            raise ValueError(f"edge {reprlib.repr(edge)} is not {pair}")
    return nodes, [(nodes[parent], nodes[child]) for parent, child in edges]


# ---- what is asked of a hierarchy that is made: `columns` are those of its labels, in the order of its nodes


def is_label(label: object, columns: Mapping[Label, int]) -> bool:
    """Whether the hierarchy has a label."""
    try:
        # True and 1 are equal in Python, but nobody means a label by True.
        return label in columns and not isinstance(label, (bool, np.bool_))
    except TypeError:  # not hashable
        return False


def hint_at_labels_close_to(label: object, columns: Mapping[Label, int]) -> str:
    """Return how to go on in an error about a label that the hierarchy has not."""
    return "; " + did_you_mean(label, columns, f"its labels are such as {shown(next(iter(columns)))}", most=3)


def columns_of_label_sets(
    label_sets: Iterable[Any], columns: Mapping[Label, int]
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return the columns of all sets, one set after the other, where sets stop, and which are not known."""
    flat: list[Any] = []
    stops, unknown = [0], []
    for row, labels in enumerate(label_sets):
        if isinstance(labels, (str, bytes)):
            quoted = shortened(repr(labels), 60)
            raise TypeError(f"row {row} of label_sets is the string {quoted}; give [{quoted}]")
        if labels is None or (isinstance(labels, (float, np.floating)) and labels != labels):
            unknown.append(row)
        else:
            try:
                flat.extend(labels)
            except TypeError:
                given = f"row {row} of label_sets is {shown(labels)}"
                raise TypeError(f"{given}; give a list of labels, or None for unknown ones") from None
        stops.append(len(flat))
    # All labels at once: that is several times as fast as label by label.
    try:
        found = list(map(columns.get, flat))
    except TypeError:  # a label that is not hashable
        found = [None]
    if None in found or not {bool, np.bool_}.isdisjoint(map(type, flat)):
        for position, label in enumerate(flat):
            if not is_label(label, columns):
                row = int(np.searchsorted(stops, position, side="right")) - 1
                raise ValueError(
                    f"row {row} of label_sets has the label {shown(label)}, which is not in the hierarchy"
                    f"{hint_at_labels_close_to(label, columns)}"
                )
    return np.array(found, np.int64), np.array(stops), unknown


def as_matrix(matrix: Any, n_labels: int, name: str) -> Any:
    """Return a matrix of numbers with a column for each label, as an array unless it is sparse."""
    check_sparse(matrix, name)
    matrix = matrix if sp.issparse(matrix) else np.asarray(matrix)
    if matrix.ndim != 2 or matrix.shape[1] != n_labels:
        raise ValueError(
            f"{name} is of shape {matrix.shape}, but must have {pluralize(n_labels, 'column')}: one for "
            "each label of the hierarchy, in the order of its nodes"
        )
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{name} is of dtype {matrix.dtype}, but must hold numbers or booleans")
    return matrix
