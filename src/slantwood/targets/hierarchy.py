"""Which labels are special cases of which: a tree, a forest, or a graph in which labels have several parents.

Answers questions about the labels, and brings indicators and scores of them in line with the hierarchy. Knows
neither trees that are learnt nor the files that hierarchies come in.
"""

from __future__ import annotations

import difflib
import importlib
import json
import math
import reprlib
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from itertools import chain, pairwise
from numbers import Real
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp

Label = str | int

_FORMAT, _VERSION = "slantwood hierarchy", 1

_AGGREGATES: dict[str, Callable[[list[float]], float]] = {
    "average": lambda weights: sum(weights) / len(weights),
    "minimum": min,
    "maximum": max,
    "product": math.prod,
}


class Hierarchy:
    """Labels and which of them are special cases of which; it cannot be changed once made.

    A label may have any number of parents, and there may be any number of roots. Columns of indicators and of
    scores stand for the labels in the order of `nodes`, in which parents need not come first.

    Made most easily by `from_paths`, `from_edges`, `from_networkx` or `from_json`.

    Parameters
    ----------
    nodes : iterable of str or of int
        The labels, in the order wanted for columns.
    edges : iterable of pairs (parent, child)
        Links between them. Labels without any are both roots and leaves.

    Examples
    --------
    >>> from slantwood.targets.hierarchy import Hierarchy
    >>> animals = Hierarchy.from_paths(["cat", "dog/poodle", "dog/pug"])
    >>> animals
    Hierarchy(4 labels, 2 roots, depth 0 to 1, forest)
    >>> animals.nodes
    ('cat', 'dog', 'dog/poodle', 'dog/pug')
    >>> Y = animals.indicator([{"cat"}, {"dog/pug"}])
    >>> animals.closure(Y).toarray()
    array([[1, 0, 0, 0],
           [0, 1, 0, 1]], dtype=int8)

    Labels with several parents:

    >>> work = Hierarchy.from_edges([("art", "design"), ("craft", "design"), ("design", "fonts")])
    >>> work
    Hierarchy(4 labels, 2 roots, depth 0 to 2, DAG)
    >>> work.ancestors("fonts")
    ('art', 'design', 'craft')
    """

    nodes: tuple[Label, ...]
    _edges: np.ndarray  # (n_edges, 2) columns of parent and child, sorted

    def __init__(self, nodes: Iterable[Any], edges: Iterable[Any] = ()) -> None:
        names = tuple(map(_as_label, _listed(nodes, "nodes")))
        if not names:
            raise ValueError("Hierarchy: there are no labels; give at least one")
        _refuse_mixed_types(names)
        _refuse_repeats(names, "label {!r}")
        # Not by assignment, which __setattr__ refuses.
        self.__dict__["nodes"] = names
        pairs = [_as_pair(edge) for edge in edges]
        for pair in pairs:
            for label in pair:
                if label not in self._columns:
                    raise ValueError(
                        f"Hierarchy: edge {pair!r} has the label {label!r}, which is not among the nodes"
                        f"{self._close_to(label)}"
                    )
        _refuse_repeats(pairs, "edge {!r}")
        columns = sorted((self._columns[parent], self._columns[child]) for parent, child in pairs)
        self.__dict__["_edges"] = np.array(columns, np.int64).reshape(-1, 2)
        _ = self.depth  # finds cycles

    # ---- makers

    @classmethod
    def from_paths(cls, paths: Iterable[str], sep: str = "/") -> Hierarchy:
        """Make a tree or forest of paths: "1/2/3" is the label whose parent is "1/2".

        Parameters
        ----------
        paths : iterable of str
            Full paths, which are the labels. Prefixes that are not among them are added, each just before the
            first path that needs it.
        sep : str, default="/"
            What stands between the parts of a path.

        Examples
        --------
        >>> Hierarchy.from_paths(["1/1", "1/2", "2"]).nodes
        ('1', '1/1', '1/2', '2')
        """
        if not isinstance(sep, str) or not sep:
            raise ValueError(f"Hierarchy: sep={sep!r} must be a string of at least one character, as '/'")
        listed = _listed(paths, "paths")
        for path in listed:
            if not isinstance(path, str):
                raise TypeError(
                    f"Hierarchy: path {path!r} is of type {type(path).__name__}, must be a string"
                )
            if "" in path.split(sep):
                raise ValueError(
                    f"Hierarchy: path {path!r} has an empty part; parts are what stands between {sep!r}"
                )
        _refuse_repeats(listed, "path {!r}")
        known = set(listed)
        nodes: list[str] = []
        edges = []
        for path in listed:
            missing = [path]
            parent, found, _ = path.rpartition(sep)
            while found and parent not in known:
                known.add(parent)
                missing.append(parent)
                parent, found, _ = parent.rpartition(sep)
            nodes += reversed(missing)
        for node in nodes:
            parent, found, _ = node.rpartition(sep)
            if found:
                edges.append((parent, node))
        return cls(nodes, edges)

    @classmethod
    def from_edges(
        cls, edges: Iterable[Any], *, nodes: Iterable[Any] | None = None, root: Label | None = None
    ) -> Hierarchy:
        """Make a hierarchy of pairs (parent, child).

        Parameters
        ----------
        edges : iterable of pairs of str or of int
            Links from parents to children, each once.
        nodes : iterable of str or of int, optional
            All labels, in the order wanted for columns. By default those of the edges, as they first appear.
        root : str or int, optional
            An artificial root, which stands for no label and is left out. Its children become roots.

        Examples
        --------
        >>> edges = [("root", "a"), ("root", "b"), ("a", "c"), ("b", "c")]
        >>> made = Hierarchy.from_edges(edges, root="root")
        >>> made.roots, made.edges
        (('a', 'b'), (('a', 'c'), ('b', 'c')))
        """
        pairs = [_as_pair(edge) for edge in edges]
        if nodes is None:
            nodes = dict.fromkeys(chain.from_iterable(pairs))
        if root is None:
            return cls(nodes, pairs)
        root = _as_label(root)
        _refuse_repeats(pairs, "edge {!r}")
        for parent, child in pairs:
            if child == root:
                raise ValueError(f"Hierarchy: root={root!r} has the parent {parent!r}; a root has none")
        if not any(parent == root for parent, _ in pairs):
            raise ValueError(
                f"Hierarchy: root={root!r} is the parent of no edge; leave root out, or correct it"
            )
        rest = [node for node in map(_as_label, _listed(nodes, "nodes")) if node != root]
        return cls(rest, [pair for pair in pairs if pair[0] != root])

    @classmethod
    def from_networkx(cls, graph: Any) -> Hierarchy:
        """Make a hierarchy of a `networkx.DiGraph` whose edges go from parents to children."""
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
        return cls(graph.nodes(), graph.edges())

    def to_networkx(self) -> Any:
        """Return a `networkx.DiGraph` with the labels as nodes and edges from parents to children."""
        try:
            networkx = importlib.import_module("networkx")
        except ImportError as error:
            raise ImportError("to_networkx needs networkx; install it with: pip install networkx") from error
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.edges)
        return graph

    @classmethod
    def from_json(cls, text: str) -> Hierarchy:
        """Make the hierarchy again from the text that `to_json` returned."""
        if not isinstance(text, str):
            raise TypeError(f"from_json: text is of type {type(text).__name__}, must be a string")
        try:
            return cls(*_parsed(text))
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(
                f"from_json expects the text that Hierarchy.to_json returns, a JSON object with 'format': "
                f"{_FORMAT!r}, 'version': {_VERSION}, 'nodes' and 'edges'; this text is not one: {error}"
            ) from error

    def to_json(self) -> str:
        """Return the hierarchy as JSON: the labels, and edges as pairs of their positions.

        Examples
        --------
        >>> Hierarchy.from_paths(["a", "a/b"]).to_json()
        '{"format": "slantwood hierarchy", "version": 1, "nodes": ["a", "a/b"], "edges": [[0, 1]]}'
        """
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "nodes": self.nodes,
            "edges": self._edges.tolist(),
        }
        return json.dumps(content)

    # ---- as an object

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Hierarchy cannot be changed, so {name!r} cannot be set; make a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Hierarchy cannot be changed, so {name!r} cannot be deleted; make a new one")

    def __getstate__(self) -> dict[str, Any]:
        # What is cached can be large, and is quickly made again.
        return {"nodes": self.nodes, "_edges": self._edges}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self.nodes == other.nodes and np.array_equal(self._edges, other._edges)

    def __hash__(self) -> int:
        return hash((self.nodes, self._edges.tobytes()))

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Label]:
        return iter(self.nodes)

    def __contains__(self, label: object) -> bool:
        try:
            # True and 1 are equal in Python, but nobody means a label by True.
            return label in self._columns and not isinstance(label, (bool, np.bool_))
        except TypeError:  # not hashable
            return False

    def __repr__(self) -> str:
        deepest = int(self.depth.max())
        shape = "DAG" if not self.is_tree else "tree" if len(self.roots) == 1 else "forest"
        return (
            f"Hierarchy({_counted(len(self), 'label')}, {_counted(len(self.roots), 'root')}, "
            f"depth 0{f' to {deepest}' if deepest else ''}, {shape})"
        )

    def show(self, max_lines: int = 40) -> str:
        """Draw the hierarchy: one label a line, children indented under their parents.

        What is below a label with several parents is shown under the first of them only.

        Examples
        --------
        >>> edges = [("art", "design"), ("craft", "design"), ("craft", "pots"), ("design", "fonts")]
        >>> print(Hierarchy.from_edges(edges).show())
        art
          design
            fonts
        craft
          design (see above)
          pots
        """
        lines: list[str] = []
        expanded = set()
        waiting = [(column, 0) for column in reversed(self._root_columns)]
        while waiting:
            if len(lines) == max_lines:
                return "\n".join([*lines, "..."])
            column, indent = waiting.pop()
            again = column in expanded
            lines.append("  " * indent + str(self.nodes[column]) + " (see above)" * again)
            below = _row(self._down, column)
            if below and not again:
                expanded.add(column)
                waiting += [(child, indent + 1) for child in reversed(below)]
        return "\n".join(lines)

    # ---- labels and how they are linked

    def index(self, label: Label) -> int:
        """Return the column of a label."""
        if label not in self:
            raise ValueError(f"label {label!r} is not in the hierarchy{self._close_to(label)}")
        return self._columns[label]

    @cached_property
    def edges(self) -> tuple[tuple[Label, Label], ...]:
        """Pairs (parent, child), sorted by the positions of parent and child in `nodes`."""
        return tuple((self.nodes[parent], self.nodes[child]) for parent, child in self._edges.tolist())

    @cached_property
    def roots(self) -> tuple[Label, ...]:
        """Labels without parents."""
        return self._labels(self._root_columns)

    @cached_property
    def leaves(self) -> tuple[Label, ...]:
        """Labels without children."""
        return self._labels(np.flatnonzero(np.diff(self._down.indptr) == 0).tolist())

    @cached_property
    def is_tree(self) -> bool:
        """Whether no label has two parents; there may be several roots."""
        return bool((np.diff(self._up.indptr) <= 1).all())

    def parents(self, label: Label) -> tuple[Label, ...]:
        """Return the labels right above one, in the order of `nodes`."""
        return self._labels(_row(self._up, self.index(label)))

    def children(self, label: Label) -> tuple[Label, ...]:
        """Return the labels right below one, in the order of `nodes`."""
        return self._labels(_row(self._down, self.index(label)))

    def ancestors(self, label: Label) -> tuple[Label, ...]:
        """Return all labels above one, without itself, in the order of `nodes`."""
        return self._labels(_reachable(self._up, self.index(label)))

    def descendants(self, label: Label) -> tuple[Label, ...]:
        """Return all labels below one, without itself, in the order of `nodes`."""
        return self._labels(_reachable(self._down, self.index(label)))

    @cached_property
    def depth(self) -> np.ndarray:
        """Number of links on the longest way from a root to each label, so ancestors are less deep."""
        below = [_row(self._down, column) for column in range(len(self))]
        n_open = np.diff(self._up.indptr).tolist()  # parents that were not reached yet
        ready = list(self._root_columns)
        depth = [0] * len(self)
        for column in ready:  # grows as it goes
            for child in below[column]:
                depth[child] = max(depth[child], depth[column] + 1)
                n_open[child] -= 1
                if n_open[child] == 0:
                    ready.append(child)
        if len(ready) < len(self):
            raise ValueError(
                f"Hierarchy: the edges run in a cycle, {self._cycle(n_open)}; leave out one of these edges"
            )
        return _read_only(np.array(depth, np.int64))

    @cached_property
    def levels(self) -> tuple[tuple[Label, ...], ...]:
        """Labels of depth 0, 1, and so on."""
        bounds = np.cumsum(np.bincount(self.depth))[:-1]
        return tuple(self._labels(level.tolist()) for level in np.split(self.order, bounds))

    @cached_property
    def order(self) -> np.ndarray:
        """Columns by depth, then as in `nodes`: each label comes after all its parents."""
        return _read_only(np.argsort(self.depth, kind="stable"))

    def weights(self, kind: str = "average", w0: float = 0.75) -> np.ndarray:
        """Weigh labels by how deep they are: roots 1, others `w0` times the weight of their parents.

        Parameters
        ----------
        kind : {"average", "minimum", "maximum", "product"}, default="average"
            What to make of the weights of several parents. In a tree all four give `w0` to the power of the
            depth.
        w0 : float, default=0.75
            Above 0, and at most 1.

        Returns
        -------
        numpy.ndarray of shape (n_labels,)
            The weights, of dtype float64.

        Examples
        --------
        >>> Hierarchy.from_paths(["1", "1/2", "1/2/3"]).weights(w0=0.5)
        array([1.  , 0.5 , 0.25])
        """
        if kind not in _AGGREGATES:
            raise ValueError(f"weights: kind={kind!r} must be one of {', '.join(map(repr, _AGGREGATES))}")
        if isinstance(w0, (bool, np.bool_)) or not isinstance(w0, Real):
            raise TypeError(f"weights: w0={w0!r} must be a number")
        if not 0.0 < w0 <= 1.0:
            raise ValueError(f"weights: w0={w0!r} must be above 0 and at most 1")
        aggregate, factor = _AGGREGATES[kind], float(w0)
        result = [1.0] * len(self)
        for column in self.order.tolist():
            above = _row(self._up, column)
            if above:
                result[column] = factor * aggregate([result[parent] for parent in above])
        return np.array(result)

    # ---- indicators and scores

    def closure(self, Y: Any) -> Any:
        """Add to each row of an indicator the ancestors of its labels.

        Parameters
        ----------
        Y : array or sparse matrix of shape (n_rows, n_labels)
            Zeros and ones or booleans; NaN where a label is not known. Not stored means zero.

        Returns
        -------
        numpy.ndarray or scipy.sparse.csr_array
            Dense for dense and sparse for sparse, of the dtype of Y. NaN became 1 above a label that is 1,
            and 0 below one that is 0 and stays so; elsewhere it is kept.

        Examples
        --------
        >>> import numpy as np
        >>> chain = Hierarchy.from_edges([("a", "b"), ("b", "c")])
        >>> chain.closure(np.array([[0, 1, 0], [np.nan, 1, np.nan], [0, np.nan, np.nan]]))
        array([[ 1.,  1.,  0.],
               [ 1.,  1., nan],
               [ 0.,  0.,  0.]])
        """
        Y = self._checked(Y, "Y")
        given = _indicator_entries(Y)
        gaps = np.isnan(given.data)
        if not gaps.any():
            return _like(Y, self._upward(given))
        closed = self._upward(_with_data(given, 1.0 - gaps))
        return _like(Y, self._with_gaps(closed, _with_data(given, gaps)))

    def most_specific(self, Y: Any) -> Any:
        """Keep only labels none of whose descendants the row has, which undoes `closure`.

        Parameters
        ----------
        Y : array or sparse matrix of shape (n_rows, n_labels)
            Zeros and ones or booleans. Not stored means zero.

        Returns
        -------
        numpy.ndarray or scipy.sparse.csr_array
            Dense for dense and sparse for sparse, of the dtype of Y.

        Examples
        --------
        >>> chain = Hierarchy.from_edges([("a", "b"), ("b", "c")])
        >>> chain.most_specific([[1, 1, 0], [1, 1, 1]])
        array([[0, 1, 0],
               [0, 0, 1]])
        """
        Y = self._checked(Y, "Y")
        given = _indicator_entries(Y)
        gaps = np.isnan(given.data)
        if gaps.any():
            raise ValueError(
                f"most_specific: row {_rows(given)[gaps][0]} of Y holds NaN, so its most specific labels are "
                "not known; leave such rows out, or say which labels they have"
            )
        covered = given @ self._ancestors
        covered.sort_indices()
        return _like(Y, given - given.multiply(_with_data(covered, np.ones(covered.nnz))))

    def consistent(self, scores: Any) -> Any:
        """Raise each score to the largest among the descendants, so that no label scores above its parents.

        Parameters
        ----------
        scores : array or sparse matrix of shape (n_rows, n_labels)
            Scores, larger meaning more likely. Sparse ones must not be negative; not stored means zero. A row
            may be NaN as a whole, and stays so.

        Returns
        -------
        numpy.ndarray or scipy.sparse.csr_array
            Dense for dense and sparse for sparse, of the dtype of the scores.

        Examples
        --------
        >>> chain = Hierarchy.from_edges([("a", "b"), ("b", "c")])
        >>> chain.consistent([[0.5, 0.2, 0.3]])
        array([[0.5, 0.3, 0.3]])
        """
        scores = self._checked(scores, "scores")
        if not sp.issparse(scores):
            _unknown_rows((scores != scores).sum(axis=1), len(self), "consistent: ", "scores")
            raised = np.array(scores.T, order="C")  # the scores of a label lie side by side
            deepest_first = np.argsort(-self.depth[self._edges[:, 1]], kind="stable")
            for parent, child in self._edges[deepest_first].tolist():
                np.maximum(raised[parent], raised[child], out=raised[parent])
            return np.ascontiguousarray(raised.T)
        given = _canonical(scores)
        if (given.data < 0).any():
            raise ValueError(
                f"consistent: scores are sparse and hold the value {given.data[given.data < 0][0]!s}; sparse "
                "scores must not be negative, as those that are not stored are zero. Give scores.toarray()"
            )
        n_gaps = np.bincount(_rows(given)[given.data != given.data], minlength=given.shape[0])
        _unknown_rows(n_gaps, len(self), "consistent: ", "scores")
        return self._raised(given)

    def indicator(self, label_sets: Iterable[Any]) -> sp.csr_array:
        """Make an indicator of sets of labels, as they are: without adding ancestors.

        Parameters
        ----------
        label_sets : iterable of iterables of labels
            A set, list or tuple of labels for each row. None or NaN where the labels of a row are not known.

        Returns
        -------
        scipy.sparse.csr_array of shape (n_rows, n_labels)
            Zeros and ones of dtype int8. If a row is not known, dtype float32 and NaN in the whole row.

        Examples
        --------
        >>> Hierarchy.from_paths(["1", "1/2", "3"]).indicator([["1/2"], [], {"1/2", "3"}]).toarray()
        array([[0, 1, 0],
               [0, 0, 0],
               [0, 1, 1]], dtype=int8)
        """
        flat: list[Any] = []
        stops, unknown = [0], []
        for row, labels in enumerate(label_sets):
            if isinstance(labels, (str, bytes)):
                raise TypeError(f"row {row} of label_sets is the string {labels!r}; give [{labels!r}]")
            if labels is None or (isinstance(labels, (float, np.floating)) and labels != labels):
                unknown.append(row)
            else:
                try:
                    flat.extend(labels)
                except TypeError:
                    raise TypeError(
                        f"row {row} of label_sets is {labels!r}; give a list of labels, or None where "
                        "they are not known"
                    ) from None
            stops.append(len(flat))
        columns = self._columns_of(flat, stops)
        shape = (len(stops) - 1, len(self))
        known = sp.csr_array((np.ones(len(flat), np.int8), columns, np.array(stops)), shape=shape)
        known.sum_duplicates()
        known.data[:] = 1
        if not unknown:
            return known
        is_unknown = np.zeros((shape[0], 1), np.float32)
        is_unknown[unknown] = np.nan
        gaps = sp.csr_array(is_unknown) @ sp.csr_array(np.ones((1, len(self)), np.float32))
        result = sp.csr_array(known + gaps)
        result.sort_indices()
        return result

    def label_sets(self, Y: Any) -> list[tuple[Label, ...] | None]:
        """Return the labels of each row of an indicator, in the order of `nodes`.

        Parameters
        ----------
        Y : array or sparse matrix of shape (n_rows, n_labels)
            Zeros and ones or booleans. Rows may be NaN as a whole.

        Returns
        -------
        list of tuples of labels
            None stands for a row of NaN.

        Examples
        --------
        >>> Hierarchy.from_paths(["1", "1/2", "3"]).label_sets([[0, 1, 1], [0, 0, 0]])
        [('1/2', '3'), ()]
        """
        given = _indicator_entries(self._checked(Y, "Y"))
        n_gaps = np.bincount(_rows(given)[np.isnan(given.data)], minlength=given.shape[0])
        unknown = _unknown_rows(n_gaps, len(self), "label_sets: ", "Y")
        flat = self._labels(given.indices.tolist())
        sets: list[tuple[Label, ...] | None] = [flat[i:j] for i, j in pairwise(given.indptr.tolist())]
        for row in np.flatnonzero(unknown):
            sets[row] = None
        return sets

    # ---- inside

    @cached_property
    def _columns(self) -> dict[Label, int]:
        return {label: column for column, label in enumerate(self.nodes)}

    @cached_property
    def _root_columns(self) -> list[int]:
        return np.flatnonzero(np.diff(self._up.indptr) == 0).tolist()

    @cached_property
    def _up(self) -> sp.csr_array:
        parents, children = self._edges.T
        ones = np.ones(len(parents), np.float32)
        return sp.csr_array((ones, (children, parents)), shape=(len(self), len(self)))

    @cached_property
    def _down(self) -> sp.csr_array:
        return sp.csr_array(self._up.T)

    @cached_property
    def _ancestors(self) -> sp.csr_array:
        # A row for each label, with ones at all its ancestors. One union per label costs no more than the
        # result is long; powers of the matrix of parents would multiply long rows again and again.
        above: list[np.ndarray] = [np.empty(0, np.int32)] * len(self)
        for column in self.order.tolist():
            parents = _row(self._up, column)
            if parents:
                union = np.concatenate([parents, *(above[parent] for parent in parents)], dtype=np.int32)
                above[column] = union if len(parents) == 1 else np.unique(union)
        stops = np.cumsum([0, *map(len, above)])
        indices = np.concatenate(above)
        matrix = sp.csr_array(
            (np.ones(len(indices), np.float32), indices, stops), shape=(len(self), len(self))
        )
        matrix.sort_indices()
        return matrix

    def _labels(self, columns: list[int]) -> tuple[Label, ...]:
        return tuple([self.nodes[column] for column in columns])

    def _close_to(self, label: object) -> str:
        names = {str(node): node for node in self.nodes}
        close = difflib.get_close_matches(str(label), names)
        if close:
            return f"; did you mean {' or '.join(repr(names[name]) for name in close)}?"
        return f"; its labels are such as {self.nodes[0]!r}"

    def _cycle(self, n_open: list[int]) -> str:
        # Labels with open parents are on cycles or below them: upwards the way must come back to itself.
        column = next(i for i, count in enumerate(n_open) if count)
        way: dict[int, int] = {}
        while column not in way:
            way[column] = len(way)
            column = next(parent for parent in _row(self._up, column) if n_open[parent])
        cycle = list(way)[way[column] :][::-1]
        first = cycle.index(min(cycle))
        names = [repr(self.nodes[i]) for i in [*cycle[first:], *cycle[: first + 1]]]
        if len(names) > 10:
            names[5:-4] = ["..."]
        return " -> ".join(names)

    def _checked(self, matrix: Any, name: str) -> Any:
        matrix = matrix if sp.issparse(matrix) else np.asarray(matrix)
        if matrix.ndim != 2 or matrix.shape[1] != len(self):
            raise ValueError(
                f"{name} is of shape {matrix.shape}, but must have {_counted(len(self), 'column')}: one for "
                "each label of the hierarchy, in the order of its nodes"
            )
        if matrix.dtype.kind not in "biuf":
            raise ValueError(f"{name} is of dtype {matrix.dtype}, but must hold numbers or booleans")
        return matrix

    def _columns_of(self, flat: list[Any], stops: list[int]) -> np.ndarray:
        # All labels at once: that is several times as fast as label by label.
        try:
            columns = list(map(self._columns.get, flat))
        except TypeError:  # a label that is not hashable
            columns = [None]
        if None in columns or not {bool, np.bool_}.isdisjoint(map(type, flat)):
            for position, label in enumerate(flat):
                if label not in self:
                    row = int(np.searchsorted(stops, position, side="right")) - 1
                    raise ValueError(
                        f"row {row} of label_sets has the label {label!r}, which is not in the hierarchy"
                        f"{self._close_to(label)}"
                    )
        return np.array(columns, np.int64)

    def _upward(self, ones: sp.csr_array) -> sp.csr_array:
        closed = sp.csr_array(ones + ones @ self._ancestors)
        closed.sort_indices()
        closed.data[:] = 1
        return closed

    def _with_gaps(self, closed: sp.csr_array, gaps: sp.csr_array) -> sp.csr_array:
        # A gap below a zero is zero. To look at parents is enough, if they are decided first: what is between
        # a zero and the gap cannot be one, so it is zero as well.
        columns = (closed + 2.0 * gaps).tocsc()  # 2 where there is a gap still
        rows, data = columns.indices, columns.data
        is_open = np.zeros(columns.shape[0], np.bool_)
        for parent in self.order.tolist():
            children = _row(self._down, parent)
            if children:
                above = _slice(columns, parent)
                is_open[rows[above]] = data[above] != 0
                for child in children:
                    below = _slice(columns, child)
                    data[below] *= is_open[rows[below]]  # parents of ones are ones
                is_open[rows[above]] = False
        data[:] = np.where(data == 2, np.nan, data > 0)
        result = sp.csr_array(columns)
        result.eliminate_zeros()
        return result

    def _raised(self, given: sp.csr_array) -> sp.csr_array:
        # Column by column, children before parents, with one column of scores spelt out at a time.
        own = given.tocsc()
        columns = self._upward(_with_data(given, np.ones(given.nnz))).tocsc()
        rows, values = columns.indices, np.zeros(columns.nnz, given.dtype)
        scores = np.zeros(columns.shape[0], given.dtype)
        for parent in self.order[::-1].tolist():
            place, at = _slice(columns, parent), _slice(own, parent)
            scores[own.indices[at]] = own.data[at]
            for child in _row(self._down, parent):
                below = _slice(columns, child)
                scores[rows[below]] = np.maximum(scores[rows[below]], values[below])
            values[place] = scores[rows[place]]
            scores[rows[place]] = 0
        return sp.csr_array(sp.csc_array((values, rows, columns.indptr), shape=columns.shape))


