"""Who hears of each grown tree: scikit-learn's callbacks where the installed version has them, and others."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["CallbackSupportMixin", "heard_by", "tell_progress", "with_callbacks", "without_callbacks"]

TreeListener = Callable[[Any, int, int], None]

_listener: ContextVar[TreeListener | None] = ContextVar("slantwood_tree_listener", default=None)

try:  # scikit-learn 1.9 and later
    from sklearn.callback import CallbackSupportMixin, with_callbacks

    HAS_CALLBACKS = True
except ImportError:
    HAS_CALLBACKS = False

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(fit: Any) -> Any:
        """Leave fit as it is."""
        return fit


def without_callbacks(estimator: Any) -> Any:
    """Take the callbacks from a copy that is fitted on the way to another model."""
    estimator.__dict__.pop("_skl_callbacks", None)
    return estimator


@contextmanager
def heard_by(listener: TreeListener) -> Iterator[None]:
    """Call `listener(estimator, trees so far, trees to grow)` after each tree that is grown in the block.

    A fit may fit copies on its way, which have trees of their own: `estimator` says whose tree it was.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def tell_progress(
    estimator: Any, n_trees: int, X: Any, y: Any, fitted: Callable[[], dict[str, Any]]
) -> Iterator[Callable[[], bool]]:
    """Give a function to call after each tree, which answers whether a callback asks to stop.

    `fitted` makes the attributes with which a callback may predict in mid-fit.
    """
    data = {"estimator": estimator, "X": X, "y": y}
    context = estimator._init_callback_context(max_subtasks=n_trees) if HAS_CALLBACKS else None
    if context is not None:
        context.call_on_fit_task_begin(**data)
    listener = _listener.get()
    started = time.perf_counter()
    done = 0

    def tell() -> bool:
        nonlocal done
        done += 1
        if listener is not None:
            listener(estimator, done, n_trees)
        if estimator.verbose > 0:
            seconds = time.perf_counter() - started
            end = "\n" if done == n_trees or estimator.verbose > 1 else ""
            sys.stderr.write(f"\r{type(estimator).__name__}: tree {done} of {n_trees}, {seconds:.1f} s{end}")
            sys.stderr.flush()
        if context is None:
            return False
        tree = context.subcontext(task_name="tree")
        tree.call_on_fit_task_begin(**data)
        return bool(tree.call_on_fit_task_end(**data, reconstruction_attributes=fitted))

    yield tell
    if context is not None:
        context.call_on_fit_task_end(**data, reconstruction_attributes=fitted)
