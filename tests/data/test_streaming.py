"""Claims about long files of labels and pairs: reading takes memory for the arrays that come out, no more."""

import tracemalloc

import numpy as np
import pytest

from slantwood.data import read
from slantwood.data.text import pairs, scanning

N_ROWS, PER_ROW, N_LABELS = 10_000, 40, 300


@pytest.fixture(params=["extreme", "svmlight"])
def form(request):
    return request.param


@pytest.fixture
def path(form, tmp_path):
    """Write rows of a few kinds many times."""
    rng = np.random.default_rng(0)
    kinds = []
    for _ in range(50):
        indices = np.sort(rng.choice(4000, PER_ROW, replace=False))
        labels = ",".join(map(str, np.sort(rng.choice(N_LABELS, 3, replace=False))))
        cells = zip(indices, rng.random(PER_ROW), strict=True)
        kinds.append(f"{labels} " + " ".join(f"{j}:{value:.4f}" for j, value in cells))
    head = [f"{N_ROWS} 4000 {N_LABELS}"] if form == "extreme" else []
    file = tmp_path / "rows.txt"
    file.write_text("\n".join([*head, *(kinds[i % 50] for i in range(N_ROWS))]) + "\n")
    return file


def n_bytes(*matrices):
    return sum(a.nbytes for m in matrices for a in (m.data, m.indices, m.indptr))


def test_reading_takes_little_more_memory_than_what_is_read(path, form, monkeypatch):
    monkeypatch.setattr(scanning, "_MOVED_WITHOUT_COPY", 1 << 16)  # as arrays of files of gigabytes grow
    monkeypatch.setattr(scanning, "BLOCK", 1 << 14)
    monkeypatch.setattr(pairs, "_VALUES_AT_A_TIME", 1 << 12)
    read(path, format=form)  # what is loaded at first does not count
    tracemalloc.start()
    try:
        data = read(path, format=form)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.6 * n_bytes(data.X, data.y)
    assert (data.X.dtype, data.X.indices.dtype, data.y.indices.dtype) == (np.float32, np.int32, np.int32)
    assert data.X.nnz == N_ROWS * PER_ROW


def test_checks_in_parts_find_what_is_wrong_in_any_of_them(monkeypatch):
    monkeypatch.setattr(pairs, "_VALUES_AT_A_TIME", 7)
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.permutation(30)[:5] for _ in range(20)]).astype(np.int32)
    indptr = np.arange(0, 101, 5)

    def refuse(changed):
        pairs.refuse_wrong_numbers(
            "index", changed, indptr, 30, "less", lambda row, text: ValueError((row, text))
        )

    refuse(values)
    for place in (0, 52, 99):
        row = place // 5
        beside = values[5 * row + (place + 1) % 5]
        for wrong, says in ((30, "30; expected less"), (-1, "-1; expected"), (beside, "twice")):
            changed = values.copy()
            changed[place] = wrong
            with pytest.raises(ValueError, match=rf"\({row}, .*{says}"):
                refuse(changed)


@pytest.mark.parametrize("most", [0, 1 << 20])
def test_labels_are_numbered_in_order(monkeypatch, most):
    monkeypatch.setattr(pairs, "_MOST_COUNTED", most)
    monkeypatch.setattr(pairs, "_VALUES_AT_A_TIME", 3)
    labels = np.array([7.0, 3.0, 7.0, 1000.0, 3.0])
    values, places = pairs.numbered(labels)
    assert values.tolist() == [3, 7, 1000]
    assert places.tolist() == [1, 0, 1, 2, 0]
