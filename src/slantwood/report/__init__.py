"""A fitted model as a page to read and to send, as a few lines of text, and as a card in a notebook.

Names are loaded when they are first used: commands need small parts of this package, and not all of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slantwood.report.short_text import describe
    from slantwood.report.writing import write_report

__all__ = ["describe", "write_report"]

_HOMES = {"describe": "slantwood.report.short_text", "write_report": "slantwood.report.writing"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'slantwood.report' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
