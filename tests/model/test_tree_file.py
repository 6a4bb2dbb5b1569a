"""Trees in a file: they come back as they were, and nothing that is no tree is taken for one."""

from itertools import pairwise, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood.kernels.matrix import Matrix, dense_matrix, sparse_matrix
from slantwood.model.container import ModelFileError
from slantwood.model.tree_file import from_arrays, to_arrays
from slantwood.model.trees import Trees, join

N_FEATURES, N_TARGETS = 6, 4


def tree_of(inner, rng, sparse_leaves, scale=1.0):
    """Make a tree with the given inner nodes, numbered breadth first, and random numbers otherwise."""
    n_nodes = len(inner)
    left, right, depth = np.full(n_nodes, -1), np.full(n_nodes, -1), np.zeros(n_nodes, int)
    n_known = 1
    for node in np.flatnonzero(inner):
        left[node], right[node] = n_known, n_known + 1
        depth[n_known : n_known + 2] = depth[node] + 1
        n_known += 2
    weights = sp.random_array((n_nodes, N_FEATURES), density=0.5, rng=rng, format="csr")
    weights = sp.csr_array(weights.toarray() * inner[:, None] * scale, dtype=np.float32)
    values = rng.random((int((~inner).sum()), N_TARGETS)).astype(np.float32)
    values[rng.random(values.shape) < 0.5] = 0.0
    return Trees(
        np.zeros(1, np.int32),
        left.astype(np.int32),
        right.astype(np.int32),
        np.where(inner, -1, np.cumsum(~inner) - 1).astype(np.int32),
        weights.indptr.astype(np.int64),
        weights.indices.astype(np.int32),
        weights.data * rng.choice([-1, 1], weights.nnz).astype(np.float32),
        rng.normal(size=weights.nnz).astype(np.float32),
        np.where(inner, rng.normal(size=n_nodes) * scale, 0.0),
        depth.astype(np.int32),
        rng.integers(1, 300, n_nodes).astype(np.float64),
        sparse_matrix(sp.csr_array(values)) if sparse_leaves else dense_matrix(values),
    )


def random_inner(rng):
    """Draw which nodes of a tree are inner ones."""
    inner, waiting = [], 1
    while waiting:
        inner.append(bool(rng.random() < 0.48 and len(inner) < 60))
        waiting += 1 if inner[-1] else -1
    return np.array(inner)


def random_forest(seed, sparse_leaves=False, n_trees=3):
    rng = np.random.default_rng(seed)
    return join([tree_of(random_inner(rng), rng, sparse_leaves) for _ in range(n_trees)])


def read_again(trees, **options):
    document, arrays = to_arrays(trees, **options)
    again = from_arrays(document, arrays, n_features=N_FEATURES, n_targets=N_TARGETS)
    assert not arrays
    return again


def assert_same(trees, again, but=()):
    for name, one, other in zip(Trees._fields, trees, again, strict=True):
        if name in but:
            continue
        pairs = zip(one, other, strict=True) if isinstance(one, Matrix) else [(one, other)]
        for a, b in pairs:
            np.testing.assert_array_equal(a, b, err_msg=name)
            assert np.asarray(a).dtype == np.asarray(b).dtype
            assert np.asarray(b).flags.writeable
            assert np.asarray(b).flags.c_contiguous


@given(st.integers(0, 10_000), st.booleans(), st.integers(1, 5))
def test_trees_come_back_as_they_were(seed, sparse_leaves, n_trees):
    trees = random_forest(seed, sparse_leaves, n_trees)
    assert_same(trees, read_again(trees))
    again = read_again(trees, predict_only=True)
    assert_same(trees, again, but="node_weight")
    assert np.isnan(again.node_weight).all()


