"""Products of a node's standardised block with vectors, each one pass over its stored values."""

import numpy as np

from slantwood.kernels.compiling import exact, indexed, vectorised
from slantwood.kernels.scratch import scratch

_0 = np.float32(0.0)

# Share of a sum of float64 weights below which a difference of such sums is rounding.
_CANCELLED = 1e-12


@vectorised
def dot(a, b):
    """Inner product of two float32 vectors."""
    total = _0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


@exact
def project(block, w, out):
    """Out = block @ w."""
    if block.is_dense:
        _dense_times(block.values, w, out)
    else:
        _csr_times(block.indptr, block.indices, block.data, w, -dot(block.mean, w), out)


@exact
def back_project(block, h, out):
    """Out = block.T @ h."""
    if block.is_dense:
        _dense_transposed_times(block.values, h, out)
    else:
        _csr_transposed_times(block.indptr, block.indices, block.data, h, out)
        _add_multiple(block.mean, -_sum(h), out)


@vectorised
def _sum(h):
    total = _0
    for i in range(h.shape[0]):
        total += h[i]
    return total


@vectorised
def _add_multiple(a, factor, out):
    for j in range(a.shape[0]):
        out[j] += factor * a[j]


@vectorised
def _dense_times(values, w, out):
    # Four rows at a time: each element of w is loaded once for four products.
    n, d = values.shape
    n4 = n - n % 4
    for i in range(0, n4, 4):
        a = _0
        b = _0
        c = _0
        e = _0
        for j in range(d):
            x = w[j]
            a += values[i, j] * x
            b += values[i + 1, j] * x
            c += values[i + 2, j] * x
            e += values[i + 3, j] * x
        out[i] = a
        out[i + 1] = b
        out[i + 2] = c
        out[i + 3] = e
    for i in range(n4, n):
        a = _0
        for j in range(d):
            a += values[i, j] * w[j]
        out[i] = a


@vectorised
def _dense_transposed_times(values, h, out):
    n, d = values.shape
    out[:d] = _0
    n4 = n - n % 4
    for i in range(0, n4, 4):
        a = h[i]
        b = h[i + 1]
        c = h[i + 2]
        e = h[i + 3]
        for j in range(d):
            out[j] += a * values[i, j] + b * values[i + 1, j] + c * values[i + 2, j] + e * values[i + 3, j]
    for i in range(n4, n):
        a = h[i]
        for j in range(d):
            out[j] += a * values[i, j]


@indexed
def _csr_times(indptr, indices, data, w, offset, out):
    one = np.uint64(1)
    two = np.uint64(2)
    three = np.uint64(3)
    for i in range(indptr.shape[0] - 1):
        k = np.uint64(indptr[i])
        end = np.uint64(indptr[i + 1])
        a = _0
        b = _0
        c = _0
        e = _0
        while k + three < end:
            a += data[k] * w[indices[k]]
            b += data[k + one] * w[indices[k + one]]
            c += data[k + two] * w[indices[k + two]]
            e += data[k + three] * w[indices[k + three]]
            k += np.uint64(4)
        while k < end:
            a += data[k] * w[indices[k]]
            k += one
        out[i] = (a + b) + (c + e) + offset


@indexed
def _csr_transposed_times(indptr, indices, data, h, out):
    out[:] = _0
    for i in range(indptr.shape[0] - 1):
        a = h[i]
        k = np.uint64(indptr[i])
        end = np.uint64(indptr[i + 1])
        while k < end:
            out[indices[k]] += a * data[k]
            k += np.uint64(1)


@exact
def gram(block, out):
    """Out = block @ block.T, for blocks of few rows."""
    n = block.n_rows
    if block.is_dense:
        for i in range(n):
            for k in range(i + 1):
                out[i, k] = dot(block.values[i], block.values[k])
                out[k, i] = out[i, k]
        return
    # (a - mu).(b - mu) = a.b - a.mu - b.mu + mu.mu, with one row at a time spread out densely.
    spread = np.zeros(block.n_columns, np.float32)
    with_mean = scratch(n, np.float32)
    _csr_times(block.indptr, block.indices, block.data, block.mean, _0, with_mean)
    of_means = dot(block.mean, block.mean)
    for i in range(n):
        for q in range(block.indptr[i], block.indptr[i + 1]):
            spread[block.indices[q]] = block.data[q]
        for k in range(i + 1):
            total = of_means - with_mean[i] - with_mean[k]
            for q in range(block.indptr[k], block.indptr[k + 1]):
                total += block.data[q] * spread[block.indices[q]]
            out[i, k] = total
            out[k, i] = total
        for q in range(block.indptr[i], block.indptr[i + 1]):
            spread[block.indices[q]] = _0


@indexed
def known_weights(block, weights, out):
    """out_j = sum of the weights (float32) of the rows in which column j is known, in float64."""
    total = 0.0
    for i in range(block.n_rows):
        total += np.float64(weights[i])
    out[: block.n_columns] = total
    for i in range(block.n_rows):
        for k in range(np.uint64(block.missing_indptr[i]), np.uint64(block.missing_indptr[i + 1])):
            out[block.missing_indices[k]] -= np.float64(weights[i])
    for j in range(block.n_columns):
        # What is left of weights that cancel is rounding.
        out[j] = out[j] if out[j] > _CANCELLED * total else 0.0


@indexed
def add_over_known(block, levels, out):
    """out_i += sum of levels_j (float64) over the columns that are known of row i."""
    total = 0.0
    for j in range(block.n_columns):
        total += levels[j]
    for i in range(block.n_rows):
        level = total
        for k in range(np.uint64(block.missing_indptr[i]), np.uint64(block.missing_indptr[i + 1])):
            level -= levels[block.missing_indices[k]]
        out[i] += level


@exact
def has_missing(block):
    """Whether any value of the block is known to be missing."""
    return block.missing_indices.shape[0] > 0
