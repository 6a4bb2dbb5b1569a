"""Claims about the dealing out of rows to folds."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood.kernels.stratify import stratify
from tests.sampling import examples

pytestmark = pytest.mark.plain_python

SHAPES = st.tuples(st.integers(2, 24), st.integers(0, 12))
DENSITIES = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7])
SEEDS = st.integers(0, 2**32 - 1)
FOLDS = st.integers(2, 6)


def drawn(shape, density, seed):
    """Labels that are rarer or more frequent than others, and rows without any."""
    rng = np.random.default_rng(seed)
    labels = rng.random(shape) < density * rng.uniform(0.5, 1.5, shape[1])
    labels[rng.random(shape[0]) < 0.1] = False
    return labels


def dealt(labels, n_folds, seed=0):
    by_row, by_label = sp.csr_array(labels), sp.csc_array(labels)
    arrays = (by_row.indptr, by_row.indices, by_label.indptr, by_label.indices)
    return stratify(*(array.astype(np.int64) for array in arrays), n_folds, np.array([seed], np.uint64))


def twin(labels, n_folds):
    """The same, slowly: everything is counted anew for every row."""
    n_rows, n_labels = labels.shape
    folds = np.full(n_rows, -1)
    one_row = [2**32 // max(int(labels[:, label].sum()), 1) for label in range(n_labels)]

    def rows_of(label, fold):
        return int(np.sum(labels[:, label] & (folds == fold)))

    def is_open(fold):
        if np.sum(folds == fold) < n_rows // n_folds:
            return True
        n_larger = sum(np.sum(folds == other) > n_rows // n_folds for other in range(n_folds))
        return np.sum(folds == fold) == n_rows // n_folds and n_larger < n_rows % n_folds

    def best_fold(row, label):
        def crowding(fold):
            return sum(one_row[other] * rows_of(other, fold) for other in np.flatnonzero(labels[row]))

        def rank(fold):
            first = () if label is None else (rows_of(label, fold), crowding(fold))
            return (*first, int(np.sum(folds == fold)), fold)

        return min(filter(is_open, range(n_folds)), key=rank)

    while True:
        left = {label: int(np.sum(labels[:, label] & (folds < 0))) for label in range(n_labels)}
        waiting = [label for label in left if left[label] > 0]
        if not waiting:
            break
        rarest = min(waiting, key=lambda label: (left[label], label))
        for row in np.flatnonzero(labels[:, rarest] & (folds < 0)):
            folds[row] = best_fold(row, rarest)
    for row in np.flatnonzero(folds < 0):
        folds[row] = best_fold(row, None)
    return folds


# Many, because it takes a full fold, which turns rows away, to tell apart some wrong ways.
@examples(30)
@given(SHAPES, DENSITIES, SEEDS, FOLDS)
def test_folds_are_those_of_the_slow_twin(shape, density, seed, n_folds):
    labels = drawn(shape, density, seed)
    n_folds = min(n_folds, shape[0])
    np.testing.assert_array_equal(dealt(labels, n_folds), twin(labels, n_folds))


@examples(30)
@given(SHAPES, DENSITIES, SEEDS, FOLDS)
def test_sizes_of_folds_differ_by_one_at_most_and_every_row_has_one(shape, density, seed, n_folds):
    n_folds = min(n_folds, shape[0])
    folds = dealt(drawn(shape, density, seed), n_folds, seed)
    sizes = np.bincount(folds, minlength=n_folds)
    assert len(sizes) == n_folds
    assert sizes.sum() == shape[0]
    assert sizes.max() - sizes.min() <= 1


def test_a_full_fold_takes_no_more_rows_even_if_it_lacks_the_label():
    # Row 1 goes to fold 0 and row 0, for its size, to fold 1; row 2 to fold 0 for label 1. Label 2 then lacks
    # row 3 in fold 0, which is full.
    labels = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]], bool)
    np.testing.assert_array_equal(dealt(labels, 2), [1, 0, 0, 1])


def test_equal_folds_are_told_apart_by_the_other_labels_of_the_row():
    # Of label 1, the first two rows are in different folds. Of label 2, the third row would be the second one
    # in fold 0, which comes first and is no larger.
    labels = np.array([[1, 1, 1], [1, 1, 0], [0, 1, 1]], bool)
    np.testing.assert_array_equal(dealt(labels, 2), [0, 1, 1])


@given(SHAPES, SEEDS, FOLDS)
def test_one_label_per_row_is_shared_out_to_one_row(shape, seed, n_folds):
    n_folds = min(n_folds, shape[0])
    classes = np.random.default_rng(seed).integers(0, shape[1] + 1, shape[0])
    labels = np.arange(shape[1] + 1) == classes[:, None]
    folds = dealt(labels, n_folds, seed)
    for label in labels.T:
        counts = np.bincount(folds[label], minlength=n_folds)
        assert counts.max() - counts.min() <= 1


def test_a_stream_decides_between_equal_folds_and_a_stream_at_zero_takes_the_first():
    labels = np.ones((1, 1), bool).repeat(4, axis=0)
    np.testing.assert_array_equal(dealt(labels, 4), [0, 1, 2, 3])
    seeds = np.random.SeedSequence(0).generate_state(200, np.uint64)
    orders = {tuple(dealt(labels, 4, seed).tolist()) for seed in seeds}
    assert len(orders) == 24  # all of them: each is missed with probability (23/24)^200, about 1 in 5000
    assert orders == {tuple(dealt(labels[:, :0], 4, seed).tolist()) for seed in seeds}
