"""Small kernels that tests call: the library for tests has them, by `tested_kernels.txt`."""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact, vectorised
from slantwood.machine_code.kernel import as_matrix


class Sums(NamedTuple):
    total: float
    rows: np.ndarray


@vectorised
def total_of(values):
    total = np.float32(0.0)
    for i in range(values.shape[0]):
        total += values[i]
    return total


@exact
def sums_of(matrix, factor):
    rows = np.empty(matrix.shape[0], np.float64)
    for i in range(matrix.shape[0]):
        rows[i] = total_of(matrix[i]) * factor
    return Sums(rows.sum(), rows), matrix[1:]


@exact
def refuse(number):
    if number == 1:
        raise ValueError("one is too few")
    if number == 2:
        raise MemoryError("two is too much")
    return number


@exact
def nothing(array):
    array[0] += 1


@exact
def kinds(truth, small, large, single):
    return not truth, small - 1, large + np.uint64(1), single / np.float32(2.0)


@exact
def reshaped(values, n, d):
    return as_matrix(values, n, d)
