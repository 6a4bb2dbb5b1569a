"""Predictions of dask collections: lazy, part by part, as dask collections."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np
import scipy.sparse as sp

from slantwood.dask.collections import Columns, columns_of, in_columns, is_collection
from slantwood.estimators.top_labels import TopLabels
from slantwood.features.rows import n_rows_of, slice_rows


def predicted(X: Any, model: Any, method: str, example: Any, **options: Any) -> Any:
    """Return what a method of a model says of a collection, as a collection.

    Parameters
    ----------
    X : dask array or dask data frame
        Features.
    model : estimator
        A fitted model, of this process; each worker gets it once.
    method : str
        Name of the method.
    example : object
        What it returns of one row, for the type and the number of columns of the result.
    **options : dict
        Other arguments of the method.

    Returns
    -------
    dask array, data frame, series or bag
        Frames where the model's output is set to frames, arrays of scores otherwise; a bag where predictions
        are a list, as those of label sets are.
    """
    import dask
    import dask.array as da

    sent = dask.delayed(model, name=_name())
    given = {"method": method, "options": options, "of_no_rows": _without_rows(example)}
    call = partial(_call, columns=columns_of(X), **given)
    if hasattr(example, "iloc") and hasattr(X, "npartitions") and not hasattr(X, "numblocks"):
        return X.map_partitions(_in_partition, sent, call=call, meta=example.iloc[:0])
    blocks = _called(call, X, sent)
    if isinstance(example, list) and not _is_list_of_arrays(example):
        return _bag(blocks)
    if hasattr(example, "iloc"):
        return _frame_of_blocks(blocks, example)
    if _is_list_of_arrays(example):
        return [_stacked(da, X, [block[k] for block in blocks], each) for k, each in enumerate(example)]
    return _stacked(da, X, blocks, example)


def top_labels(X: Any, model: Any, k: int, example: TopLabels) -> TopLabels:
    """Return the best labels of a collection and their scores, as dask arrays."""
    import dask
    import dask.array as da

    sent = dask.delayed(model, name=_name())
    given = {"method": "predict_top_k", "options": {"k": k}, "of_no_rows": _without_rows(example)}
    call = partial(_call, columns=columns_of(X), **given)
    blocks = _called(call, X, sent)
    labels = _stacked(da, X, [block[0] for block in blocks], example.labels)
    return TopLabels(labels, _stacked(da, X, [block[1] for block in blocks], example.scores))


def _name() -> str:
    # Of its own for each call: Dask takes what has the same name for the same thing.
    return f"model-{uuid4().hex}"


def example_of(X: Any, of_rows: Callable[[Any], Any]) -> Any:
    """Return what is predicted of a row that is all zeros, or of a frame's placeholders."""
    if not is_collection(X):
        raise TypeError(f"X is {type(X).__name__}; a dask array or data frame was expected")
    if hasattr(X, "_meta_nonempty"):
        return of_rows(X._meta_nonempty)
    return of_rows(np.zeros((1, X.shape[1]), np.float32))


def _is_list_of_arrays(example: Any) -> bool:
    return isinstance(example, list) and any(isinstance(each, np.ndarray) for each in example)


def _without_rows(example: Any) -> Any:
    """Return what is predicted of no rows, in the form of an example."""
    if example is None:  # of several targets, the place of a number
        return None
    if isinstance(example, TopLabels):
        return TopLabels(*map(_without_rows, example))
    if _is_list_of_arrays(example):
        return [_without_rows(each) for each in example]
    return slice_rows(example, 0, 0)


def _called(call: Callable[..., Any], X: Any, sent: Any) -> list[Any]:
    import dask

    return [dask.delayed(call)(block, sent, number) for number, block in enumerate(_blocks(X))]


def _in_partition(rows: Any, model: Any, *, call: Callable[..., Any], partition_info: Any = None) -> Any:
    return call(rows, model, (partition_info or {}).get("number", 0))


def _call(
    rows: Any,
    model: Any,
    number: int,
    *,
    columns: Columns,
    method: str,
    options: dict[str, Any],
    of_no_rows: Any,
) -> Any:
    rows = in_columns(rows, columns, "X", number)
    # Models refuse X without rows, and a condition on a collection often leaves such a part.
    return getattr(model, method)(rows, **options) if n_rows_of(rows) else of_no_rows


def _blocks(X: Any) -> list[Any]:
    if hasattr(X, "rechunk") and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    delayed = X.to_delayed()
    return delayed.ravel().tolist() if hasattr(delayed, "ravel") else list(delayed)


def _stacked(da: Any, X: Any, blocks: list[Any], example: Any) -> Any:
    """Put blocks of rows below one another; their lengths are those of X, where these are known."""
    if example is None:  # of several targets, the place of a number
        return None
    lengths = X.chunks[0] if hasattr(X, "chunks") else [np.nan] * len(blocks)
    meta = sp.csr_array((0, example.shape[1]), dtype=example.dtype) if sp.issparse(example) else example[:0]
    arrays = [
        da.from_delayed(block, (length, *example.shape[1:]), dtype=example.dtype, meta=meta)
        for block, length in zip(blocks, lengths, strict=True)
    ]
    return da.concatenate(arrays, allow_unknown_chunksizes=True)


def _bag(blocks: list[Any]) -> Any:
    import dask.bag as db

    return db.from_delayed(blocks)


def _frame_of_blocks(blocks: list[Any], example: Any) -> Any:
    import dask.dataframe as dd

    return dd.from_delayed(blocks, meta=example.iloc[:0])
