"""The platforms for which libraries are built, as LLVM, the linker and the names of wheels have them."""

from __future__ import annotations

import platform
import sys
from typing import NamedTuple


def platform_name() -> str:
    """Return the name of this system and of the kind of its processor."""
    return f"{sys.platform}-{platform.machine().lower()}"


class Target(NamedTuple):
    """A platform.

    Attributes
    ----------
    tag
        What a wheel's name says.
    triple, processor
        What LLVM compiles for.
    levels
        Of processors: 2 and 3 are x86-64-v2 (2009 and later) and -v3 (AVX2; 2015 and later), in the place of
        `processor`; 0 is `processor`.
    linker
        What `zig cc` links for: the C library in the version that the tag names.
    platform, file
        What `platform_name` says there, and the name of the library.
    """

    tag: str
    triple: str
    processor: str
    levels: tuple[int, ...]
    linker: str
    platform: str
    file: str


_X86 = "x86_64-unknown-linux-gnu", "", (2, 3)
_ARM = "aarch64-unknown-linux-gnu", "generic", (0,)
_LINUX = ("linux-x86_64", "kernels.so"), ("linux-aarch64", "kernels.so")
_MAC_X86, _MAC_ARM = "x86_64-apple-macosx11.0.0", "arm64-apple-macosx11.0.0"
_ALL = (
    Target("manylinux_2_17_x86_64", *_X86, "x86_64-linux-gnu.2.17", *_LINUX[0]),
    Target("manylinux_2_17_aarch64", *_ARM, "aarch64-linux-gnu.2.17", *_LINUX[1]),
    Target("musllinux_1_2_x86_64", *_X86, "x86_64-linux-musl", *_LINUX[0]),
    Target("musllinux_1_2_aarch64", *_ARM, "aarch64-linux-musl", *_LINUX[1]),
    Target("macosx_11_0_x86_64", _MAC_X86, "", (2, 3), "x86_64-macos.11.0", "darwin-x86_64", "kernels.dylib"),
    Target(
        "macosx_11_0_arm64", _MAC_ARM, "apple-m1", (0,), "aarch64-macos.11.0", "darwin-arm64", "kernels.dylib"
    ),
    Target(
        "win_amd64", "x86_64-pc-windows-gnu", "", (2, 3), "x86_64-windows-gnu", "win32-amd64", "kernels.dll"
    ),
)
TARGETS = {target.tag: target for target in _ALL}


def host() -> Target:
    """Return the target of this machine; LookupError where we have none for it."""
    unlike = "manylinux" if platform.libc_ver()[0] != "glibc" else "musllinux"
    for target in _ALL:
        if target.platform == platform_name() and not target.tag.startswith(unlike):
            return target
    raise LookupError(f"there is no library for {platform_name()}")
