"""Standard, axis-parallel predictive clustering trees (PCT), the paper's main baseline."""

from typing import ClassVar

from slantwood_bench.methods.base import TREE
from slantwood_bench.methods.oblique import BAGGING, RANDOM_FOREST, SINGLE_TREE, Slantwood


class Bagging(Slantwood):
    """Trees that see all features at every split, on bootstrap samples."""

    title = "bagging, PCT"
    learner = "axis"
    parameters: ClassVar = BAGGING


class RandomForest(Bagging):
    """The same with the square root of the number of features at each split."""

    title = "random forest, PCT"
    parameters: ClassVar = RANDOM_FOREST


class Tree(Bagging):
    """A single tree."""

    title = "tree, PCT"
    group = TREE
    parameters: ClassVar = SINGLE_TREE
