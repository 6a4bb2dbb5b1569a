"""Claims about beam search: it finds what a slow search over dense weights finds."""

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood.kernels.matrix import sparse_matrix
from slantwood.label_trees.beam import beam_scores
from slantwood.label_trees.fitting import LabelTreeSpec, fit_label_trees
from slantwood.label_trees.prediction import label_scores
from slantwood.label_trees.rows import unit_rows

pytestmark = pytest.mark.plain_python

N_LABELS = 30


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return ((rng.random((120, 25)) < 0.3) * rng.exponential(1, (120, 25))).astype(np.float32)


@pytest.fixture(scope="module")
def trees(rows):
    rng = np.random.default_rng(1)
    Y = sp.csr_array((rows @ rng.normal(size=(25, N_LABELS)) > 2.5).astype(np.float32))
    # Nodes of three children: labels lie at depths that differ.
    spec = LabelTreeSpec(2, 3, 3, 1.0, 0.1, 20, 0.05, seed=0, n_jobs=1)
    return fit_label_trees(rows, Y, np.ones(len(rows)), spec)


def slow_scores(rows, trees, beam):
    """Scores of all rows and labels, by matrices of all weights."""
    X = np.column_stack(
        [rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.ones(len(rows))]
    )
    W = np.zeros((len(trees.targets), X.shape[1]))
    for node in range(len(trees.child_starts) - 1):
        for f in range(trees.feature_starts[node], trees.feature_starts[node + 1]):
            for m in range(trees.weight_starts[f], trees.weight_starts[f + 1]):
                W[trees.child_starts[node] + trees.children[m], trees.features[f]] = trees.weights[m]
    steps = np.exp(-(np.maximum(0, 1 - X @ W.T) ** 2))
    scores = np.zeros((len(rows), N_LABELS))
    for i in range(len(rows)):
        for root in trees.roots:
            level = [(1.0, root)]
            while level:
                found = []
                for score, node in level:
                    for c in range(trees.child_starts[node], trees.child_starts[node + 1]):
                        target = trees.targets[c]
                        if target >= 0:
                            scores[i, target] += score * steps[i, c] / len(trees.roots)
                        else:
                            found.append((score * steps[i, c], -1 - target))
                level = sorted(found, key=lambda each: -each[0])[:beam]
    return scores


def search(rows, trees, beam, top_k=-1, share=1.0, others=None, least=0.0):
    others = sp.csr_array((len(rows), N_LABELS), dtype=np.float32) if others is None else others
    beside, ranks = sparse_matrix(others), np.arange(N_LABELS)
    indptr, indices, data = beam_scores(
        *unit_rows(rows), 0, len(rows), trees, beam, share, beside, ranks, least, top_k
    )
    return sp.csr_array((data, indices, indptr), (len(rows), N_LABELS))


@pytest.mark.parametrize("beam", [1, 2, 5, 1000])
def test_scores_are_those_of_the_slow_twin(rows, trees, beam):
    assert len(trees.child_starts) > 10
    np.testing.assert_allclose(search(rows, trees, beam).toarray(), slow_scores(rows, trees, beam), atol=1e-5)


def test_the_best_few_are_those_of_all_scores(rows, trees):
    everything, best = search(rows, trees, 3), search(rows, trees, 3, top_k=4)
    assert best.has_canonical_format
    for i in range(len(rows)):
        scores = everything[[i]].toarray()[0]
        chosen = np.argsort(-scores, kind="stable")[:4]
        np.testing.assert_array_equal(best[[i]].indices, np.sort(chosen[scores[chosen] > 0]))


def test_scores_up_to_the_least_are_left_out(rows, trees):
    everything, some = search(rows, trees, 5).toarray(), search(rows, trees, 5, least=0.3)
    assert 0 < some.nnz < (everything > 0).sum()
    np.testing.assert_array_equal(some.toarray(), np.where(everything > np.float32(0.3), everything, 0))


def test_what_others_say_is_added_for_labels_inside_and_outside_of_the_beam(rows, trees):
    others = sp.random_array((len(rows), N_LABELS), density=0.2, format="csr", rng=np.random.default_rng(0))
    others = others.astype(np.float32)
    mixed = search(rows, trees, 2, share=0.7, others=others).toarray()
    np.testing.assert_allclose(mixed, 0.7 * search(rows, trees, 2).toarray() + others.toarray(), atol=1e-5)


def test_chunks_of_rows_and_threads_change_nothing(rows, trees):
    many = sp.csr_array(np.tile(rows, (5, 1)))
    settings = {"beam": 3, "share": 1.0, "others": None, "top_k": 5}
    one, two = (label_scores(trees, many, np.arange(N_LABELS), **settings, n_jobs=n) for n in (1, 2))
    assert abs(one - two).nnz == 0
    assert abs(one[:120] - search(rows, trees, 3, top_k=5)).nnz == 0


def test_few_rows_have_the_scores_of_many(rows, trees):
    settings = {"beam": 3, "share": 0.5, "top_k": 5, "n_jobs": 1}
    others = sp.random_array((len(rows), N_LABELS), density=0.2, format="csr", rng=np.random.default_rng(0))
    others = others.astype(np.float32)
    many = label_scores(trees, rows, np.arange(N_LABELS), others=others, **settings)
    for i in (0, 7, 119):
        one = label_scores(trees, rows[[i]], np.arange(N_LABELS), others=others[[i]], **settings)
        np.testing.assert_array_equal(one.toarray(), many[[i]].toarray())


def test_no_rows_have_no_scores(rows, trees):
    settings = {"beam": 3, "share": 1.0, "others": None, "top_k": 5, "n_jobs": 1}
    assert label_scores(trees, rows[:0], np.arange(N_LABELS), **settings).shape == (0, N_LABELS)
