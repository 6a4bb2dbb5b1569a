"""Claims about where messages go: to the logger "slantwood" where logging is set up, to stderr elsewhere."""

import ast
import logging
from pathlib import Path

import numpy as np
import pytest

import slantwood
from slantwood import ObliqueForestRegressor, ObliqueTreeRegressor, messages
from slantwood.callbacks import Callback

X = np.random.default_rng(0).normal(size=(30, 3))
ROOT, OURS = logging.getLogger(), logging.getLogger("slantwood")
NOTSET, DEBUG, INFO, WARNING, ERROR = 0, 10, 20, 30, 40


class Records(logging.Handler):
    """Keeps what it is given."""

    def __init__(self):
        super().__init__()
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


@pytest.fixture
def set_up(monkeypatch):
    """Return a function that sets up logging for the time of a test, and returns what is logged."""

    def set_up(on_root=False, on_ours=False, root_level=WARNING, our_level=NOTSET):
        handler = Records()
        monkeypatch.setattr(ROOT, "handlers", [handler] if on_root else [])
        monkeypatch.setattr(OURS, "handlers", [handler] if on_ours else [])
        ROOT.setLevel(root_level)
        OURS.setLevel(our_level)
        return handler.texts

    before = ROOT.level, OURS.level
    yield set_up
    ROOT.setLevel(before[0])
    OURS.setLevel(before[1])


@pytest.mark.plain_python
@pytest.mark.parametrize(
    ("logging_is", "wanted"),
    [
        ({}, "shown"),  # nobody has set up anything
        ({"on_root": True}, "shown"),  # logging.basicConfig(), which takes warnings
        ({"on_root": True, "root_level": INFO}, "logged"),
        ({"on_ours": True}, "shown"),
        ({"on_ours": True, "our_level": INFO}, "logged"),
        ({"on_root": True, "our_level": DEBUG}, "logged"),
        ({"our_level": INFO}, "shown"),
        ({"our_level": WARNING}, "nowhere"),
        ({"our_level": ERROR}, "nowhere"),
        ({"on_root": True, "root_level": DEBUG, "our_level": ERROR}, "nowhere"),
        ({"on_root": True, "root_level": ERROR}, "shown"),
    ],
)
def test_a_message_is_logged_shown_or_declined_and_never_two_of_these(set_up, capsys, logging_is, wanted):
    logged = set_up(**logging_is)
    messages.say("a word")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert logged == (["a word"] if wanted == "logged" else [])
    assert captured.err == ("slantwood: a word\n" if wanted == "shown" else "")
    assert messages.is_logged() == (wanted == "logged")
    assert messages.is_shown() == (wanted == "shown")


@pytest.mark.plain_python
def test_a_program_without_a_console_has_nothing_to_write_to(set_up, monkeypatch):
    set_up()
    monkeypatch.setattr("sys.stderr", None)
    messages.say("a word")
    assert not messages.on_terminal()


@pytest.mark.plain_python
def test_no_other_file_writes_to_the_streams():
    root = Path(slantwood.__file__).parent
    writers = set()
    for file in root.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_print = isinstance(node, ast.Name) and node.id == "print"
            is_stream = isinstance(node, ast.Attribute) and node.attr in ("stderr", "stdout")
            if is_print or is_stream:
                writers.add(file.relative_to(root).parts[0])
    assert writers <= {"cli", "messages.py"}


def forest(**parameters):
    return ObliqueForestRegressor(**{"n_estimators": 4, "random_state": 0} | parameters)


def trees_of(text):
    return [part.split(" tree ")[1].split(",")[0] for part in text if "ObliqueForestRegressor: tree " in part]


def test_verbose_draws_one_line_in_place_without_any_set_up(set_up, capsys):
    for logging_is in ({}, {"on_root": True}):
        set_up(**logging_is)
        forest(verbose=1).fit(X, X[:, 0])
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        assert captured.err.endswith("\n")
        assert trees_of(captured.err.split("\r")) == [f"{n} of 4" for n in (1, 2, 3, 4)]
        forest(verbose=2).fit(X, X[:, 0])
        assert trees_of(capsys.readouterr().err.splitlines()) == [f"{n} of 4" for n in (1, 2, 3, 4)]
        forest().fit(X, X[:, 0])
        assert capsys.readouterr().err == ""


def test_a_line_that_is_stopped_early_ends_all_the_same(set_up, capsys):
    class Two(Callback):
        def on_fit_task_end(self, estimator, context):
            return context.task_id == 1

    set_up()
    forest(verbose=1).set_callbacks(Two()).fit(X, X[:, 0])
    assert capsys.readouterr().err.endswith(" s\n")


def test_a_log_gets_ten_lines_or_one_for_each_tree(set_up, capsys):
    logged = set_up(on_ours=True, our_level=INFO)
    forest(n_estimators=30, max_depth=1, verbose=1).fit(X, X[:, 0])
    assert trees_of(logged) == [f"{n} of 30" for n in range(3, 31, 3)]
    del logged[:]
    forest(verbose=1).fit(X, X[:, 0])
    assert len(logged) == 4
    del logged[:]
    forest(n_estimators=30, max_depth=1, verbose=2).fit(X, X[:, 0])
    assert trees_of(logged) == [f"{n} of 30" for n in range(1, 31)]
    del logged[:]
    forest().fit(X, X[:, 0])
    ObliqueTreeRegressor().fit(X, X[:, 0])
    assert logged == []
    assert capsys.readouterr().err == ""
