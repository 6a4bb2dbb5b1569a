"""How every kernel gets its machine code before it is needed."""

from __future__ import annotations

from pathlib import Path

from slantwood.machine_code import store
from slantwood.machine_code.building import compile_entries, entry_points
from slantwood.machine_code.finding import shipped_or_cached, why_not_shipped
from slantwood.messages import say


def compile_all() -> None:
    """Compile what came without machine code, so that nobody waits for it later; it is kept on disk.

    There is nothing to do where the package came with machine code for this machine, as wheels do. Otherwise
    this takes a minute or two, once.

    Examples
    --------
    >>> from slantwood import compile_all
    >>> compile_all()  # doctest: +SKIP
    """
    missing = [entry for entry in entry_points() if shipped_or_cached(entry) is None]
    compile_entries(missing, store.cache_folder(), say)


def code_folder() -> Path:
    """Return where the machine code of the kernels is: with the package, or in the user's cache."""
    return store.cache_folder() if why_not_shipped() else store.SHIPPED
