"""A random stream that is one unsigned 64-bit number in an array, owned by whoever passes it on.

Xorshift (Marsaglia 2003): shifts and exclusive ors only, so that the compiled and the plain Python
form give the same numbers. Seeds must be non-zero and well mixed (NumPy's SeedSequence sees to it).
"""

import math

import numpy as np

from slantwood.kernels.compiling import exact

_13 = np.uint64(13)
_7 = np.uint64(7)
_17 = np.uint64(17)
_40 = np.uint64(40)


@exact
def uniform(state):
    """Advance the stream; a float64 in (0, 1), never 0 or 1."""
    x = state[0]
    x ^= x << _13
    x ^= x >> _7
    x ^= x << _17
    state[0] = x
    return (float(x >> _40) + 0.5) / 16777216.0


@exact
def normal(state):
    """Draw from the standard normal distribution (Box-Muller, one of the pair)."""
    radius = math.sqrt(-2.0 * math.log(uniform(state)))
    return np.float32(radius * math.cos(2.0 * math.pi * uniform(state)))


@exact
def below(state, n):
    """Draw an integer from 0 .. n-1."""
    return int(uniform(state) * n)
