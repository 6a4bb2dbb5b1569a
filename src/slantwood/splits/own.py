"""A split learner of the user's own: any Python object with a method `learn`.

It takes the place of a compiled learner in the same compiled grower, which calls it for each node: slower by
what the learner itself takes, and the same in everything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp

from slantwood.kernels.random import uniform
from slantwood.splits.learner import BaseSplit
from slantwood.splits.protocol import register_plain


@runtime_checkable
class SplitLearner(Protocol):
    """What an object must have to be passed as `split`."""

    def learn(
        self, X: Any, Z: Any, p: np.ndarray, weights: np.ndarray, rng: np.random.Generator
    ) -> tuple[Any, float] | None:
        """Find the hyperplane that divides one node.

        Parameters
        ----------
        X : array or CSR array of shape (n_rows, n_features)
            The node's rows, with the features that vary among them (under `max_features`, a random subset of
            those). A dense array has weighted mean 0 and variance 1 in every column; a CSR array, which comes
            where the node is mostly zeros, has columns of variance 1 and is not shifted. Moments are those of
            the known values; a missing value stands at the mean.
        Z : array or CSR array of shape (n_rows, n_attributes)
            The clustering attributes, in the same form: what both sides should be uniform in.
        p : array of shape (n_attributes,)
            How much each clustering attribute counts.
        weights : array of shape (n_rows,)
            How much each row counts, in units of the mean of all rows; all above 0.
        rng : Generator
            The only source of chance to use: it makes results repeatable at any `n_jobs`.

        Returns
        -------
        (w, b) or None
            One weight per feature and the offset: rows with `X @ w + b >= 0` go right. With None, or a
            hyperplane that leaves one side empty, the node is cut at the mean of a feature, if it has rows
            enough for that to lead to a split, and is a leaf otherwise.
        """


class OwnParameters(NamedTuple):
    """What stands in for the parameters of a compiled learner."""

    learner: Any


def learn_own(parameters, X, Z, weights, state):
    """Show the blocks to the learner as arrays and check its result."""
    rng = np.random.default_rng(int(state[0]))
    uniform(state)  # so that the next node has another generator
    features = _spelled_out(X)
    attributes, p = _with_weights_apart(_spelled_out(Z), weights)
    result = parameters.learner.learn(features, attributes, p, weights.astype(np.float64), rng)
    if result is None:
        return np.zeros(X.n_columns, np.float32), np.float32(0.0), False
    w, b = _checked(result, X.n_columns, type(parameters.learner).__name__)
    # The grower's blocks are centred, sparse ones without being shifted.
    return w, np.float32(b + X.mean.astype(np.float64) @ w), bool(w.any())


register_plain(OwnParameters, learn_own)


def _spelled_out(block: Any) -> Any:
    if block.is_dense:
        return block.values.astype(np.float64)
    triple = (block.data.astype(np.float64), block.indices.astype(np.int32), block.indptr)
    return sp.csr_array(triple, shape=(block.n_rows, block.n_columns))


def _with_weights_apart(Z: Any, weights: np.ndarray) -> tuple[Any, np.ndarray]:
    # Columns of a standardised block are multiplied by the roots of their weights, which are thereby
    # their variances.
    r = weights.astype(np.float64) / weights.sum(dtype=np.float64)
    if sp.issparse(Z):
        p = r @ Z.power(2) - (r @ Z) ** 2
        return sp.csr_array(Z @ sp.diags_array(1.0 / np.sqrt(p))), p
    p = r @ Z**2 - (r @ Z) ** 2
    return Z / np.sqrt(p), p


def _checked(result: Any, n_features: int, learner: str) -> tuple[np.ndarray, float]:
    try:
        w, b = result
        with np.errstate(over="ignore"):  # too large for float32: refused as infinite
            w, b = np.asarray(w, np.float32), float(b)
            finite = np.isfinite(w).all() and np.isfinite(np.float32(b))
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{learner}.learn returned {result!r}; it must return (w, b), with one weight for each of the "
            f"{n_features} features and a number, or None for no split"
        ) from error
    if w.shape != (n_features,):
        raise ValueError(
            f"{learner}.learn returned weights of shape {w.shape}; expected ({n_features},), one for each "
            "column of the X it was given"
        )
    if not finite:
        raise ValueError(f"{learner}.learn returned weights or an offset that are not finite numbers")
    return w, b


@dataclass(frozen=True, repr=False)
class OwnSplit(BaseSplit):
    """A user's learner in the form in which the estimators hold any split learner."""

    learner: Any

    def compiled(self) -> OwnParameters:
        """Parameters in the form that the grower takes."""
        return OwnParameters(self.learner)
