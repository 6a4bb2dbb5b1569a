"""Interrupts (Ctrl-C) at random moments of fits and of writing files: each ends it, and nothing is lost.

Fifty of `fit`: each ends it within a second.

Half of them come at one thread, half at two, over several split learners, forests of many trees and single
trees that take long. Before, the model has been fitted to something small. A trial is fine when `fit`
raises KeyboardInterrupt at most one second after the signal, and the model then still predicts what it
predicted before. A process goes on to the next trial after a fine one, so that what an interrupt leaves
behind is found, too; after another a new one begins. A few more trials raise a TimeoutError from a handler
of SIGALRM, as time limits do, and interrupt `predict`.

Three hundred come while a model is saved, a report is written, or the command `predict` writes its rows,
again and again. These are fine when KeyboardInterrupt, or exit code 130 of the command, comes out, the file
is as it was or as it should be, nothing else is in the folder, and no file is left open.

Faults are: the process dies (crash), nothing comes of the signal within ten seconds (deaf), it comes later
than a second (late), something else is raised or nothing at all (lost), the earlier model is gone or
another (changed), a file is damaged, or others are left behind (left).

    python -m tests.campaigns.interrupts               the full run
    python -m tests.campaigns.interrupts --trials 4 --files 6    some trials of it

The clock is that of the wall, so the machine should have nothing else to do.
"""

import argparse
import faulthandler
import gc
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FILE_METHODS = ("save", "report", "command")
LATEST = 1.0
_DEAF = 10.0
_ROOT = Path(__file__).parents[2]

FINE, CRASH, DEAF, LATE, LOST, CHANGED, LEFT = "fine", "crash", "deaf", "late", "lost", "changed", "left"

# Rows and parameters with which an estimator takes far longer than the latest signal comes: forests because
# of their number of trees, single trees because of their rows.
_FOREST = {"n_estimators": 100_000}
_WORK: dict[str, tuple[str, int, dict[str, Any]]] = {
    "gradient forest": ("ObliqueForestClassifier", 3_000, _FOREST | {"split": "gradient"}),
    "axis forest": ("ObliqueForestRegressor", 3_000, _FOREST | {"split": "axis"}),
    "svm forest": ("ObliqueForestClassifier", 3_000, _FOREST | {"split": "svm"}),
    "ridge forest": ("ObliqueForestRegressor", 3_000, _FOREST | {"split": "ridge"}),
    "tiny trees": ("ObliqueForestRegressor", 20, _FOREST | {"split": "axis"}),
    "gradient tree": ("ObliqueForestRegressor", 300_000, {"n_estimators": 1, "min_impurity_decrease": 0.0}),
    "oc1 tree": ("ObliqueTreeClassifier", 20_000, {"split": "oc1"}),
    "cart-lc tree": ("ObliqueTreeRegressor", 40_000, {"split": "cart-lc"}),
}


@dataclass(frozen=True)
class Trial:
    """What is interrupted, at how many threads, how, and after how many seconds."""

    work: str
    n_jobs: int
    method: str = "fit"
    by: str = "SIGINT"
    after: float = 0.0

    @property
    def about(self) -> str:
        """What it is, in one line."""
        return (
            f"{self.by} during {self.method} of a {self.work}, n_jobs={self.n_jobs}, after {self.after:.6f} s"
        )


# ---- the process that is interrupted


class _TimeIsUp(TimeoutError):
    pass


