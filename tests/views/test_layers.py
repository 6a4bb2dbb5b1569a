"""Claims about rows and ways: what shares a column keeps its distance, and trees have no crossings."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.targets.hierarchy import Hierarchy
from slantwood.views.layers import layered_layout


@st.composite
def graphs(draw, max_parents):
    n = draw(st.integers(1, 14))
    edges = set()
    for child in range(1, n):
        parents = draw(st.sets(st.integers(0, child - 1), max_size=max_parents))
        edges |= {(parent, child) for parent in parents}
    return Hierarchy(range(n), sorted(edges))


def laid_out(hierarchy):
    return layered_layout(hierarchy.depth.tolist(), hierarchy.edges)


def links(hierarchy, layout):
    """Cut the edges into their parts: a column, the row there, and the row in the next column."""
    return [
        (hierarchy.depth[parent] + i, start, end)
        for (parent, _), way in zip(hierarchy.edges, layout.ways, strict=True)
        for i, (start, end) in enumerate(pairwise(way))
    ]


def n_crossings(hierarchy, layout):
    return sum(
        a[0] == b[0] and (a[1] - b[1]) * (a[2] - b[2]) < -1e-9
        for a, b in combinations(links(hierarchy, layout), 2)
    )


@given(graphs(max_parents=3))
def test_nodes_and_passing_edges_of_a_column_are_a_row_apart(hierarchy):
    layout = laid_out(hierarchy)
    columns = [[] for _ in hierarchy.levels]
    for node, row in enumerate(layout.rows):
        columns[hierarchy.depth[node]].append(row)
    for (parent, _), way in zip(hierarchy.edges, layout.ways, strict=True):
        for i, row in enumerate(way[1:-1], 1):
            columns[hierarchy.depth[parent] + i].append(row)
    for rows in columns:
        assert all(below - above > 1 - 1e-9 for above, below in pairwise(sorted(rows)))


@given(graphs(max_parents=3))
def test_ways_lead_from_parents_to_children_through_every_column_between(hierarchy):
    layout = laid_out(hierarchy)
    assert len(layout.ways) == len(hierarchy.edges)
    for (parent, child), way in zip(hierarchy.edges, layout.ways, strict=True):
        assert (way[0], way[-1]) == (layout.rows[parent], layout.rows[child])
        assert len(way) == hierarchy.depth[child] - hierarchy.depth[parent] + 1


@given(graphs(max_parents=1))
def test_trees_have_no_crossing_a_row_for_each_leaf_and_parents_amid_their_children(hierarchy):
    layout = laid_out(hierarchy)
    assert n_crossings(hierarchy, layout) == 0
    assert sorted(layout.rows[leaf] for leaf in hierarchy.leaves) == pytest.approx(
        range(len(hierarchy.leaves))
    )
    for node in hierarchy:
        rows = [layout.rows[child] for child in hierarchy.children(node)]
        if rows:
            assert layout.rows[node] == pytest.approx(sum(rows) / len(rows))


def test_crossings_that_the_order_of_nodes_would_have_are_avoided():
    # As they come, the link of 1 would cross those of 0 or of 2.
    hierarchy = Hierarchy(range(6), [(0, 3), (0, 5), (1, 4), (2, 5)])
    assert n_crossings(hierarchy, laid_out(hierarchy)) == 0


def test_a_crossing_that_nothing_avoids_is_kept_single():
    complete = Hierarchy(range(4), [(0, 2), (0, 3), (1, 2), (1, 3)])
    assert n_crossings(complete, laid_out(complete)) == 1


def test_a_long_edge_goes_around_what_is_in_its_way():
    hierarchy = Hierarchy(range(3), [(0, 1), (1, 2), (0, 2)])
    layout = laid_out(hierarchy)
    assert abs(layout.ways[1][1] - layout.rows[1]) == pytest.approx(1)  # edges are sorted: that of 0 and 2
