"""`slantwood datasets`: the data sets that are known by name, and which of them are there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slantwood.cli.console import print_fields, print_json, print_table, say
from slantwood.cli.options import Json

if TYPE_CHECKING:
    from slantwood.data.registry.listing import Listing


def datasets(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", show_default=False, help="Show all about one of them.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where to look for files first.", show_default="$SLANTWOOD_DATA"),
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
        print_json(metadata) if json else print_fields(
            [(key.replace("_", " "), _shown(value)) for key, value in metadata.items()]
        )
    elif json:
        print_json([_metadata(listing) for listing in found])
    else:
        print_table(
            ["name", "task", "rows", "features", "targets", "where"],
            [
                [each.name, each.task, *(f"{number:,}" for number in each.size), _where(each)]
                for each in found
            ],
            left=(0, 1, 5),
        )
        say(f"{sum(bool(each.paths) for each in found)} of {len(found)} are there.")


def _where(listing: Listing) -> str:
    return "here" if listing.paths else listing.where


def _metadata(listing: Listing) -> dict[str, Any]:
    entry = listing.dataset
    return {
        "name": listing.name,
        "task": listing.task,
        "role": entry.role,
        "rows": listing.size.N,
        "features": listing.size.D,
        "targets": listing.size.T,
        "in_paper": dict(zip(("rows", "features", "targets"), entry.size, strict=True))
        if entry.in_paper and entry.size != listing.size
        else {},
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
