"""Compiles the kernels while a wheel is built, so that the first fit need not.

The wheel then is one of a platform, for any Python: the machine code calls neither Python's objects nor
Numba. Where it cannot be made, the wheel is one of pure Python, whose kernels are compiled at first use.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SECONDS = 1800


class MachineCode(BuildHookInterface):
    """Puts machine code into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say what the wheel holds."""
        if version == "editable":
            return
        if os.environ.get("SLANTWOOD_NO_MACHINE_CODE", "0") not in ("", "0"):
            self.app.display_warning("SLANTWOOD_NO_MACHINE_CODE is set: this wheel has no machine code")
            return
        self._folder = tempfile.mkdtemp()
        os.chmod(self._folder, 0o700)
        code = Path(self._folder, "code")
        paths = [str(Path(self.root, "src")), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "slantwood.machine_code.building", str(code)]
        try:
            subprocess.run(command, env=environment, check=True, timeout=_SECONDS)
        except (subprocess.SubprocessError, OSError) as error:
            self.app.display_warning(
                f"no machine code in this wheel, kernels are compiled at first use: {error}"
            )
            return
        build_data["force_include"][str(code)] = "slantwood/_machine_code"
        build_data["pure_python"] = False
        system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{system}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled, which the wheel has now."""
        shutil.rmtree(getattr(self, "_folder", ""), ignore_errors=True)
