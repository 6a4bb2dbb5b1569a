"""Claims about the bytes of rows: the formulas are those of the matrices that training holds."""

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood.features.matrix import normalized_rows, training_matrix
from slantwood.planning import Workload
from slantwood.planning.sizes import feature_bytes, scoring_bytes, sent_bytes, target_bytes


def nbytes(matrix):
    return sum(each.nbytes for each in matrix if isinstance(each, np.ndarray))


def random_rows(rows, columns, per_row, seed=0):
    """Return CSR rows with exactly so many cells each."""
    rng = np.random.default_rng(seed)
    places = np.sort(np.argsort(rng.random((rows, columns)), axis=1)[:, :per_row], axis=1)
    indptr = np.arange(0, rows * per_row + 1, per_row)
    values = np.ones(rows * per_row, np.float32)
    return sp.csr_array((values, places.ravel(), indptr), shape=(rows, columns))


@pytest.mark.parametrize(("rows", "columns", "per_row"), [(50, 7, 7), (80, 40, 8), (80, 41, 8), (30, 500, 3)])
def test_the_bytes_of_features_are_those_of_the_training_matrix(rows, columns, per_row):
    X = random_rows(rows, columns, per_row)
    work = Workload(rows, columns, nonzeros_per_row=per_row)
    matrix = training_matrix(X)
    assert work.is_sparse == (not matrix.is_dense)
    assert feature_bytes(work) == nbytes(matrix)


@pytest.mark.parametrize(("labels", "per_row"), [(4, 2), (60, 3), (900, 5)])
def test_the_bytes_of_labels_are_those_of_the_training_matrix(labels, per_row):
    Y = random_rows(70, labels, per_row)
    work = Workload(70, 10, labels, task="multi-label", labels_per_row=per_row)
    assert target_bytes(work) == nbytes(training_matrix(Y))


def test_labels_that_are_scaled_by_the_row_share_everything_but_their_values():
    Y = training_matrix(random_rows(70, 60, 3))
    scaled = normalized_rows(Y)
    assert scaled.indices is Y.indices
    work = Workload(70, 10, 60, labels_per_row=3)
    assert scoring_bytes(work) == scaled.data.nbytes
    weights = 70 * 8
    assert sent_bytes(work) == feature_bytes(work) + nbytes(Y) + scaled.data.nbytes + weights


@pytest.mark.parametrize("n_classes", [3, 12])
def test_classes_are_a_column_each_and_two_are_one_column(n_classes):
    Y = np.eye(n_classes, dtype=np.float32)[np.arange(60) % n_classes]
    work = Workload(60, 10, n_classes, task="multi-class")
    assert target_bytes(work) == nbytes(training_matrix(Y))
    assert target_bytes(Workload(60, 10, 2)) == 60 * 4
