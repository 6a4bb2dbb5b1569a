"""Puts the library of kernels into a wheel, and makes the wheels of all platforms on any one of them.

    python -m hatch_build --target all

needs the extra `slantwood[build]` and writes into `dist/` what `slantwood.machine_code.targets` lists; one
name in the place of `all` makes one of them. `pip install` and `pip wheel` compile for the machine at hand
only. Where there is no library, the wheel is one of pure Python, whose kernels are compiled in memory.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilder

_ROOT = Path(__file__).parent
_TARGET = "SLANTWOOD_TARGET"


class MachineCode(BuildHookInterface):
    """Builds the library; for an editable install into the folder of the sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, and say what the wheel holds."""
        self._scratch = Path(tempfile.mkdtemp())
        options = []
        if version != "editable":
            options += ["--folder", str(self._scratch / "code")]
        if not os.access(self.root, os.W_OK):
            options += ["--kept", str(self._scratch / "kept")]
        target = os.environ.get(_TARGET)
        if target:
            options += ["--target", target]
        try:
            _run_build(Path(self.root), options)
        except (subprocess.CalledProcessError, OSError) as error:
            if target:
                raise
            self.app.display_warning(
                f"no compiled kernels in this wheel, which therefore needs slantwood[compile]: {error}"
            )
            return
        if version != "editable":
            build_data["force_include"][str(self._scratch / "code")] = "slantwood/_machine_code"
            build_data["pure_python"] = False
            system = target or sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{system}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the wheel has now."""
        shutil.rmtree(self._scratch, ignore_errors=True)


def _run_build(root: Path, options: list[str]) -> None:
    paths = [str(root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(
        [sys.executable, "-m", "slantwood.machine_code.build", *options],
        env=environment,
        cwd=root,
        check=True,
    )


def main() -> None:
    """Make wheels."""
    sys.path.insert(0, str(_ROOT / "src"))
    from slantwood.machine_code.targets import TARGETS

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", choices=["all", *TARGETS], required=True)
    parser.add_argument(
        "--out", type=Path, default=_ROOT / "dist", help="the folder for wheels (default: dist)"
    )
    options = parser.parse_args()
    for target in TARGETS if options.target == "all" else [options.target]:
        os.environ[_TARGET] = target
        for wheel in WheelBuilder(str(_ROOT)).build(directory=str(options.out), versions=["standard"]):
            print(wheel)


if __name__ == "__main__":
    main()
