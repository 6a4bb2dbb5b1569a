"""Claims about where machine code comes from: damage, other versions, locked folders, crowds do no harm."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from slantwood.machine_code import finding, store
from slantwood.machine_code.building import compile_entries, compile_entry

ENTRY = "slantwood.kernels.random.uniform(u8:1)"
NOWHERE = "store.SHIPPED = store.PACKAGE / 'nowhere'"
DRAW = """
import sys
import numpy as np
from slantwood.kernels.random import uniform
from slantwood.machine_code import store
{before}
print(repr(uniform(np.array([5], np.uint64))), "numba" in sys.modules)
"""


def draw(cache, before="", **more):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)} | more
    result = subprocess.run(
        [sys.executable, "-c", DRAW.format(before=before)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    return result


@pytest.fixture(scope="module")
def compiled():
    """The file of a small kernel, and what it draws."""
    record, _ = compile_entry(ENTRY)
    return record


@pytest.fixture
def shipped(tmp_path, compiled):
    """A folder as wheels have it, and the line that makes a process look there."""
    folder = tmp_path / "shipped"
    store.write(folder / store.tag(), compiled)
    return folder, f"import pathlib; store.SHIPPED = pathlib.Path({str(folder)!r})"


def test_shipped_code_is_used_without_a_word_and_without_numba(tmp_path, shipped):
    result = draw(tmp_path / "cache", shipped[1])
    assert result.stderr == ""
    assert result.stdout.endswith(" False\n")
    assert not (tmp_path / "cache").exists()


def test_what_is_compiled_is_kept_and_agrees_with_what_is_shipped(tmp_path, shipped):
    cache = tmp_path / "cache"
    first = draw(cache, NOWHERE)
    assert "compiling" in first.stderr
    assert "came without machine code" in first.stderr
    second = draw(cache, NOWHERE)
    assert second.stderr == ""
    assert second.stdout.endswith(" False\n")
    numbers = {each.stdout.split()[0] for each in (first, second, draw(cache, shipped[1]))}
    assert len(numbers) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_damaged_code_is_compiled_again(tmp_path, shipped, damage):
    path = shipped[0] / store.tag() / store.file_name(ENTRY)
    content = path.read_bytes()
    path.write_bytes({"cut": content[:-100], "changed": content[:-9] + b"damaged!!", "empty": b""}[damage])
    result = draw(tmp_path / "cache", shipped[1])
    assert "is damaged; the kernel is compiled again" in result.stderr
    assert result.stdout.endswith(" True\n")


def test_code_for_other_sources_is_not_used(tmp_path, shipped):
    (shipped[0] / store.tag()).rename(shipped[0] / "other")
    result = draw(tmp_path / "cache", shipped[1])
    assert "for other sources or another platform" in result.stderr


def test_shipped_code_can_be_turned_off(tmp_path, shipped):
    result = draw(tmp_path / "cache", shipped[1], SLANTWOOD_NO_MACHINE_CODE="1")
    assert "SLANTWOOD_NO_MACHINE_CODE is set" in result.stderr


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no such rights")
def test_code_that_others_could_have_written_is_not_used(tmp_path):
    cache = tmp_path / "cache"
    draw(cache, NOWHERE)
    (folder,) = cache.iterdir()
    folder.chmod(0o777)
    result = draw(cache, NOWHERE)
    assert "compiling" in result.stderr
    assert "cannot be kept" in result.stderr


def test_without_a_folder_to_write_in_kernels_are_compiled_in_memory(tmp_path):
    (tmp_path / "file").write_text("no folder")
    result = draw(tmp_path / "file", NOWHERE)
    assert "cannot be kept for the next process" in result.stderr
    assert "NUMBA_CACHE_DIR" in result.stderr


def test_many_processes_may_start_at_once(tmp_path):
    cache = tmp_path / "cache"
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: draw(cache, NOWHERE), range(4)))
    assert len({each.stdout.split()[0] for each in results}) == 1
    if sys.platform != "win32":  # one compiled, the others waited for it
        assert sum(each.stdout.endswith(" True\n") for each in results) == 1


def test_building_writes_one_file_for_each_entry_point(tmp_path):
    said = []
    compile_entries([ENTRY], tmp_path, said.append)
    assert store.read(tmp_path, ENTRY) is not None
    assert len(said) == 1
    assert said[0].startswith("machine code 1/1: kernels.random.uniform")


def test_where_numba_has_changed_kernels_are_compiled_by_numba_alone(tmp_path, shipped):
    changed = "from numba.core import codegen; del codegen.JITCodeLibrary"
    result = draw(tmp_path / "cache", f"{NOWHERE}; {changed}")
    assert "compiled by Numba alone" in result.stderr
    assert result.stdout.split()[0] == draw(tmp_path / "cache", shipped[1]).stdout.split()[0]


def test_origins_say_where_code_came_from():
    import numpy as np

    from slantwood.kernels.random import uniform

    uniform(np.array([5], np.uint64))
    assert finding.origins.get(ENTRY) in ("package", "cache", "compiler")
