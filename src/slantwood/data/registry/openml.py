"""What OpenML says of a data set: where its file is, its checksum, and what its columns are for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from slantwood.atomic import write_atomically
from slantwood.data.registry.download import Progress, check_checksum_kind, download, get_json
from slantwood.data.registry.entries import LARGEST, description_path
from slantwood.data.registry.web import FetchError
from slantwood.hints import shown

API = "https://www.openml.org/api/v1/json/data"


@dataclass(frozen=True)
class Description:
    """Columns of a set as OpenML describes them."""

    targets: tuple[str, ...]
    ignored: tuple[str, ...]


def fetch_openml(
    of: int | str, n_rows: int, path: Path, *, max_bytes: int = LARGEST, progress: Progress | None = None
) -> None:
    """Fetch the file of a set, and the description of it to a .json file beside.

    Parameters
    ----------
    of : int or str
        The number of the set, or its name; of several with this name, the oldest with `n_rows` rows is taken.
    n_rows : int
        How many rows it has.
    path : Path
        Where the file goes.
    max_bytes : int, default=4 GiB
        The largest size that the file may have.
    progress : callable, optional
        As `download` has it.

    Raises
    ------
    FetchError
        If OpenML cannot be reached, does not know the set, or sends another file than it describes.
    """
    number = of if isinstance(of, int) else _number(of, n_rows)
    url = description_url(number)
    document = get_json(url)
    try:
        about = document["data_set_description"]
        address, checksum = about["url"], f"md5:{about['md5_checksum']}"
        _description(about)
        if not isinstance(address, str):
            raise TypeError(f"url={shown(address)} is not text")
        check_checksum_kind(checksum)
    except (KeyError, TypeError, ValueError) as error:
        raise FetchError(f"{url} does not describe a data set with url and md5_checksum ({error})") from error
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(description_path(path), lambda file: file.write(json.dumps(document, indent=1).encode()))
    download(address, path, checksum=checksum, progress=progress, max_bytes=max_bytes, named_by=url)


def description_url(of: int | str) -> str:
    """Return the address of the description of a set, or of the list of those with its name."""
    return f"{API}/{of}" if isinstance(of, int) else f"{API}/list/data_name/{quote(of, safe='')}"


def read_description(path: Path) -> Description:
    """Read the description that lies beside a file."""
    path = description_path(path)
    try:
        return _description(json.loads(path.read_text(encoding="utf-8"))["data_set_description"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(
            f"{path} is not OpenML's description of a data set; delete it to fetch it anew"
        ) from error


def _description(about: Any) -> Description:
    if not isinstance(about, dict):
        raise TypeError(f"{shown(about)} is not a description")
    ignored = (*_names(about.get("ignore_attribute")), *_names(about.get("row_id_attribute")))
    return Description(_names(about["default_target_attribute"]), tuple(dict.fromkeys(ignored)))


def _names(said: Any) -> tuple[str, ...]:
    # One name, several in a list, or several with commas between them.
    listed = said if isinstance(said, list) else [said] if said else []
    if not all(isinstance(each, str) for each in listed):
        raise TypeError(f"{shown(said)} holds something that is not a name")
    return tuple(name.strip(" \"'") for each in listed for name in each.split(","))


def _number(name: str, n_rows: int) -> int:
    url = description_url(name)
    document = get_json(url)
    try:
        found = [
            int(each["did"])
            for each in document["data"]["dataset"]
            for quality in each["quality"]
            if quality["name"] == "NumberOfInstances" and float(quality["value"]) == n_rows
        ]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FetchError(f"{url} does not list data sets and their numbers of rows") from error
    if not found:
        raise FetchError(f"{url} lists no data set of {n_rows} rows")
    return min(found)
