"""Where a program keeps files of the user's that it can make again."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path


def user_cache_folder(
    environment: Mapping[str, str] | None = None, platform: str = sys.platform, home: Path | None = None
) -> Path:
    """Return the folder that the platform has for such files of slantwood, which need not exist yet.

    ``$XDG_CACHE_HOME`` or ``~/.cache``, ``~/Library/Caches`` on macOS, ``%LOCALAPPDATA%`` on Windows.
    """
    environment = os.environ if environment is None else environment
    try:
        home = home or Path.home()
    except RuntimeError:  # a user without a home, as in some containers
        home = Path(tempfile.gettempdir(), f"slantwood-{os.getuid()}" if hasattr(os, "getuid") else "")
    if platform == "win32":
        base = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(environment.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "slantwood"
