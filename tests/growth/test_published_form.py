"""Claims about the published form: node by node it is the publication's algorithm, on every task."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood import GradientSplit, ObliqueForestClassifier, ObliqueTreeClassifier, SVMSplit
from slantwood.growth.separation import largest_decrease
from slantwood.growth.subspaces import choose_of_all
from slantwood.kernels.compiling import IS_PLAIN
from slantwood.kernels.two_means import two_means
from tests.growth.published import gradient_test, grow_tree, is_acceptable, svm_test
from tests.sampling import examples

SEED = 12345
HIERARCHY = np.array([1, 1, 0.75, 0.75, 0.5625])


def rows(n=70, d=6):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d)).astype(np.float32)
    X[:, -1] = rng.integers(0, 2, n)
    return X, X @ rng.normal(size=(d, 5)) + 0.5 * rng.normal(size=(n, 5))


def problem(task):
    """Return features, targets as the clustering attributes, and the weights of these."""
    X, scores = rows()
    labels = (scores > 0.5).astype(np.float32)
    Y = {
        "binary": labels[:, :1],
        "multi-class": np.eye(5, dtype=np.float32)[scores.argmax(axis=1)],
        "multi-label": labels,
        "hierarchical multi-label": np.column_stack(
            [
                labels[:, 0],
                labels[:, 1],
                labels[:, 0] * labels[:, 2],
                labels[:, 1] * labels[:, 3],
                labels[:, 0] * labels[:, 2] * labels[:, 4],
            ]
        ),
        "regression": scores[:, :1].astype(np.float32),
        "multi-target regression": scores.astype(np.float32),
    }[task]
    p = HIERARCHY if task.startswith("hier") else np.ones(Y.shape[1])
    return X, Y, p


TASKS = [
    "binary",
    "multi-class",
    "multi-label",
    "hierarchical multi-label",
    "regression",
    "multi-target regression",
]


@pytest.fixture
def compare(plan, grown):
    def go(X, Y, p, learner, best_test, container):
        published = plan(
            container(X),
            container(Y) if container is sp.csr_array else Y,
            attribute_weights=p,
            learner=learner,
            is_plain=True,
            by_impurity=True,
        )
        tree = grown(published, seed=SEED)
        nodes = grow_tree(X.astype(np.float64), Y.astype(np.float64), Y.astype(np.float64), p, best_test)
        assert len(tree.left) == len(nodes) > 5
        assert [left < 0 for left in tree.left] == [node.weights is None for node in nodes]
        assert [int(weight) for weight in tree.node_weight] == [len(node.rows) for node in nodes]
        for place, node in enumerate(nodes):
            own = tree.rows[tree.start[place] : tree.stop[place]]
            assert sorted(own) == node.rows.tolist()

    return go


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("scale_penalty", [True, False])
def test_gradient_trees_are_those_of_the_text(compare, task, container, scale_penalty):
    X, Y, p = problem(task)
    state = np.array([SEED], np.uint64)
    # Few steps: what single precision rounds away grows from step to step.
    learner = replace(GradientSplit.published(scale_penalty=scale_penalty), max_iter=10)
    compare(X, Y, p, learner, gradient_test(state, max_iter=10, scale_penalty=scale_penalty), container)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("task", TASKS)
def test_svm_trees_are_those_of_the_text(compare, gathered, dense, task, container):
    X, Y, p = problem(task)
    state = np.array([SEED], np.uint64)

    def cluster(Z):
        is_right = np.zeros(len(Z), bool)
        block, _, _ = gathered(dense(Z.astype(np.float32)), power=0.0, unit_variance=False)
        two_means(block, np.ones(len(Z), np.float32), 10, state, is_right)
        return is_right

    learner = SVMSplit(10.0, 100_000, 10, 1e-7, None, 1.0, 1.0, 1)
    compare(X, Y, p, learner, svm_test(cluster), container)


@given(st.integers(0, 2**32 - 1))
@examples(20)
def test_acceptance_is_by_the_impurity_of_all_attributes(gathered, in_both_forms, seed):
    rng = np.random.default_rng(seed)
    n, k = rng.integers(3, 30), rng.integers(1, 5)
    Z = rng.normal(size=(n, k)).round(1)
    Z[0] += 1  # no column is constant
    weights = rng.integers(1, 4, n).astype(np.float32)
    is_right = rng.random(n) < 0.5
    for matrix in in_both_forms(Z):
        block, columns, _ = gathered(matrix, weights=weights)
        found = largest_decrease(block, weights, is_right, np.where(is_right, weights, 0).astype(np.float32))
        if is_right.all() or not is_right.any():
            continue
        z = (Z - np.average(Z, axis=0, weights=weights)) / np.sqrt(
            np.average((Z - np.average(Z, axis=0, weights=weights)) ** 2, axis=0, weights=weights)
        )
        repeated = np.repeat(z[:, columns], weights.astype(int), axis=0)
        sides = np.repeat(is_right, weights.astype(int))
        if abs(found - 0.05) > 1e-4:
            assert (found >= 0.05) == is_acceptable(repeated, np.ones(len(columns)), sides)


def test_a_subspace_has_features_that_vary_and_others(gathered, dense):
    X = np.random.default_rng(0).normal(size=(20, 12)).astype(np.float32)
    X[:, 4:] = 1.0
    state = np.array([7], np.uint64)
    counts = np.zeros(13, int)
    seen = np.zeros(12, int)
    for _ in range(2000):
        matrix = dense(X)
        _, columns, workspace = gathered(matrix)
        count = choose_of_all(matrix, workspace, len(columns), 3, state)
        counts[count] += 1
        seen[workspace.columns[:count].astype(int)] += 1
    # Of twelve features of which four vary, three are drawn.
    expected = 2000 * np.array([56, 112, 48, 4]) / 220
    assert np.abs(counts[:4] - expected).max() < 80
    assert counts[4:].sum() == 0
    assert np.abs(seen[:4] - 500).max() < 80
    assert seen[4:].sum() == 0


@pytest.mark.parametrize(("n_features", "most"), [(1, 1), (3, 3), ("sqrt", 3)])
def test_as_few_features_are_combined_as_asked_for(n_features, most):
    X, scores = rows(d=6)
    forest = ObliqueForestClassifier(
        5, preset="paper", max_features=n_features, min_impurity_decrease=0.0, random_state=0
    ).fit(X, scores[:, 0] > 0)
    sizes = np.diff(forest.trees_.indptr)
    assert sizes.max() <= most
    assert len(sizes) > 5


def test_of_many_labels_no_split_lowers_enough_of_the_impurity():
    X = np.random.default_rng(0).normal(size=(300, 40))
    Y = (X > 0).astype(int)  # each label has a feature of its own
    plain = ObliqueTreeClassifier(preset="paper", random_state=0).fit(X, Y)
    ours = ObliqueTreeClassifier(preset="paper", acceptance="direction", random_state=0).fit(X, Y)
    assert len(plain.trees_.left) == 1
    assert len(ours.trees_.left) > 20


@pytest.mark.skipif(IS_PLAIN, reason="takes long as plain Python")
def test_settings_say_which_form_it_is():
    X, scores = rows()
    for preset, words in (("paper", ("impurity", "all")), ("default", ("direction", "varying"))):
        settings = ObliqueForestClassifier(2, preset=preset).fit(X, scores[:, 0] > 0).settings_
        assert (settings.acceptance, settings.feature_sampling) == words
