"""Files that are written whole or not at all: a reader never sees half of one."""

from __future__ import annotations

from pathlib import Path

from slantwood.atomic import write_atomically


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that takes its name when all is on the disk."""
    write_atomically(path, lambda file: file.write(content))
