"""One say for each of several targets in the choice of splits, whatever the number of its columns.

A split learner divides the columns of a node by their standard deviation to a power q, so that of a target
with column variances v and column weights p there is sum_j p v_j^(1-q) to remove. Left alone, a target of
seven classes would have seven times the say of a number. Each of T targets gets the weight with which all of
it together is 1 / T over the training rows. All targets are then 1, as one number is alone, and
regularisation means the same for any number of them. Importances add up impurities without that power: a
common factor of a target's columns makes its sum 1 / T there, too.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import column_means


class EqualSay(NamedTuple):
    """What the columns are multiplied by, and their weights then."""

    factors: np.ndarray
    weights: np.ndarray


def equal_say(Y: Any, block_sizes: np.ndarray, row_weights: np.ndarray, power: float) -> EqualSay:
    """Return factors and weights with which each block of columns has the same say.

    Parameters
    ----------
    Y : array or CSR array of shape (n_rows, n_columns)
        The columns of all targets; NaN where one is not known.
    block_sizes : array of int
        Number of columns of each target.
    row_weights : array of shape (n_rows,)
        Weights of the rows.
    power : float
        Power of the standard deviation by which columns are divided in a node.
    """
    variances = _variances(Y, row_weights)
    starts = np.concatenate([[0], np.cumsum(block_sizes)[:-1]])
    varies = variances > 0
    of_target = np.add.reduceat(variances, starts)
    divided = np.add.reduceat(
        np.where(varies, np.where(varies, variances, 1.0) ** (1.0 - power), 0.0), starts
    )
    # With factor a and weight p: p a^2 sum_j v_j = 1 / T, and p a^(2 - 2q) sum_j v_j^(1-q) = 1 / T.
    some = of_target > 0
    ratio = np.where(some, divided, 1.0) / np.where(some, of_target, 1.0)
    factors = ratio ** (0.5 / power) if power > 0 else np.ones(len(ratio))
    weights = 1.0 / (max(some.sum(), 1) * np.where(some, of_target, 1.0) * factors**2)
    return EqualSay(np.repeat(factors, block_sizes), np.repeat(weights, block_sizes))


def _variances(Y: Any, row_weights: np.ndarray) -> np.ndarray:
    # Columns are indicators, or numbers of variance 1 counted from near their mean: squares are safe.
    squares = Y.multiply(Y).tocsr() if sp.issparse(Y) else np.asarray(Y, np.float64) ** 2
    means, of_squares = (np.nan_to_num(column_means(each, row_weights)) for each in (Y, squares))
    variances = of_squares - means**2
    return np.where(variances > 1e-12, variances, 0.0)
