"""Ctrl-C, and every other signal whose handler raises, at any moment of a fit or a prediction."""

import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from slantwood import (
    Hierarchy,
    ObliqueBoostingClassifier,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeRegressor,
)

# More than could be grown in the time that a test takes.
_ENDLESS = 1_000_000


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6)).astype(np.float32)
    return X, (X[:, :3] > 0).astype(int)


def _label_sets(Y):
    return [[label for label, has in zip(("a/b", "a/c", "d"), row, strict=True) if has] for row in Y]


def _problem(kind, X, Y):
    """Return an estimator, and the y of X for it, of which some fits take several rounds."""
    if kind == "boosted":  # several models side by side, which never get better
        return ObliqueBoostingClassifier(learning_rate=1e-9, n_iter_no_change=_ENDLESS), Y
    if kind == "numbers":
        return ObliqueForestRegressor(), X[:, :2] + X[:, 2:4]
    if kind == "partly labelled":
        y = Y[:, 0].astype(float)
        y[::2] = np.nan
        return ObliqueForestClassifier(unlabeled_weight="auto"), y
    if kind == "hierarchy":
        return ObliqueForestClassifier(hierarchy=Hierarchy.from_paths(["a/b", "a/c", "d"])), _label_sets(Y)
    return ObliqueForestClassifier(), Y


@pytest.mark.sampled
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", ["labels", "numbers", "partly labelled", "hierarchy", "boosted"])
def test_a_time_limit_ends_a_fit_and_the_earlier_model_stays(kind, n_jobs, rows, time_limit):
    X, Y = rows
    forest, y = _problem(kind, X, Y)
    forest.set_params(n_estimators=2, n_jobs=n_jobs, random_state=0).fit(X, y)
    predict = forest.predict if kind == "numbers" else forest.predict_proba
    trees, predicted = forest.trees_, predict(X)
    forest.set_params(n_estimators=_ENDLESS)
    for seconds in (0.01, 0.1, 0.4):
        with time_limit(seconds):
            forest.fit(X, y)
        assert forest.trees_ is trees
        np.testing.assert_array_equal(predict(X), predicted)


def test_a_time_limit_ends_a_prediction(rows, time_limit):
    X, Y = rows
    forest = ObliqueForestClassifier(n_estimators=20, random_state=0).fit(X, Y)
    many = np.broadcast_to(X, (2000, *X.shape)).reshape(-1, X.shape[1])
    with time_limit(0.05):
        while True:
            forest.predict_proba(many)
    assert forest.predict_proba(X).shape == Y.shape


def test_a_single_tree_runs_in_a_thread_too(rows, time_limit):
    X, _ = rows
    tree = ObliqueTreeRegressor(random_state=0).fit(X, X[:, 0])
    for seconds in (0.01, 0.05):
        with time_limit(seconds):
            while True:
                tree.fit(X, X[:, 0])
        assert tree.predict(X).shape == (len(X),)


_ALARMS = """
import random, signal
import numpy as np
from slantwood import Hierarchy, ObliqueForestClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4)).astype(np.float32)
y = [["a/b"] if row[0] > 0 else ["a/c", "d"] for row in X]
hierarchy = Hierarchy.from_paths(["a/b", "a/c", "d"])
forest = ObliqueForestClassifier(n_estimators=4, hierarchy=hierarchy, random_state=0).fit(X, y)
forest.predict_proba(X)

class TimeIsUp(Exception):
    pass

def ring(number, frame):
    raise TimeIsUp

signal.signal(signal.SIGALRM, ring)
n_lost = 0
for _ in range(300):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-4, 0.012))
        for _ in range(100):
            forest.fit(X, y)
            forest.predict_proba(X)
        n_lost += 1
    except TimeIsUp:
        continue
print(n_lost)
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no SIGALRM")
def test_no_exception_of_a_signal_handler_is_lost_in_many_short_fits():
    done = subprocess.run([sys.executable, "-c", _ALARMS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


_SCRIPT = """
import signal
import numpy as np
from slantwood import ObliqueForestRegressor

# Where the tests are a shell's background job, it is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 10)).astype(np.float32)
forest = ObliqueForestRegressor(n_estimators=1, n_jobs={n_jobs}, random_state=0).fit(X, X[:, 0])
before = forest.predict(X)
forest.n_estimators = 1_000_000
print("fitting", flush=True)
try:
    forest.fit(X, X[:, 0] * X[:, 1])
except KeyboardInterrupt:
    assert (forest.predict(X) == before).all()
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a child process cannot be sent Ctrl-C alone")
@pytest.mark.parametrize(
    ("seconds", "n_jobs"),
    [
        (0.02, 2),
        pytest.param(0.2, 1, marks=pytest.mark.thorough),
        pytest.param(0.5, 2, marks=pytest.mark.thorough),
    ],
)
def test_ctrl_c_is_a_keyboard_interrupt_and_no_crash(n_jobs, seconds):
    code = textwrap.dedent(_SCRIPT.format(n_jobs=n_jobs))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "fitting\n"
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    assert (process.returncode, rest) == (0, "interrupted\n")
