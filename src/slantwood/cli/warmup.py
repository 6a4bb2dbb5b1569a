"""`slantwood warmup`: compiles kernels that came without machine code, so that no later fit has to wait."""

from __future__ import annotations

import time

from slantwood.cli.console import say


def warmup() -> None:
    """Compile what came without machine code, once on this machine."""
    from slantwood.warmup import code_folder, compile_all

    started = time.perf_counter()
    compile_all()
    seconds = time.perf_counter() - started
    say(f"All kernels are ready after {seconds:.1f} s; their machine code is in {code_folder()}.")