@pytest.mark.plain_python
@pytest.mark.parametrize("n_nodes", range(1, 12))
def test_bits_are_read_just_where_they_are_trees(n_nodes):
    rng = np.random.default_rng(0)
    for inner in map(np.array, product([False, True], repeat=n_nodes)):
        pieces, waiting = [0], 1  # how many nodes each tree has
        for is_inner in inner:
            if waiting == 0:
                pieces.append(0)
                waiting = 1
            pieces[-1] += 1
            waiting += 1 if is_inner else -1
        is_forest = waiting == 0
        for n_trees in {1, n_nodes, len(pieces) - 1 or 1, len(pieces), len(pieces) + 1}:
            n_inner = int(inner.sum())
            document = {"n_trees": n_trees, "sparse_leaves": False}
            arrays = {
                "trees/inner": np.packbits(inner),
                "trees/bias": np.zeros(n_inner),
                "trees/counts": np.zeros(n_inner, np.uint8),
                "trees/features": np.zeros(0, np.uint16),
                "trees/weights": np.zeros(0, np.float32),
                "trees/means": np.zeros(0, np.float32),
                "leaves/values": np.zeros((n_nodes - n_inner, N_TARGETS), np.float32),
            }
            if not is_forest or n_trees != len(pieces):
                with pytest.raises(ModelFileError):
                    from_arrays(document, arrays, n_features=N_FEATURES, n_targets=N_TARGETS)
                continue
            read = from_arrays(document, arrays, n_features=N_FEATURES, n_targets=N_TARGETS)
            bounds = np.cumsum([0, *pieces])
            expected = join([tree_of(inner[a:b], rng, False) for a, b in pairwise(bounds)])
            for name in ("roots", "left", "right", "leaf", "depth"):
                np.testing.assert_array_equal(getattr(read, name), getattr(expected, name), err_msg=name)


@given(st.integers(0, 1000))
def test_features_in_any_order_are_put_in_theirs(seed):
    trees, rng = random_forest(seed), np.random.default_rng(seed)
    document, arrays = to_arrays(trees)
    node = np.repeat(np.arange(len(trees.left)), np.diff(trees.indptr))
    mixed = np.lexsort((rng.random(len(node)), node))
    for name in ("trees/features", "trees/weights", "trees/means"):
        arrays[name] = arrays[name][mixed] if len(arrays[name]) == len(mixed) else arrays[name]
    again = from_arrays(document, arrays, n_features=N_FEATURES, n_targets=N_TARGETS)
    for name in ("indices", "weights", "means"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trees, name))


