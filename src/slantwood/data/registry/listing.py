"""Which data sets are known by name, and which of them are on this computer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path

from slantwood.data.registry.entries import Copy, Dataset, Size, every_dataset
from slantwood.data.registry.places import data_folders, find_files
from slantwood.hints import did_you_mean, shown


def dataset(name: str) -> Dataset:
    """Return what is known of a data set.

    Parameters
    ----------
    name : str
        Its name in the paper or another one that it goes by; case, ``-`` and ``_`` make no difference.

    Returns
    -------
    Dataset
        Its task, its size, and where it can be had.

    Raises
    ------
    ValueError
        If no set of this name is known; it says which ones come near.

    Examples
    --------
    >>> from slantwood.data import dataset
    >>> dataset("emotions").size
    Size(N=593, D=72, T=6)
    >>> dataset("balance-scale").name
    'balance'
    """
    if not isinstance(name, str):
        raise TypeError(
            f"name={shown(name)} is of type {type(name).__name__}; expected the name of a data set"
        )
    found = _by_spelling().get(_spelling(name))
    if found is None:
        known = dict.fromkeys(entry.name for entry in _by_spelling().values())
        hint = did_you_mean(name, known, "slantwood.data.datasets() lists all", most=3)
        raise ValueError(f"no data set is called {shown(name)}; {hint}")
    return found


@cache
def _by_spelling() -> dict[str, Dataset]:
    return {
        _spelling(name): each for each in reversed(every_dataset()) for name in (*each.aliases, each.name)
    }


def _spelling(name: str) -> str:
    return name.strip().lower().replace("-", "_")


@dataclass(frozen=True)
class Listing:
    """A known data set, and whether it is there.

    Parameters
    ----------
    dataset : Dataset
        All that is known of it.
    copy : Copy or None
        The form that `load` would give; None where there is neither a file nor a public host.
    paths : tuple of Path
        The files of this form; empty where they are not there.

    Examples
    --------
    >>> from slantwood.data import Listing, dataset
    >>> listing = Listing(dataset("emotions"), copy=None)
    >>> listing.name, listing.where
    ('emotions', 'no public host known')
    """

    dataset: Dataset
    copy: Copy | None
    paths: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        """Its name in the paper."""
        return self.dataset.name

    @property
    def task(self) -> str:
        """Its task."""
        return self.dataset.task

    @property
    def size(self) -> Size:
        """Rows, inputs and targets: of the form that `load` would give, else as the paper states them."""
        return self.copy.size if self.copy else self.dataset.size

    @property
    def where(self) -> str:
        """The folder of its files, "to be fetched", or "no public host known"."""
        if self.paths:
            return str(self.paths[0].parent)
        return "to be fetched" if self.copy else "no public host known"

    @property
    def remark(self) -> str:
        """What a reader of results on this set must know."""
        if self.copy is None and self.dataset.stand_ins:
            return f"near it: {', '.join(self.dataset.stand_ins)}"
        return self.copy.remark if self.copy else ""


def datasets(folder: str | PathLike[str] | None = None) -> list[Listing]:
    """List all known data sets, and which of them are there.

    Parameters
    ----------
    folder : str or path, optional
        The first folder to look in, as for `load`.

    Returns
    -------
    list of Listing
        One for each data set, in the order of the table.

    Examples
    --------
    >>> from slantwood.data import datasets
    >>> sum(listing.dataset.in_paper for listing in datasets())
    78
    """
    folders = data_folders(folder)
    return [listing(entry, folders) for entry in every_dataset()]


def listing(entry: Dataset, folders: Sequence[Path]) -> Listing:
    """Look for a set in some folders; the first that has all files of a form of it counts."""
    for folder in folders:
        for copy in entry.copies:
            if paths := find_files(copy.names, folder):
                return Listing(entry, copy, tuple(paths[: len(copy.files)]))
    return Listing(entry, next((copy for copy in entry.copies if copy.can_be_fetched), None))
