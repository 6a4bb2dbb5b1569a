"""Oblique random forests of ridge regressions (Menze et al. 2011)."""

from typing import ClassVar

from slantwood_bench.methods.oblique import RANDOM_FOREST, Slantwood


class RandomForest(Slantwood):
    """The forest of the publication; two classes, as in the paper."""

    title = "ORF (ridge)"
    learner = "ridge"
    published = True
    tasks = ("binary",)
    parameters: ClassVar = RANDOM_FOREST
