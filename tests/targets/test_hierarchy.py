"""Claims about hierarchies of labels: how they are made, what they answer, what they do to indicators."""

import copy
import itertools
import json
import math
import pickle
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from slantwood.targets.hierarchy import Hierarchy

pytestmark = pytest.mark.sampled

KINDS = ("average", "minimum", "maximum", "product")
DTYPES = [np.bool_, np.int8, np.uint8, np.int64, np.float32, np.float64]
SPARSE_FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]


@st.composite
def graphs(draw, max_nodes=9):
    """Labels in an order that is not topological, and edges of a DAG in any order."""
    n = draw(st.integers(1, max_nodes))
    ranks = draw(st.permutations(range(n)))
    pairs = [(i, j) for i in range(n) for j in range(n) if ranks[i] < ranks[j]]
    links = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    names = draw(st.sampled_from([[f"n{i}" for i in range(n)], [10 * i - 20 for i in range(n)]]))
    return names, [(names[i], names[j]) for i, j in links]


@st.composite
def graphs_with(draw, values, max_rows=6):
    """A graph, and a float64 matrix of the given values with one column per label."""
    nodes, edges = draw(graphs())
    n_rows = draw(st.integers(0, max_rows))
    row = st.lists(st.sampled_from(values), min_size=len(nodes), max_size=len(nodes))
    rows = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    return nodes, edges, np.array(rows, np.float64).reshape(n_rows, len(nodes))


# ---- the slow and obvious twin


def above(label, edges):
    """All ancestors, by recursion."""
    parents = {parent for parent, child in edges if child == label}
    return parents.union(*(above(parent, edges) for parent in parents))


def below(label, edges):
    children = {child for parent, child in edges if parent == label}
    return children.union(*(below(child, edges) for child in children))


def in_order(labels, nodes):
    return tuple(node for node in nodes if node in labels)


def depth_of(label, edges):
    return max((1 + depth_of(parent, edges) for parent, child in edges if child == label), default=0)


def weight_of(label, edges, kind, w0):
    weights = [weight_of(parent, edges, kind, w0) for parent, child in edges if child == label]
    if not weights:
        return 1.0
    together = {"average": np.mean, "minimum": np.min, "maximum": np.max, "product": np.prod}
    return w0 * together[kind](weights)


def closed(Y, nodes, edges):
    """Closure of a dense indicator, by its three rules, label by label."""
    result = Y.copy()
    for i, row in enumerate(Y):
        for j, label in enumerate(nodes):
            if any(row[nodes.index(lower)] == 1 for lower in below(label, edges)):
                result[i, j] = 1
    with_ones = result.copy()
    for i, row in enumerate(with_ones):
        for j, label in enumerate(nodes):
            if math.isnan(row[j]) and any(row[nodes.index(upper)] == 0 for upper in above(label, edges)):
                result[i, j] = 0
    return result


def spelt_out(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def assert_canonical(matrix):
    """A CSR array with sorted columns, each once, and no stored zeros, which its own flags could hide."""
    assert isinstance(matrix, sp.csr_array)
    for start, stop in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        assert (np.diff(matrix.indices[start:stop]) > 0).all()
    assert (matrix.data != 0).all()


def a_diamond():
    """A label with two parents that share one, and a label on its own."""
    return Hierarchy.from_edges(
        [("top", "left"), ("top", "right"), ("left", "low"), ("right", "low")],
        nodes=["low", "top", "alone", "right", "left"],
    )


# ---- making one


def test_paths_name_their_parents():
    made = Hierarchy.from_paths(["1", "1/1", "1/1/5", "2"])
    assert made.nodes == ("1", "1/1", "1/1/5", "2")
    assert made.edges == (("1", "1/1"), ("1/1", "1/1/5"))
    assert made.roots == ("1", "2")


def test_missing_prefixes_are_added_just_before_the_first_path_that_needs_them():
    made = Hierarchy.from_paths(["b", "a/x/1", "a/y", "c/z"])
    assert made.nodes == ("b", "a", "a/x", "a/x/1", "a/y", "c", "c/z")
    assert made.children("a") == ("a/x", "a/y")


def test_prefixes_that_are_listed_later_keep_their_place():
    made = Hierarchy.from_paths(["a/x/1", "a", "b"])
    assert made.nodes == ("a/x", "a/x/1", "a", "b")
    assert made.parents("a/x") == ("a",)


def test_paths_may_have_a_separator_of_several_characters():
    made = Hierarchy.from_paths([np.str_("a::b:c"), "d/e"], sep="::")
    assert made.nodes == ("a", "a::b:c", "d/e")
    assert all(type(node) is str for node in made.nodes)


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), min_size=1, max_size=12))
def test_paths_are_the_tree_of_their_prefixes(parts):
    paths = list(dict.fromkeys("/".join(path) for path in parts))
    made = Hierarchy.from_paths(paths)
    prefixes = {"/".join(path[:i]) for path in parts for i in range(1, len(path) + 1)}
    assert set(made.nodes) == prefixes
    assert [node for node in made.nodes if node in paths] == paths
    assert made.is_tree
    for node in made:
        assert made.ancestors(node) == in_order({p for p in prefixes if node.startswith(p + "/")}, made.nodes)


@pytest.mark.parametrize(
    ("paths", "error", "parts"),
    [
        (["a", "a/b", "a"], ValueError, ["path 'a' is given twice"]),
        (["a", "1//2"], ValueError, ["'1//2'", "empty part"]),
        (["a", ""], ValueError, ["path ''", "empty part"]),
        (["/a"], ValueError, ["'/a'", "empty part", "'/'"]),
        (["a/"], ValueError, ["'a/'", "empty part"]),
        (["a", 7], TypeError, ["path 7", "int", "string"]),
        (["a", None], TypeError, ["path None", "string"]),
        ("a/b", TypeError, ["paths='a/b'", "give ['a/b']"]),
        (5, TypeError, ["paths=5", "list"]),
        ([], ValueError, ["no labels"]),
    ],
)
def test_senseless_paths_are_refused_by_name(paths, error, parts):
    with pytest.raises(error) as caught:
        Hierarchy.from_paths(paths)
    for part in ("Hierarchy: ", *parts):
        assert part in str(caught.value)


