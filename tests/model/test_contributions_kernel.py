"""Claims about what features do to the values of a row on its way down the trees."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from slantwood.kernels.matrix import dense_matrix, sparse_matrix
from slantwood.model.contributions import add_contributions

SEEDS = st.integers(0, 2**32 - 1)


def twin(row, trees, values, n_columns):
    """What features do to a row's values, in plain Python."""
    added = np.zeros((n_columns, values.shape[1]))
    for node in trees.roots:
        while trees.left[node] >= 0:
            part = slice(trees.indptr[node], trees.indptr[node + 1])
            columns, w = trees.indices[part], trees.weights[part].astype(np.float64)
            means = trees.means[part].astype(np.float64)
            x = np.where(np.isnan(row[columns]), means, row[columns])
            right = trees.bias[node] + x @ w >= 0
            push = (x - means) * w * (1 if right else -1)
            share = np.maximum(push, 0)
            if not share.any():
                share = np.abs(push) if push.any() else np.ones(len(w))
            side = trees.right[node] if right else trees.left[node]
            np.add.at(added, columns, np.outer(share / share.sum(), values[side] - values[node]))
            node = side
    return added


@pytest.mark.plain_python
@given(SEEDS, st.integers(1, 4), st.sampled_from([0.0, 0.3]))
def test_changes_on_the_way_are_shared_by_those_who_push_along(random_trees, seed, n_trees, missing):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, n_trees)
    values = rng.normal(size=(len(trees.left), 2))
    rows = (rng.integers(-2, 3, (12, 4)) * (rng.random((12, 4)) < 0.6)).astype(np.float32)
    rows[rng.random(rows.shape) < missing] = np.nan
    chosen = rng.integers(0, 12, 5).astype(np.uint32)
    expected = [twin(rows[i], trees, values, 4) for i in chosen]
    for X in (dense_matrix(rows), sparse_matrix(sp.csr_array(rows))):
        out = np.zeros((5, 4, 2))
        add_contributions(X, trees, values, chosen, out)
        assert_allclose(out, expected, rtol=1e-6, atol=1e-9)
