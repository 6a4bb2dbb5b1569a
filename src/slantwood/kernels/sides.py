"""The two sides into which a node's rows were put, as a classifier between them needs to know them."""

import numpy as np

from slantwood.kernels.compiling import exact


@exact
def side_weights(is_right, weights):
    """Weights of the rows on the left and on the right."""
    left = 0.0
    right = 0.0
    for i in range(weights.shape[0]):
        left += 0.0 if is_right[i] else np.float64(weights[i])
        right += np.float64(weights[i]) if is_right[i] else 0.0
    return left, right


@exact
def has_weight(w):
    """Whether any weight of a direction is not zero."""
    found = False
    for j in range(w.shape[0]):
        found = found or w[j] != np.float32(0.0)
    return found