@pytest.mark.parametrize("sep", ["", None, 1])
def test_a_senseless_separator_is_refused(sep):
    with pytest.raises(ValueError, match=f"sep={sep!r} must be a string"):
        Hierarchy.from_paths(["a"], sep=sep)


def test_labels_of_edges_come_in_the_order_of_first_appearance():
    assert Hierarchy.from_edges([("b", "c"), ("a", "b"), ("a", "d")]).nodes == ("b", "c", "a", "d")


def test_labels_come_in_the_order_of_nodes_where_it_is_given():
    made = Hierarchy.from_edges(iter([("a", "b")]), nodes=iter(["c", "b", "a"]))
    assert made.nodes == ("c", "b", "a")
    assert made.roots == ("c", "a")
    assert made.leaves == ("c", "b")
    assert made == Hierarchy(["c", "b", "a"], [("a", "b")])
    assert Hierarchy.from_edges([], nodes=[3, 1]).roots == (3, 1)


def test_an_artificial_root_is_left_out():
    edges = [("root", "a"), ("root", "b"), ("a", "b"), ("a", "c"), ("root", "d")]
    made = Hierarchy.from_edges(edges, root="root")
    assert made.nodes == ("a", "b", "c", "d")
    assert made.edges == (("a", "b"), ("a", "c"))
    assert made.roots == ("a", "d")
    for nodes in (["d", "c", "b", "a"], ["d", "root", "c", "b", "a"]):
        ordered = Hierarchy.from_edges(edges, nodes=nodes, root="root")
        assert ordered.nodes == ("d", "c", "b", "a")
        assert ordered.edges == (("a", "c"), ("a", "b"))
    # It is no label, so it may be of another type than labels are.
    assert Hierarchy.from_edges([("root", 1), (1, 2)], root="root").nodes == (1, 2)
    assert Hierarchy.from_edges([(0, 1), (1, 2)], root=0).nodes == (1, 2)


