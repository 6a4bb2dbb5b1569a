"""A data set by its name: from a folder of this computer, or else fetched from where it is hosted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from slantwood.data.formats.arff import read_clus, read_hierarchy
from slantwood.data.read import read
from slantwood.data.registry.download import Progress
from slantwood.data.registry.entries import Copy, Dataset, description_path
from slantwood.data.registry.fetch import fetch_copy
from slantwood.data.registry.listing import Listing, dataset, listing
from slantwood.data.registry.openml import description_url, read_description
from slantwood.data.registry.places import ENVIRONMENT, cache_folder, data_folders
from slantwood.data.registry.web import FetchError
from slantwood.data.table import Data, stacked
from slantwood.hints import shown
from slantwood.task_names import CLASS_TASKS

_AGAINST_THE_REST = " against the rest"


def load(
    name: str,
    *,
    folder: str | PathLike[str] | None = None,
    part: str | None = None,
    download: bool = True,
    progress: Progress | None = None,
) -> Data:
    """Load a data set by its name.

    It is looked for in `folder`, in the folder that the environment variable ``SLANTWOOD_DATA`` names, and
    among the sets fetched before (`cache_folder`), as ``<task>/<set>/<file>``, plain or compressed. If it is
    in none of them it is fetched, where a public host is known, and its checksum is verified.

    Parameters
    ----------
    name : str
        One of `datasets`.
    folder : str or path, optional
        The first folder to look in.
    part : {"train", "valid", "test"}, optional
        The part to load of a set that comes in parts; all of them, under each other, if nothing is said.
    download : bool, default=True
        Whether to fetch what is not there.
    progress : callable, optional
        Called for each file that is fetched, again and again, with the bytes so far and the bytes in all
        (None where unknown).

    Returns
    -------
    Data
        Inputs, targets, their names, and the task. `datasets` has a remark on sets whose files differ from
        those of the paper.

    Raises
    ------
    ValueError
        If no such set is known, or it has no such part.
    FileNotFoundError
        If the set is not there and cannot be fetched; it says where to get it, and where to put it.

    Examples
    --------
    >>> import slantwood.data
    >>> data = slantwood.data.load("emotions")  # doctest: +SKIP
    """
    entry = dataset(name)
    _check_part(entry.name, part, {file.part for copy in entry.copies for file in copy.files})
    folders = data_folders(folder)
    found = listing(entry, folders)
    if not found.paths:
        found = _fetch(entry, folders, download, progress)
    assert found.copy is not None
    return _read(entry, found.copy, found.paths, part)


def _check_part(name: str, part: str | None, parts: set[str | None]) -> None:
    if part is not None and part not in parts:
        known = sorted(str(each) for each in parts if each)
        has = f"has the parts {', '.join(known)}" if known else "comes in one part"
        raise ValueError(f"part={shown(part)}, but {name} {has}")


# ---- reading


def _read(entry: Dataset, copy: Copy, paths: Sequence[Path], part: str | None) -> Data:
    _check_part(f"{entry.name} in {paths[0].parent}", part, {file.part for file in copy.files})
    chosen = [path for path, file in zip(paths, copy.files, strict=True) if part in (None, file.part)]
    if entry.task == "hierarchical multi-label":
        # The order of the labels is that of the training part, in all parts.
        hierarchy = read_hierarchy(paths[0])
        return stacked([read_clus(path, hierarchy=hierarchy) for path in chosen])
    arguments = _arguments(entry, copy, paths[0])
    return _relabel(stacked([read(path, **arguments) for path in chosen]), copy.relabel)


def _arguments(entry: Dataset, copy: Copy, path: Path) -> dict[str, Any]:
    arguments = dict(copy.reading)
    if copy.openml is not None:
        columns = read_description(path)
        arguments.setdefault("targets", columns.targets)
        arguments["drop"] = tuple(dict.fromkeys((*arguments.get("drop", ()), *columns.ignored)))
    if entry.task.endswith("regression") or copy.relabel == "rounded":
        arguments["task"] = "regression"
    elif entry.task in CLASS_TASKS:
        arguments["task"] = "classification"
    return arguments


def _relabel(data: Data, rule: str) -> Data:
    if rule == "rounded":
        return replace(data, y=np.rint(data.y).astype(np.int64), task="multi-class")
    if rule.endswith(_AGAINST_THE_REST):
        chosen = rule.removesuffix(_AGAINST_THE_REST)
        is_chosen = [str(label) == chosen for label in data.y.tolist()]
        return replace(data, y=np.array(is_chosen, np.int64), task="binary")
    return data


# ---- fetching


def _fetch(entry: Dataset, folders: Sequence[Path], allowed: bool, progress: Progress | None) -> Listing:
    reasons = []
    copies = [copy for copy in entry.copies if copy.can_be_fetched]
    for copy in copies if allowed else ():
        try:
            fetch_copy(copy, cache_folder(), progress=progress)
            return listing(replace(entry, copies=(copy,)), [cache_folder()])
        except FetchError as error:
            reasons.append(str(error))
    why = f"it could not be fetched: {'; '.join(reasons)}"
    if not copies or not allowed:
        why = "download=False forbids fetching it" if copies else "no public host is known"
    looked = ", ".join(map(str, folders))
    raise FileNotFoundError(
        f"data set {shown(entry.name)} is in none of {looked}, and {why}. {_by_hand(entry)}"
    )


def _by_hand(entry: Dataset) -> str:
    copy = max(entry.copies, key=lambda copy: copy.can_be_fetched)
    first = Path(copy.files[0].name)
    advice = f"It is described at {entry.page}; put {', '.join(Path(file.name).name for file in copy.files)}"
    if copy.openml is not None:
        advice += f" and, as {description_path(first).name}, {description_url(copy.openml)}"
    advice += f" into {cache_folder() / first.parent}, or the same below a folder that folder= or "
    advice += f"{ENVIRONMENT} names."
    return f"{advice} Similar data sets: {', '.join(entry.stand_ins)}." if entry.stand_ins else advice
