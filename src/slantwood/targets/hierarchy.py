"""Which labels are special cases of which: a tree, a forest, or a graph in which labels have several parents.

Answers questions about the labels, and brings indicators and scores of them in line with the hierarchy. Knows
neither trees that are learnt nor the files that hierarchies come in.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp

from slantwood.hints import pluralize, printable, shown
from slantwood.targets import hierarchy_input as given
from slantwood.targets import hierarchy_matrices as matrices
from slantwood.targets.hierarchy_input import Label
from slantwood.targets.hierarchy_matrices import linked
from slantwood.validation import check_choice, check_real

# What the weights of several parents become.
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
        # Not by assignment, which __setattr__ refuses.
        self.__dict__["nodes"] = given.as_nodes(nodes)
        self.__dict__["_edges"] = given.edges_as_columns(edges, self._columns)
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
        return cls(*given.nodes_and_edges_of_paths(paths, sep))

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
        pairs = list(map(given.as_pair, edges))
        if nodes is None:
            nodes = dict.fromkeys(chain.from_iterable(pairs))
        return cls(nodes, pairs) if root is None else cls(*given.without_root(nodes, pairs, root))

    @classmethod
    def from_networkx(cls, graph: Any) -> Hierarchy:
        """Make a hierarchy of a graph.

        Parameters
        ----------
        graph : networkx.DiGraph
            Labels as nodes, edges from parents to children.

        Returns
        -------
        Hierarchy
            The hierarchy.

        Examples
        --------
        >>> import networkx
        >>> Hierarchy.from_networkx(networkx.DiGraph([("art", "design"), ("craft", "design")])).roots
        ('art', 'craft')
        """
        given.refuse_all_but_directed_graphs(graph)
        return cls(graph.nodes(), graph.edges())

    def to_networkx(self) -> Any:
        """Return the hierarchy as a graph.

        Returns
        -------
        networkx.DiGraph
            Labels as nodes, edges from parents to children.

        Examples
        --------
        >>> animals = Hierarchy.from_paths(["cat", "dog/poodle", "dog/pug"])
        >>> list(animals.to_networkx().successors("dog"))
        ['dog/poodle', 'dog/pug']
        """
        try:
            networkx = importlib.import_module("networkx")
        except ImportError as error:
            raise ImportError("to_networkx needs networkx: pip install 'slantwood[graphs]'") from error
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.edges)
        return graph

    @classmethod
    def from_json(cls, text: str) -> Hierarchy:
        """Make a hierarchy again of its JSON.

        Parameters
        ----------
        text : str
            What `to_json` returned.

        Returns
        -------
        Hierarchy
            The hierarchy.

        Examples
        --------
        >>> animals = Hierarchy.from_paths(["cat", "dog/poodle", "dog/pug"])
        >>> Hierarchy.from_json(animals.to_json()) == animals
        True
        """
        if not isinstance(text, str):
            raise TypeError(f"from_json: text is of type {type(text).__name__}, must be a string")
        try:
            return cls(*given.nodes_and_edges_of_json(text))
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(f"{given.NOT_JSON_OF_A_HIERARCHY}{error}") from error

    def to_json(self) -> str:
        """Return the hierarchy as JSON: the labels, and edges as pairs of their positions.

        Returns
        -------
        str
            JSON in one line.

        Examples
        --------
        >>> Hierarchy.from_paths(["a", "a/b"]).to_json()
        '{"format": "slantwood hierarchy", "version": 1, "nodes": ["a", "a/b"], "edges": [[0, 1]]}'
        """
        return given.nodes_and_edges_to_json(self.nodes, self._edges)

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
        return given.is_label(label, self._columns)

    def __repr__(self) -> str:
        deepest = int(self.depth.max())
        shape = "DAG" if not self.is_tree else "tree" if len(self.roots) == 1 else "forest"
        return (
            f"Hierarchy({pluralize(len(self), 'label')}, {pluralize(len(self.roots), 'root')}, "
            f"depth 0{f' to {deepest}' if deepest else ''}, {shape})"
        )

    def show(self, max_lines: int = 40) -> str:
        """Draw the hierarchy: one label a line, children indented under their parents.

        What is below a label with several parents is shown under the first of them only.

        Parameters
        ----------
        max_lines : int, default=40
            Lines at the most; how many labels are left out is said then.

        Returns
        -------
        str
            The drawing.

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
        waiting = [(column, 0) for column in reversed(_unlinked(self._up))]
        while waiting:
            if len(lines) == max_lines:
                return "\n".join([*lines, "..."])
            column, indent = waiting.pop()
            again = column in expanded
            lines.append("  " * indent + printable(str(self.nodes[column])) + " (see above)" * again)
            below = linked(self._down, column)
            if below and not again:
                expanded.add(column)
                waiting += [(child, indent + 1) for child in reversed(below)]
        return "\n".join(lines)

    # ---- labels and how they are linked

    def index(self, label: Label) -> int:
        """Return the column of a label.

        Parameters
        ----------
        label : str or int
            One of `nodes`.

        Returns
        -------
        int
            Its position in `nodes`.

        Examples
        --------
        >>> animals = Hierarchy.from_paths(["cat", "dog/poodle", "dog/pug"])
        >>> animals.index("dog")
        1
        """
        if label not in self:
            hint = given.hint_at_labels_close_to(label, self._columns)
            raise ValueError(f"label {shown(label)} is not in the hierarchy{hint}")
        return self._columns[label]

    @cached_property
    def edges(self) -> tuple[tuple[Label, Label], ...]:
        """Pairs (parent, child), sorted by the positions of parent and child in `nodes`."""
        return tuple((self.nodes[parent], self.nodes[child]) for parent, child in self._edges.tolist())

    @cached_property
    def roots(self) -> tuple[Label, ...]:
        """Labels without parents."""
        return self._labels(_unlinked(self._up))

    @cached_property
    def leaves(self) -> tuple[Label, ...]:
        """Labels without children."""
        return self._labels(_unlinked(self._down))

    @cached_property
    def is_tree(self) -> bool:
        """Whether no label has two parents; there may be several roots."""
        return bool((np.diff(self._up.indptr) <= 1).all())

    def parents(self, label: Label) -> tuple[Label, ...]:
        """Return the labels right above one, in the order of `nodes`.

        Parameters
        ----------
        label : str or int
            One of `nodes`.

        Returns
        -------
        tuple
            Labels; several where a label has several parents.

        Examples
        --------
        >>> animals = Hierarchy.from_paths(["cat", "dog/poodle", "dog/pug"])
        >>> animals.parents("dog/pug")
        ('dog',)
        """
        return self._labels(linked(self._up, self.index(label)))

    def children(self, label: Label) -> tuple[Label, ...]:
        """Return the labels right below one, in the order of `nodes`.

        Parameters
        ----------
        label : str or int
            One of `nodes`.

        Returns
        -------
        tuple
            Labels; none below a leaf.

        Examples
        --------
        >>> animals = Hierarchy.from_paths(["cat", "dog/poodle", "dog/pug"])
        >>> animals.children("dog")
        ('dog/poodle', 'dog/pug')
        """
        return self._labels(linked(self._down, self.index(label)))

    def ancestors(self, label: Label) -> tuple[Label, ...]:
        """Return all labels above one, without itself, in the order of `nodes`.

        Parameters
        ----------
        label : str or int
            One of `nodes`.

        Returns
        -------
        tuple
            Labels; none above a root.

        Examples
        --------
        >>> animals = Hierarchy.from_paths(["cat", "dog/poodle", "dog/pug"])
        >>> animals.ancestors("dog/pug")
        ('dog',)
        """
        return self._labels(_reachable(self._up, self.index(label)))

    def descendants(self, label: Label) -> tuple[Label, ...]:
        """Return all labels below one, without itself, in the order of `nodes`.

        Parameters
        ----------
        label : str or int
            One of `nodes`.

        Returns
        -------
        tuple
            Labels; none below a leaf.

        Examples
        --------
        >>> animals = Hierarchy.from_paths(["cat", "dog/poodle", "dog/pug"])
        >>> animals.descendants("dog")
        ('dog/poodle', 'dog/pug')
        """
        return self._labels(_reachable(self._down, self.index(label)))

    @cached_property
    def depth(self) -> np.ndarray:
        """Number of links on the longest way from a root to each label, so ancestors are less deep."""
        n_open = np.diff(self._up.indptr).tolist()  # parents that were not reached yet
        ready = _unlinked(self._up)
        depth = [0] * len(self)
        for column in ready:  # grows as it goes
            for child in linked(self._down, column):
                depth[child] = max(depth[child], depth[column] + 1)
                n_open[child] -= 1
                if n_open[child] == 0:
                    ready.append(child)
        if len(ready) < len(self):
            names = [shown(self.nodes[column]) for column in _cycle(self._up, n_open)]
            if len(names) > 10:
                names[5:-4] = ["..."]
            raise ValueError(f"Hierarchy: the edges run in a cycle, {' -> '.join(names)}; leave out one")
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
        aggregate = _AGGREGATES[check_choice("weights: kind", kind, tuple(_AGGREGATES))]
        factor = check_real("weights: w0", w0, 0, 1, open_minimum=True)
        weights = [1.0] * len(self)
        for column in self.order.tolist():
            parents = linked(self._up, column)
            if parents:
                weights[column] = factor * aggregate([weights[parent] for parent in parents])
        return np.array(weights)

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
        Y = given.as_matrix(Y, len(self), "Y")
        return matrices.closure(Y, self._ancestors, self._down, self.order)

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
        return matrices.most_specific(given.as_matrix(Y, len(self), "Y"), self._ancestors)

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
        scores = given.as_matrix(scores, len(self), "scores")
        if sp.issparse(scores):
            return matrices.consistent_sparse(scores, self._ancestors, self._down, self.order)
        return matrices.consistent_dense(scores, self._down, self.order)

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
        columns, stops, unknown = given.columns_of_label_sets(label_sets, self._columns)
        return matrices.indicator_of_columns(columns, stops, unknown, len(self))

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
        rows = matrices.columns_of_indicator(given.as_matrix(Y, len(self), "Y"))
        return [None if columns is None else self._labels(columns) for columns in rows]

    # ---- inside

    @cached_property
    def _columns(self) -> dict[Label, int]:
        return {label: column for column, label in enumerate(self.nodes)}

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
        # One union per label costs no more than the result is long; powers of the matrix of parents would
        # multiply long rows again and again.
        above: list[np.ndarray] = [np.empty(0, np.int32)] * len(self)
        for column in self.order.tolist():
            parents = linked(self._up, column)
            if parents:
                union = np.concatenate([parents, *(above[parent] for parent in parents)], dtype=np.int32)
                above[column] = union if len(parents) == 1 else np.unique(union)
        indices = np.concatenate(above)
        stops = np.cumsum([0, *map(len, above)])
        links = sp.csr_array((np.ones(len(indices), np.float32), indices, stops), shape=self._up.shape)
        links.sort_indices()
        return links

    def _labels(self, columns: list[int]) -> tuple[Label, ...]:
        return tuple([self.nodes[column] for column in columns])


def _read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


def _unlinked(links: sp.csr_array) -> list[int]:
    """Return the labels that are linked to none: roots by links to parents, leaves by links to children."""
    return np.flatnonzero(np.diff(links.indptr) == 0).tolist()


def _reachable(links: sp.csr_array, start: int) -> list[int]:
    """Return all labels that links lead to from one, directly or not."""
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        fresh = set(linked(links, waiting.pop())) - seen
        seen |= fresh
        waiting += fresh
    return sorted(seen)


def _cycle(up: sp.csr_array, n_open: list[int]) -> list[int]:
    # Labels with open parents are on cycles or below them: upwards the way must come back to itself.
    column = next(i for i, count in enumerate(n_open) if count)
    way: dict[int, int] = {}
    while column not in way:
        way[column] = len(way)
        column = next(parent for parent in linked(up, column) if n_open[parent])
    cycle = list(way)[way[column] :][::-1]
    first = cycle.index(min(cycle))
    return [*cycle[first:], *cycle[: first + 1]]
