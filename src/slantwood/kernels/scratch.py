"""Memory for intermediate results that keeps its distance from all other memory.

A vectorised loop first compares the addresses of its arrays, and takes the plain path where two of them
begin within a few vector registers of each other, though they do not overlap. The two paths round
differently. With a margin on both sides of every array that such loops write, the path, and so the
model, never depends on where memory happened to be free.
"""

import numpy as np

from slantwood.kernels.compiling import exact

# More than eight of the widest vector registers, in elements of any type.
_MARGIN = 128


@exact
def scratch(size, dtype):
    """Uninitialised array of the given size and type, away from all others."""
    return np.empty(size + 2 * _MARGIN, dtype)[_MARGIN : _MARGIN + size]


@exact
def grown(array, size):
    """Copy of an array with capacity for at least `size` elements, and for twice as many as it had."""
    wider = np.empty(max(2 * array.shape[0], size), array.dtype)
    wider[: array.shape[0]] = array
    return wider
