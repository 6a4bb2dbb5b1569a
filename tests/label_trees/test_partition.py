"""Claims about how labels are divided: every label once, leaves small, like labels together."""

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood.features.matrix import to_array
from slantwood.label_trees import partition as partitioning
from slantwood.label_trees.partition import divide_labels, label_directions
from slantwood.label_trees.rows import unit_rows


def directions_of(rows, Y):
    return label_directions(unit_rows(rows), sp.csr_array(Y), np.ones(len(rows)))


def grouped(n_groups=4, per_group=6, n_rows=200, seed=0):
    """Rows of a group have the words of the group, and one or two of its labels."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, n_groups, n_rows)
    X = np.kron(np.eye(n_groups), np.ones(5))[group] * rng.random((n_rows, 5 * n_groups))
    Y = np.zeros((n_rows, n_groups * per_group), np.float32)
    for _ in range(2):
        Y[np.arange(n_rows), group * per_group + rng.integers(0, per_group, n_rows)] = 1
    return X / np.linalg.norm(X, axis=1, keepdims=True), Y


def labels_under(partition, node):
    found = []
    for c in range(partition.child_starts[node], partition.child_starts[node + 1]):
        below = partition.order[partition.label_starts[c] : partition.label_stops[c]]
        child = partition.nodes[c]
        assert sorted(below) == (sorted(labels_under(partition, child)) if child >= 0 else list(below))
        assert child >= 0 or len(below) == 1
        found += list(below)
    return found


@pytest.mark.parametrize(("n_children", "max_leaf_labels"), [(2, 2), (4, 6), (3, 5), (100, 100)])
def test_every_label_stands_once_below_the_root_and_leaves_stay_small(n_children, max_leaf_labels):
    directions = directions_of(*grouped())
    labels = np.array([0, 2, 3, *range(7, 24)])
    partition = divide_labels(directions, labels, n_children, max_leaf_labels, seed=3)
    assert sorted(labels_under(partition, 0)) == labels.tolist()
    counts = np.diff(partition.child_starts)
    assert counts.min() >= 2
    assert counts.max() <= max(n_children, max_leaf_labels)


def test_labels_of_rows_that_are_alike_stand_together():
    partition = divide_labels(directions_of(*grouped()), np.arange(24), 8, 6, seed=1)
    for start, stop in zip(partition.label_starts[:8], partition.label_stops[:8], strict=True):
        if stop <= partition.label_stops[partition.child_starts[1] - 1]:
            assert len(set(partition.order[start:stop] // 6)) == 1


def test_labels_of_the_very_same_rows_are_divided_all_the_same():
    directions = directions_of(np.ones((4, 3)), np.ones((4, 50), np.float32))
    partition = divide_labels(directions, np.arange(50), 10, 8, seed=1)
    assert sorted(labels_under(partition, 0)) == list(range(50))
    assert np.diff(partition.child_starts).max() <= 10


def test_the_direction_of_a_label_is_that_of_the_weighted_sum_of_its_rows():
    X, Y = grouped(n_rows=50)
    weights = np.random.default_rng(1).uniform(0.1, 3, 50)
    found = label_directions(unit_rows(X), sp.csr_array(Y), weights)
    sums = (Y * weights[:, None]).T @ X
    expected = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    dense = sp.csr_array((found.data, found.indices.view(np.int32), found.indptr), expected.shape).toarray()
    np.testing.assert_allclose(dense, expected, atol=1e-6)


def test_sums_are_found_in_parts_and_keep_their_largest_features(monkeypatch):
    X, Y = grouped(n_rows=50)
    whole = to_array(directions_of(X, Y))
    monkeypatch.setattr(partitioning, "_ADDED_AT_ONCE", 30)
    in_parts = to_array(directions_of(X, Y))
    np.testing.assert_array_equal(in_parts.toarray(), whole.toarray())
    few = to_array(label_directions(unit_rows(X), sp.csr_array(Y), np.ones(50), 3)).toarray()
    for direction, cut in zip(whole.toarray(), few, strict=True):
        expected = np.where(direction >= np.sort(direction)[-3], direction, 0)
        np.testing.assert_allclose(cut, expected / max(np.linalg.norm(expected), 1e-12), atol=1e-6)


def test_a_seed_gives_one_partition_and_another_seed_another():
    directions = directions_of(*grouped())
    first, again, other = (divide_labels(directions, np.arange(24), 4, 3, seed) for seed in (1, 1, 2))
    assert all(map(np.array_equal, first, again))
    assert not np.array_equal(first.order, other.order)
