import os
import stat

import pytest

from slantwood.atomic import atomic_write


def test_the_file_appears_when_all_is_written(tmp_path):
    path = tmp_path / "a.bin"
    with atomic_write(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == ["a.bin"]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_earlier_file_and_nothing_else(tmp_path, failure):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with pytest.raises(failure):
        _write_half(path, failure)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.bin"]


def _write_half(path, failure):
    with atomic_write(path) as file:
        file.write(b"half")
        raise failure


def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt", reason="rights of this kind are those of POSIX systems")
def test_rights_are_the_usual_ones_or_those_of_the_earlier_file(tmp_path):
    usual, kept = tmp_path / "usual", tmp_path / "kept"
    ordinary = tmp_path / "ordinary"
    ordinary.write_bytes(b"")
    kept.write_bytes(b"")
    kept.chmod(0o640)
    for path in (usual, kept):
        with atomic_write(path) as file:
            file.write(b"x")
    assert stat.S_IMODE(usual.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name are those of POSIX systems")
def test_a_pipe_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with atomic_write(pipe) as file:
        file.write(b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_of_this_name_or_none_around_it_is_told(tmp_path):
    with pytest.raises(IsADirectoryError, match=r"it is a folder.*" + tmp_path.name + "'$"):
        _write_half(tmp_path, ValueError)
    with pytest.raises(FileNotFoundError, match=r"the folder does not exist; create it.*nowhere'$"):
        _write_half(tmp_path / "nowhere" / "a.bin", ValueError)
    assert list(tmp_path.iterdir()) == []


def test_a_name_may_be_as_long_as_names_may_be(tmp_path):
    path = tmp_path / ("é" * 125 + ".bin")
    with atomic_write(path) as file:
        file.write(b"x")
    assert path.read_bytes() == b"x"