@pytest.mark.parametrize(
    ("edges", "options", "error", "parts"),
    [
        ([("a", "b"), ("b", "a")], {}, ValueError, ["cycle, 'a' -> 'b' -> 'a'"]),
        (
            [("r", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")],
            {},
            ValueError,
            ["'a' -> 'b' -> 'c' -> 'a'"],
        ),
        ([("d", "e"), ("a", "a"), ("a", "b")], {}, ValueError, ["cycle, 'a' -> 'a';"]),
        (
            [(i, (i + 1) % 500) for i in range(500)],
            {},
            ValueError,
            ["cycle, 0 -> 1 -> 2", "...", "499 -> 0;"],
        ),
        ([("a", "b")], {"nodes": ["a"]}, ValueError, ["edge ('a', 'b')", "label 'b'", "not among the nodes"]),
        ([("apple", "pear")], {"nodes": ["aple", "pear"]}, ValueError, ["'apple'", "did you mean 'aple'"]),
        ([("1", "2")], {"nodes": [1, 2]}, ValueError, ["label '1'", "did you mean 1?"]),
        ([("a", "b"), ("a", "c"), ("a", "b")], {}, ValueError, ["edge ('a', 'b') is given twice"]),
        ([("a", "b")], {"nodes": ["a", "b", "a"]}, ValueError, ["label 'a' is given twice"]),
        ([("a", "b", "c")], {}, ValueError, ["('a', 'b', 'c')", "pair (parent, child)"]),
        (["ab"], {}, ValueError, ["edge 'ab'", "pair"]),
        ([{"a", "b"}], {}, ValueError, ["pair"]),
        ([7], {}, ValueError, ["edge 7", "pair"]),
        ([("a",)], {}, ValueError, ["edge ('a',)", "pair"]),
        ([], {}, ValueError, ["no labels"]),
        ([], {"nodes": []}, ValueError, ["no labels"]),
        ([("a", 1)], {}, TypeError, ["mix", "'a' and 1", "give all as strings"]),
        ([], {"nodes": [2, 3, "x"]}, TypeError, ["mix", "2 and 'x'"]),
        ([(True, 2)], {}, TypeError, ["label True is of type bool"]),
        ([(np.True_, 2)], {}, TypeError, ["is of type bool"]),
        ([(1.5, 2)], {}, TypeError, ["label 1.5 is of type float"]),
        ([("a", None)], {}, TypeError, ["label None"]),
        ([("a", ["b"])], {}, TypeError, ["label ['b'] is of type list"]),
        ([], {"nodes": "abc"}, TypeError, ["nodes='abc'", "give ['abc']"]),
        ([("r", "a")], {"nodes": "abc", "root": "r"}, TypeError, ["nodes='abc'", "give ['abc']"]),
        ([("r", "a"), ("b", "r")], {"root": "r"}, ValueError, ["root='r' has the parent 'b'"]),
        ([("a", "b")], {"root": "r"}, ValueError, ["root='r' is the parent of no edge"]),
        ([("r", "a"), ("r", "a")], {"root": "r"}, ValueError, ["edge ('r', 'a') is given twice"]),
        ([("r", "a")], {"root": 1.5}, TypeError, ["label 1.5"]),
    ],
)
def test_senseless_edges_are_refused_by_name(edges, options, error, parts):
    with pytest.raises(error) as caught:
        Hierarchy.from_edges(edges, **options)
    assert len(str(caught.value)) < 300
    for part in ("Hierarchy: ", *parts):
        assert part in str(caught.value)


@given(graphs(), st.data())
def test_one_edge_too_many_makes_a_cycle_which_is_shown(graph, data):
    nodes, edges = graph
    lower = data.draw(st.sampled_from(nodes))
    upper = data.draw(st.sampled_from([lower, *sorted(above(lower, edges))]))
    with pytest.raises(ValueError, match="run in a cycle") as caught:
        Hierarchy(nodes, [*edges, (lower, upper)])
    shown = str(caught.value).split("cycle, ")[1].split(";")[0].split(" -> ")
    assert shown[0] == shown[-1]
    steps = set(itertools.pairwise(shown))
    assert len(steps) == len(shown) - 1 >= 1
    assert steps <= {(repr(a), repr(b)) for a, b in [*edges, (lower, upper)]}


def test_labels_of_numpy_become_those_of_python():
    numbers = Hierarchy.from_edges(np.array([[1, 2], [2, 3]]))
    assert numbers.nodes == (1, 2, 3)
    assert {type(node) for node in numbers} == {int}
    words = Hierarchy.from_edges(np.array([["a", "b"]]), nodes=np.array(["b", "a"]))
    assert words.nodes == ("b", "a")
    assert {type(node) for node in words} == {str}
    assert json.loads(numbers.to_json())["nodes"] == [1, 2, 3]


@given(graphs())
def test_networkx_gives_the_same_hierarchy_back(graph):
    made = Hierarchy(*graph)
    there = made.to_networkx()
    assert type(there) is nx.DiGraph
    assert list(there.nodes) == list(made.nodes)
    assert set(there.edges) == set(graph[1])
    assert Hierarchy.from_networkx(there) == made


@pytest.mark.parametrize(
    ("graph", "error", "parts"),
    [
        (nx.Graph([("a", "b")]), ValueError, ["graph is a Graph", "no direction", "networkx.DiGraph"]),
        (
            nx.MultiDiGraph([("a", "b")]),
            ValueError,
            ["MultiDiGraph", "several times", "networkx.DiGraph(graph)"],
        ),
        (nx.DiGraph([("a", "b"), ("b", "a")]), ValueError, ["'a' -> 'b' -> 'a'"]),
        (nx.DiGraph([("a", 2)]), TypeError, ["mix"]),
        (nx.DiGraph(), ValueError, ["no labels"]),
        ([("a", "b")], TypeError, ["type list", "networkx.DiGraph"]),
    ],
)
def test_other_graphs_are_refused(graph, error, parts):
    with pytest.raises(error) as caught:
        Hierarchy.from_networkx(graph)
    for part in parts:
        assert part in str(caught.value)


def test_without_networkx_it_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)  # as if it were not installed
    with pytest.raises(ImportError, match=r"pip install 'slantwood\[graphs\]'"):
        a_diamond().to_networkx()


def test_networkx_is_not_imported_unless_needed():
    code = (
        "import sys; from slantwood.targets.hierarchy import Hierarchy; "
        "h = Hierarchy.from_paths(['a/b']); h.closure([[0, 1]]); assert 'networkx' not in sys.modules; "
        "h.to_networkx(); assert 'networkx' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(graphs())
def test_json_gives_the_same_hierarchy_back(graph):
    made = Hierarchy(*graph)
    again = Hierarchy.from_json(made.to_json())
    assert again == made
    assert again.nodes == made.nodes
    assert again.to_json() == made.to_json()


def test_json_keeps_every_kind_of_text():
    names = ["", " ", '"', "\\", "\n", "é", "\U0001f332", "\ud800", "/", "__import__('os')", "0"]
    made = Hierarchy(names, [("", '"')])
    assert Hierarchy.from_json(made.to_json()) == made
    assert made.to_json().isascii()
    numbers = Hierarchy([-(10**30), 0, 10**30])
    assert Hierarchy.from_json(numbers.to_json()) == numbers


def test_json_of_this_version_is_always_read():
    text = '{"format": "slantwood hierarchy", "version": 1, "nodes": ["b", "a"], "edges": [[1, 0]]}'
    assert Hierarchy.from_json(text) == Hierarchy(["b", "a"], [("a", "b")])
    assert Hierarchy(["b", "a"], [("a", "b")]).to_json() == text


def _written(**changes):
    content = {"format": "slantwood hierarchy", "version": 1, "nodes": ["a", "b"], "edges": [[0, 1]]}
    return json.dumps({k: v for k, v in (content | changes).items() if v != "left out"})


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "Expecting value"),
        ("nonsense", "Expecting value"),
        ("__import__('os').abort()", "Expecting value"),
        ("[" * 100_000, ""),
        ("1" * 10_000, ""),
        ("null", "'format' is not"),
        ("[]", "'format' is not"),
        ('"slantwood hierarchy"', "'format' is not"),
        ("{}", "'format' is not"),
        (_written(format="another"), "'format' is not"),
        (_written(version=2), "'version' is 2"),
        (_written(version=True), "'version' is True"),
        (_written(version="left out"), "'version' is None"),
        (_written(nodes="left out"), "'nodes' and 'edges' must be lists"),
        (_written(nodes="ab"), "must be lists"),
        (_written(nodes={"a": 1}), "must be lists"),
        (_written(edges="left out"), "must be lists"),
        (_written(nodes=[], edges=[]), "no labels"),
        (_written(nodes=["a", "a"]), "'a' is given twice"),
        (_written(nodes=["a", 2]), "mix"),
        (_written(nodes=["a", None]), "label None"),
        (_written(nodes=["a", ["b"]]), "label ['b']"),
        (_written(nodes=["a", True]), "label True"),
        (_written(nodes=[1.0, 2.0]), "label 1.0"),
        (_written(edges=[[0, 2]]), "edge [0, 2] is not a pair of positions in 'nodes', 0 to 1"),
        (_written(edges=[[0, -1]]), "edge [0, -1]"),
        (_written(edges=[[0, True]]), "edge [0, True]"),
        (_written(edges=[[0, 1.0]]), "edge [0, 1.0]"),
        (_written(edges=[["a", "b"]]), "edge ['a', 'b']"),
        (_written(edges=[[0, 1, 1]]), "edge [0, 1, 1]"),
        (_written(edges=["01"]), "edge '01'"),
        (_written(edges=[list(range(10_000))]), "edge [0, 1, 2"),
        (_written(edges=[[0, 1], [0, 1]]), "is given twice"),
        (_written(edges=[[0, 1], [1, 0]]), "'a' -> 'b' -> 'a'"),
    ],
)
def test_other_json_is_refused_with_what_was_expected(text, part):
    with pytest.raises(
        ValueError, match=r"from_json expects the text that Hierarchy\.to_json returns"
    ) as caught:
        Hierarchy.from_json(text)
    assert part in str(caught.value)
    assert "'slantwood hierarchy'" in str(caught.value)
    assert len(str(caught.value)) < 500


