"""Claims about the callbacks that come along: a bar that is drawn in place, and stopping early."""

import io
import pickle
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from slantwood import (
    ObliqueBoostingClassifier,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    callbacks,
)
from slantwood.callbacks import Callback, EarlyStopping, ProgressBar

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
y = (X[:, 0] + 0.5 * RNG.normal(size=80) > 0).astype(int)


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 5, "random_state": 0} | parameters)


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self):
        return True


class Notebook:
    """What IPython is to those who show something in it; remembers what each output shows."""

    def __init__(self, monkeypatch, kernel="a kernel"):
        self.outputs = []
        monkeypatch.setattr(callbacks, "_SECONDS_BETWEEN_UPDATES", 0.0)
        shell = SimpleNamespace(kernel=kernel)
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
        monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=self.display))

    def display(self, shown, *, display_id):
        assert display_id is True
        output = [shown._repr_html_()]
        self.outputs.append(output)
        return SimpleNamespace(update=lambda again: output.append(again._repr_html_()))


def test_a_terminal_shows_a_bar_that_grows_in_place(monkeypatch, capsys):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(callbacks, "_SECONDS_BETWEEN_UPDATES", 0.0)
    forest().set_callbacks(ProgressBar()).fit(X, y)
    text = screen.getvalue()
    assert text.count("\n") == 1
    assert text.endswith(" s\n")
    states = [int(n) for n in re.findall(r"(\d) of 5 trees", text)]
    assert states == sorted(states)
    assert set(states) == {0, 1, 2, 3, 4, 5}
    bars = re.findall(r"\[(#*)(\.*)\]", text)
    assert [len(full) for full, _ in bars] == [6 * n for n in states]
    assert {len(full + empty) for full, empty in bars} == {30}
    assert capsys.readouterr().out == ""


def test_fast_trees_are_not_drawn_one_by_one(monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(callbacks, "_SECONDS_BETWEEN_UPDATES", 1e9)
    forest().set_callbacks(ProgressBar()).fit(X, y)
    assert re.findall(r"(\d) of 5", screen.getvalue()) == ["0", "5"]


def test_a_notebook_shows_one_output_that_is_updated(monkeypatch, capsys):
    notebook = Notebook(monkeypatch)
    model = forest().set_callbacks(ProgressBar()).fit(X, y)
    assert len(notebook.outputs) == 1
    values = [int(value) for value in re.findall(r'value="(\d)" max="5"', "".join(notebook.outputs[0]))]
    assert values == [0, 1, 2, 3, 4, 5, 5]
    assert "ObliqueForestClassifier" in notebook.outputs[0][-1]
    model.fit(X, y)
    assert len(notebook.outputs) == 2
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_ipython_in_a_terminal_is_a_terminal(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=None)
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    forest().set_callbacks(ProgressBar()).fit(X, y)
    assert notebook.outputs == []
    assert "5 of 5 trees" in screen.getvalue()


def test_elsewhere_ten_lines_are_said(capsys):
    forest(n_estimators=30, max_depth=1).set_callbacks(ProgressBar()).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[2].split(",")[0] for line in lines] == [
        f"{n} of 30 trees" for n in range(3, 31, 3)
    ]


def test_a_bar_is_closed_where_a_fit_fails_or_is_stopped(monkeypatch):
    class Fails(Callback):
        def on_fit_task_end(self, estimator, context):
            raise RuntimeError("enough")

    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    bar = ProgressBar()
    with pytest.raises(RuntimeError, match="enough"):
        forest().set_callbacks(bar, Fails()).fit(X, y)
    assert screen.getvalue().endswith("\n")
    assert bar._bars == {}


def test_growth_stops_when_the_score_has_not_improved_for_so_many_trees():
    stop = EarlyStopping(n_iter_no_change=6, tol=0.0)
    model = forest(n_estimators=300, oob_score=True).set_callbacks(stop).fit(X, y)
    scores = stop.scores_
    assert len(model) == len(scores) < 300
    assert scores[-1] == model.oob_score_

    def has_come(n):
        return n > 6 and max(scores[n - 6 : n]) <= max(scores[: n - 6])

    assert [has_come(n) for n in range(1, len(scores) + 1)] == [False] * (len(scores) - 1) + [True]
    again = forest(n_estimators=len(scores), oob_score=True).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.filterwarnings("ignore:oob_score=True")
def test_more_patience_and_less_tolerance_grow_more_trees():
    def n_trees(**parameters):
        model = forest(n_estimators=60, oob_score=True).set_callbacks(EarlyStopping(**parameters))
        return len(model.fit(X, y))

    assert n_trees(n_iter_no_change=3) <= n_trees(n_iter_no_change=8) <= n_trees(n_iter_no_change=30)
    assert n_trees(n_iter_no_change=5, tol=0.5) == 6
    assert n_trees(n_iter_no_change=60) == 60


@pytest.mark.filterwarnings("ignore:oob_score=True")
def test_regressors_stop_too_at_any_number_of_jobs():
    sizes = set()
    for n_jobs in (1, 2):
        stop = EarlyStopping(n_iter_no_change=4, tol=0.01)
        model = ObliqueForestRegressor(n_estimators=100, oob_score=True, n_jobs=n_jobs, random_state=0)
        sizes.add(len(model.set_callbacks(stop).fit(X, X[:, 0])))
    assert len(sizes) == 1
    assert sizes.pop() < 100


@pytest.mark.parametrize("make", [forest, ObliqueTreeClassifier])
def test_stopping_needs_an_out_of_bag_score(make):
    stop = EarlyStopping()
    with pytest.raises(ValueError, match="give oob_score=True to a forest"):
        make().set_callbacks(stop).fit(X, y)
    assert stop._scores == {}


def test_boosting_stops_by_its_own_parameter_and_its_bar_counts_rounds(capsys):
    model = ObliqueBoostingClassifier(n_estimators=2, early_stopping=False, random_state=0)
    with pytest.raises(ValueError, match=r"ObliqueBoostingClassifier finds none.*early_stopping=True"):
        model.set_callbacks(EarlyStopping()).fit(X, y)
    model.set_callbacks(ProgressBar()).fit(X, y)
    assert "2 of 2 rounds" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    "wrong", [{"n_iter_no_change": 0}, {"n_iter_no_change": 1.5}, {"tol": -1}, {"tol": "a"}]
)
def test_wrong_parameters_are_refused_by_name(wrong):
    with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
        EarlyStopping(**wrong)


@pytest.mark.filterwarnings("ignore:oob_score=True")
def test_one_callback_serves_all_fits_of_a_search_and_travels_to_other_processes():
    stop = pickle.loads(pickle.dumps(EarlyStopping(n_iter_no_change=3)))
    bar = pickle.loads(pickle.dumps(ProgressBar()))
    model = forest(n_estimators=40, oob_score=True).set_callbacks(stop, bar)
    assert cross_val_score(model, X, y, cv=3).mean() > 0.6
    assert 3 < len(stop.scores_) < 40
    assert stop._scores == bar._bars == {}
