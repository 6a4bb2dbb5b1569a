"""`slantwood datasets`: the data sets that are known by name, and which of them are there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from slantwood.cli.console import print_fields, print_json, print_table, say
from slantwood.cli.options import Json, argument, option

if TYPE_CHECKING:
    from slantwood.data.registry.listing import Listing


def datasets(
    name: Annotated[str | None, argument("NAME", "Show all about one of them.")] = None,
    folder: Annotated[
        Path | None, option("FOLDER", "Where to look for files first.", show_default="$SLANTWOOD_DATA")
    ] = None,
    json: Json = False,
) -> None:
    """List the data sets that slantwood knows by name."""
    from slantwood.data.registry.listing import dataset
    from slantwood.data.registry.listing import datasets as listings

    if folder is not None and not folder.is_dir():
        raise FileNotFoundError(f"--folder {folder} is not a folder")
    found = listings(folder)
    if name is not None:
        wanted = dataset(name).name
        metadata = _metadata(next(listing for listing in found if listing.name == wanted))
        if json:
            print_json(metadata)
        else:
            print_fields([(key.replace("_", " "), _shown(value)) for key, value in metadata.items()])
    elif json:
        print_json([_metadata(listing) for listing in found])
    else:
        headings = ["name", "task", "rows", "features", "targets", "where"]
        rows = [
            [each.name, each.task, *map("{:,}".format, each.size), "here" if each.paths else each.where]
            for each in found
        ]
        print_table(headings, rows, left=(0, 1, 5))
        say(f"{sum(bool(each.paths) for each in found)} of {len(found)} are there.")


def _metadata(listing: Listing) -> dict[str, Any]:
    entry = listing.dataset
    sizes = ("rows", "features", "targets")
    in_paper = entry.size if entry.in_paper and entry.size != listing.size else ()
    return {
        "name": listing.name,
        "task": listing.task,
        "role": entry.role,
        **dict(zip(sizes, listing.size, strict=True)),
        "in_paper": dict(zip(sizes, in_paper, strict=False)),
        "page": entry.page,
        "aliases": list(entry.aliases),
        "where": listing.where,
        "files": [str(path) for path in listing.paths],
        "remark": listing.remark,
    }


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{number:,} {key}" for key, number in value.items()) or "-"
    if isinstance(value, list):
        return ", ".join(value) or "-"
    return f"{value:,}" if isinstance(value, int) else value or "-"
