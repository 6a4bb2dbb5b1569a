"""Weighted oblique decision trees (Yang et al. 2019), as a single tree."""

from typing import Any

from slantwood.study.methods.base import TREE, Rows
from slantwood.study.methods.oblique import Slantwood
from slantwood.task_names import CLASS_TASKS


class Tree(Slantwood):
    """A single tree, for classes."""

    title = "tree, WODT"
    group = TREE
    tasks = CLASS_TASKS

    def split(self, rows: Rows) -> Any:
        """Return the learner as it was published."""
        from slantwood import WODTSplit

        return WODTSplit.published()