def test_json_must_be_a_string():
    for text in (None, b"{}", {"nodes": ["a"]}):
        with pytest.raises(TypeError, match=f"type {type(text).__name__}, must be a string"):
            Hierarchy.from_json(text)


@given(graphs(), st.data())
def test_cut_or_changed_json_is_refused_or_read_but_never_fails_otherwise(graph, data):
    text = Hierarchy(*graph).to_json()
    cut = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(ValueError, match="from_json expects"):
        Hierarchy.from_json(text[:cut])
    letter = data.draw(st.sampled_from('0123,[]{}"-'))
    changed = text[:cut] + letter + text[cut + 1 :]
    complaint = "from_json expects"
    try:
        read = Hierarchy.from_json(changed)
    except ValueError as error:
        complaint = str(error)
    else:
        assert Hierarchy.from_json(read.to_json()) == read
    assert complaint.startswith("from_json expects")


# ---- as an object


@given(graphs(), st.randoms())
def test_equal_means_the_same_labels_in_the_same_order_and_the_same_edges(graph, random):
    nodes, edges = graph
    made = Hierarchy(nodes, edges)
    shuffled = random.sample(edges, len(edges))
    assert Hierarchy(nodes, shuffled) == made
    assert hash(Hierarchy(nodes, shuffled)) == hash(made)
    if len(nodes) > 1:
        assert Hierarchy(nodes[::-1], edges) != made
    if edges:
        assert Hierarchy(nodes, edges[1:]) != made
    assert made != Hierarchy([*nodes, type(nodes[0])(99)], edges)


def test_other_things_are_not_equal():
    assert Hierarchy(["1"]) != Hierarchy([1])
    assert Hierarchy(["a"]) != ("a",)
    assert Hierarchy(["a", "b"], [("a", "b")]) != Hierarchy(["a", "b"], [("b", "a")])


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (Hierarchy(["a"]), "Hierarchy(1 label, 1 root, depth 0, tree)"),
        (Hierarchy(["a", "b"]), "Hierarchy(2 labels, 2 roots, depth 0, forest)"),
        (Hierarchy.from_paths(["a/b/c"]), "Hierarchy(3 labels, 1 root, depth 0 to 2, tree)"),
        (a_diamond(), "Hierarchy(5 labels, 2 roots, depth 0 to 2, DAG)"),
        (Hierarchy(range(4125)), "Hierarchy(4,125 labels, 4,125 roots, depth 0, forest)"),
    ],
)
def test_its_repr_is_short(made, text):
    assert repr(made) == text


def test_it_is_a_collection_of_its_labels():
    made = a_diamond()
    assert len(made) == 5
    assert list(made) == list(made.nodes) == ["low", "top", "alone", "right", "left"]
    assert "top" in made
    assert np.str_("top") in made
    assert "Top" not in made
    assert ["top"] not in made
    numbers = Hierarchy([0, 1])
    assert np.int64(1) in numbers
    assert True not in numbers  # though True == 1
    assert np.True_ not in numbers


def test_it_cannot_be_changed():
    made = a_diamond()
    for name in ("nodes", "depth", "anything"):
        with pytest.raises(AttributeError, match=f"cannot be changed, so '{name}' cannot be set"):
            setattr(made, name, ())
        with pytest.raises(AttributeError, match=f"cannot be changed, so '{name}' cannot be deleted"):
            delattr(made, name)
    for array in (made.depth, made.order):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    made.weights()[:] = 7  # a copy
    assert made.weights().max() == 1
    assert made == a_diamond()


def _use(made):
    Y = np.eye(len(made))
    return [
        made.edges,
        made.roots,
        made.leaves,
        made.levels,
        made.is_tree,
        made.depth.tolist(),
        made.order.tolist(),
        made.weights().tolist(),
        made.closure(Y).tolist(),
        made.consistent(sp.csr_array(Y)).toarray().tolist(),
        repr(made),
    ]


@given(graphs())
def test_copies_and_pickles_are_the_same_before_and_after_use(graph):
    made = Hierarchy(*graph)
    fresh = pickle.dumps(made)
    before = [pickle.loads(fresh), copy.copy(made), copy.deepcopy(made)]
    expected = _use(made)
    after = [pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)]
    for other in before + after:
        assert other == made
        assert hash(other) == hash(made)
        assert _use(other) == expected
        with pytest.raises(AttributeError, match="cannot be changed"):
            other.nodes = ()
        with pytest.raises(ValueError, match="read-only"):
            other.depth[0] = 1
    assert len(pickle.dumps(made)) == len(fresh)  # what can be made again is not stored


def test_its_picture_shows_each_label_under_its_parents():
    made = a_diamond()
    assert made.show() == "top\n  right\n    low\n  left\n    low\nalone"
    deeper = Hierarchy.from_edges([("a", "c"), ("b", "c"), ("c", "d")])
    assert deeper.show() == "a\n  c\n    d\nb\n  c (see above)"
    assert made.show(max_lines=2) == "top\n  right\n..."
    assert made.show(max_lines=6) == made.show()
    assert Hierarchy([1, 2], [(2, 1)]).show() == "2\n  1"


# ---- labels and how they are linked


@given(graphs())
def test_relatives_are_those_found_by_recursion_in_the_order_of_nodes(graph):
    nodes, edges = graph
    made = Hierarchy(nodes, edges)
    for label in nodes:
        assert made.parents(label) == in_order({p for p, c in edges if c == label}, nodes)
        assert made.children(label) == in_order({c for p, c in edges if p == label}, nodes)
        assert made.ancestors(label) == in_order(above(label, edges), nodes)
        assert made.descendants(label) == in_order(below(label, edges), nodes)
    assert set(made.edges) == set(edges)
    assert len(made.edges) == len(edges)
    assert made.roots == tuple(label for label in nodes if not above(label, edges))
    assert made.leaves == tuple(label for label in nodes if not below(label, edges))
    assert made.is_tree == all(sum(c == label for _, c in edges) <= 1 for label in nodes)


