"""What callbacks hear of while label trees are fitted: blocks of classifiers, then trees of the forest."""

from __future__ import annotations

from typing import Any

from slantwood.estimators.callbacks import Progress


class Steps:
    """Tells of each step; serves the forest beside label trees as a callback of its own.

    Parameters
    ----------
    progress : Progress
        Who wants to know.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.is_asked_to_stop = False

    def tell(self) -> bool:
        """Tell of a step; return whether anyone has asked to stop, now or before."""
        # There is no model to predict with before all trees are there.
        self.is_asked_to_stop |= self._progress.tree(None)
        return self.is_asked_to_stop

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing: the fit has begun long before that of the forest."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing, as in `setup`."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Tell of a tree of the forest."""
        return context.task_name == estimator.stage and self.tell()

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing, as in `setup`."""
