"""A collection of labels for each row: whether y is such, and its indicator matrix."""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from slantwood.features.frames import is_missing
from slantwood.hints import listed, shown
from slantwood.targets.hierarchy_matrices import columns_of_indicator, indicator_of_columns
from slantwood.targets.reading import check_length

_COLLECTIONS = (set, frozenset, list, tuple, np.ndarray)

# How libraries call the method that makes a list of a series.
_TO_LIST = ("to_pylist", "to_list", "tolist")


def holds_label_sets(y: Any) -> bool:
    """Tell whether y has a collection of labels for each row.

    Lists of numbers of equal length are the rows of a matrix; sets never are.

    Examples
    --------
    >>> from slantwood.targets.label_sets import holds_label_sets
    >>> holds_label_sets([["sea"], ["sea", "sun"], None]), holds_label_sets([{3}, {1}])
    (True, True)
    >>> holds_label_sets([[0, 1], [1, 0]]), holds_label_sets(["sea", "sun"])
    (False, False)
    """
    if sp.issparse(y) or len(getattr(y, "shape", (0,))) != 1:
        return False
    if not isinstance(y, (list, tuple)) and not any(hasattr(y, method) for method in _TO_LIST):
        return False
    dtype = getattr(y, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return False
    listed = rows_of(y)
    rows = [row for row in listed if is_collection(row)]
    if len(rows) < len(listed) or len({len(row) for row in rows}) > 1:
        return bool(rows)
    if any(isinstance(row, (set, frozenset)) for row in rows):
        return True
    cells = [cell for row in rows for cell in row]
    # Rows without any cell are rows without any label.
    return bool(rows) and not (cells and all(isinstance(c, (Real, np.bool_)) or c is None for c in cells))


def are_label_sets(y: Any, n_labels: int) -> bool:
    """Tell whether y has a collection for each row, where a row of a matrix has a cell for each label."""
    if holds_label_sets(y):
        return True
    listed = isinstance(y, (list, tuple)) and all(map(is_collection, y))
    return listed and any(len(row) != n_labels for row in y)


def is_collection(row: Any) -> bool:
    """Tell whether a row of y is a collection of labels, rather than a label."""
    return isinstance(row, _COLLECTIONS)


def rows_of(y: Any) -> list[Any]:
    """Return the rows of a list, an array of objects, or a series of any library, as a list."""
    for method in _TO_LIST:
        if hasattr(y, method):
            return list(getattr(y, method)())
    return list(y)


class LabelSets(NamedTuple):
    """The labels of all rows as an indicator matrix."""

    labels: np.ndarray  # of the columns: objects that are text, or int64
    indicator: sp.csr_array  # int8; float32 where some rows are not known, which are NaN
    has_others: np.ndarray  # mask of the rows with a label that has no column


def read_label_sets(y: Any, n_rows: int | None, known: np.ndarray | None = None) -> LabelSets:
    """Read a collection of labels for each row; one that is missing means that no label of it is known.

    Columns are the `known` labels or, without these, all labels of y in ascending order.
    """
    rows = rows_of(y)
    check_length(len(rows), n_rows)
    flat: list[Any] = []
    stops, unknown = [0], []
    for i, row in enumerate(rows):
        if is_collection(row):
            flat.extend(row)
        elif is_missing(row):
            unknown.append(i)
        else:
            raise ValueError(
                f"row {i} of y is {shown(row)}, while other rows are collections of labels; make it a "
                "collection too, or None where its labels are not known"
            )
        stops.append(len(flat))
    _check_labels(flat, stops)
    if flat and known is not None and isinstance(flat[0], str) is not (known.dtype.kind == "O"):
        raise TypeError(
            f"y has labels such as {shown(flat[0])}, and the model such as {listed(known.tolist(), 1)}"
        )
    labels = _in_order(set(flat)) if known is None else known
    column = {label: j for j, label in enumerate(labels.tolist())}
    columns = np.fromiter((column.get(label, -1) for label in flat), np.int64, len(flat))
    ends, is_other = np.array(stops), columns < 0
    has_others = np.zeros(len(rows), np.bool_)
    if is_other.any():
        has_others[np.repeat(np.arange(len(rows)), np.diff(ends))[is_other]] = True
        ends = np.concatenate([[0], np.cumsum(~is_other)])[ends]
        columns = columns[~is_other]
    return LabelSets(labels, indicator_of_columns(columns, ends, unknown, len(labels)), has_others)


def as_label_sets(indicator: Any, labels: list[Any]) -> list[tuple[Any, ...] | None]:
    """Return the labels of each row of an indicator; None for a row of NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.targets.label_sets import as_label_sets
    >>> as_label_sets(np.array([[1, 1], [0, 0]]), ["sea", "sun"])
    [('sea', 'sun'), ()]
    """
    rows = columns_of_indicator(indicator)
    return [None if columns is None else tuple([labels[j] for j in columns]) for columns in rows]


def _check_labels(flat: list[Any], stops: list[int]) -> None:
    """Refuse labels that are neither text nor whole numbers, and both beside each other."""
    kinds = set(map(type, flat))
    is_text = {kind: issubclass(kind, str) for kind in kinds}
    for kind in kinds:
        # True and 1 are equal in Python, but nobody means a label by True.
        is_number = issubclass(kind, (int, np.integer)) and kind is not bool
        if not is_text[kind] and not is_number:
            place = next(i for i, label in enumerate(flat) if type(label) is kind)
            row = int(np.searchsorted(stops, place, side="right")) - 1
            raise TypeError(
                f"row {row} of y has the label {shown(flat[place])} ({kind.__name__}); labels must be text "
                "or whole numbers, and a row whose labels are not known None"
            )
    if len(set(is_text.values())) > 1:
        text, number = (
            next(label for label in flat if isinstance(label, str) is each) for each in (True, False)
        )
        both = f"{shown(text)} and {shown(number)}"
        raise TypeError(
            f"y has labels that are text and whole numbers, as {both}; give all as text. If rows have a "
            "value for each of several targets, give a data frame or an array of objects"
        )


def _in_order(labels: set[Any]) -> np.ndarray:
    # Of subclasses, numpy's among them, the plain values.
    if any(isinstance(each, str) for each in labels):
        return np.array([str.__str__(each) for each in sorted(labels)], object)
    numbers = sorted(map(int, labels))
    try:
        return np.array(numbers, np.int64)
    except OverflowError as error:
        far = shown(max(numbers, key=abs))
        raise ValueError(f"y has the label {far}, which 64 bits do not hold; give labels as text") from error
