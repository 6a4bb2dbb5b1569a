"""Weighted oblique decision trees (Yang et al. 2019), as a single tree."""

from slantwood.task_names import CLASS_TASKS
from slantwood_bench.methods.base import TREE
from slantwood_bench.methods.oblique import Slantwood


class Tree(Slantwood):
    """A single tree, for classes."""

    title = "tree, WODT"
    learner = "wodt"
    published = True
    group = TREE
    tasks = CLASS_TASKS
