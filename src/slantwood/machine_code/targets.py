"""The platforms for which libraries are built, as LLVM, the linker and the names of wheels have them."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A platform.

    Attributes
    ----------
    tag
        What a wheel's name says.
    triple
        What LLVM compiles for.
    linker
        What `zig cc` links for: glibc and macOS in the version that the tag names.
    levels
        Of the processors: 2 and 3 are x86-64-v2 (2009 and later) and -v3 (AVX2; 2015 and later), 0 is the
        plain kind of others.
    """

    tag: str
    triple: str
    linker: str
    levels: tuple[int, ...]

    @property
    def platform(self) -> str:
        """Name of the system and of the kind of processor, as `library.platform_name` says it."""
        kind, _, system = self.triple.partition("-")
        if "windows" in system:
            return f"win32-{'amd64' if kind == 'x86_64' else kind}"
        return f"{'darwin' if 'apple' in system else 'linux'}-{kind}"

    @property
    def file_name(self) -> str:
        """Name of the library's file."""
        return (
            "kernels" + {"win32": ".dll", "darwin": ".dylib", "linux": ".so"}[self.platform.partition("-")[0]]
        )

    def processor(self, level: int) -> tuple[str, str]:
        """Return LLVM's name for a processor, and what it has beside."""
        if level:
            return f"x86-64-v{level}", ""
        return ("apple-m1", "") if "apple" in self.triple else ("generic", "+neon")


_LINUX, _LINUX_ARM = "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"
TARGETS = {
    each.tag: each
    for each in (
        Target("manylinux_2_17_x86_64", _LINUX, "x86_64-linux-gnu.2.17", (2, 3)),
        Target("manylinux_2_17_aarch64", _LINUX_ARM, "aarch64-linux-gnu.2.17", (0,)),
        Target("musllinux_1_2_x86_64", _LINUX, "x86_64-linux-musl", (2, 3)),
        Target("musllinux_1_2_aarch64", _LINUX_ARM, "aarch64-linux-musl", (0,)),
        Target("macosx_11_0_x86_64", "x86_64-apple-macosx11.0.0", "x86_64-macos.11.0", (2, 3)),
        Target("macosx_11_0_arm64", "arm64-apple-macosx11.0.0", "aarch64-macos.11.0", (0,)),
        Target("win_amd64", "x86_64-pc-windows-gnu", "x86_64-windows-gnu", (2, 3)),
    )
}


def host() -> Target:
    """Return the target of this machine; LookupError where we have none for it."""
    kind = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine := platform.machine().lower(), machine)
    system = {"linux": "many" if platform.libc_ver()[0] == "glibc" else "musl", "darwin": "macos"}
    prefix = system.get(sys.platform, sys.platform[:3])
    for target in TARGETS.values():
        if target.tag.startswith(prefix) and target.linker.startswith(kind):
            return target
    raise LookupError(f"there is no library for {sys.platform} on {machine}")