@given(graphs())
def test_networkx_agrees_on_relatives_and_on_the_longest_way(graph):
    made = Hierarchy(*graph)
    other = made.to_networkx()
    for label in made:
        assert set(made.ancestors(label)) == nx.ancestors(other, label)
        assert set(made.descendants(label)) == nx.descendants(other, label)
    assert made.depth.max() == nx.dag_longest_path_length(other)
    levels = list(nx.topological_generations(other))
    assert [set(level) for level in made.levels] == [set(level) for level in levels]


@given(graphs())
def test_depth_levels_and_order_put_ancestors_first(graph):
    nodes, edges = graph
    made = Hierarchy(nodes, edges)
    assert made.depth.tolist() == [depth_of(label, edges) for label in nodes]
    assert made.depth.dtype == np.int64
    for depth, level in enumerate(made.levels):
        assert level == tuple(label for label in nodes if depth_of(label, edges) == depth)
    assert len(made.levels) == made.depth.max() + 1
    assert sorted(made.order) == list(range(len(nodes)))
    assert [nodes[i] for i in made.order] == [label for level in made.levels for label in level]
    place = {nodes[column]: i for i, column in enumerate(made.order)}
    assert all(place[parent] < place[child] for parent, child in edges)


@given(graphs())
def test_index_is_the_column(graph):
    made = Hierarchy(*graph)
    assert [made.index(label) for label in made] == list(range(len(made)))


@pytest.mark.parametrize("method", ["index", "parents", "children", "ancestors", "descendants"])
def test_unknown_labels_are_named_with_those_that_are_close(method):
    words, numbers = Hierarchy(["metabolism", "transport"]), Hierarchy([10, 21])
    with pytest.raises(
        ValueError, match="label 'metabolsm' is not in the hierarchy; did you mean 'metabolism'"
    ):
        getattr(words, method)("metabolsm")
    with pytest.raises(
        ValueError, match="label 'xyz' is not in the hierarchy; its labels are such as 'metabol"
    ):
        getattr(words, method)("xyz")
    with pytest.raises(ValueError, match="label '10' is not in the hierarchy; did you mean 10"):
        getattr(numbers, method)("10")
    for label in (True, ["metabolism"], None):
        with pytest.raises(ValueError, match="is not in the hierarchy"):
            getattr(Hierarchy([0, 1]), method)(label)


@given(graphs(), st.sampled_from(KINDS), st.floats(0.01, 1.0))
def test_weights_shrink_from_parents_to_children(graph, kind, w0):
    nodes, edges = graph
    weights = Hierarchy(nodes, edges).weights(kind, w0)
    assert weights.dtype == np.float64
    assert_allclose(weights, [weight_of(label, edges, kind, w0) for label in nodes], rtol=1e-12)


def test_weights_of_several_parents():
    made = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "c")])  # c is below weights of 1 and 1/2
    assert made.weights("average", 0.5).tolist() == [1, 0.5, 0.375]
    assert made.weights("minimum", 0.5).tolist() == [1, 0.5, 0.25]
    assert made.weights("maximum", 0.5).tolist() == [1, 0.5, 0.5]
    assert made.weights("product", 0.5).tolist() == [1, 0.5, 0.25]
    assert_array_equal(made.weights(), made.weights("average", 0.75))
    assert_array_equal(made.weights(w0=1), np.ones(3))


@pytest.mark.parametrize("kind", KINDS)
def test_weights_in_a_tree_are_powers_of_the_depth(kind):
    made = Hierarchy.from_paths(["1/2/3/4", "1/3", "2/1/1"])
    assert made.depth.max() == 3
    assert_allclose(made.weights(kind, np.float32(0.75)), 0.75**made.depth, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"kind": "mean"}, ValueError, ["kind='mean'", *map(repr, KINDS)]),
        ({"kind": None}, ValueError, ["kind=None"]),
        ({"w0": 0.0}, ValueError, ["w0=0.0", "above 0 and at most 1"]),
        ({"w0": -1}, ValueError, ["w0=-1"]),
        ({"w0": 1.001}, ValueError, ["w0=1.001"]),
        ({"w0": math.nan}, ValueError, ["w0=nan"]),
        ({"w0": "half"}, TypeError, ["w0='half'", "number"]),
        ({"w0": True}, TypeError, ["w0=True", "number"]),
        ({"w0": None}, TypeError, ["w0=None", "number"]),
    ],
)
def test_senseless_weights_are_refused(options, error, parts):
    with pytest.raises(error) as caught:
        a_diamond().weights(**options)
    for part in ("weights: ", *parts):
        assert part in str(caught.value)


# ---- closure


@given(graphs_with([0.0, 1.0]), st.sampled_from(DTYPES), st.sampled_from(SPARSE_FORMATS))
def test_closure_adds_all_ancestors_and_nothing_else(case, dtype, form):
    nodes, edges, Y = case
    made, Y = Hierarchy(nodes, edges), Y.astype(dtype)
    expected = closed(Y.astype(float), nodes, edges)
    before = Y.copy()
    of_dense = made.closure(Y)
    assert type(of_dense) is np.ndarray
    assert of_dense.dtype == dtype
    assert_array_equal(of_dense, expected)
    assert_array_equal(Y, before)
    assert not np.shares_memory(of_dense, Y)
    if form in ("bsr", "dia") and not len(Y):
        form = "csr"  # SciPy has no empty ones
    for kind in (sp.csr_array, sp.csr_matrix):
        given_ = kind(Y).asformat(form)
        of_sparse = made.closure(given_)
        assert_canonical(of_sparse)
        assert of_sparse.dtype == dtype
        assert_array_equal(of_sparse.toarray(), expected)
        assert_array_equal(given_.toarray(), before)


