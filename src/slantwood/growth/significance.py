"""The F-test of CLUS: whether a split lowers the variance significantly, at a given level.

Of n rows with the sum of squares SS, which within the two sides of a split is SS_w, the statistic is

    F = (n - 2) (SS - SS_w) / SS_w

with 1 and n - 2 degrees of freedom, as in an analysis of variance of two groups. Sums run over all clustering
attributes; n is the effective number of rows, (sum w)^2 / sum w^2, rounded. A split that is not significant
is not made.
"""

import numpy as np
from scipy.special import fdtri

from slantwood.kernels.compiling import exact

# Critical values are kept up to so many degrees of freedom; beyond, they are all but linear in 1 / n.
_MOST_DEGREES = 1000


def critical_values(level: float | None) -> np.ndarray:
    """Return the critical values of F for 1, 2, ... degrees of freedom, at last infinitely many.

    Empty where no level, or 1, which all splits reach, asks for no test.
    """
    if level is None or level >= 1.0:
        return np.empty(0)
    degrees = np.append(np.arange(1.0, _MOST_DEGREES + 1.0), 1e12)
    return fdtri(1.0, degrees, 1.0 - level)


@exact
def is_significant(critical, n_rows, total, removed):
    """Whether a split is significant that removes so much of the sum of squares of so many rows."""
    degrees = np.int64(np.floor(n_rows - 1.5))
    if degrees < 1 or not removed > 0.0:
        return False
    last = critical.shape[0] - 1
    if degrees <= last:
        least = critical[degrees - 1]
    else:
        least = critical[last] + (critical[last - 1] - critical[last]) * last / degrees
    return degrees * removed > least * max(total - removed, 0.0)
