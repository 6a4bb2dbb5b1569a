import contextlib
import os
import stat
import subprocess
import sys
import threading
import warnings

import pytest

import slantwood.atomic
from slantwood.atomic import write_atomically


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def open_files(folder):
    """Return the files of a folder that this process has open; other threads may open others."""
    links = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # that of the list itself
            links.append(os.readlink(f"/proc/self/fd/{number}"))
    return [link for link in links if link.startswith(str(folder))]


def write_new(file):
    file.write(b"new")


def test_the_file_appears_when_all_is_written(tmp_path):
    path = tmp_path / "a.bin"

    def write(file):
        file.write(b"new")
        assert not path.exists()

    write_atomically(path, write)
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a.bin"]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_earlier_file_and_nothing_else(tmp_path, failure):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with pytest.raises(failure):
        _write_half(path, failure)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.bin"]


def _write_half(path, failure):
    def write(file):
        file.write(b"half")
        raise failure

    write_atomically(path, write)


class _Interrupt:
    """Raises KeyboardInterrupt before the n-th instruction of atomic.py, as a signal handler may."""

    def __init__(self, n):
        self.left = n

    def __call__(self, frame, event, argument):
        if frame.f_code.co_filename != slantwood.atomic.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open descriptors are listed on Linux only")
@pytest.mark.parametrize("earlier", [False, True])
def test_an_interrupt_before_any_instruction_leaves_the_file_old_or_new_and_nothing_else(tmp_path, earlier):
    path, contents = tmp_path / "a.bin", set()
    tracer, n = sys.gettrace(), 0
    done = False
    while not done:
        n += 1
        path.unlink(missing_ok=True)
        if earlier:
            path.write_bytes(b"old")
        with warnings.catch_warnings():
            # A file that is closed because nothing refers to it any more.
            warnings.simplefilter("ignore", ResourceWarning)
            try:
                sys.settrace(_Interrupt(n))
                write_atomically(path, write_new)
                done = True
            except KeyboardInterrupt:
                pass
            finally:
                sys.settrace(tracer)
        assert names(tmp_path) in ([["a.bin"]] if earlier else [[], ["a.bin"]])
        assert not open_files(tmp_path)
        contents.add(path.read_bytes() if path.exists() else None)
    assert n > 100
    assert contents == {b"old" if earlier else None, b"new"}


_KILLED = """
import os, signal, sys
from slantwood.atomic import write_atomically
write_atomically(sys.argv[1], lambda file: os.kill(os.getpid(), signal.SIGKILL))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_what_a_killed_process_left_is_removed_when_the_file_is_written_again(tmp_path):
    path = tmp_path / "a.bin"
    subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    assert [each.rpartition(".")[2] for each in names(tmp_path)] == ["part"]
    write_atomically(tmp_path / "b.bin", write_new)
    assert len(names(tmp_path)) == 2
    write_atomically(path, write_new)
    assert names(tmp_path) == ["a.bin", "b.bin"]


def test_temporary_files_that_are_being_written_and_other_files_are_not_removed(tmp_path):
    path = tmp_path / "a.bin"
    others = [".a.bin.part", ".a.bin.0123456789abcdeg.part", ".a.bin.0123456789abcdef.part.json"]
    for name in others:
        (tmp_path / name).write_bytes(b"mine")

    def write_twice(file):
        file.write(b"outer")
        write_atomically(path, write_new)
        assert path.read_bytes() == b"new"

    write_atomically(path, write_twice)
    assert path.read_bytes() == b"outer"
    assert names(tmp_path) == sorted(["a.bin", *others])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name are those of POSIX systems")
def test_links_and_pipes_with_the_name_of_a_temporary_file_are_left_alone(tmp_path):
    target = tmp_path / "target"
    target.write_bytes(b"mine")
    (tmp_path / f".a.bin.{'0' * 16}.part").symlink_to(target)
    os.mkfifo(tmp_path / f".a.bin.{'1' * 16}.part")
    write_atomically(tmp_path / "a.bin", write_new)
    assert len(names(tmp_path)) == 4
    assert target.read_bytes() == b"mine"


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove a file that is open")
def test_a_temporary_file_that_is_removed_before_it_is_locked_is_made_anew(tmp_path, monkeypatch):
    path, lock, removed = tmp_path / "a.bin", slantwood.atomic.fcntl.flock, []

    def remove_first(file, how):
        if not removed:
            removed.append(file.name)
            os.unlink(file.name)
        lock(file, how)

    monkeypatch.setattr(slantwood.atomic.fcntl, "flock", remove_first)
    write_atomically(path, write_new)
    assert len(removed) == 1
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a.bin"]


def test_threads_that_write_the_same_file_do_not_remove_the_temporary_files_of_others(tmp_path):
    path, errors = tmp_path / "a.bin", []

    def write_often(content):
        try:
            for _ in range(50):
                write_atomically(path, lambda file: file.write(content))
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=write_often, args=[bytes([i]) * 100]) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(set(path.read_bytes())) == 1
    assert names(tmp_path) == ["a.bin"]


def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomically(link, write_new)
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
        write_atomically(path, write_new)
    assert stat.S_IMODE(usual.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name are those of POSIX systems")
def test_a_pipe_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, lambda file: file.write(b"through"))
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
    write_atomically(path, write_new)
    assert path.read_bytes() == b"new"