@given(graphs_with([0.0, 1.0, math.nan]), st.sampled_from([np.float32, np.float64]))
@example((["a", "b", "c"], [("a", "b"), ("b", "c")], np.array([[0, math.nan, math.nan]])), np.float64)
@example((["c", "b", "a"], [("a", "c"), ("b", "c")], np.array([[math.nan, 1, 0]])), np.float64)
@example((["c", "b", "a"], [("a", "c"), ("b", "c")], np.array([[1, 0, math.nan]])), np.float64)
def test_gaps_become_what_is_certain(case, dtype):
    nodes, edges, Y = case
    made, Y = Hierarchy(nodes, edges), Y.astype(dtype)
    expected = closed(Y, nodes, edges)
    of_dense, of_sparse = made.closure(Y), made.closure(sp.csr_array(Y))
    assert of_dense.dtype == of_sparse.dtype == dtype
    assert_array_equal(of_dense, expected)
    assert_canonical(of_sparse)
    assert_array_equal(of_sparse.toarray(), expected)
    # Nothing is left to be decided.
    assert_array_equal(made.closure(of_dense), expected)
    assert_array_equal(made.closure(of_sparse).toarray(), expected)


def test_gaps_in_all_their_cases():
    made = Hierarchy.from_edges([("a", "b"), ("b", "c"), ("a", "d")])
    nan = math.nan
    Y = [
        [nan, nan, 1, nan],
        [0, nan, nan, nan],
        [nan, 0, nan, nan],
        [0, nan, 1, nan],
        [nan] * 4,
        [1, nan, nan, 0],
    ]
    expected = [[1, 1, 1, nan], [0, 0, 0, 0], [nan, 0, 0, nan], [1, 1, 1, nan], [nan] * 4, [1, nan, nan, 0]]
    assert_array_equal(made.closure(Y), expected)
    assert_array_equal(made.closure(sp.csr_array(np.array(Y))).toarray(), expected)


@given(graphs_with([0.0, 1.0, math.nan]), st.randoms())
def test_closure_does_not_mind_the_order_of_rows_and_of_labels(case, random):
    nodes, edges, Y = case
    columns = random.sample(range(len(nodes)), len(nodes))
    rows = random.sample(range(len(Y)), len(Y))
    other = Hierarchy([nodes[i] for i in columns], edges)
    expected = Hierarchy(nodes, edges).closure(Y)[np.ix_(rows, columns)]
    assert_array_equal(other.closure(Y[np.ix_(rows, columns)]), expected)


def test_closure_takes_lists_and_unusual_arrays():
    made = a_diamond()
    expected = [[1, 1, 0, 1, 1]]
    assert_array_equal(made.closure([[1, 0, 0, 0, 0]]), expected)
    for dtype in (np.float16, np.longdouble, np.uint64):
        result = made.closure(np.array([[1, 0, 0, 0, 0]], dtype))
        assert result.dtype == dtype
        assert_array_equal(result, expected)
    fortran = np.asfortranarray(np.eye(5, dtype=np.int8))
    assert_array_equal(made.closure(fortran), made.closure(np.eye(5, dtype=np.int8)))
    frozen = np.eye(5)
    frozen.setflags(write=False)
    assert_array_equal(made.closure(frozen), made.closure(np.eye(5)))
    assert made.closure(np.empty((0, 5))).shape == (0, 5)
    assert made.closure(sp.csr_array((0, 5))).shape == (0, 5)


def test_stored_zeros_and_stored_halves_of_entries_are_read_right():
    made = Hierarchy.from_edges([("a", "b")])
    stored_zero = sp.csr_array((np.array([0.0, 1.0]), [1, 0], [0, 1, 2]), shape=(2, 2))
    assert_array_equal(made.closure(stored_zero).toarray(), [[0, 0], [1, 0]])
    assert stored_zero.nnz == 2  # the user's matrix is as it was
    in_parts = sp.coo_array((np.array([0.5, 0.5]), ([0, 0], [1, 1])), shape=(1, 2))
    assert_array_equal(made.closure(in_parts).toarray(), [[1, 1]])
    unsorted = sp.csr_array((np.ones(2), [1, 0], [0, 2]), shape=(1, 2))
    assert_canonical(made.closure(unsorted))
    assert unsorted.indices.tolist() == [1, 0]


@pytest.mark.parametrize("n", [128, 256, 65_536])
def test_small_dtypes_do_not_overflow_above_many_labels(n):
    # The root is an ancestor n times over; n is 0 modulo 256.
    made = Hierarchy(range(n + 1), [(0, i) for i in range(1, n + 1)])
    Y = np.ones((1, n + 1), np.int8)
    Y[0, 0] = 0
    assert made.closure(Y).all()
    assert made.closure(sp.csr_array(Y)).nnz == n + 1
    assert made.most_specific(np.ones((1, n + 1), np.int8)).sum() == n


@pytest.mark.parametrize("method", ["closure", "most_specific", "label_sets", "consistent"])
@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_matrices_of_another_shape_or_type_are_refused(method, make):
    call = getattr(a_diamond(), method)
    with pytest.raises(ValueError, match=r"of shape \(2, 4\), but must have 5 columns: one for each label"):
        call(make(np.zeros((2, 4))))
    with pytest.raises(ValueError, match=r"of dtype complex128, but must hold numbers or booleans"):
        call(make(np.zeros((2, 5), complex)))
    if make is np.array:
        with pytest.raises(ValueError, match=r"of shape \(5,\), but must have 5 columns"):
            call(np.zeros(5))
        with pytest.raises(ValueError, match="of dtype <U3, but must hold numbers"):
            call([["low", "", "", "", ""]])
        with pytest.raises(ValueError, match=r"of shape \(1, 2\), but must have 1 column:"):
            getattr(Hierarchy(["a"]), method)([[1, 0]])


@pytest.mark.parametrize("method", ["closure", "most_specific", "label_sets"])
@pytest.mark.parametrize("make", [np.array, sp.csr_array])
@pytest.mark.parametrize(("dtype", "value"), [(float, 0.5), (np.int8, -1), (np.int64, 2), (float, math.inf)])
def test_values_that_no_indicator_has_are_refused(method, make, dtype, value):
    Y = np.eye(5, dtype=dtype)
    Y[3, 1] = value
    with pytest.raises(
        ValueError, match=f"Y holds the value {value}; an indicator holds zeros and ones"
    ) as caught:
        getattr(a_diamond(), method)(make(Y))
    assert "scores > 0.5" in str(caught.value)


