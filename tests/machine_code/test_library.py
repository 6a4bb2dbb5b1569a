"""Claims about the shared library: it is loaded only if it is whole, of this platform and these sources."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from slantwood.kernels.compiling import IS_PLAIN
from slantwood.machine_code import library
from slantwood.machine_code.kernel import Kernel
from tests.machine_code.small_kernels import refuse

pytestmark = pytest.mark.skipif(IS_PLAIN, reason="plain Python loads no library")

ENTRY = 'slantwood.kernels.random.uniform["u8:1"]'
FIT_WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None  # as if they were not installed
{before}
from slantwood import ObliqueForestClassifier
forest = ObliqueForestClassifier(n_estimators=2, random_state=0).fit([[0, 1], [1, 0], [2, 2]], [0, 1, 1])
print(forest.predict([[0, 1]]))
"""


def fit_without_numba(before="", **environment):
    code = FIT_WITHOUT_NUMBA.format(before=before)
    words = [sys.executable, "-c", code]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, env=os.environ | environment)


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of the library, which alone is looked at."""
    folder = tmp_path / "code"
    shutil.copytree(library.SHIPPED, folder)
    monkeypatch.setattr(library, "folders", [folder])
    return folder


def described(folder):
    return json.loads((folder / library.DESCRIPTION).read_text())


def describe(folder, **changes):
    """Change what the description says, under a digest that is right."""
    description = described(folder) | changes
    description["digest"] = library.digest_of_both(description, (folder / description["file"]).read_bytes())
    (folder / library.DESCRIPTION).write_text(json.dumps(description))


def refusal():
    with pytest.raises(ImportError) as refused:
        library.find(ENTRY)
    message = str(refused.value)
    assert "Install slantwood again" in message
    assert library.BUILD_COMMAND in message
    return message


def test_a_whole_library_is_loaded_and_has_no_other_entry_points(copied):
    state = np.array([5], np.uint64)
    assert 0 < library.find(ENTRY)([state.ctypes.data, 0, 1], (state,)) < 1
    assert library.find('slantwood.kernels.random.uniform["i8:1"]') is None


@pytest.mark.parametrize("name", ["library", "description"])
@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "removed", "a folder"])
def test_a_damaged_library_is_refused_before_it_is_loaded(copied, name, damage):
    path = copied / (described(copied)["file"] if name == "library" else library.DESCRIPTION)
    content = path.read_bytes()
    if damage in ("removed", "a folder"):
        path.unlink()
    if damage == "removed" and name == "description":
        assert library.find(ENTRY) is None  # there is no library then
        return
    if damage == "a folder":
        path.mkdir()
    elif damage != "removed":
        middle = len(content) // 2
        changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        path.write_bytes({"cut": content[:-100], "changed": changed, "empty": b""}[damage])
    assert str(copied) in refusal()


@pytest.mark.parametrize("text", ["[]", "{}", "null", '"text"', '{"platform": {}}', "[" * 100_000])
def test_a_description_of_another_kind_is_refused(copied, text):
    (copied / library.DESCRIPTION).write_text(text)
    refusal()


def test_a_library_of_another_platform_is_refused(copied):
    describe(copied, platform="plan9-vax")
    assert "they are for plan9-vax, and this is " in refusal()


def test_what_is_no_library_is_refused(copied):
    (copied / described(copied)["file"]).write_text("no machine code")
    describe(copied)
    refusal()


def test_a_library_for_newer_processors_is_refused(copied):
    describe(copied, levels=[9])
    assert "this processor lacks what x86-64-v9 has" in refusal()


def test_a_library_older_than_the_sources_is_refused(copied):
    describe(copied, sources=described(copied)["sources"] | {"kernels/random.py": "0"})
    assert "slantwood/kernels/random.py has changed" in refusal()


def test_a_program_without_sources_uses_its_library(copied):
    describe(copied, sources=described(copied)["sources"] | {"kernels/nowhere.py": "0"})
    assert library.find(ENTRY) is not None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_library_that_cannot_be_read_is_refused(copied):
    (copied / described(copied)["file"]).chmod(0)
    refusal()


def test_checked_indices_need_the_compiler(monkeypatch):
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert library.find(ENTRY) is None


def test_a_kernel_that_no_library_has_is_compiled_in_memory():
    pytest.importorskip("numba", reason="Numba is not installed")
    another = Kernel(refuse.py_func, {})
    another.__qualname__ = "another"
    assert another(5) == 5
    assert type(another.found['"i8"']).__name__ == "InMemory"
    refuse(5)
    assert type(refuse.found['"i8"']) is library.Code  # `tested_kernels.txt` lists it


def test_a_fit_needs_no_numba():
    result = fit_without_numba()
    assert result.returncode == 0, result.stderr
    assert result.stdout == "[0]\n"
    assert result.stderr == ""


def test_without_library_and_numba_one_error_says_what_to_install():
    result = fit_without_numba("from slantwood.machine_code import library; library.folders.clear()")
    error = result.stderr.strip().splitlines()[-1]
    assert error.startswith("ImportError: ")
    assert "Install a wheel for this platform" in error
    assert "pip install 'slantwood[compile]'" in error


def test_nothing_is_written_while_a_model_is_fitted(tmp_path):
    watch = """
import os
def watch(event, arguments):
    if event == "open" and arguments[0] is not None:
        wrote = (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    else:
        wrote = event in ("os.mkdir", "os.rename", "os.symlink", "os.link", "os.truncate", "tempfile.mkstemp")
    if wrote:
        print("WROTE", event, arguments)
sys.addaudithook(watch)
"""
    result = fit_without_numba(watch, PYTHONDONTWRITEBYTECODE="1", HOME="/nowhere", PYTHONWARNINGS="ignore")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "[0]\n"
