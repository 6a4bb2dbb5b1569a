"""CART with linear combinations (Breiman et al. 1984), as a single tree."""

from typing import Any

from slantwood.study.methods.base import TREE, Rows
from slantwood.study.methods.oblique import Slantwood


class Tree(Slantwood):
    """A single tree; two classes, as in the paper."""

    title = "tree, CART-LC"
    group = TREE
    tasks = ("binary",)

    def split(self, rows: Rows) -> Any:
        """Return the learner."""
        from slantwood import CARTLCSplit

        return CARTLCSplit()