# ---- most specific labels


@given(graphs_with([0.0, 1.0]), st.sampled_from(DTYPES))
def test_most_specific_labels_have_no_descendant_in_the_row(case, dtype):
    nodes, edges, Y = case
    made, Y = Hierarchy(nodes, edges), Y.astype(dtype)
    expected = np.zeros_like(Y)
    for i, row in enumerate(Y):
        for j, label in enumerate(nodes):
            expected[i, j] = row[j] and not any(row[nodes.index(lower)] for lower in below(label, edges))
    of_dense, of_sparse = made.most_specific(Y), made.most_specific(sp.csc_array(Y))
    assert of_dense.dtype == of_sparse.dtype == dtype
    assert type(of_dense) is np.ndarray
    assert_array_equal(of_dense, expected)
    assert_canonical(of_sparse)
    assert_array_equal(of_sparse.toarray(), expected)


@given(graphs_with([0.0, 1.0]))
def test_closure_and_most_specific_undo_each_other(case):
    nodes, edges, Y = case
    made = Hierarchy(nodes, edges)
    whole = made.closure(Y)
    assert_array_equal(made.closure(made.most_specific(whole)), whole)
    assert_array_equal(made.closure(made.most_specific(Y)), whole)
    least = made.most_specific(Y)
    assert_array_equal(made.most_specific(made.closure(least)), least)


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_most_specific_labels_are_not_known_where_there_are_gaps(make):
    Y = np.zeros((3, 5))
    Y[2, 1] = math.nan
    with pytest.raises(ValueError, match="most_specific: row 2 of Y holds NaN"):
        a_diamond().most_specific(make(Y))


# ---- sets of labels


@given(graphs(), st.data())
def test_label_sets_become_an_indicator_and_come_back(graph, data):
    nodes, edges = graph
    made = Hierarchy(nodes, edges)
    row = st.lists(st.sampled_from(nodes), max_size=12)
    rows = data.draw(st.lists(row, max_size=6))
    forms = [list, tuple, set, iter, dict.fromkeys, np.array]
    expected = np.array([[label in labels for label in nodes] for labels in rows]).reshape(-1, len(nodes))
    for form in forms:
        Y = made.indicator([form(labels) for labels in rows])
        assert_canonical(Y)
        assert Y.dtype == np.int8
        assert_array_equal(Y.toarray(), expected)
    back = [in_order(set(labels), nodes) for labels in rows]
    assert made.label_sets(Y) == back
    assert made.label_sets(expected) == back
    assert all(type(label) in (str, int) for labels in made.label_sets(Y) for label in labels)


@pytest.mark.parametrize("gap", [None, math.nan, np.float64("nan"), np.float32("nan")])
def test_rows_that_are_not_known_are_gaps(gap):
    made = a_diamond()
    Y = made.indicator([["top", "low"], gap, [], gap])
    assert_canonical(Y)
    assert Y.dtype == np.float32
    nan = math.nan
    assert_array_equal(Y.toarray(), [[1, 1, 0, 0, 0], [nan] * 5, [0] * 5, [nan] * 5])
    assert made.label_sets(Y) == made.label_sets(Y.toarray()) == [("low", "top"), None, (), None]
    assert_array_equal(made.closure(Y).toarray(), [[1, 1, 0, 1, 1], [nan] * 5, [0] * 5, [nan] * 5])
    assert_array_equal(made.indicator(made.label_sets(Y)).toarray(), Y.toarray())


def test_no_rows_are_an_indicator_too():
    assert a_diamond().indicator([]).shape == (0, 5)
    assert a_diamond().label_sets(np.empty((0, 5))) == []


@pytest.mark.parametrize(
    ("rows", "error", "parts"),
    [
        ([["low"], ["lower"]], ValueError, ["row 1 ", "label 'lower'", "did you mean 'low'"]),
        ([["low"], [], ["top", "left", "xyz"], ["q"]], ValueError, ["row 2 ", "'xyz'", "such as 'low'"]),
        ([["low"], "top"], TypeError, ["row 1 ", "the string 'top'", "give ['top']"]),
        ([b"top"], TypeError, ["row 0 ", "give [b'top']"]),
        ("top", TypeError, ["row 0 ", "the string 't'"]),
        ([["low"], 3], TypeError, ["row 1 ", "is 3", "list of labels", "None"]),
        ([["low"], 3.5], TypeError, ["row 1 ", "is 3.5", "list of labels"]),
        ([[None]], ValueError, ["row 0 ", "label None"]),
        ([["low"], [["top"]]], ValueError, ["row 1 ", "label ['top']"]),
    ],
)
def test_label_sets_with_something_else_are_refused_by_row(rows, error, parts):
    with pytest.raises(error) as caught:
        a_diamond().indicator(rows)
    for part in parts:
        assert part in str(caught.value)


def test_indicators_are_not_taken_for_sets_of_numbers():
    with pytest.raises(ValueError, match="row 1 of label_sets has the label True"):
        Hierarchy([0, 1, 2]).indicator([[1, 2], [True, False, True]])
    with pytest.raises(ValueError, match="row 0 of label_sets"):
        Hierarchy([0, 1, 2]).indicator(np.array([[True, False, True]]))


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_rows_that_are_known_in_part_have_no_label_set(make):
    Y = np.zeros((3, 5))
    Y[1, 1] = math.nan
    with pytest.raises(ValueError, match="label_sets: row 1 of Y is NaN for some labels only"):
        a_diamond().label_sets(make(Y))


# ---- consistent scores

SCORES = [0.0, 0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 3.0]