def _listed(labels: Iterable[Any], name: str) -> list[Any]:
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise TypeError(f"Hierarchy: {name}={labels!r} must be a list; give [{labels!r}]")
    return list(labels)


def _as_label(label: Any) -> Label:
    if isinstance(label, str):
        return str.__str__(label)  # of subclasses, numpy's among them, the plain string
    if isinstance(label, (int, np.integer)) and not isinstance(label, bool):
        return int(label)
    raise TypeError(
        f"Hierarchy: label {label!r} is of type {type(label).__name__}; labels must be strings or "
        "whole numbers"
    )


def _as_pair(edge: Any) -> tuple[Label, Label]:
    # Two letters are no pair, and sets have no order.
    if not isinstance(edge, (str, bytes, set, frozenset, dict)):
        try:
            parent, child = edge
        except (TypeError, ValueError):
            pass
        else:
            return _as_label(parent), _as_label(child)
    raise ValueError(f"Hierarchy: edge {edge!r} must be a pair (parent, child)")


def _refuse_mixed_types(labels: tuple[Label, ...]) -> None:
    other = next((label for label in labels if type(label) is not type(labels[0])), None)
    if other is not None:
        raise TypeError(
            f"Hierarchy: labels mix strings and whole numbers, as {labels[0]!r} and {other!r}; give all "
            "as strings"
        )


