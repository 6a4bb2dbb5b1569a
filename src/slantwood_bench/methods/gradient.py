"""Trees and ensembles of gradient splits: with slantwood's defaults, and in the paper's plain form."""

from typing import ClassVar

from slantwood_bench.methods.base import TREE
from slantwood_bench.methods.oblique import BAGGING, RANDOM_FOREST, SINGLE_TREE, Slantwood


class Bagging(Slantwood):
    """The forest as it is when nothing is set."""

    title = "default forest, gradient"
    learner = "gradient"


class RandomForest(Bagging):
    """The same with the square root of the number of features at each split."""

    title = "random forest, gradient"
    parameters: ClassVar = {"max_features": "sqrt"}


class Tree(Bagging):
    """A single tree as it is when nothing is set."""

    title = "tree, gradient"
    group = TREE


class BaggingAsPublished(Bagging):
    """The paper's bagging."""

    title = "bagging, gradient, as published"
    published = True
    parameters: ClassVar = BAGGING


class RandomForestAsPublished(BaggingAsPublished):
    """The paper's random forest."""

    title = "random forest, gradient, as published"
    parameters: ClassVar = RANDOM_FOREST


class TreeAsPublished(BaggingAsPublished):
    """The paper's single tree."""

    title = "tree, gradient, as published"
    group = TREE
    parameters: ClassVar = SINGLE_TREE
