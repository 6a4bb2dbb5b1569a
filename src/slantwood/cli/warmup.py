"""`slantwood warmup`: compiles the kernels now, so that no later fit has to wait for it."""

from __future__ import annotations

import time

from slantwood.cli.console import say


def warmup() -> None:
    """Compile the kernels, once on this machine."""
    from slantwood.warmup import cache_folder, compile_all

    started = time.perf_counter()
    compile_all()
    seconds = time.perf_counter() - started
    say(f"All kernels are ready after {seconds:.1f} s; they are kept in {cache_folder()}.")