def test_a_very_deep_tree_is_read_quickly():
    # As many steps as the logarithm of the depth; one for each level would take minutes.
    depth = 500_000
    arrays = {
        "trees/inner": np.packbits([*[True, False] * depth, False]),
        "trees/bias": np.zeros(depth),
        "trees/counts": np.zeros(depth, np.uint8),
        "trees/features": np.zeros(0, np.uint16),
        "trees/weights": np.zeros(0, np.float32),
        "trees/means": np.zeros(0, np.float32),
        "leaves/values": np.zeros((depth + 1, 1), np.float32),
    }
    trees = from_arrays({"n_trees": 1, "sparse_leaves": False}, arrays, n_features=1, n_targets=1)
    np.testing.assert_array_equal(trees.depth, (np.arange(2 * depth + 1) + 1) // 2)


def test_whole_numbers_are_narrow_and_equal_numbers_are_one():
    trees = random_forest(1, sparse_leaves=True)
    trees = trees._replace(means=np.zeros_like(trees.means))
    trees = trees._replace(leaves=trees.leaves._replace(data=np.ones_like(trees.leaves.data)))
    _, arrays = to_arrays(trees)
    types = {name: array.dtype.name for name, array in arrays.items()}
    assert types == {
        "trees/inner": "uint8",
        "trees/bias": "float64",
        "trees/counts": "uint8",
        "trees/features": "uint16",
        "trees/weights": "float32",
        "trees/means": "float32",
        "trees/sizes": "uint16",
        "leaves/counts": "uint8",
        "leaves/targets": "uint16",
        "leaves/values": "float32",
    }
    assert len(arrays["trees/means"]) == len(arrays["leaves/values"]) == 1
    assert_same(trees, read_again(trees))
    assert_same(trees, read_again(trees._replace(means=-trees.means)), but="means")
    assert np.signbit(read_again(trees._replace(means=-trees.means)).means).all()  # -0.0 is not 0.0


def test_wide_numbers_come_back_too():
    trees = random_forest(1)
    trees = trees._replace(
        indices=trees.indices + np.int32(100_000), node_weight=trees.node_weight + 0.5 + 1e12
    )
    document, arrays = to_arrays(trees)
    assert arrays["trees/features"].dtype == np.uint32
    assert arrays["trees/sizes"].dtype == np.float64
    assert_same(trees, from_arrays(document, arrays, n_features=200_000, n_targets=N_TARGETS))


def test_the_bulk_is_not_copied():
    trees = random_forest(1)
    document, arrays = to_arrays(trees)
    assert arrays["trees/weights"] is trees.weights
    again = from_arrays(document, dict(arrays), n_features=N_FEATURES, n_targets=N_TARGETS)
    for one, other in [(again.weights, "trees/weights"), (again.means, "trees/means")]:
        assert np.shares_memory(one, arrays[other])
    assert np.shares_memory(again.leaves.values, arrays["leaves/values"])


# ---- half precision


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([1e-30, 1e-12, 1e-3, 1.0, 1e6, 1e30]))
def test_half_precision_changes_weights_by_half_a_thousandth_in_units_of_any_size(seed, sparse_leaves, scale):
    rng = np.random.default_rng(seed)
    trees = tree_of(random_inner(rng), rng, sparse_leaves, scale)
    again = read_again(trees, float16=True)
    assert_same(trees, again, but=("weights", "means", "bias", "leaves"))
    np.testing.assert_allclose(again.means, trees.means, rtol=2**-11, atol=1e-7)
    if sparse_leaves:
        np.testing.assert_allclose(again.leaves.data, trees.leaves.data, rtol=2**-11, atol=1e-7)
    else:
        np.testing.assert_allclose(again.leaves.values, trees.leaves.values, rtol=2**-11, atol=1e-7)
    for node in np.flatnonzero(trees.left >= 0):
        part = slice(trees.indptr[node], trees.indptr[node + 1])
        before, after = trees.weights[part].astype(np.float64), again.weights[part].astype(np.float64)
        if not len(before):
            continue
        largest = np.abs(before).argmax()
        factor = 2.0 ** np.rint(np.log2(after[largest] / before[largest]))
        np.testing.assert_allclose(after, before * factor, rtol=2**-11, atol=2**-24)
        # At the node's means the distance from the hyperplane is as it was.
        at_means = trees.means[part].astype(np.float64)
        distance = before @ at_means + trees.bias[node]
        size = np.abs(before * at_means).sum() + abs(trees.bias[node])
        assert after @ at_means + again.bias[node] == pytest.approx(
            distance * factor, abs=1e-6 * size * factor
        )


def test_numbers_too_large_for_half_precision_keep_theirs():
    trees = random_forest(3)
    trees = trees._replace(means=trees.means * np.float32(1e6))
    trees = trees._replace(leaves=dense_matrix(trees.leaves.values * np.float32(-1e6)))
    _, arrays = to_arrays(trees, float16=True)
    assert arrays["trees/means"].dtype == arrays["leaves/values"].dtype == np.float32
    assert arrays["trees/weights"].dtype == np.float16


# ---- what is refused


def test_trees_numbered_otherwise_are_not_written(random_trees):
    trees = random_trees(np.random.default_rng(0), 9)
    assert (np.diff(trees.left[trees.left >= 0]) < 0).any()
    with pytest.raises(ValueError, match="breadth first"):
        to_arrays(trees)


@pytest.mark.parametrize("name", ["weights", "means", "bias"])
def test_numbers_that_are_not_finite_are_not_written(name):
    trees = random_forest(1)
    for wrong in (np.nan, np.inf):
        broken = trees._replace(**{name: getattr(trees, name) * 0 + getattr(trees, name).dtype.type(wrong)})
        with pytest.raises(ValueError, match="not finite"):
            to_arrays(broken)


