"""Who hears of each grown tree: callbacks by scikit-learn's protocol, and who asked for it with `verbose`."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from slantwood.ensemble.forest import FittedForest
from slantwood.messages import is_logged, is_shown, say, write

__all__ = ["CallbackSupportMixin", "Progress", "fitted_attributes", "put_back", "with_callbacks"]

try:  # scikit-learn 1.9 and later
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:
    from slantwood.estimators.callback_protocol import CallbackSupportMixin
    from slantwood.estimators.callback_protocol import with_callbacks as _with_callbacks

# Level of the line that called `fit`, in the stack of what `fit` calls by `_fit`: callbacks add one.
USERS_LINE = 5

Fit = TypeVar("Fit", bound=Callable[..., Any])


def with_callbacks(fit: Fit) -> Fit:
    """Tear down callbacks at the end of a fit, whatever happens in it."""
    return _with_callbacks(fit)


class Progress:
    """Tells everyone who wants to know how far a fit is.

    Parameters
    ----------
    estimator : estimator
        What is fitted.
    n_trees : int
        Trees to grow, or rounds of boosting.
    X, y : object
        What it is fitted on, for callbacks.
    attributes : callable
        Returns what a fit sets that ends with the model it is given.
    """

    def __init__(
        self,
        estimator: Any,
        n_trees: int,
        X: Any,
        y: Any,
        attributes: Callable[[Any], dict[str, Any]],
    ) -> None:
        self._data = {"estimator": estimator, "X": X, "y": y}
        self._n_trees = n_trees
        self._attributes = attributes
        self._started = time.perf_counter()
        self._done = 0
        self._line_is_open = False
        self._context = estimator._init_callback_context(max_subtasks=n_trees)
        self._context.call_on_fit_task_begin(**self._data)

    def tree(self, so_far: Callable[[], Any] | None) -> bool:
        """Tell of a tree, and of the model so far if there is one; return whether a callback asks to stop."""
        self._done += 1
        if self._data["estimator"].verbose > 0:
            self._show(every_tree=self._data["estimator"].verbose > 1)
        task = self._context.subcontext(task_name=self._data["estimator"].stage)
        task.call_on_fit_task_begin(**self._data)
        return self._ended(task, so_far)

    def end(self, model: Any) -> None:
        """Tell that all trees are grown."""
        if self._line_is_open:  # a callback stopped the growth
            write("\n")
        self._ended(self._context, lambda: model)

    def _show(self, *, every_tree: bool) -> None:
        seconds = time.perf_counter() - self._started
        name = type(self._data["estimator"]).__name__
        stage = self._data["estimator"].stage
        text = f"{name}: {stage} {self._done} of {self._n_trees}, {seconds:.1f} s"
        if is_logged():
            # A log keeps every line: ten are enough.
            tenths = [10 * done // self._n_trees for done in (self._done - 1, self._done)]
            if every_tree or tenths[0] < tenths[1]:
                say(text)
        elif is_shown():
            self._line_is_open = not every_tree and self._done < self._n_trees
            write(f"\r{text}" + ("" if self._line_is_open else "\n"))

    def _ended(self, task: Any, so_far: Callable[[], Any] | None) -> bool:
        """Tell of the end of a task, and how a callback may predict in mid-fit."""
        made = {} if so_far is None else {"reconstruction_attributes": lambda: self._attributes(so_far())}
        return bool(task.call_on_fit_task_end(**self._data, **made))


def fitted_attributes(forest: FittedForest) -> dict[str, Any]:
    """Return all attributes that every fit sets."""
    return {"forest_": forest, **forest.targets.attributes}


def put_back(estimator: Any, before: dict[str, Any]) -> None:
    """Give an estimator whose fit failed the attributes that it had."""
    # Private attributes are scikit-learn's: the callbacks that are still to be torn down.
    kept = {name: value for name, value in estimator.__dict__.items() if name.startswith("_")}
    estimator.__dict__ = before | kept  # in one step, which a second interrupt cannot break in two
