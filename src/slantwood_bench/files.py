"""Files that are written whole or not at all: a reader never sees half of one."""

from __future__ import annotations

from pathlib import Path

from slantwood.atomic import atomic_write


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that takes its name when all is on the disk."""
    with atomic_write(path) as file:
        file.write(content)
