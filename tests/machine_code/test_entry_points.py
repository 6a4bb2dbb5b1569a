"""Claims about the list of kernels that wheels ship: nothing that users do waits for a compilation."""

import json
import subprocess
import sys
from pathlib import Path

from slantwood.kernels.compiling import IS_PLAIN
from slantwood.machine_code.build import entry_points, kernel_of

EVERYTHING = Path(__file__).with_name("everything.py")


def test_every_entry_point_is_a_kernel_and_a_form():
    entries = entry_points()
    assert len(entries) > 15
    for entry in entries:
        kernel, form = kernel_of(entry)
        if not IS_PLAIN:
            assert kernel.entry(form[1:-1]) == entry


def test_all_tasks_containers_learners_and_files_use_entry_points_of_the_list_and_all_of_them():
    result = subprocess.run([sys.executable, str(EVERYTHING)], capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stderr
    used, loads_numba = json.loads(result.stdout)
    assert set(used) == set(entry_points())
    assert not loads_numba
