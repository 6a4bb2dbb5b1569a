"""scikit-learn's callback protocol for versions of it that have none, before 1.9.

The part of it that a forest needs: tasks are the fit and, below it, one for each tree. The words are those of
`sklearn.callback`, so that a callback serves with every version.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Self, TypeVar

_HOOKS = ("setup", "on_fit_task_begin", "on_fit_task_end", "teardown")

Fit = TypeVar("Fit", bound=Callable[..., Any])


class CallbackContext:
    """Where a task stands among the tasks of a fit.

    Parameters
    ----------
    callbacks : sequence of callbacks
        Who is told.
    estimator_name : str
        Class of what is fitted.
    task_name : str
        "fit", or "tree" for its parts.
    task_id : int
        Place among the parts of the same task, counted from 0.
    max_subtasks : int
        Parts of this task, at the most.
    parent : CallbackContext, optional
        The task that this is a part of.
    """

    def __init__(
        self,
        callbacks: Sequence[Any],
        estimator_name: str,
        task_name: str,
        task_id: int,
        max_subtasks: int,
        parent: CallbackContext | None = None,
    ) -> None:
        self._callbacks = callbacks
        self.estimator_name = estimator_name
        self.task_name = task_name
        self.task_id = task_id
        self.max_subtasks = max_subtasks
        self.parent = parent
        self._n_parts = 0

    def subcontext(self, task_name: str) -> CallbackContext:
        """Return the context of the next part of this task."""
        part = CallbackContext(self._callbacks, self.estimator_name, task_name, self._n_parts, 0, self)
        self._n_parts += 1
        return part

    def call_on_fit_task_begin(self, **told: Any) -> None:
        """Tell the callbacks that the task begins."""
        self._call("on_fit_task_begin", **told)

    def call_on_fit_task_end(self, **told: Any) -> bool:
        """Tell the callbacks that the task has ended; return whether one of them asks to stop."""
        return self._call("on_fit_task_end", **told)

    def _call(
        self,
        hook: str,
        estimator: Any,
        X: Any,
        y: Any,
        reconstruction_attributes: Callable[[], dict[str, Any]] | None = None,
    ) -> bool:
        values = {"X": X, "y": y, "metadata": None}
        stop = False
        for callback in self._callbacks:
            method = getattr(callback, hook)
            parameters = inspect.signature(method).parameters.values()
            wanted = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
            if "fitted_estimator" in wanted and "fitted_estimator" not in values:
                values["fitted_estimator"] = _fitted(estimator, reconstruction_attributes)
            unknown = [name for name in wanted if name not in values]
            if unknown:
                raise TypeError(
                    f"{type(callback).__name__}.{hook} asks for {unknown[0]!r}; a callback may ask for X, y, "
                    "metadata and fitted_estimator"
                )
            stop |= bool(method(estimator, self, **{name: values[name] for name in wanted}))
        return stop


def _fitted(estimator: Any, attributes: Callable[[], dict[str, Any]] | None) -> Any:
    if attributes is None:
        return None
    fitted = copy.copy(estimator)
    fitted.__dict__.update(attributes())
    return fitted


class CallbackSupportMixin:
    """Lets an estimator have callbacks."""

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Say who is told of the fit and of each tree; without arguments, nobody.

        Parameters
        ----------
        *callbacks : callbacks
            Objects with `setup`, `on_fit_task_begin`, `on_fit_task_end` and `teardown`.

        Returns
        -------
        self
            The estimator.

        Examples
        --------
        >>> from slantwood import ObliqueForestClassifier
        >>> from slantwood.callbacks import ProgressBar
        >>> forest = ObliqueForestClassifier().set_callbacks(ProgressBar())
        """
        for callback in callbacks:
            missing = [hook for hook in _HOOKS if not callable(getattr(callback, hook, None))]
            if missing or isinstance(callback, type):
                raise TypeError(
                    f"callbacks: {callback!r:.60} is not an object with the methods {', '.join(_HOOKS)}; "
                    "slantwood.callbacks.Callback has all of them"
                )
        self._callbacks = callbacks
        return self

    def _init_callback_context(self, max_subtasks: int) -> CallbackContext:
        callbacks = getattr(self, "_callbacks", ())
        context = CallbackContext(callbacks, type(self).__name__, "fit", 0, max_subtasks)
        self._callbacks_set_up: list[tuple[Any, CallbackContext]] = []
        for callback in callbacks:
            self._callbacks_set_up.append((callback, context))
            callback.setup(estimator=self, context=context)
        return context

    def __sklearn_clone__(self) -> Self:
        """Hand the callbacks on to the copies that searches and cross-validation make."""
        other = super().__sklearn_clone__()  # type: ignore[misc]
        if hasattr(self, "_callbacks"):
            other._callbacks = self._callbacks
        return other


def with_callbacks(fit: Fit) -> Fit:
    """Tear down, whatever happens in a fit, the callbacks that were set up in it."""

    @wraps(fit)
    def managed(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return fit(estimator, *args, **kwargs)
        finally:
            for callback, context in estimator.__dict__.pop("_callbacks_set_up", ()):
                callback.teardown(estimator=estimator, context=context)

    return managed  # type: ignore[return-value]
