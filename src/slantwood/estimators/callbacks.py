"""Who hears of each grown tree: scikit-learn's callbacks where the installed version has them, and others."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from slantwood.ensemble.forest import FittedForest

__all__ = ["CallbackSupportMixin", "Progress", "fitted_attributes", "heard_by", "with_callbacks"]

TreeListener = Callable[[int, int], None]

_listener: ContextVar[TreeListener | None] = ContextVar("slantwood_tree_listener", default=None)

try:  # scikit-learn 1.9 and later
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _manage_callbacks

    HAS_CALLBACKS = True
except ImportError:
    HAS_CALLBACKS = False

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""


# Level of the line that called `fit`, in the stack of what `fit` calls by `_fit`: callbacks add one.
USERS_LINE = 4 + HAS_CALLBACKS

Fit = TypeVar("Fit", bound=Callable[..., Any])


def with_callbacks(fit: Fit) -> Fit:
    """Let scikit-learn call callbacks at the begin and end of a fit, where it has them."""
    return _manage_callbacks(fit) if HAS_CALLBACKS else fit


@contextmanager
def heard_by(listener: TreeListener) -> Iterator[None]:
    """Call `listener(trees so far, trees to grow)` after each tree of a model that is fitted in the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class Progress:
    """Tells everyone who wants to know how far a fit is.

    Parameters
    ----------
    estimator : estimator
        What is fitted.
    n_trees : int
        Trees to grow.
    X, y : object
        What it is fitted on, for callbacks.
    """

    def __init__(self, estimator: Any, n_trees: int, X: Any, y: Any) -> None:
        self._data = {"estimator": estimator, "X": X, "y": y}
        self._n_trees = n_trees
        self._context = estimator._init_callback_context(max_subtasks=n_trees) if HAS_CALLBACKS else None
        if self._context is not None:
            self._context.call_on_fit_task_begin(**self._data)
        self._listener = _listener.get()
        self._started = time.perf_counter()
        self._done = 0

    def tree(self, so_far: Callable[[], FittedForest]) -> bool:
        """Tell of a tree; return whether a callback asks to stop."""
        self._done += 1
        if self._listener is not None:
            self._listener(self._done, self._n_trees)
        estimator = self._data["estimator"]
        if estimator.verbose > 0:
            seconds = time.perf_counter() - self._started
            tree = f"\r{type(estimator).__name__}: tree {self._done} of {self._n_trees}, {seconds:.1f} s"
            end = "\n" if self._done == self._n_trees or estimator.verbose > 1 else ""
            print(tree, end=end, file=sys.stderr, flush=True)
        if self._context is None:
            return False
        task = self._context.subcontext(task_name="tree")
        task.call_on_fit_task_begin(**self._data)
        return self._ended(task, so_far)

    def end(self, forest: FittedForest) -> None:
        """Tell that all trees are grown."""
        if self._context is not None:
            self._ended(self._context, lambda: forest)

    def _ended(self, task: Any, so_far: Callable[[], FittedForest]) -> bool:
        """Tell of the end of a task, and how a callback may predict in mid-fit."""
        made = {"reconstruction_attributes": lambda: fitted_attributes(so_far())}
        return bool(task.call_on_fit_task_end(**self._data, **made))


def fitted_attributes(forest: FittedForest) -> dict[str, Any]:
    """Return all attributes that every fit sets."""
    return {"forest_": forest, **forest.targets.attributes}
