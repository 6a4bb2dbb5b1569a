"""OC1 (Murthy et al. 1994), as a single tree."""

from slantwood_bench.methods.base import TREE
from slantwood_bench.methods.oblique import Slantwood


class Tree(Slantwood):
    """A single tree; two classes, as in the paper."""

    title = "tree, OC1"
    learner = "oc1"
    published = True
    group = TREE
    tasks = ("binary",)
