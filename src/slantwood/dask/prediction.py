"""Predictions of dask collections: lazy, part by part, as dask collections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import numpy as np
import scipy.sparse as sp

from slantwood.dask.collections import is_collection
from slantwood.estimators.top_labels import TopLabels


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
    if isinstance(example, list) and not _is_list_of_arrays(example):
        return _bag(X, sent, method, options)
    if hasattr(example, "iloc"):
        if not hasattr(X, "npartitions") or hasattr(X, "numblocks"):
            return _frame_of_blocks(X, sent, method, example, options)
        return X.map_partitions(_call, sent, method, options, meta=example.iloc[:0])
    blocks = [dask.delayed(_call)(block, sent, method, options) for block in _blocks(X)]
    if _is_list_of_arrays(example):
        return [_stacked(da, X, [block[k] for block in blocks], each) for k, each in enumerate(example)]
    return _stacked(da, X, blocks, example)


def top_labels(X: Any, model: Any, k: int, example: TopLabels) -> TopLabels:
    """Return the best labels of a collection and their scores, as dask arrays."""
    import dask
    import dask.array as da

    sent = dask.delayed(model, name=_name())
    blocks = [dask.delayed(_call)(block, sent, "predict_top_k", {"k": k}) for block in _blocks(X)]
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


def _call(rows: Any, model: Any, method: str, options: dict[str, Any]) -> Any:
    return getattr(model, method)(rows, **options)


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


def _bag(X: Any, sent: Any, method: str, options: dict[str, Any]) -> Any:
    import dask
    import dask.bag as db

    return db.from_delayed([dask.delayed(_call)(block, sent, method, options) for block in _blocks(X)])


def _frame_of_blocks(X: Any, sent: Any, method: str, example: Any, options: dict[str, Any]) -> Any:
    import dask
    import dask.dataframe as dd

    blocks = [dask.delayed(_call)(block, sent, method, options) for block in _blocks(X)]
    return dd.from_delayed(blocks, meta=example.iloc[:0])
