"""Files that are written whole or not at all: a reader never sees half of one."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name beside, and give it its name when all is on the disk."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