def _refuse_repeats(items: Iterable[Hashable], name: str) -> None:
    seen = set()
    for item in items:
        if item in seen:
            raise ValueError(f"Hierarchy: {name.format(item)} is given twice; give it once")
        seen.add(item)


def _parsed(text: str) -> tuple[list[Any], list[Any]]:
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
        if not (isinstance(edge, list) and len(edge) == 2 and all(_is_position(i, nodes) for i in edge)):
            raise ValueError(
                f"edge {reprlib.repr(edge)} is not a pair of positions in 'nodes', 0 to {len(nodes) - 1}"
            )
    return nodes, [(nodes[parent], nodes[child]) for parent, child in edges]


def _is_position(value: object, items: list[Any]) -> bool:
    return type(value) is int and 0 <= value < len(items)


def _counted(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def _read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


def _row(links: sp.csr_array, column: int) -> list[int]:
    return links.indices[links.indptr[column] : links.indptr[column + 1]].tolist()


def _slice(columns: sp.csc_array, column: int) -> slice:
    return slice(columns.indptr[column], columns.indptr[column + 1])


def _reachable(links: sp.csr_array, start: int) -> list[int]:
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        fresh = set(_row(links, waiting.pop())) - seen
        seen |= fresh
        waiting += fresh
    return sorted(seen)


def _canonical(matrix: Any) -> sp.csr_array:
    result = sp.csr_array(matrix.tocoo())  # from COO: a copy, with duplicates added up
    result.eliminate_zeros()
    return result


def _indicator_entries(Y: Any) -> sp.csr_array:
    # Ones and NaN of an indicator, as float32.
    if sp.issparse(Y):
        entries = _canonical(Y)
        values = entries.data
    else:
        places = Y.nonzero()
        values = Y[places]
    wrong = (values != 1) & (values == values)
    if wrong.any():
        raise ValueError(
            f"Y holds the value {values[wrong][0]!s}; an indicator holds zeros and ones, and NaN where a "
            "label is not known. Of scores make one by comparing them, as in scores > 0.5"
        )
    if sp.issparse(Y):
        return entries.astype(np.float32)
    return sp.csr_array((values.astype(np.float32), places), shape=Y.shape)


def _with_data(matrix: sp.csr_array, data: np.ndarray) -> sp.csr_array:
    # With its own arrays, as zeros may be taken out of the result.
    triple = (data.astype(np.float32), matrix.indices.copy(), matrix.indptr.copy())
    result = sp.csr_array(triple, shape=matrix.shape)
    result.eliminate_zeros()
    return result


def _like(Y: Any, result: sp.csr_array) -> Any:
    return result.astype(Y.dtype) if sp.issparse(Y) else result.toarray().astype(Y.dtype, copy=False)


def _rows(matrix: sp.csr_array) -> np.ndarray:
    return np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))


def _unknown_rows(n_gaps: np.ndarray, n_labels: int, where: str, name: str) -> np.ndarray:
    partly = (n_gaps > 0) & (n_gaps < n_labels)
    if partly.any():
        raise ValueError(
            f"{where}row {int(np.argmax(partly))} of {name} is NaN for some labels only; a row may be NaN as "
            "a whole or not at all"
        )
    return n_gaps > 0
