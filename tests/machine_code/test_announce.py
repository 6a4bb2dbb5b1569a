"""Claims about what is said while kernels are compiled."""

import io
import logging
import time

import pytest

from slantwood.machine_code import announce

pytestmark = pytest.mark.plain_python


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self):
        return True


@pytest.fixture
def said(monkeypatch):
    monkeypatch.setattr(announce, "_said", set())
    return monkeypatch


def test_the_reason_is_said_once_and_every_kernel_with_its_time(said, capsys):
    for name in ("growth.grow.grow", "splits.svm.learn_svm"):
        with announce.compiling(name, 12, "none came along"):
            pass
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert "none came along" in lines[0]
    assert lines[1:] == [
        "slantwood: compiling growth.grow.grow, about 12 s",
        "slantwood: compiling splits.svm.learn_svm, about 12 s",
    ]


def test_a_terminal_shows_a_bar_that_is_gone_at_the_end(said):
    screen = Screen()
    said.setattr("sys.stderr", screen)
    with announce.compiling("growth.grow.grow", 1, "none came along"):
        while "[####" not in screen.getvalue():  # drawn by a thread
            time.sleep(0.01)
    drawn = screen.getvalue().split("\r")
    assert any(part.startswith("[####") for part in drawn)
    assert drawn[-1] == ""
    assert drawn[-2].strip() == ""


def test_nothing_goes_to_stdout(said, capsys):
    said.setattr(logging.getLogger(), "handlers", [])
    announce.warn_once("a word")
    announce.warn_once("a word")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "slantwood: a word\n"


def test_a_logger_that_is_set_up_gets_all_of_it_in_place_of_the_terminal(said, caplog):
    screen = Screen()
    said.setattr("sys.stderr", screen)
    caplog.set_level(logging.INFO, logger="slantwood")
    with announce.compiling("growth.grow.grow", 12, "none came along"):
        announce.warn_once("a file is damaged")
    assert [record.levelname for record in caplog.records] == ["INFO", "INFO", "WARNING"]
    assert caplog.messages[1:] == ["compiling growth.grow.grow, about 12 s", "a file is damaged"]
    assert screen.getvalue() == ""
