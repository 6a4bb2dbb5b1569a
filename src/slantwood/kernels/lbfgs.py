"""Which way to go next in minimising a smooth function, from the last few steps and slopes (L-BFGS).

With moves s_k = x_(k+1) - x_k and changes of the gradient y_k = g_(k+1) - g_k, the direction is -H g, where H
approximates the inverse of the second derivatives: it is the nearest to (s.y / y.y) I, of the last pair, that
maps each remembered y_k to s_k. The two loops of Nocedal (1980) apply it in four passes over each pair.
"""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import exact, vectorised
from slantwood.kernels.products import dot
from slantwood.kernels.scratch import copy_into, scratch
from slantwood.machine_code.kernel import as_matrix

# A pair along which the slope rose by less than this, as a share of |s| |y|, says nothing but rounding.
_CURVED = 1e-6


class History(NamedTuple):
    """The last pairs of a move and what it changed in the gradient, in a ring."""

    moves: np.ndarray  # (m, d) float32
    changes: np.ndarray
    products: np.ndarray  # (m,) float64: s.y
    squares: np.ndarray  # y.y
    seen: np.ndarray  # (1,) int64: pairs remembered so far, the last m of which are kept


@exact
def make_history(n_pairs, size):
    """Make memory for so many pairs of vectors of the given size."""
    return History(
        as_matrix(scratch(n_pairs * size, np.float32), n_pairs, size),
        as_matrix(scratch(n_pairs * size, np.float32), n_pairs, size),
        scratch(n_pairs, np.float64),
        scratch(n_pairs, np.float64),
        np.zeros(1, np.int64),
    )


@exact
def remember(history, move, change):
    """Keep a pair in place of the oldest, unless the slope did not rise along it."""
    product = np.float64(dot(move, change))
    square = np.float64(dot(change, change))
    length = np.sqrt(np.float64(dot(move, move)) * square)
    if not product > _CURVED * length:
        return
    k = history.seen[0] % history.products.shape[0]
    copy_into(history.moves[k], move)
    copy_into(history.changes[k], change)
    history.products[k] = product
    history.squares[k] = square
    history.seen[0] += 1


@vectorised
def _add_multiple(a, factor, out):
    for j in range(out.shape[0]):
        out[j] += factor * a[j]


@exact
def descend(history, gradient, out):
    """Out = -H gradient; without any pairs, the negative gradient itself."""
    m = history.products.shape[0]
    known = min(history.seen[0], m)
    along = np.empty(m, np.float64)
    for j in range(out.shape[0]):
        out[j] = -gradient[j]
    for back in range(known):
        k = (history.seen[0] - 1 - back) % m
        along[k] = np.float64(dot(history.moves[k], out)) / history.products[k]
        _add_multiple(history.changes[k], np.float32(-along[k]), out)
    if known > 0:
        k = (history.seen[0] - 1) % m
        factor = np.float32(history.products[k] / history.squares[k])
        for j in range(out.shape[0]):
            out[j] *= factor
    for back in range(known - 1, -1, -1):
        k = (history.seen[0] - 1 - back) % m
        change = np.float64(dot(history.changes[k], out)) / history.products[k]
        _add_multiple(history.moves[k], np.float32(along[k] - change), out)
