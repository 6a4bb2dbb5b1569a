"""The shared library that has the machine code of all kernels: whether it can be used, and calls of it.

`kernels.json` beside it says for which platform and from which sources it was made, and which form the result
of each entry point has. The library is loaded only if one digest of both is right, and if the sources are
still the same. `slantwood.machine_code.build` makes the two files.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import hashlib
import json
import os
import pickletools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from slantwood import messages
from slantwood.machine_code import words
from slantwood.machine_code.targets import platform_name

PACKAGE = Path(__file__).parent.parent
SHIPPED = PACKAGE / "_machine_code"
DESCRIPTION = "kernels.json"
BUILD_COMMAND = "python -m slantwood.machine_code.build"

# Where libraries are looked for; tests add one, with kernels that only they call.
folders = [SHIPPED]

# An entry point: status = run(unused, error, words, words). It is called without the GIL.
RUN = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 4)
RELEASE, LEVEL = "slantwood_release", "slantwood_level"


def symbol(entry: str, level: int) -> str:
    """Return the name of an entry point in the library: its kernel's, a hash and the level of its code."""
    kernel = entry.partition("[")[0].replace(".", "_")
    return f"{kernel}_{digest(entry.encode())[:12]}_{level}"


def digest(content: bytes) -> str:
    """Return the SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()


def digest_of_both(description: dict[str, Any], code: bytes) -> str:
    """Return one digest of the library and of all that its description says."""
    said = {name: value for name, value in description.items() if name != "digest"}
    return digest(json.dumps(said, sort_keys=True).encode() + code)


def find(entry: str) -> Code | None:
    """Return an entry point of a library, or None where there is no library that has it.

    ImportError where there is one that cannot be used.
    """
    if os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0"):  # what libraries have checks no index
        return None
    for folder in folders:
        if (folder / DESCRIPTION).exists() and (code := _opened(folder).code(entry)) is not None:
            return code
    return None


@functools.cache
def _opened(folder: Path) -> Library:
    try:
        return Library(folder)
    except (OSError, ValueError) as error:
        raise ImportError(
            f"slantwood's compiled kernels in {folder} cannot be used: {error}. Install slantwood again "
            f"on this machine, or, in a folder of its sources, run `{BUILD_COMMAND}`."
        ) from error


class Library:
    """A shared library that has been loaded; OSError or ValueError where that cannot be."""

    def __init__(self, folder: Path) -> None:
        description = read_description(folder)
        if description["platform"] != platform_name():
            raise ValueError(f"they are for {description['platform']}, and this is {platform_name()}")
        if (changed := changed_source(description)) is not None:
            raise ValueError(f"{changed} has changed since they were built")
        self._library = ctypes.CDLL(str(folder / description["file"]))
        self._release = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)((RELEASE, self._library))
        level = self._library[LEVEL]()
        if level < min(description["levels"]):
            raise ValueError(f"this processor lacks what x86-64-v{min(description['levels'])} has")
        self._level = max(each for each in description["levels"] if each <= level)
        self._results: dict[str, words.Form] = description["kernels"]

    def code(self, entry: str) -> Code | None:
        """Return an entry point, or None."""
        if entry not in self._results:
            return None
        run = RUN((symbol(entry, self._level), self._library))
        return Code(run, self._release, self._results[entry])


def read_description(folder: Path) -> dict[str, Any]:
    """Return what `kernels.json` says; ValueError where it or the library is not what was written."""
    try:
        description: dict[str, Any] = json.loads((folder / DESCRIPTION).read_bytes())
        code = (folder / description["file"]).read_bytes()
        is_whole = digest_of_both(description, code) == description["digest"]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise ValueError(f"{DESCRIPTION} or the library is damaged")
    return description


def changed_source(description: dict[str, Any]) -> str | None:
    """Return a source from which a library was made, and that is another now; None if there is none."""
    for name, digest_then in description["sources"].items():
        path = PACKAGE / name
        # A program that was frozen has no sources.
        if path.exists() and digest(path.read_bytes()) != digest_then:
            return f"slantwood/{name}"
    return None


class Code:
    """Machine code of a kernel for arguments of one form, ready to run.

    Called with the words of the arguments, and the arguments, which must live while it runs.
    """

    def __init__(self, run: Any, release: Callable[[int], Any], result: words.Form) -> None:
        self._run, self._release, self._result = run, release, result
        self._n_result_words = words.n_words(result)

    @property
    def address(self) -> int | None:
        """Where the machine code is, for other machine code that calls it."""
        return ctypes.cast(self._run, ctypes.c_void_p).value

    def __call__(self, row: list[int], arguments: Any) -> Any:
        """Run; raise what the kernel raises."""
        n = len(row)
        buffer = (ctypes.c_int64 * (n + self._n_result_words))(*row)
        unused, error = ctypes.c_void_p(), ctypes.c_void_p()
        if self._run(ctypes.byref(unused), ctypes.byref(error), buffer, buffer):
            raise _exception(error.value or 0)
        if not self._n_result_words:
            return None
        return words.value_of(self._result, iter(buffer[n:]), self._release, arguments)


def _exception(record: int) -> BaseException:
    """Return the exception that machine code names: as pickled text, which is read and not run."""
    start = ctypes.c_void_p.from_address(record).value or 0
    pickled = ctypes.string_at(start, ctypes.c_int32.from_address(record + 8).value)
    text = next(value for _, value, _ in pickletools.genops(pickled) if isinstance(value, str))
    kind, _, said = text.partition(": ")
    raised: BaseException = getattr(builtins, kind)(said)
    return raised


def compile_in_memory(kernel: Any, form: str) -> Any:
    """Compile a kernel that no library has, for this process; ImportError without Numba."""
    if not (SHIPPED / DESCRIPTION).exists():
        _say_that_kernels_are_compiled()
    try:
        from slantwood.machine_code.in_memory import InMemory
    except ImportError as error:
        raise ImportError(
            f"no machine code of {kernel} came with this installation of slantwood. Install a wheel for this "
            f"platform, or `pip install 'slantwood[compile]'`, which compiles kernels in memory ({error})"
        ) from error
    return InMemory(kernel, form)


@functools.cache
def _say_that_kernels_are_compiled() -> None:
    messages.say(
        "there are no compiled kernels for this platform: each process compiles them, in a minute or two"
    )
