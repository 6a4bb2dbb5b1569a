"""Which columns score a split: the targets unless the user says otherwise."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.features.matrix import column_means
from slantwood.targets.numbers import zero_point
from slantwood.validation import check_integer

_GROUPS = ("targets", "features", "targets+features")

# Of a sketch whose width is not given: squared distances are then kept to about 9 % (sqrt(2 / 256)).
_SKETCH_WIDTH = 256


@dataclass(frozen=True, eq=False)
class Clustering:
    """Clustering attributes: what the two sides of a split should be uniform in.

    Passed to `fit` as `clustering`. They score splits only; leaves predict y all the same.

    Parameters
    ----------
    attributes : {"targets", "features", "targets+features"}, array or sparse matrix of shape (n_rows, any)
        The targets, the features, both, or columns of your own, which need to be known for the training rows
        only. Unless all are zeros and ones, columns are brought to the same variance: units do not matter.
        NaN marks values that are not known.
    feature_weight : float, default=0.5
        With "targets+features", the share of the features in the judgement, between 0 and 1.
    sketch : int or None, default=None
        Replace the attributes by so many random sums and differences of them. This keeps distances between
        rows in the mean, and saves time where attributes are thousands. Determined by `random_state`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import Clustering, ObliqueTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(max_depth=2, random_state=0)
    >>> tree = tree.fit(X, y, clustering=Clustering("targets+features", feature_weight=0.2))
    >>> tree.predict(X[:3])
    array([0, 0, 0])
    """

    attributes: Any = "targets"
    feature_weight: float = 0.5
    sketch: int | None = None

    def __post_init__(self) -> None:
        """Check the parameters; a matrix is checked in `fit`, where the rows of X are known."""
        if isinstance(self.attributes, str) and self.attributes not in _GROUPS:
            raise ValueError(
                f"Clustering: attributes={self.attributes!r} must be {', '.join(map(repr, _GROUPS))}, or a "
                "matrix with one row for each row of X"
            )
        if isinstance(self.feature_weight, bool) or not isinstance(self.feature_weight, Real):
            raise TypeError(f"Clustering: feature_weight={self.feature_weight!r} must be a number")
        if not 0.0 <= self.feature_weight <= 1.0:
            raise ValueError(f"Clustering: feature_weight={self.feature_weight!r} must be between 0 and 1")
        if self.sketch is not None:
            check_integer("Clustering: sketch", self.sketch, 1)

    @property
    def is_matrix(self) -> bool:
        """Whether the attributes are columns of the user's own."""
        return not isinstance(self.attributes, str)

    @property
    def is_default(self) -> bool:
        """Whether nothing was asked for: the targets score splits, as they are."""
        return self.is_targets and self.sketch is None

    @property
    def is_targets(self) -> bool:
        """Whether the targets alone score splits."""
        return self.groups == ("targets",)

    @property
    def groups(self) -> tuple[str, ...]:
        """Which of targets and features have a share in the judgement; neither beside a matrix."""
        if self.is_matrix:
            return ()
        if self.attributes == "targets+features" and self.feature_weight in (0.0, 1.0):
            return ("features",) if self.feature_weight == 1.0 else ("targets",)
        return tuple(self.attributes.split("+"))


def as_clustering(clustering: Any) -> Clustering:
    """Make a `Clustering` of what `fit` was given: nothing, a name, a matrix, or one already."""
    if isinstance(clustering, Clustering):
        return clustering
    if clustering is None:
        return Clustering()
    if not isinstance(clustering, str):
        return Clustering(clustering)
    if clustering == "sketch":
        return Clustering(sketch=_SKETCH_WIDTH)
    if clustering not in _GROUPS:
        raise ValueError(
            f"clustering={clustering!r} must be {', '.join(map(repr, _GROUPS))}, 'sketch', a matrix with "
            "one row for each row of X, or a Clustering"
        )
    return Clustering(clustering)


def sketch_width(clustering: Clustering, n_features: int, n_targets: int) -> int | None:
    """Return the width of the sketch, or None where none is asked for or it would save no column."""
    counts = {"targets": n_targets, "features": n_features}
    n_columns = sum(counts[group] for group in clustering.groups)
    n_columns += clustering.attributes.shape[1] if clustering.is_matrix else 0
    return clustering.sketch if clustering.sketch is not None and clustering.sketch < n_columns else None


