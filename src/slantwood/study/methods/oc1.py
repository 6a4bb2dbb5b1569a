"""OC1 (Murthy et al. 1994), as a single tree."""

from typing import Any

from slantwood.study.methods.base import TREE, Rows
from slantwood.study.methods.oblique import Slantwood


class Tree(Slantwood):
    """A single tree; two classes, as in the paper."""

    title = "tree, OC1"
    group = TREE
    tasks = ("binary",)

    def split(self, rows: Rows) -> Any:
        """Return the learner as it was published."""
        from slantwood import OC1Split

        return OC1Split.published()
