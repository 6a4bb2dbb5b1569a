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
def copy_into(target, source):
    """Write one array over the beginning of another; both are of one dimension.

    An assignment of arrays would check their shapes, and its message takes longer to compile than most
    kernels.
    """
    for i in range(source.shape[0]):
        target[i] = source[i]


@exact
def grown(array, size):
    """Copy of an array with capacity for at least `size` elements, and for twice as many as it had."""
    wider = np.empty(max(2 * array.shape[0], size), array.dtype)
    copy_into(wider, array)
    return wider
