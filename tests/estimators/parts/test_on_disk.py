"""Claims about predicting rows on disk: block by block, with the predictions of rows in memory."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.estimators.parts import on_disk
from slantwood.estimators.parts.on_disk import lies_on_disk, over_blocks


@pytest.fixture
def mapped(tmp_path):
    """Return rows on disk, in double precision."""
    X = np.random.default_rng(0).standard_normal((20_000, 20))
    np.save(tmp_path / "X.npy", X)
    return np.load(tmp_path / "X.npy", mmap_mode="r")


@pytest.fixture
def small_blocks(monkeypatch):
    """Let blocks have a few kilobytes."""
    given = over_blocks.__defaults__
    monkeypatch.setattr(over_blocks, "__defaults__", (1 << 16,))
    yield
    assert given == (on_disk._BLOCK_BYTES,)


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
def test_predicting_rows_on_disk_copies_a_block_at_a_time(mapped):
    model = ObliqueForestRegressor(2, max_depth=3, random_state=0).fit(mapped[:500], mapped[:500, 0])
    model.predict(mapped[:2000])
    tracemalloc.start()
    model.predict(mapped)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.4 * mapped.nbytes  # half would be a copy in single precision
