"""Weighted oblique decision trees (Yang et al. 2019), as a single tree."""

from slantwood.study.methods.base import TREE
from slantwood.study.methods.oblique import Slantwood
from slantwood.task_names import CLASS_TASKS


class Tree(Slantwood):
    """A single tree, for classes."""

    title = "tree, WODT"
    learner = "wodt"
    published = True
    group = TREE
    tasks = CLASS_TASKS