def clustering_columns(
    clustering: Clustering, X: Any, Y: Any, target_weights: np.ndarray, row_weights: np.ndarray
) -> tuple[Any, np.ndarray]:
    """Put the attributes together; return them and their weights (none where all count the same)."""
    if clustering.is_targets:
        return Y, target_weights
    if clustering.is_matrix or clustering.groups == ("features",):
        columns = clustering.attributes if clustering.is_matrix else X
        stored = columns.data if sp.issparse(columns) else columns
        # Zeros and ones have a natural unit, in which rare ones count less than frequent ones.
        in_one_unit = ((stored == 0) | (stored == 1) | np.isnan(stored)).all()
        scaled = columns.astype(np.float32) if in_one_unit else _of_unit_variance(columns, row_weights)
        return scaled, np.empty(0)
    # Weights of a group add up to its share, whatever its number of columns and of rows that know them:
    # an attribute counts by the rows that know it.
    share = clustering.feature_weight
    of_targets = target_weights if len(target_weights) else np.ones(Y.shape[1])
    of_targets = (1.0 - share) * of_targets / (of_targets @ _known_shares(Y, row_weights))
    of_features = np.ones(X.shape[1])
    of_features = share * of_features / (of_features @ _known_shares(X, row_weights))
    groups = [_of_unit_variance(columns, row_weights) for columns in (Y, X)]
    is_sparse = any(map(sp.issparse, groups))
    both = sp.csr_array(sp.hstack(groups, format="csr")) if is_sparse else np.hstack(groups)
    return both, np.concatenate([of_targets, of_features])


def _of_unit_variance(columns: Any, row_weights: np.ndarray) -> Any:
    """Scale columns to variance 1; those without zeros are counted from their `zero_point` as targets are."""
    present = columns[row_weights > 0]
    csr = sp.csr_array(columns, dtype=np.float64, copy=True)
    full = np.asarray((sp.csr_array(present) != 0).sum(axis=0)).ravel() == present.shape[0]
    mean = np.nan_to_num(column_means(csr, row_weights))
    around = np.where(full, mean, 0.0)  # so that columns far from zero lose nothing
    squares = csr.copy()
    squares.data = (csr.data - around[csr.indices]) ** 2
    variance = np.nan_to_num(column_means(squares, row_weights)) - (mean - around) ** 2
    spread = np.sqrt(np.where(variance > 0, variance, 1.0))
    shift = np.where(full, np.where(variance > 0, zero_point(mean, spread), mean), 0.0)
    csr.data = (csr.data - shift[csr.indices]) / spread[csr.indices]
    return csr.astype(np.float32) if sp.issparse(columns) else csr.toarray().astype(np.float32)


def _known_shares(columns: Any, row_weights: np.ndarray) -> np.ndarray:
    # Share of the row weights that know each column, at least a trace so that it can be divided by.
    csr = sp.csr_array(columns)
    missing = sp.csr_array((np.isnan(csr.data).astype(np.float64), csr.indices, csr.indptr), shape=csr.shape)
    return np.maximum(1.0 - row_weights @ missing / row_weights.sum(), 1e-9)


def sketch(columns: Any, weights: np.ndarray, width: int, seed: int) -> Any:
    """Project the columns at random on `width` ones: each is added, with a random sign, to one of them.

    This count sketch (Charikar, Chen and Farach-Colton 2002) stores no more numbers than the columns do.
    Weights of the columns go into their scale. Squared distances between rows are right in expectation, with
    a relative standard deviation of at most sqrt(2 / width). Missing values are put at the mean.
    """
    columns = _fill_missing_with_means(columns)
    rng = np.random.default_rng(seed)
    n_columns = columns.shape[1]
    signs = rng.choice(np.array([-1.0, 1.0]), n_columns)
    if len(weights):
        signs *= np.sqrt(weights)
    places = rng.integers(0, width, n_columns)
    projection = sp.csr_array((signs, places, np.arange(n_columns + 1)), shape=(n_columns, width))
    result = (columns @ projection).astype(np.float32)
    return result if sp.issparse(result) else np.ascontiguousarray(result)


def _fill_missing_with_means(columns: Any) -> Any:
    stored = columns.data if sp.issparse(columns) else columns
    missing = np.isnan(stored)
    if not missing.any():
        return columns
    means = np.nan_to_num(column_means(columns, np.ones(columns.shape[0])))
    if not sp.issparse(columns):
        return np.where(missing, means, columns)
    filled = sp.csr_array(columns, copy=True)
    filled.data = np.where(missing, means[filled.indices], filled.data)
    return filled
