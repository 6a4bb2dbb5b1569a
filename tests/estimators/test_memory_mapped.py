"""Claims about rows and labels that lie on disk: they are learned from as they lie, without a copy."""

import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood import LabelTreeClassifier, ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.callbacks import Callback
from slantwood.label_trees import fitting
from slantwood.label_trees.fitting import LabelTreeSpec, plan_label_trees
from slantwood.workers.shared import Shared

N, WORDS, N_LABELS = 20_000, 40, 60


@pytest.fixture(scope="module")
def mapped(tmp_path_factory):
    """Return arrays on disk: CSR rows and labels, and dense rows."""
    folder, rng = tmp_path_factory.mktemp("arrays"), np.random.default_rng(0)

    def on_disk(name, array):
        np.save(folder / name, array)
        return np.load(folder / f"{name}.npy", mmap_mode="r")

    def csr(name, per_row, width, dtype):
        step = width // per_row
        indices = rng.integers(0, step, (N, per_row)) + step * np.arange(per_row)
        values = rng.uniform(0.5, 1.5, N * per_row) if dtype == np.float32 else np.ones(N * per_row)
        parts = (values.astype(dtype), indices.ravel().astype(np.int32))
        indptr = np.arange(0, N * per_row + 1, per_row).astype(np.int32)
        arrays = [on_disk(f"{name}{k}", array) for k, array in enumerate((*parts, indptr))]
        return sp.csr_array(tuple(arrays), shape=(N, width))

    dense = on_disk("dense", rng.normal(size=(N, 2 * WORDS)).astype(np.float32))
    return csr("X", WORDS, 40 * WORDS, np.float32), csr("Y", 2, N_LABELS, np.int8), dense


class AtTheFirstTree(Callback):
    """Ends the fit when all is checked and encoded, and notes how much memory that took."""

    def setup(self, estimator, context):
        self.peak = tracemalloc.get_traced_memory()[1]
        raise KeyboardInterrupt


def memory_before_growing(model, X, y):
    watch = AtTheFirstTree()
    tracemalloc.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.set_callbacks(watch).fit(X, y)
    finally:
        tracemalloc.stop()
    return watch.peak


def n_bytes(matrix):
    return matrix.data.nbytes + matrix.indices.nbytes if sp.issparse(matrix) else matrix.nbytes


@pytest.mark.parametrize(
    ("model", "is_dense", "y"),
    [
        (LabelTreeClassifier(random_state=0), False, "labels"),
        (ObliqueForestClassifier(2, random_state=0), False, "labels"),
        (ObliqueForestRegressor(2, random_state=0), False, "numbers"),
        (ObliqueForestClassifier(2, random_state=0), True, "labels"),
        (ObliqueForestRegressor(2, random_state=0), True, "numbers"),
    ],
)
def test_rows_on_disk_are_checked_and_encoded_without_a_copy(mapped, model, is_dense, y):
    X = mapped[2] if is_dense else mapped[0]
    Y = mapped[1] if y == "labels" else np.arange(N, dtype=np.float64)
    assert memory_before_growing(model, X[:100], Y[:100]) > 0  # what is loaded at first is not counted
    assert memory_before_growing(model, X, Y) < 0.45 * n_bytes(X)  # a copy of the values alone would be half


def test_label_trees_are_planned_on_the_rows_as_they_lie(mapped):
    X, Y, _ = mapped
    spec = LabelTreeSpec(1, 4, 20, 1.0, 0.1, 1, 0.1, seed=0, n_jobs=1)
    plan = plan_label_trees(X, Y.astype(np.float32), np.ones(N), spec)
    assert plan.n_parts > 4
    for own, given in ((plan.X.matrix.data, X.data), (plan.X.matrix.indices, X.indices)):
        assert np.shares_memory(own, given)


def test_arrays_on_disk_give_the_model_of_arrays_in_memory(mapped):
    X, Y, _ = (each[:200] for each in mapped)
    settings = {"n_forest_trees": 1, "max_leaf_labels": 20, "n_children": 4, "random_state": 0}
    of_disk = LabelTreeClassifier(1, **settings).fit(X, Y)
    of_memory = LabelTreeClassifier(1, **settings).fit(X.copy(), Y.copy())
    np.testing.assert_array_equal(of_disk.predict_proba(X), of_memory.predict_proba(X))


@pytest.mark.parametrize("model", [LabelTreeClassifier(random_state=0), ObliqueForestClassifier(2)])
def test_the_arrays_of_the_user_stay_as_they_are(model):
    # Shared arrays must not be written to: explicit zeros, and values of the type in use.
    X = sp.csr_array(np.float32([[1, 0, 2], [0, 2, 0], [3, 0, 0], [0, 1, 1]] * 10))
    Y = sp.csr_array(np.float32([[1, 0], [0, 1], [1, 1], [0, 1]] * 10))
    X.data[3], Y.data[5] = 0, 0
    before = [array.copy() for matrix in (X, Y) for array in (matrix.data, matrix.indices, matrix.indptr)]
    model.fit(X, Y).predict(X)
    after = [array for matrix in (X, Y) for array in (matrix.data, matrix.indices, matrix.indptr)]
    assert all(map(np.array_equal, before, after))


def test_workers_do_not_look_for_the_rows_of_labels_again(mapped, monkeypatch):
    X, Y, _ = (each[:500] for each in mapped)
    spec = LabelTreeSpec(2, 4, 20, 1.0, 0.1, 1, 0.1, seed=0, n_jobs=1)
    plan = plan_label_trees(X, Y.astype(np.float32), np.ones(500), spec)
    monkeypatch.setattr(fitting, "_rows_of_labels", None)
    sent = pickle.loads(pickle.dumps(Shared(plan))).value
    for task in [fitting._Task(tree, place) for tree in (0, 1) for place in plan.places[tree]]:
        for one, other in zip(sent.trained(task), plan.trained(task), strict=True):
            np.testing.assert_array_equal(one, other)
