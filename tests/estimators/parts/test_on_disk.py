"""Claims about predicting rows on disk: block by block, with the predictions of rows in memory."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from slantwood import (
    LabelTreeClassifier,
    ObliqueBoostingClassifier,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    TailReranker,
)
from slantwood.estimators.parts import on_disk
from slantwood.estimators.parts.on_disk import lies_on_disk
from slantwood.features.encoding import Encoding


@pytest.fixture
def mapped(tmp_path):
    """Return rows on disk, in double precision."""
    X = np.random.default_rng(0).standard_normal((20_000, 20))
    np.save(tmp_path / "X.npy", X)
    return np.load(tmp_path / "X.npy", mmap_mode="r")


@pytest.fixture
def small_blocks(monkeypatch):
    """Let blocks have a few kilobytes."""
    monkeypatch.setattr(on_disk, "_BLOCK_BYTES", 1 << 16)


def test_views_and_sparse_rows_of_arrays_on_disk_are_known_as_such(mapped):
    assert lies_on_disk(mapped)
    assert lies_on_disk(np.asarray(mapped)[5:])
    assert not lies_on_disk(np.array(mapped))
    assert lies_on_disk(sp.csr_array((mapped[:3, 0], np.arange(3), np.array([0, 3])), shape=(1, 3)))
    assert not lies_on_disk(sp.csr_array(np.eye(3)))
    assert not lies_on_disk([1, 2])


@pytest.mark.usefixtures("small_blocks")
def test_predictions_of_blocks_are_those_of_all_rows(mapped):
    y = mapped[:, :3].argmax(axis=1)
    model = ObliqueForestClassifier(4, max_depth=4, random_state=0).fit(mapped[:500], y[:500])
    whole = np.array(mapped)
    np.testing.assert_array_equal(model.predict_proba(mapped), model.predict_proba(whole))
    np.testing.assert_array_equal(model.predict(mapped), model.predict(whole))
    few, some = model.predict_proba(mapped, top_k=1), model.predict_proba(whole, top_k=1)
    assert (few != some).nnz == 0
    numbers = ObliqueForestRegressor(4, max_depth=4, random_state=0).fit(mapped[:500], mapped[:500, :2])
    np.testing.assert_array_equal(numbers.predict(mapped), numbers.predict(whole))


@pytest.mark.usefixtures("small_blocks")
def test_no_method_of_a_model_encodes_all_rows_on_disk_at_once(mapped, monkeypatch):
    X, few = mapped[:2000], np.array(mapped[:60])
    y, labels = few[:, :3].argmax(axis=1), (few[:, :4] > 0).astype(int)
    forest = ObliqueForestClassifier(2, max_depth=3, random_state=0)
    calls = {
        "tree, apply": (ObliqueTreeClassifier(max_depth=3, random_state=0).fit(few, y), "apply"),
        "tree, decision_path": (
            ObliqueTreeClassifier(max_depth=3, random_state=0).fit(few, y),
            "decision_path",
        ),
        "forest, apply": (clone(forest).fit(few, y), "apply"),
        "forest, decision_path": (clone(forest).fit(few, y), "decision_path"),
        "classes": (clone(forest).fit(few, y), "predict_top_k"),
        "labels": (clone(forest).fit(few, labels), "predict_top_k"),
        "boosting": (ObliqueBoostingClassifier(2, random_state=0).fit(few, y), "decision_function"),
        **{
            f"label trees, {name}": (
                LabelTreeClassifier(n_forest_trees=1, random_state=0).fit(few, labels),
                name,
            )
            for name in ("predict", "predict_proba", "predict_top_k")
        },
        "reranker": (
            TailReranker(LabelTreeClassifier(n_forest_trees=0, random_state=0)).fit(few, labels),
            "predict_top_k",
        ),
    }
    seen = []
    encode = Encoding.encode
    monkeypatch.setattr(
        Encoding, "encode", lambda self, table: seen.append(len(table)) or encode(self, table)
    )
    for name, (model, method) in calls.items():
        given = {"k": 2} if method == "predict_top_k" else {}
        seen.clear()
        of_blocks = getattr(model, method)(X, **given)
        assert max(seen) < 2000, name
        assert sum(seen) == (4000 if name == "reranker" else 2000), name  # which asks its classifier, too
        whole = getattr(model, method)(np.array(X), **given)
        for one, other in zip(parts_of(of_blocks), parts_of(whole), strict=True):
            np.testing.assert_array_equal(one, other, err_msg=name)


def parts_of(result):
    """Return what a method returns as dense arrays."""
    parts = result if isinstance(result, tuple) else (result,)
    return [part.toarray() if sp.issparse(part) else part for part in parts]


@pytest.mark.usefixtures("small_blocks")
def test_predicting_rows_on_disk_copies_a_block_at_a_time(mapped):
    model = ObliqueForestRegressor(2, max_depth=3, random_state=0).fit(mapped[:500], mapped[:500, 0])
    model.predict(mapped[:2000])
    tracemalloc.start()
    model.predict(mapped)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.4 * mapped.nbytes  # half would be a copy in single precision