def changed(array, place, value):
    array = array.copy()
    array.flat[place] = value
    return array


WRONG = {
    "trees/inner": [
        lambda a: a[:-1],
        lambda a: np.append(a, np.uint8(0)),
        lambda a: ~a,
        lambda a: a.view("i1"),
    ],
    "trees/bias": [
        lambda a: a[1:],
        lambda a: a.astype(np.float32),
        lambda a: changed(a, 0, np.nan),
        lambda a: changed(a, 0, -np.inf),
        lambda a: a[None],
    ],
    "trees/counts": [
        lambda a: a[1:],
        lambda a: a + a.dtype.type(1),
        lambda a: changed(a, 0, 255),
        lambda a: a.astype(np.int64),
        lambda a: np.full(len(a), 2**32 - 1, np.uint32),
    ],
    "trees/features": [
        lambda a: a[1:],
        lambda a: changed(a, 0, N_FEATURES),
        lambda a: changed(a, -1, 65535),
        lambda a: a.astype(np.int32),
        lambda a: a.astype(np.uint32) + np.uint32(2**31),
    ],
    "trees/weights": [
        lambda a: a[1:],
        lambda a: a[:1],
        lambda a: changed(a, 3, np.nan),
        lambda a: changed(a, 3, np.inf),
        lambda a: a.astype(np.float64),
        lambda a: np.full(len(a), np.inf, np.float16),
    ],
    "trees/means": [lambda a: a[:2], lambda a: changed(a, 0, np.nan), lambda a: a[:0]],
    "trees/sizes": [lambda a: a[1:], lambda a: np.full(len(a), np.nan), lambda a: a.astype(np.int16)],
    "leaves/values": [
        lambda a: a[1:],
        lambda a: a[:, 1:] if a.ndim == 2 else a[:2],
        lambda a: a.T if a.ndim == 2 else a[None],
        lambda a: changed(a, 0, np.nan),
        lambda a: changed(a, 0, np.inf),
        lambda a: a.astype(np.float64),
    ],
    "leaves/counts": [lambda a: a[1:], lambda a: a + a.dtype.type(1), lambda a: changed(a, 0, 200)],
    "leaves/targets": [
        lambda a: a[1:],
        lambda a: changed(a, 0, N_TARGETS),
        lambda a: a.astype(np.uint32) + np.uint32(2**31),
        lambda a: a.astype(np.int64),
    ],
}


@pytest.mark.parametrize("sparse_leaves", [False, True])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_arrays_are_refused(name, sparse_leaves):
    for make_wrong in WRONG[name]:
        document, arrays = to_arrays(random_forest(1, sparse_leaves))
        if name in arrays:
            arrays[name] = make_wrong(arrays[name])
            with pytest.raises(ModelFileError):
                from_arrays(document, arrays, n_features=N_FEATURES, n_targets=N_TARGETS)


@pytest.mark.parametrize("sparse_leaves", [False, True])
def test_missing_arrays_are_refused(sparse_leaves):
    document, arrays = to_arrays(random_forest(1, sparse_leaves))
    for name in arrays.keys() - {"trees/sizes"}:
        rest = {key: array for key, array in arrays.items() if key != name}
        with pytest.raises(ModelFileError, match=f"'{name}' is missing"):
            from_arrays(document, rest, n_features=N_FEATURES, n_targets=N_TARGETS)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"n_trees": 3},
        {"n_trees": 3, "sparse_leaves": False, "more": 1},
        *({"n_trees": n, "sparse_leaves": False} for n in (0, -1, 2, 4, 10**30, 3.0, True, "3", None)),
        *({"n_trees": 3, "sparse_leaves": value} for value in (True, 0, None, "no")),
    ],
)
def test_wrong_documents_are_refused(document):
    _, arrays = to_arrays(random_forest(1))
    with pytest.raises(ModelFileError):
        from_arrays(document, arrays, n_features=N_FEATURES, n_targets=N_TARGETS)