def be_interrupted(work: str, n_jobs: int) -> None:
    """Print "ready", begin what a line names, and print what came of it; again and again."""
    from slantwood.cli import interrupts

    faulthandler.enable()
    sys.setswitchinterval(1e-6)
    interrupts.remember()  # as the command does
    estimator, X, y = _model(work, n_jobs)
    estimator.fit(X[:20], y[:20])
    signal.signal(signal.SIGALRM, _raise)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written = _Written(estimator, X[:50], y[:50], folder)
        print("ready", flush=True)
        for line in sys.stdin:
            method, by = line.split()
            before = estimator.predict(X[:1000])
            expected = KeyboardInterrupt if by == "SIGINT" else _TimeIsUp
            verdict = LOST
            written.begin()
            interrupts._received.clear()
            try:
                print("begun", flush=True)
                if method == "fit":
                    estimator.set_params(**_larger(work)).fit(X, y)
                elif method == "predict":
                    # As many rows as take long: what has few nodes predicts a million in a moment.
                    rows = np.tile(X[:1000], (4000, 1))
                    while True:
                        estimator.predict(rows)
                else:
                    while True:
                        getattr(written, method)()
            except expected:
                print("raised", flush=True)
                verdict = FINE if written.is_whole() else LEFT
            except BaseException as error:
                print(f"raised {error!r}"[:500].replace("\n", " "), flush=True)
            else:
                print("finished", flush=True)
            if verdict == FINE and written.has_open_files():
                verdict = LEFT
            same = np.array_equal(estimator.predict(X[:1000]), before)
            print(verdict if verdict != FINE or same else CHANGED, flush=True)


class _Written:
    """The files that the methods of a model write, and whether an interrupt has damaged one."""

    def __init__(self, model: Any, X: np.ndarray, y: np.ndarray, folder: Path) -> None:
        self.model, self.X, self.y = model, X, y
        self.inputs, self.folder = folder / "inputs", folder / "outputs"
        self.inputs.mkdir()
        self.folder.mkdir()
        names = ",".join(f"x{i}" for i in range(X.shape[1]))
        np.savetxt(self.inputs / "rows.csv", X, delimiter=",", header=names, comments="")
        model.save(self.inputs / "m.slant")
        for method in FILE_METHODS:
            getattr(self, method)()
        # The last bytes: a report holds times, which differ.
        self.ends = {path.name: path.read_bytes()[-50:] for path in self.folder.iterdir()}

    def save(self) -> None:
        self.model.save(self.folder / "m.slant")

    def report(self) -> None:
        from slantwood.report import write_report

        write_report(self.model, self.folder / "r.html", self.X, self.y)

    def command(self) -> None:
        from slantwood.cli.main import app

        model, rows, output = self.inputs / "m.slant", self.inputs / "rows.csv", self.folder / "p.csv"
        try:
            app(["predict", str(model), str(rows), "--output", str(output), "--force"])
        except SystemExit as end:
            if end.code == 130:
                raise KeyboardInterrupt from end
            if end.code:
                raise RuntimeError(f"exit code {end.code}") from end

    def begin(self) -> None:
        for path in self.folder.iterdir():
            path.unlink()
        self.n_open = _n_open_files()

    def is_whole(self) -> bool:
        return all(path.read_bytes()[-50:] == self.ends.get(path.name) for path in self.folder.iterdir())

    def has_open_files(self) -> bool:
        """Whether a file stays open when threads and cycles are gone that refer to a mapped one."""
        for _ in range(50):
            gc.collect()
            if _n_open_files() <= self.n_open:
                return False
            time.sleep(0.1)
        return True


def _n_open_files() -> int:
    folder = "/proc/self/fd"
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


def _raise(*_: Any) -> None:
    raise _TimeIsUp("the time is up")


def _model(work: str, n_jobs: int) -> tuple[Any, np.ndarray, np.ndarray]:
    import slantwood

    cls, n, parameters = _WORK[work]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 30)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + rng.normal(size=n)
    if cls.endswith("Classifier"):
        y = np.digitize(y, [-1, 0, 1])
    small = parameters | ({"n_estimators": 3} if "Forest" in cls else {}) | {"random_state": 0}
    estimator = getattr(slantwood, cls)(**small)
    return estimator.set_params(n_jobs=n_jobs) if "Forest" in cls else estimator, X, y


def _larger(work: str) -> dict[str, Any]:
    return {name: value for name, value in _WORK[work][2].items() if name == "n_estimators"}


# ---- the process that interrupts


