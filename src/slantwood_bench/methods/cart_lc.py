"""CART with linear combinations (Breiman et al. 1984), as a single tree."""

from slantwood_bench.methods.base import TREE
from slantwood_bench.methods.oblique import Slantwood


class Tree(Slantwood):
    """A single tree; two classes, as in the paper."""

    title = "tree, CART-LC"
    learner = "cart-lc"
    group = TREE
    tasks = ("binary",)
