"""Bytes of rows in memory, exactly as training holds them: single precision, dense or CSR."""

from __future__ import annotations

from slantwood.planning.workload import Workload

__all__ = ["feature_bytes", "matrix_bytes", "scoring_bytes", "sent_bytes", "target_bytes"]

_FLOAT32 = 4
_CSR_CELL = 8  # a float32 and the uint32 of its column
_CSR_ROW = 8  # int64 of where the row begins
_ROW_WEIGHT = 8  # float64


def matrix_bytes(rows: float, columns: float, per_row: float, sparse: bool) -> float:
    """Return the bytes of a matrix.

    Parameters
    ----------
    rows, columns : float
        Its shape.
    per_row : float
        Cells of a row that are not zero.
    sparse : bool
        Whether it is held as CSR.

    Returns
    -------
    float
        Bytes.

    Examples
    --------
    >>> from slantwood.planning.sizes import matrix_bytes
    >>> matrix_bytes(1000, 50, 50, sparse=False), matrix_bytes(1000, 50, 2, sparse=True)
    (200000, 24008)
    """
    if not sparse:
        return rows * columns * _FLOAT32
    return rows * per_row * _CSR_CELL + (rows + 1) * _CSR_ROW


def feature_bytes(work: Workload) -> float:
    """Return the bytes of the encoded X.

    Parameters
    ----------
    work : Workload
        The forest.

    Returns
    -------
    float
        Bytes.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.sizes import feature_bytes
    >>> feature_bytes(Workload(1000, 50))
    200000
    """
    return matrix_bytes(work.rows, work.features, work.filled, work.is_sparse)


def target_bytes(work: Workload) -> float:
    """Return the bytes of the encoded y.

    Parameters
    ----------
    work : Workload
        The forest.

    Returns
    -------
    float
        Bytes.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.sizes import target_bytes
    >>> target_bytes(Workload(1000, 50, 100, labels_per_row=3))
    32008
    """
    return matrix_bytes(work.rows, work.target_columns, work.filled_targets, work.has_sparse_targets)


def scoring_bytes(work: Workload) -> float:
    """Return the bytes of what training holds beside X and y: copies of both that are scaled by the row.

    Parameters
    ----------
    work : Workload
        The forest.

    Returns
    -------
    float
        Bytes; 0 where X and y serve as they are.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.sizes import scoring_bytes
    >>> scoring_bytes(Workload(1000, 50, 2))
    0
    """
    # Of a sparse matrix only the values are copied.
    features = work.rows * (work.filled if work.is_sparse else work.features) * _FLOAT32
    return work.growth().normalize_rows * features + _scaled_target_bytes(work)


def _scaled_target_bytes(work: Workload) -> float:
    cells = work.rows * (work.filled_targets if work.has_sparse_targets else work.target_columns)
    return work.growth().normalize_labels * cells * _FLOAT32


def sent_bytes(work: Workload) -> float:
    """Return the bytes that a worker gets to grow trees on all rows: X, y, what scores splits, row weights.

    Parameters
    ----------
    work : Workload
        The forest.

    Returns
    -------
    float
        Bytes.

    Examples
    --------
    >>> from slantwood.planning import Workload
    >>> from slantwood.planning.sizes import sent_bytes
    >>> sent_bytes(Workload(1000, 50, 2))
    212000
    """
    # Of labels that score splits by the row, only the values are not those of y.
    scoring = _scaled_target_bytes(work)
    return feature_bytes(work) + target_bytes(work) + scoring + work.rows * _ROW_WEIGHT