class Target:
    """A process to interrupt."""

    def __init__(self, work: str, n_jobs: int) -> None:
        self.key = work, n_jobs
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  closed with the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.campaigns.interrupts", "--target", work, str(n_jobs)],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            bufsize=0,  # a line in a buffer here is not seen by select
        )
        if self._line(None) != "ready":
            raise RuntimeError(f"it does not begin: {self.last_words()}")

    def verdict_of(self, trial: Trial) -> tuple[str, str]:
        """Interrupt; return the verdict, and what is to be said about it."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{trial.method} {trial.by}\n".encode())
        self._process.stdin.flush()
        if self._line(None) != "begun":
            return CRASH, self.last_words()
        time.sleep(trial.after)
        os.kill(self._process.pid, getattr(signal, trial.by))
        start = time.monotonic()
        raised = self._line(_DEAF)
        seconds = time.monotonic() - start
        if raised is None:
            return DEAF, f"nothing in {_DEAF:.0f} s"
        verdict = self._line(None)
        if not verdict:
            return CRASH, self.last_words()
        if verdict == FINE and seconds > LATEST:
            return LATE, f"{seconds:.2f} s"
        return verdict, f"{seconds:.2f} s" if verdict == FINE else raised

    def _line(self, patience: float | None) -> str | None:
        """Return the next line; "" where the process has ended, None where none comes."""
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], patience)[0]:
            return None
        return self._process.stdout.readline().decode().strip()

    def last_words(self) -> str:
        code = self._process.wait()
        self._log.seek(0)
        return f"exit code {code}: {self._log.read().decode(errors='replace')[-300:]!r}"

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            assert stream is not None
            stream.close()


def trials(number: int, seed: int, n_files: int = 0) -> list[Trial]:
    """Draw interrupts of `fit`, a tenth as many of each other kind, and of what writes files."""
    rng = np.random.default_rng(seed)
    works = list(_WORK)

    def drawn(index: int, **how: str) -> Trial:
        work = works[index % len(works)]
        # Checks of the input come first and do not take long: a part of the signals is for them.
        after = float(rng.choice([rng.uniform(0, 0.1), rng.uniform(0, 2)]))
        return Trial(work, 1 + index // len(works) % 2, after=after, **how)

    chosen = [drawn(index) for index in range(number)]
    if number:
        others = max(1, number // 10)
        chosen += [drawn(index, by="SIGALRM") for index in range(0, 3 * others, 3)]
        chosen += [drawn(index, method="predict") for index in range(0, 5 * others, 5)]
    forests = [work for work in works if "n_estimators" in _WORK[work][2]]
    chosen += [
        Trial(forests[i % 2], 1, FILE_METHODS[i % len(FILE_METHODS)], after=rng.uniform(0, 0.2))
        for i in range(n_files)
    ]
    return sorted(chosen, key=lambda trial: (trial.work, trial.n_jobs))


def run(number: int, seed: int = 0, n_files: int = 0, *, tell: Any = print) -> list[tuple[Trial, str, str]]:
    """Make all trials; return each with its verdict and what is to be said about it."""
    done = []
    target: Target | None = None
    try:
        for trial in trials(number, seed, n_files):
            if target is None or target.key != (trial.work, trial.n_jobs):
                if target is not None:
                    target.end()
                target = Target(trial.work, trial.n_jobs)
            verdict, said = target.verdict_of(trial)
            tell(f"{verdict}: {trial.about}: {said}")
            done.append((trial, verdict, said))
            if verdict != FINE:
                target.end()
                target = None
    finally:
        if target is not None:
            target.end()
    return done


def main() -> None:
    """Be the command; exit code 1 where there are faults."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.interrupts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--trials", type=int, default=50, help="interrupts of fit (default: %(default)s)")
    parser.add_argument(
        "--files", type=int, default=300, help="interrupts of what writes files (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random moments (default: %(default)s)")
    parser.add_argument("--target", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.target:
        be_interrupted(arguments.target[0], int(arguments.target[1]))
        return
    done = run(arguments.trials, arguments.seed, arguments.files)
    for kind in dict.fromkeys((trial.by, trial.method) for trial, _, _ in done):
        counts = Counter(verdict for trial, verdict, _ in done if (trial.by, trial.method) == kind)
        print(f"{kind[0]} during {kind[1]}: {', '.join(f'{verdict}: {n}' for verdict, n in counts.items())}")
    sys.exit(any(verdict != FINE for _, verdict, _ in done))


if __name__ == "__main__":
    main()
