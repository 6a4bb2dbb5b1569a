"""What names of reports end in: known without loading what makes a report."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

_ENDINGS = (".html", ".htm")


def check_ending(path: str | PathLike[str]) -> None:
    """Refuse a name that promises another format; what is no file, as /dev/null, may have any."""
    path = Path(path)
    if path.suffix.lower() not in _ENDINGS and (path.is_file() or not path.exists()):
        raise ValueError(
            f"{path} does not end in .html, and a report is a page of HTML; give {path.with_suffix('.html')} "
            "(a browser prints it as PDF)"
        )
