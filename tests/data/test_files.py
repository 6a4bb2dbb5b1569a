import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.data.files import blocks, decompression_error, format_suffix, is_plain, open_read, write_file

SUFFIXES = ["", ".bz2", ".gz", ".xz", ".zst"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read(tmp_path, suffix):
    path = tmp_path / f"a.csv{suffix}"
    content = b"a,b\n" + b"1,2\n" * 1000
    write_file(path, lambda file: file.write(content))
    with open_read(path) as file:
        assert file.read() == content
    if suffix:
        assert path.stat().st_size < len(content) / 2


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_file_is_told(tmp_path, suffix, damage):
    path = tmp_path / f"a.csv{suffix}"
    write_file(path, lambda file: file.write(bytes(range(256)) * 64))
    content = bytearray(path.read_bytes())
    if damage == "cut":
        del content[len(content) // 2 :]
    else:
        content[0:4] = b"none"
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=re.escape(str(path)) + ".*expected a whole " + re.escape(suffix)):
        list(blocks(path))


def archive(path, files, **said):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **said) as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)
    return path


def test_the_one_file_of_an_archive_is_opened(tmp_path):
    content = b"a,b\n" + b"1,2\n" * 1000
    others = {"folder/": b"", "__MACOSX/folder/._a.csv": b"x", ".DS_Store": b"x"}
    path = archive(tmp_path / "a.csv.ZIP", {**others, "folder/a.csv": content})
    with open_read(path) as file:
        assert file.read() == content
    assert b"".join(blocks(path, 100)) == content
    assert not is_plain(path)
    assert format_suffix(path) == ".csv"


@pytest.mark.parametrize("files", [{}, {"a.csv": b"1", "b.csv": b"2"}])
def test_an_archive_must_have_one_file(tmp_path, files):
    path = archive(tmp_path / "a.csv.zip", files)
    with (
        pytest.raises(ValueError, match=rf"a\.csv\.zip: the archive has {len(files)} files"),
        open_read(path),
    ):
        pass


def test_a_damaged_archive_is_told(tmp_path):
    path = archive(tmp_path / "a.csv.zip", {"a.csv": bytes(range(256)) * 64})
    whole = path.read_bytes()
    for content in (whole[:50], b"none" + whole[4:], whole.replace(b"PK\x01\x02", b"none"), b"", b"a,b\n"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"a\.csv\.zip.*expected a whole \.zip"):
            list(blocks(path))
    locked = bytearray(whole)
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[whole.index(mark) + at] |= 1  # says that it is encrypted
    path.write_bytes(bytes(locked))
    with pytest.raises(ValueError, match=r"a\.csv\.zip: cannot open 'a\.csv' in it \(.*password"):
        list(blocks(path))


def test_archives_are_only_read(tmp_path):
    path = tmp_path / "a.csv.zip"
    with pytest.raises(ValueError, match=r"a\.csv\.zip: \.zip files are only read"):
        write_file(path, lambda file: file.write(b"a,b"))
    assert not path.exists()


@given(st.lists(st.text("ab\n", max_size=12), max_size=6).map("".join), st.integers(1, 9))
def test_blocks_end_with_lines_and_lose_nothing(tmp_path_factory, text, size):
    path = tmp_path_factory.mktemp("blocks") / "text"
    path.write_text(text, newline="")
    parts = list(blocks(path, size))
    assert b"".join(parts).decode() == text
    assert all(part.endswith(b"\n") for part in parts[:-1])


def test_errors_of_the_system_are_not_taken_for_damage(tmp_path):
    with pytest.raises(FileNotFoundError), open_read(tmp_path / "none.csv.gz"):
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
    with pytest.raises(ImportError, match=r"slantwood\[data\]"), open_read(path):
        pass


def _refuse(name):
    raise ImportError(name)
