"""Claims about the files of machine code: whole and of this user, or not used at all."""

import os
import sys

import pytest

from slantwood.machine_code import store
from slantwood.machine_code.store import Record

pytestmark = pytest.mark.plain_python
ENTRY = "slantwood.kernels.random.uniform(u8:1)"
RECORD = Record(ENTRY, "f8", bytes(range(256)) * 4)


def test_a_record_is_read_as_it_was_written(tmp_path):
    folder = tmp_path / "a" / "b"
    assert store.read(folder, ENTRY) is None
    store.write(folder, RECORD)
    assert store.read(folder, ENTRY) == RECORD
    assert [path.name for path in folder.iterdir()] == [store.file_name(ENTRY)]


@pytest.mark.parametrize("end", [0, 1, 20, 200, -1])
def test_a_file_that_was_cut_is_refused(tmp_path, end):
    store.write(tmp_path, RECORD)
    path = tmp_path / store.file_name(ENTRY)
    path.write_bytes(path.read_bytes()[:end])
    with pytest.raises(ValueError, match="damaged"):
        store.read(tmp_path, ENTRY)


def test_every_single_damaged_byte_is_noticed(tmp_path):
    content = RECORD.to_bytes()
    for i in range(len(content)):
        damaged = content[:i] + bytes([content[i] ^ 1]) + content[i + 1 :]
        with pytest.raises(ValueError, match="damaged"):
            Record.from_bytes(damaged, ENTRY)


def test_the_file_of_another_kernel_is_refused(tmp_path):
    store.write(tmp_path, RECORD)
    other = ENTRY.replace("u8", "u4")
    (tmp_path / store.file_name(ENTRY)).rename(tmp_path / store.file_name(other))
    with pytest.raises(ValueError, match="another"):
        store.read(tmp_path, other)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no such rights")
def test_a_folder_that_others_can_write_is_not_used(tmp_path):
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    assert not store.is_safe(folder)
    with pytest.raises(PermissionError, match="others"):
        store.write(folder, RECORD)
    folder.chmod(0o755)
    assert store.is_safe(folder)
    assert not store.is_safe(tmp_path / "absent")


def test_the_folder_is_named_after_the_sources(tmp_path, monkeypatch):
    for name in ("kernels/a.py", "machine_code/words.py"):
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text("1")
    monkeypatch.setattr(store, "PACKAGE", tmp_path)
    before = store.tag.__wrapped__()
    (tmp_path / "kernels" / "a.py").write_text("2")
    after = store.tag.__wrapped__()
    assert after != before
    (tmp_path / "kernels" / "a.py").rename(tmp_path / "kernels" / "b.py")
    assert store.tag.__wrapped__() not in (before, after)
    (tmp_path / "cli.py").write_text("not a kernel")
    assert store.tag.__wrapped__() not in (before, after)


def test_every_module_that_kernels_are_in_is_among_the_sources():
    package = store.PACKAGE
    hashed = {path for pattern in store._SOURCES for path in package.glob(pattern)}
    for path in package.rglob("*.py"):
        if path.parent.name != "machine_code" and "slantwood.kernels.compiling" in path.read_text(
            encoding="utf-8"
        ):
            assert path in hashed, path


def test_numba_cache_dir_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert store.cache_folder().parent == tmp_path
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME" if sys.platform != "win32" else "LOCALAPPDATA", str(tmp_path))
    if sys.platform != "darwin":
        assert store.cache_folder().is_relative_to(tmp_path)
