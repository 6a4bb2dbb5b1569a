import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.data.files import blocks, decompression_error, format_suffix, opened, written

SUFFIXES = ["", ".bz2", ".gz", ".xz", ".zst"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read(tmp_path, suffix):
    path = tmp_path / f"a.csv{suffix}"
    content = b"a,b\n" + b"1,2\n" * 1000
    with written(path) as file:
        file.write(content)
    with opened(path) as file:
        assert file.read() == content
    if suffix:
        assert path.stat().st_size < len(content) / 2


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_file_is_told(tmp_path, suffix, damage):
    path = tmp_path / f"a.csv{suffix}"
    with written(path) as file:
        file.write(bytes(range(256)) * 64)
    content = bytearray(path.read_bytes())
    if damage == "cut":
        del content[len(content) // 2 :]
    else:
        content[0:4] = b"none"
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=re.escape(str(path)) + ".*expected a whole " + re.escape(suffix)):
        list(blocks(path))


@given(st.lists(st.text("ab\n", max_size=12), max_size=6).map("".join), st.integers(1, 9))
def test_blocks_end_with_lines_and_lose_nothing(tmp_path_factory, text, size):
    path = tmp_path_factory.mktemp("blocks") / "text"
    path.write_text(text, newline="")
    parts = list(blocks(path, size))
    assert b"".join(parts).decode() == text
    assert all(part.endswith(b"\n") for part in parts[:-1])


def test_errors_of_the_system_are_not_taken_for_damage(tmp_path):
    with pytest.raises(FileNotFoundError), opened(tmp_path / "none.csv.gz"):
        pass
    assert decompression_error("a.gz", PermissionError(13, "no")) is None
    assert decompression_error("a.gz", MemoryError()) is None


def test_format_suffix():
    names = ["a.arff", "b.arff.xz", "c.d.CSV.GZ", "plain", "e.tar.zst"]
    assert [format_suffix(name) for name in names] == [".arff", ".arff", ".csv", "", ".tar"]


def test_zst_without_its_library_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "a.csv.zst"
    path.write_bytes(b"")
    monkeypatch.setattr("slantwood.data.files.importlib.import_module", _refuse)
    with pytest.raises(ImportError, match=r"slantwood\[data\]"), opened(path):
        pass


def _refuse(name):
    raise ImportError(name)
