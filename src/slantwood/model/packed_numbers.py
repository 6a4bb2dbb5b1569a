"""How numbers of a model lie in a file: whole ones as narrow as they can be, others in single or half.

Reading checks what every array of its kind must be; a file may come from anybody.
"""

import numpy as np

from slantwood.model.container import take
from slantwood.model.refusal import ModelFileError

Arrays = dict[str, np.ndarray]

COUNTS = ("uint8", "uint16", "uint32")
COLUMNS = ("uint16", "uint32")
NUMBERS = ("float16", "float32")


def narrow(numbers: np.ndarray, dtypes: tuple[str, ...]) -> np.ndarray:
    """Return whole numbers in the narrowest of some types that holds them."""
    largest = int(numbers.max(initial=0))
    name = next(name for name in dtypes if largest <= np.iinfo(name).max)
    return numbers.astype(name, copy=False)


def half(numbers: np.ndarray) -> np.ndarray:
    """Round to float16 where no number is too large for it."""
    limit = np.finfo(np.float16).max
    fits = -limit <= numbers.min(initial=0.0) and numbers.max(initial=0.0) <= limit
    return numbers.astype(np.float16) if fits else numbers


def columns_of(arrays: Arrays, name: str, n_columns: int) -> np.ndarray:
    """Take an array of columns, of which there are so many."""
    columns = take(arrays, name, COLUMNS)
    if len(columns) and columns.max() >= n_columns:
        raise ModelFileError(f"array {name!r} has the column {columns.max()}, and there are {n_columns}")
    return columns


def sized(
    arrays: Arrays, name: str, dtypes: tuple[str, ...], length: int, *, one_for_all: bool = False
) -> np.ndarray:
    """Take an array of a given length; with `one_for_all`, one number may stand for all."""
    array = take(arrays, name, dtypes)
    if len(array) != length and not (one_for_all and len(array) == 1):
        raise ModelFileError(f"array {name!r} has {len(array)} numbers, and must have {length}")
    return array


def starts_of(counts: np.ndarray, total: int, name: str) -> np.ndarray:
    """Return where ranges of given lengths start, one after the other, and where the last ends."""
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    if starts[-1] != total:
        raise ModelFileError(f"array {name!r} adds up to {starts[-1]}, and must add up to {total}")
    return starts


def single(numbers: np.ndarray, name: str) -> np.ndarray:
    """Return finite numbers in single precision."""
    return finite(numbers.astype(np.float32, copy=False), name)


def finite(numbers: np.ndarray, name: str) -> np.ndarray:
    """Return the numbers of an array, none of which may be infinite or NaN."""
    if not is_finite(numbers):
        raise ModelFileError(f"array {name!r} holds numbers that are not finite")
    return numbers


def is_finite(numbers: np.ndarray) -> bool:
    """Tell whether no number is infinite or NaN."""
    # The least and the largest number are NaN where any is; unlike a mask of all, this takes no memory.
    return not numbers.size or bool(np.isfinite(numbers.min()) and np.isfinite(numbers.max()))
