"""Data files of which no more than a block of rows is ever in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from slantwood.data.arff.source import check_encoding
from slantwood.data.arrow_tables import column_roles
from slantwood.data.formats import Format
from slantwood.data.read import read_with_options
from slantwood.data.read_options import ReadOptions, Roles
from slantwood.data.scans.files import files_of
from slantwood.data.scans.stored_batches import StoredBatches
from slantwood.data.scans.targets import TargetForm, TargetSurvey
from slantwood.data.table import (
    Data,
    Table,
    dense,
    inputs,
    is_frame,
    known_values,
    pandas_for,
    stacked,
    task_of,
)
from slantwood.features.rows import n_rows_of
from slantwood.hints import format_bytes, listed, pluralize, shown
from slantwood.task_names import CLASS_TASKS
from slantwood.validation import check_integer

# A block has about so many bytes of numbers: enough to be read fast, and little beside what models need.
_BLOCK_BYTES = 1 << 22
_IN_BATCHES = ("parquet", "arrow")


def scan(
    source: Any,
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
    block_rows: int | None = None,
) -> Scan:
    r"""Look at data files that are too large to hold; rows are read a block at a time, when they are needed.

    Parquet and Arrow files are read in blocks of some megabytes. A file of any other format is one block, and
    is held whole while it is read: give such rows in many files.

    Parameters
    ----------
    source : str, path, several paths, or dataset of pyarrow
        A folder stands for all data files in and below it, in the order of their names. All must have the
        same format and the same columns.
    targets, task, format, drop, nominal, header, encoding, index_base, drop_text : optional
        As `slantwood.data.read` takes them, for each file.
    block_rows : int, optional
        Rows of a block of Parquet and Arrow files; by default 4 MB of numbers.

    Returns
    -------
    Scan
        Which forests with `max_memory` learn from, and which gives its blocks one after the other.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import slantwood.data
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a", "b"):
    ...         _ = Path(folder, f"{name}.csv").write_text("length,weight\n1.5,20\n2.5,31\n")
    ...     fish = slantwood.data.scan(folder, targets="weight")
    ...     [block.X.shape for block in fish]
    [(2, 1), (2, 1)]
    """
    check_encoding(encoding)
    options = ReadOptions(targets, drop, nominal, header, task, encoding, index_base, drop_text)
    return scan_with_options(source, options, format, block_rows)


def scan_with_options(
    source: Any, options: ReadOptions, format: str | None = None, block_rows: int | None = None
) -> Scan:
    """Look at data files whose columns have the roles that `options` gives them."""
    if block_rows is not None:
        check_integer("block_rows", block_rows, 1)
    return Scan(*files_of(source, format), options, block_rows)


@dataclass(frozen=True, eq=False)
class Scan:
    """Rows of data files that are read a block at a time; iterate over it for the blocks, which are `Data`.

    `scan` makes one.

    Parameters
    ----------
    files : tuple of Path
        The files, in order.
    format : Format
        Of all files.
    options : ReadOptions
        What their columns are for.
    block_rows : int or None
        Rows of a block; None for as many as take some megabytes.

    Examples
    --------
    >>> import slantwood.data
    >>> rows = slantwood.data.scan("folder", targets="price")  # doctest: +SKIP
    >>> sum(len(block.y) for block in rows)  # doctest: +SKIP
    1000000
    """

    files: tuple[Path, ...]
    format: Format
    options: ReadOptions
    block_rows: int | None = None

    def __iter__(self) -> Iterator[Data]:
        """Yield the blocks, in order."""
        return self._blocks_of(range(len(self.files)))

    def blocks_of_file(self, number: int) -> Iterator[Data]:
        """Return the blocks of a file alone, in the form that those of all files have.

        Parameters
        ----------
        number : int
            Which of the files.

        Returns
        -------
        iterator of Data
            Rows; there is no block where the file has none.

        Examples
        --------
        >>> import slantwood.data
        >>> next(slantwood.data.scan("folder", targets="price").blocks_of_file(3))  # doctest: +SKIP
        <Data: 20000 rows, 12 features (dense), regression, targets: 1>
        """
        return self._blocks_of([number])

    def surveyed(self) -> Scan:
        """Look at what gives blocks their form: the first rows and, of Parquet and Arrow files, all targets.

        Returns
        -------
        Scan
            Itself. It keeps what it found, also where it is sent to other processes.

        Examples
        --------
        >>> import slantwood.data
        >>> slantwood.data.scan("folder", targets="price").surveyed()  # doctest: +SKIP
        <Scan: 1,000,000 rows, 50 parquet files, 61 MB>
        """
        _ = self._first, self._form if self.is_stored else None
        return self

    def _blocks_of(self, numbers: Sequence[int]) -> Iterator[Data]:
        first = self._first
        for path, block in (self._stored_blocks if self.is_stored else self._file_blocks)(numbers):
            _check_same(path, "targets", block.target_names, first.target_names)
            if block.hierarchy != first.hierarchy:
                raise ValueError(
                    f"{path}: its hierarchy is not that of {self.files[0]}; give the same in all"
                )
            yield _in_form(path, block, first)

    @property
    def is_stored(self) -> bool:
        """Whether files can be read in blocks; or else each is one."""
        return self.format.name in _IN_BATCHES

    @property
    def n_bytes(self) -> int:
        """Size of the files on disk."""
        return sum(file.stat().st_size for file in self.files)

    @cached_property
    def n_rows(self) -> int:
        """Number of rows; where files do not say it, all are read once."""
        if self.is_stored:
            return sum(each.n_rows for each in self._stored)
        return self._survey_of_files[0]

    @property
    def feature_names(self) -> Sequence[str]:
        """Names of the columns of X."""
        return self._first.feature_names

    @property
    def target_names(self) -> Sequence[str]:
        """Names of the targets."""
        return self._first.target_names

    @property
    def hierarchy(self) -> Any:
        """The hierarchy of the labels, where files have one."""
        return self._first.hierarchy

    @property
    def task(self) -> str | None:
        """The task that the targets of all rows pose; finding it reads all targets once."""
        return self._form.task if self.is_stored else self._survey_of_files[1]

    def read(self) -> Data:
        """Read all rows into memory.

        Returns
        -------
        Data
            What `slantwood.data.read` would return for one file with all rows.

        Examples
        --------
        >>> import slantwood.data
        >>> slantwood.data.scan("folder", targets="price").read().X.shape  # doctest: +SKIP
        (1000000, 12)
        """
        blocks = list(self)
        return replace(stacked(blocks), task=self.task) if len(blocks) > 1 else blocks[0]

    def __repr__(self) -> str:
        rows = pluralize(self.n_rows, "row") + ", " if self.is_stored else ""
        of = pluralize(len(self.files), f"{self.format.name} file")
        return f"<Scan: {rows}{of}, {format_bytes(self.n_bytes)}>"

    # ---- Parquet and Arrow

    @cached_property
    def _stored(self) -> list[StoredBatches]:
        return [StoredBatches(file, self.format.name == "parquet") for file in self.files]

    def _tables(
        self, options: ReadOptions, numbers: Sequence[int] | None = None
    ) -> Iterator[tuple[Path, Table]]:
        for file in self._stored if numbers is None else [self._stored[number] for number in numbers]:
            n_columns = max(len(file.schema.names), 1)
            rows = self.block_rows or max(_BLOCK_BYTES // (4 * n_columns), 1000)
            yield from ((file.path, table) for table in file.tables(options, rows))

    @cached_property
    def _form(self) -> TargetForm:
        first = self._stored[0]
        names, roles = column_roles(first.path, first.schema, self.options)
        survey = TargetSurvey([names[i] for i in roles.targets], self.options.task)
        if roles.targets:
            for path, table in self._tables(_TargetsOnly(base=self.options)):
                _check_same(path, "targets", table.target_names, [names[i] for i in roles.targets])
                survey.add(table.targets)
        return survey.form()

    def _stored_blocks(self, numbers: Sequence[int]) -> Iterator[tuple[Path, Data]]:
        form = self._form
        for path, table in self._tables(self.options, numbers):
            y = form.y(table.targets)
            yield path, Data(_cells(path, table), y, table.names, table.target_names, None, form.task)

    # ---- files of other formats, each a block

    def _file_blocks(self, numbers: Sequence[int]) -> Iterator[tuple[Path, Data]]:
        for file in (self.files[number] for number in numbers):
            yield file, read_with_options(file, self.options, self.format.name)

    @cached_property
    def _survey_of_files(self) -> tuple[int, str | None]:
        n_rows, tasks, classes = 0, set(), set[Any]()
        for block in self:
            n_rows += n_rows_of(block.X)
            tasks.add(block.task)
            if block.task in CLASS_TASKS:
                classes |= known_values(block.y)
        if tasks <= set(CLASS_TASKS):
            return n_rows, task_of(len(classes))
        if len(tasks) == 1:
            return n_rows, tasks.pop()
        if tasks <= {*CLASS_TASKS, "regression"}:  # two numbers in one file, and more in another
            return n_rows, "regression"
        raise ValueError(
            f"the files pose several tasks ({listed(sorted(map(str, tasks)))}); give task, or those of one"
        )

    @cached_property
    def _first(self) -> Data:
        """The first block, without its rows."""
        if self.is_stored:
            found = next(self._tables(self.options), None)
            if found is None:
                raise ValueError(f"{self.files[0]} has no rows, nor has any other file; give files with some")
            path, table = found
            return Data(_cells(path, table)[:0].copy(), None, table.names, table.target_names)
        block = next(self._file_blocks([0]))[1]
        # Copies, since views would hold all rows; weights and names are those of rows, too.
        y = None if block.y is None else block.y[:0].copy()
        return replace(block, X=block.X[:0].copy(), y=y, weights=None, keys=None)


def _cells(path: Path, table: Table) -> Any:
    """Return X: an array, or a frame where columns are nominal; never sparse, which would depend on rows."""
    return inputs(path, table) if table.nominal else table.numbers


@dataclass(frozen=True)
class _TargetsOnly(ReadOptions):
    """Asks for the targets alone."""

    base: ReadOptions = field(default_factory=ReadOptions)

    def select_roles(self, names: Sequence[str]) -> Roles:
        """Return the roles of columns with these names."""
        roles = self.base.select_roles(names)
        return Roles((), roles.targets, roles.nominal)


def _check_same(path: Path, what: str, names: Sequence[str], first: Sequence[str]) -> None:
    if len(names) == len(first) and (names == first or tuple(names) == tuple(first)):
        return
    other = next((name for name in names if name not in first), None)
    found = "fewer" if other is None else f"{shown(other)} among them"
    raise ValueError(f"{path}: its {what} are not those of the first file ({found}); give files that agree")


def _in_form(path: Path, block: Data, first: Data) -> Data:
    """Return a block with the columns of the first one in its order and in the container that it has."""
    X, names = block.X, block.feature_names
    if names != first.feature_names:
        _check_same(path, "columns", sorted(names), sorted(first.feature_names))
        place = {name: i for i, name in enumerate(names)}
        order = [place[name] for name in first.feature_names]
        X = X.iloc[:, order] if is_frame(X) else X[:, order]
    if is_frame(first.X) or is_frame(X):
        X = _as_frame(path, X, first)
    elif sp.issparse(first.X) != sp.issparse(X):
        X = sp.csr_array(X) if sp.issparse(first.X) else dense(X)
    y = block.y
    if first.y is not None and sp.issparse(first.y) != sp.issparse(y):
        y = sp.csr_array(y) if sp.issparse(first.y) else dense(y)
    return replace(block, X=X, y=y, feature_names=first.feature_names)


def _as_frame(path: Path, X: Any, first: Data) -> Any:
    if not is_frame(X):
        X = pandas_for(path).DataFrame(dense(X), columns=list(first.feature_names))
    of_first = first.X if is_frame(first.X) else None
    for name in first.feature_names:
        is_nominal = X[name].dtype.name == "category"
        was_nominal = of_first is not None and of_first[name].dtype.name == "category"
        if is_nominal != was_nominal:
            kinds = ("text", "numbers") if is_nominal else ("numbers", "text")
            raise ValueError(
                f"{path}: column {shown(name)} holds {kinds[0]}, and {kinds[1]} in the first rows; give "
                f"nominal=[{shown(name)}] to take it as text everywhere, or drop it"
            )
    return X
