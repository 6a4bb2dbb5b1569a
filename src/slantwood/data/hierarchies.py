"""Files of CLUS with a hierarchy of classes: read alone, or with the hierarchy of another file."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from slantwood.data.arff.clus import Classes, check_padding, class_position
from slantwood.data.arff.header import read_header
from slantwood.data.arff.source import emit_notices, open_source
from slantwood.data.formats.arff import read_hierarchical
from slantwood.data.limits import checked_max_memory
from slantwood.data.read_options import ReadOptions
from slantwood.data.table import Data
from slantwood.targets.hierarchy import Hierarchy


def read_hierarchy(
    path: str | PathLike[str],
    *,
    padding: str | None = "auto",
    encoding: str | None = None,
    max_memory: int | None = None,
) -> Hierarchy:
    r"""Read the hierarchy of a CLUS file from its header; the rows are not looked at.

    Parameters
    ----------
    path : str or path
        The file; .bz2, .gz, .xz, .zst and a .zip with one file in it are decompressed.
    padding : str or None, default="auto"
        What shorter paths are filled up with, and is dropped from their ends: with "0", ``1/2/0/0`` is the
        class ``1/2``. "auto" takes "0" where the list of classes looks so: all paths have the same number of
        parts, more than one, some end in 0, and a 0 is followed by zeros only. None drops nothing.
    encoding : str, optional
        The encoding of the file, as in `read`.
    max_memory : int, optional
        The most bytes of memory that the file may take, as in `read`.

    Returns
    -------
    Hierarchy
        Labels are the paths, in the order of the file. Where an entry of the list begins with ``root/``, the
        entries are links ``parent/child``, and labels are the names of the nodes, without ``root``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from slantwood.data import read_hierarchy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "trees.arff")
    ...     classes = "@attribute class hierarchical oak,elm,elm/wych"
    ...     _ = path.write_text(f"@relation trees\n@attribute height numeric\n{classes}\n@data\n30,oak\n")
    ...     read_hierarchy(path).nodes
    ('oak', 'elm', 'elm/wych')
    """
    check_padding(padding)
    with open_source(path, encoding, checked_max_memory(max_memory)) as source:
        attributes = read_header(source).attributes
        position = class_position(source, attributes, is_needed=True)
        assert position is not None
        classes = Classes(source, attributes[position], padding)
    emit_notices(source)
    return classes.hierarchy()


def read_clus(
    path: str | PathLike[str],
    *,
    hierarchy: Hierarchy | None = None,
    padding: str | None = "auto",
    encoding: str | None = None,
    index_base: int | str = "auto",
    drop_text: bool = False,
    max_memory: int | None = None,
) -> Data:
    r"""Read a CLUS file of hierarchical multi-label classification.

    Parameters
    ----------
    path : str or path
        The file; .bz2, .gz, .xz, .zst and a .zip with one file in it are decompressed.
    hierarchy : Hierarchy, optional
        The hierarchy to use, that of the training file for instance, in place of the one in the header.
    padding : str or None, default="auto"
        What shorter paths are filled up with, as in `read_hierarchy`.
    encoding : str, optional
        The encoding of the file, as in `read`.
    index_base : {"auto", "clus", 0, 1}, default="auto"
        The number of the first column in sparse rows, as in `read`.
    drop_text : bool, default=False
        Whether to leave out columns of text, as in `read`.
    max_memory : int, optional
        The most bytes of memory that the file may take, as in `read`.

    Returns
    -------
    Data
        The inputs, the labels and their hierarchy. `y` is a csr_array of dtype int8 with a column per label,
        1 where the file gives the label. A row whose classes are not known (``?``) is all NaN, and y then of
        dtype float32.

    Raises
    ------
    ValueError
        If the file is malformed; it says the line, and what was expected there.
    ImportError
        If there are nominal inputs, and pandas is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from slantwood.data import read_clus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "trees.arff")
    ...     classes = "@attribute class hierarchical oak,elm,elm/wych"
    ...     _ = path.write_text(f"@relation trees\n@attribute height numeric\n{classes}\n@data\n30,oak\n")
    ...     train = read_clus(path)
    ...     test = read_clus(path, hierarchy=train.hierarchy)
    >>> test.y.toarray()
    array([[1, 0, 0]], dtype=int8)
    """
    check_padding(padding)
    if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
        raise TypeError(f"hierarchy is of type {type(hierarchy).__name__}; expected a Hierarchy or None")
    options = ReadOptions(
        encoding=encoding,
        index_base=index_base,
        drop_text=drop_text,
        max_memory=checked_max_memory(max_memory),
    )
    return read_hierarchical(Path(path), options, hierarchy, padding)
