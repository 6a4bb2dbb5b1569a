"""Claims about files that are written whole or not at all."""

import os

import pytest

from slantwood_bench.files import write_whole


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "rows.txt"
    for content in (b"one\n", b"two\n"):
        write_whole(path, content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside(tmp_path, monkeypatch):
    path = tmp_path / "rows.txt"
    path.write_bytes(b"old")

    def fail(file):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="the disk is full"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
