"""How slopes of leaves lie in a model file, and which arrays can be slopes at all.

A model of slopes belongs to the last splits on the way to a node, so that the node and their number say which
they are. Arrays, over L leaves, G models, P coefficients of each target, and T targets, are

    slopes/model         uint8, 16 or 32, L: 0 where a leaf predicts its mean, else the number of its model,
                         from 1 on
    slopes/offset        float32 (n, T), of the n leaves that have a model, in their order
    slopes/counts        uint8, 16 or 32, G: how many splits a model has
    slopes/nodes         uint16 or 32, G: the last of its splits
    slopes/coefficients  float32 (P, T)
    slopes/low, high     float32 (G, T)
"""

import numpy as np

from slantwood.model.container import take
from slantwood.model.packed_numbers import COLUMNS, COUNTS, Arrays, finite, narrow, sized, starts_of
from slantwood.model.refusal import ModelFileError
from slantwood.model.slopes import Slopes
from slantwood.model.tree_file import float16_shifts
from slantwood.model.trees import Trees

# Present in every file with slopes, and in no other.
_MARK = "slopes/model"


def to_arrays(slopes: Slopes, trees: Trees, *, float16: bool = False) -> Arrays:
    """Return the arrays from which `from_arrays` makes the same slopes of the same trees.

    Where trees are written in float16, which multiplies the scores of rows at a split by a power of two,
    coefficients are divided by it.
    """
    coefficients = slopes.coefficients
    if float16:
        coefficients = np.ldexp(coefficients, -float16_shifts(trees)[slopes.nodes][:, None])
    return {
        _MARK: narrow(slopes.model + 1, COUNTS),
        "slopes/offset": slopes.offset[slopes.model >= 0],
        "slopes/counts": narrow(np.diff(slopes.indptr), COUNTS),
        "slopes/nodes": narrow(slopes.nodes[slopes.indptr[:-1]], COLUMNS),
        "slopes/coefficients": coefficients,
        "slopes/low": slopes.low,
        "slopes/high": slopes.high,
    }


def from_arrays(arrays: Arrays, trees: Trees) -> Slopes | None:
    """Make slopes of the leaves of some trees from what a file holds; None where it has none.

    Raises
    ------
    ModelFileError
        Unless the arrays are slopes of these trees.
    """
    if _MARK not in arrays:
        return None
    if not trees.leaves.is_dense:
        raise ModelFileError(f"array {_MARK!r} has no meaning beside sparse leaves")
    n_leaves, n_targets = trees.leaves.values.shape
    model = sized(arrays, _MARK, COUNTS, n_leaves)
    last = take(arrays, "slopes/nodes", COLUMNS)
    n_models = len(last)
    counts = sized(arrays, "slopes/counts", COUNTS, n_models)
    coefficients = _numbers(arrays, "slopes/coefficients", None, n_targets)
    offset = np.zeros((n_leaves, n_targets), np.float32)
    offset[model > 0] = _numbers(arrays, "slopes/offset", int((model > 0).sum()), n_targets)
    low, high = (_numbers(arrays, f"slopes/{name}", n_models, n_targets) for name in ("low", "high"))
    if model.max(initial=0) > n_models:
        raise ModelFileError(f"array {_MARK!r} has the model {model.max()}, and there are {n_models}")
    if (low > high).any():
        raise ModelFileError("array 'slopes/low' is above 'slopes/high'")
    indptr = starts_of(counts, len(coefficients), "slopes/counts")
    nodes = _splits_above(trees, last.astype(np.int64), counts.astype(np.int64))
    return Slopes(model.astype(np.int32) - 1, offset, indptr, nodes, coefficients, low, high)


def _numbers(arrays: Arrays, name: str, length: int | None, n_targets: int) -> np.ndarray:
    values = finite(take(arrays, name, ("float32",), n_dimensions=2), name)
    expected = (len(values) if length is None else length, n_targets)
    if values.shape != expected:
        raise ModelFileError(f"array {name!r} has shape {values.shape}; expected {expected}")
    return values


def _splits_above(trees: Trees, last: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the splits of each model, from the last one up."""
    if len(last) and (last.max() >= len(trees.left) or (trees.left[last] < 0).any()):
        raise ModelFileError("array 'slopes/nodes' has a node that is not a split")
    if (counts > trees.depth[last] + 1).any() or (counts < 1).any():
        raise ModelFileError("array 'slopes/counts' has more splits than there are above a node, or none")
    parent = np.full(len(trees.left), -1, np.int32)
    inner = np.flatnonzero(trees.left >= 0)
    parent[trees.left[inner]] = parent[trees.right[inner]] = inner
    nodes = np.empty(int(counts.sum()), np.int32)
    place = np.cumsum(counts) - counts
    node = last.astype(np.int32)
    for step in range(int(counts.max(initial=0))):
        wanted = counts > step
        nodes[place[wanted] + step] = node[wanted]
        node = parent[node]
    return nodes
