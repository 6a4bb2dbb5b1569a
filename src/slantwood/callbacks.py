"""Callbacks for `forest.set_callbacks(...)`: a progress bar, stopping early, and the base for your own.

They follow scikit-learn's protocol (`sklearn.callback`, from 1.9 on), and serve with older versions as well.
One object may serve several fits, also at the same time: what belongs to a fit is kept by estimator.
"""

from __future__ import annotations

import math
import sys
import time
from importlib import import_module
from typing import Any

from slantwood.messages import on_terminal, say, write
from slantwood.validation import check_integer, check_real

__all__ = ["Callback", "EarlyStopping", "ProgressBar"]

_WIDTH = 30
_SECONDS_BETWEEN_UPDATES = 0.1


class Callback:
    """Base of callbacks, which does nothing: override the methods that you need.

    A fit is a task named "fit"; each tree is a task named "tree" below it, of boosting each round one named
    "round", which counts here as a tree. `context` says which task it is:
    `context.task_name`, `context.task_id` (of trees from 0 on) and `context.parent`, whose `max_subtasks` is
    the number of trees to grow. A method may ask for more by keyword-only arguments of these names: `X`, `y`,
    and in `on_fit_task_end` also `fitted_estimator`, which predicts with the trees grown so far.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.callbacks import Callback
    >>> class Two(Callback):
    ...     def on_fit_task_end(self, estimator, context):
    ...         return context.task_name == "tree" and context.task_id == 1
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=100, random_state=0).set_callbacks(Two())
    >>> len(forest.fit(X, y))
    2
    """

    def setup(self, estimator: Any, context: Any) -> None:
        """Before the first task of a fit."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """At the begin of a task; that of a tree is told when the tree is grown."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """At the end of a task; return True to grow no more trees."""
        return False

    def teardown(self, estimator: Any, context: Any) -> None:
        """After a fit, whether it succeeded or not."""


class ProgressBar(Callback):
    """Progress bar that is drawn in place: in notebooks, and on stderr where that is a terminal.

    Elsewhere it says a line after every tenth of the trees, to the logger "slantwood" or to stderr.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.callbacks import ProgressBar
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=20, random_state=0).set_callbacks(ProgressBar())
    >>> forest = forest.fit(X, y)
    """

    def __init__(self) -> None:
        self._bars: dict[int, _Bar] = {}

    def setup(self, estimator: Any, context: Any) -> None:
        """Draw an empty bar."""
        name = type(estimator).__name__
        self._bars[id(estimator)] = _Bar(name, context.max_subtasks, f"{estimator.stage}s")

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Draw one more tree, or round of boosting."""
        if context.task_name == estimator.stage:
            self._bars[id(estimator)].advance(context.task_id + 1)
        return False

    def teardown(self, estimator: Any, context: Any) -> None:
        """Leave the bar as it is at the end."""
        bar = self._bars.pop(id(estimator), None)
        if bar is not None:
            bar.close()


class _Bar:
    """The bar of one fit. A notebook shows it as HTML, everything else as text."""

    def __init__(self, name: str, total: int, unit: str) -> None:
        self.name, self.total, self.done, self._unit = name, total, 0, unit
        self._started = self._drawn = time.monotonic()
        display = _notebook_display()
        self._handle = display(self, display_id=True) if display is not None else None
        self._in_place = self._handle is None and on_terminal()
        if self._in_place:
            write(f"\r{self!r}")

    def __repr__(self) -> str:
        full = _WIDTH * self.done // max(self.total, 1)
        return f"{self.name} [{'#' * full}{'.' * (_WIDTH - full)}] {self._count()}"

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self.done}" max="{self.total}" style="width: 20em"></progress>'
        return f"{self.name} {bar} {self._count()}"

    def _count(self) -> str:
        return f"{self.done} of {self.total} {self._unit}, {time.monotonic() - self._started:.1f} s"

    def advance(self, done: int) -> None:
        tenths = [10 * each // self.total for each in (self.done, done)]
        self.done = done
        if self._handle is None and not self._in_place:
            if tenths[0] < tenths[1]:
                say(f"{self.name}: {self._count()}")
        elif time.monotonic() - self._drawn >= _SECONDS_BETWEEN_UPDATES:
            self._draw()

    def close(self) -> None:
        self._draw()
        if self._in_place:
            write("\n")

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        if self._handle is not None:
            self._handle.update(self)
        elif self._in_place:
            write(f"\r{self!r}")


def _notebook_display() -> Any:
    """Return the function that shows an object in the notebook that this runs in, None if it is not one."""
    ipython = sys.modules.get("IPython")  # which is loaded wherever a notebook runs
    shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is None:  # IPython in a terminal has no kernel
        return None
    return import_module("IPython.display").display


class EarlyStopping(Callback):
    """Grows no more trees once the out-of-bag score has not improved for some.

    The forest needs ``oob_score=True``, and `n_estimators` is the most that it grows. All trees that were
    grown stay in it: more trees do not make a forest worse, only slower.

    Parameters
    ----------
    n_iter_no_change : int, default=20
        Trees after which to stop, if none of them has brought the score above the best one before.
    tol : float, default=0.0001
        An improvement by no more than this counts as none.

    Attributes
    ----------
    scores_ : list of float
        Out-of-bag score after each tree of the last fit; NaN where it is not defined yet.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueForestClassifier
    >>> from slantwood.callbacks import EarlyStopping
    >>> X, y = load_iris(return_X_y=True)
    >>> stop = EarlyStopping()
    >>> forest = ObliqueForestClassifier(n_estimators=500, oob_score=True, random_state=0)
    >>> forest = forest.set_callbacks(stop).fit(X, y)
    >>> 20 < len(forest) == len(stop.scores_) < 200
    True
    """

    def __init__(self, n_iter_no_change: int = 20, tol: float = 1e-4) -> None:
        self.n_iter_no_change = check_integer("n_iter_no_change", n_iter_no_change, 1)
        self.tol = check_real("tol", tol, 0.0)
        self._scores: dict[int, list[float]] = {}

    def setup(self, estimator: Any, context: Any) -> None:
        """Begin to count; refuse an estimator without out-of-bag score."""
        if not getattr(estimator, "oob_score", False):
            stops = hasattr(estimator, "early_stopping")
            remedy = "it stops with early_stopping=True" if stops else "give oob_score=True to a forest"
            raise ValueError(
                f"EarlyStopping goes by the out-of-bag score, and {type(estimator).__name__} finds none; "
                f"{remedy}"
            )
        self._scores[id(estimator)] = []

    def on_fit_task_end(  # type: ignore[override]
        self, estimator: Any, context: Any, *, fitted_estimator: Any
    ) -> bool:
        """Note the score, and say whether it has not improved for long enough."""
        if context.task_name != estimator.stage:
            return False
        scores = self._scores[id(estimator)]
        scores.append(getattr(fitted_estimator, "oob_score_", math.nan))
        known = [score for score in scores if not math.isnan(score)]
        recent, before = known[-self.n_iter_no_change :], known[: -self.n_iter_no_change]
        return bool(before) and max(recent) <= max(before) + self.tol

    def teardown(self, estimator: Any, context: Any) -> None:
        """Keep the scores to look at."""
        self.scores_ = self._scores.pop(id(estimator), [])
