"""Any data file to X and y, and back: the format is found, the targets are set apart, the task recognised."""

from __future__ import annotations

import errno
import warnings
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.arff.source import check_encoding
from slantwood.data.closure import with_ancestors
from slantwood.data.files import write_file
from slantwood.data.formats import format_of
from slantwood.data.limits import Limit, checked_max_memory
from slantwood.data.read_options import ColumnsTypeError, ReadOptions, reject_arff_options
from slantwood.data.table import Data, Table, compact, inputs, is_frame
from slantwood.data.tasks import infer_task
from slantwood.hints import shortened


def read(
    path: str | PathLike[str],
    targets: Any = None,
    *,
    task: str | None = None,
    format: str | None = None,
    drop: Any = (),
    nominal: Any = (),
    header: bool | None = None,
    encoding: str | None = None,
    index_base: int | str = "auto",
    drop_text: bool = False,
    max_memory: int | None = None,
) -> Data:
    """Read a data file.

    Parameters
    ----------
    path : str or path
        The file; .bz2, .gz, .xz, .zst and a .zip with one file in it are decompressed.
    targets : str, int, re.Pattern, or several names or positions, optional
        The columns to predict: names, positions, ``"last:6"``, ``"first:1"``, or a regular expression, also
        written ``"/^label_/"``; ``()`` for none. Some files say it themselves: those in the formats svmlight,
        extreme and npz, those of CLUS with a hierarchy, and those of Mulan with an XML file beside. What
        pandas has stored as the index of a frame is no column.
    task : {"classification", "regression"}, optional
        What a column of numbers means. If nothing is said, two values are classes, and more are numbers.
    format : str, optional
        "arff", "csv", "tsv", "svmlight", "extreme", "parquet", "arrow" or "npz"; the name of the file tells
        it if nothing is said.
    drop : like targets
        Columns to leave out, as identifiers.
    nominal : like targets
        Columns of numbers that are only codes.
    header : bool, optional
        Whether the first line of a CSV or TSV file has names. If nothing is said, it has where it holds
        anything but numbers, the numbers 0, 1, 2, ... in order, or numbers in quotes above others without.
    encoding : str, optional
        The encoding of an ARFF file, as "cp1252". If nothing is said it is UTF-8, and lines that are not are
        taken as Latin-1.
    index_base : {"auto", "clus", 0, 1}, default="auto"
        From which number on the sparse rows of an ARFF file count attributes: from 0, as Weka does, or from
        1, as CLUS does. "auto" takes 0, unless an index as large as the number of attributes proves that it
        is 1; "clus" takes 1, unless an index 0 proves that it is 0.
    drop_text : bool, default=False
        Leave out all inputs of an ARFF file that are texts or dates, except those in `nominal`.
    max_memory : int, optional
        The most bytes of memory that the file may take: what its arrays, or its compressed bytes, claim is
        checked before. If nothing is said, 1000 times the size of the file, and at least 256 MiB. A line of
        text may have a quarter of it.

    Returns
    -------
    Data
        Inputs, targets, their names, and the task.

    Raises
    ------
    ValueError
        If the file is malformed, damaged, or would take more than `max_memory`; it names the file, the line
        where there are lines, and what was expected there.
    ImportError
        If a library is missing: pandas for nominal inputs, pyarrow for Parquet and Arrow.

    Warns
    -----
    UserWarning
        If an ARFF file has values that are not UTF-8, or its sparse rows are found to count from 1.

    Examples
    --------
    >>> import slantwood.data
    >>> data = slantwood.data.read("emotions.arff", targets="last:6")  # doctest: +SKIP
    >>> data = slantwood.data.read("wine.csv", targets="quality", task="regression")  # doctest: +SKIP
    """
    check_encoding(encoding)
    options = ReadOptions(
        targets, drop, nominal, header, task, encoding, index_base, drop_text, checked_max_memory(max_memory)
    )
    return read_with_options(Path(path), options, format)


def read_with_options(path: Path, options: ReadOptions, format: str | None = None) -> Data:
    """Read a data file whose columns have the roles that `options` gives them."""
    form = format_of(path, format)
    if form.name != "arff":
        reject_arff_options(path, options)
    module = form.load()
    try:
        content = module.read(path, options)
        return content if isinstance(content, Data) else _data_of(path, content, options)
    except Exception as error:
        if (named := _file_error(path, form.name, error)) is None:
            raise
        raise named from error


def _file_error(path: Path, format: str, error: Exception) -> ValueError | None:
    """Return an error that names the file and what is wrong with it; None where the file is not at fault.

    Libraries that read files have errors of many types for damaged ones, mostly without the name of the file.
    """
    message = str(error)
    if isinstance(error, (AssertionError, ColumnsTypeError, ImportError, Warning)):
        return None
    # The operating system gives a number; for a place that no file can have, the file is at fault.
    if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
        return None
    if type(error) is ValueError:
        return None if message.startswith(str(path)) else ValueError(f"{path}: {message}")
    if isinstance(error, MemoryError):
        message = f"there is not enough memory for it; {message}"
    reason = shortened(message or type(error).__name__)
    return ValueError(
        f"{path}: it cannot be read as {format} ({reason}); the file may be damaged: copy it again, or give "
        "format if it is in another one"
    )


def _data_of(path: Path, table: Table, options: ReadOptions) -> Data:
    limit = Limit.of(path, options.max_memory)
    y, task = infer_task(table.targets, table.target_names, options.task, limit)
    hierarchy = table.hierarchy if task == "multi-label" else None
    if hierarchy is not None:
        y = compact(with_ancestors(y, hierarchy, limit))
        task = "hierarchical multi-label"
    X = inputs(path, table)
    return Data(X, y, table.names, table.target_names, hierarchy, task, table.weights, table.keys)


def write(data: Data, path: str | PathLike[str], *, format: str | None = None) -> None:
    """Write a data file, all of it or, should anything fail, nothing.

    Parameters
    ----------
    data : Data
        What `read` returns. Targets become the last columns in formats that have only columns.
    path : str or path
        The file, compressed where its name ends in .bz2, .gz, .xz or .zst.
    format : str, optional
        One of those of `read`; the name of the file tells it if nothing is said.

    Warns
    -----
    UserWarning
        If the format cannot hold the hierarchy, the weights or the keys of the data.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from slantwood.data import Data, write
    >>> data = Data(np.array([[1.0], [2.5]], np.float32), np.array(["no", "yes"]), ("dose",), ("ill",))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.csv")
    ...     write(data, path)
    ...     print(path.read_text().strip())
    dose,ill
    1,no
    2.5,yes
    """
    if not isinstance(data, Data):
        raise TypeError(f"data is of type {type(data).__name__}; expected what slantwood.data.read returns")
    for name, values in (("X", data.X), ("y", data.y)):
        _refuse_infinite(name, values)
    form = format_of(Path(path), format, exists=False)
    module = form.load()
    write_file(path, lambda file: module.write(data, file))
    kept = ("hierarchy", "weights", "keys")
    if lost := [name for name in kept if name not in form.keeps and getattr(data, name) is not None]:
        warnings.warn(f"{path} does not hold {' and '.join(lost)}: {form.name} cannot", stacklevel=2)


def _refuse_infinite(name: str, values: Any) -> None:
    """Refuse what could be written in some formats, and read from none."""
    if is_frame(values):
        values = values.select_dtypes("number").to_numpy(np.float64, na_value=np.nan)
    cells = values.data if sp.issparse(values) else np.asarray(values)
    if cells.dtype.kind == "f" and np.isinf(cells).any():
        raise ValueError(f"{name} has infinite values, which data files cannot hold; replace them by NaN")