@given(graphs_with(SCORES), st.sampled_from([np.float32, np.float64, np.int8, np.bool_]))
def test_scores_are_raised_to_the_largest_of_descendants(case, dtype):
    nodes, edges, scores = case
    made, scores = Hierarchy(nodes, edges), scores.astype(dtype)
    families = [[j, *map(nodes.index, below(label, edges))] for j, label in enumerate(nodes)]
    expected = np.stack([scores[:, family].max(axis=1) for family in families], axis=1)
    before = scores.copy()
    of_dense, of_sparse = made.consistent(scores), made.consistent(sp.csc_array(scores))
    assert type(of_dense) is np.ndarray
    assert of_dense.flags.c_contiguous
    assert not np.shares_memory(of_dense, scores)
    assert of_dense.dtype == of_sparse.dtype == dtype
    assert_array_equal(of_dense, expected)
    assert_canonical(of_sparse)
    assert_array_equal(of_sparse.toarray(), expected)
    assert_array_equal(scores, before)
    assert_array_equal(made.consistent(of_dense), of_dense)
    assert_array_equal(made.consistent(of_sparse).toarray(), of_dense)


@given(graphs_with(SCORES))
def test_consistent_scores_are_the_lowest_that_do(case):
    nodes, edges, scores = case
    result = Hierarchy(nodes, edges).consistent(scores)
    assert (result >= scores).all()
    for parent, child in edges:
        assert (result[:, nodes.index(parent)] >= result[:, nodes.index(child)]).all()
    # What was raised cannot be lower: it equals its own score or that of a child.
    for j, label in enumerate(nodes):
        lower = [nodes.index(child) for parent, child in edges if parent == label]
        assert (result[:, j] == np.maximum(scores[:, j], result[:, lower].max(axis=1, initial=0))).all()


@given(graphs_with(SCORES), st.sampled_from([0.05, 0.3, 0.9]))
def test_labels_above_a_threshold_are_closed_if_scores_are_consistent(case, threshold):
    nodes, edges, scores = case
    made = Hierarchy(nodes, edges)
    chosen = made.consistent(scores) > threshold
    assert_array_equal(made.closure(chosen), chosen)
    assert_array_equal(made.closure(scores > threshold), chosen)


def test_dense_scores_may_be_negative_and_sparse_ones_not():
    made = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    scores = np.array([[-3.0, -2.0, -math.inf]])
    assert made.consistent(scores).tolist() == [[-2.0, -2.0, -math.inf]]
    with pytest.raises(ValueError, match=r"hold the value -3\.0; sparse scores must not be negative"):
        made.consistent(sp.csr_array(scores))


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_scores_may_be_unknown_for_whole_rows_only(make):
    scores = np.random.default_rng(0).random((4, 5))
    scores[2] = math.nan
    result = spelt_out(a_diamond().consistent(make(scores)))
    assert np.isnan(result[2]).all()
    assert_array_equal(result[[0, 1, 3]], a_diamond().consistent(scores[[0, 1, 3]]))
    scores[1, 3] = math.nan
    with pytest.raises(ValueError, match="consistent: row 1 of scores is NaN for some labels only"):
        a_diamond().consistent(make(scores))


# ---- size


@pytest.mark.parametrize("n", [5000])
def test_deep_chains_need_no_recursion(n):
    # Deepest first, so that no order is given away.
    made = Hierarchy(range(n), [(i + 1, i) for i in range(n - 1)])
    assert made.roots == (n - 1,)
    assert_array_equal(made.depth, np.arange(n)[::-1])
    assert len(made.levels) == n
    assert made.ancestors(0) == tuple(range(1, n))
    assert made.descendants(n - 1) == tuple(range(n - 1))
    assert made.weights(w0=1.0).tolist() == [1.0] * n
    assert Hierarchy.from_json(made.to_json()) == made
    assert pickle.loads(pickle.dumps(made)) == made
    assert made.show(max_lines=n).count("\n") == n - 1
    low = np.zeros((2, n), np.float32)
    low[0, 0] = 1
    low[1] = math.nan
    low[1, n - 1] = 0
    for form in (np.array, sp.csr_array):
        assert_array_equal(spelt_out(made.closure(form(low))).sum(axis=1), [n, 0])
        assert_array_equal(spelt_out(made.consistent(form(low[:1]))), np.ones((1, n)))
    assert made.most_specific(np.ones((1, n))).nonzero()[1].tolist() == [0]
    with pytest.raises(ValueError, match=r"cycle, 0 -> 4999 -> .* -> \.\.\. -> .* -> 0"):
        Hierarchy(range(n), [*made.edges, (0, n - 1)])


def _large_graph(n, n_parents):
    rng = np.random.default_rng(1)
    names = rng.permutation(n).tolist()
    edges = {
        (names[rng.integers(i // 4, i)], names[i])
        for i in range(5, n)
        for _ in range(rng.integers(n_parents) + 1)
    }
    return Hierarchy(range(n), edges)


def test_thousands_of_labels_have_their_ancestors_and_consistent_scores():
    made = _large_graph(5000, 3)
    rng = np.random.default_rng(2)
    sets = rng.integers(0, 5000, (2000, 5)).tolist()
    whole = made.closure(made.indicator(sets))
    scores = rng.random((300, 5000), np.float32)
    raised = made.consistent(scores)
    assert not made.is_tree
    other = made.to_networkx()
    for row in range(0, 2000, 100):
        expected = set(sets[row]).union(*(nx.ancestors(other, label) for label in sets[row]))
        assert set(whole[[row]].indices.tolist()) == expected
    parents, children = np.array(made.edges).T
    assert (raised[:, parents] >= raised[:, children]).all()


def test_sparse_indicators_of_many_rows_are_never_spelt_out():
    # A dense matrix of this shape would take 20 GB.
    made = _large_graph(20_000, 1)
    n_rows = 1_000_000
    Y = sp.csr_array((np.ones(2, np.int8), ([7, n_rows - 1], [3, 11])), shape=(n_rows, 20_000))
    whole = made.closure(Y)
    assert whole.nnz == 2 + len(made.ancestors(3)) + len(made.ancestors(11)) > 4
    assert_array_equal((made.most_specific(whole) - Y).nnz, 0)
    assert made.consistent(Y).nnz == whole.nnz
