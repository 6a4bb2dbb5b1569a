"""Oblique random forests of ridge regressions (Menze et al. 2011)."""

from typing import Any, ClassVar

from slantwood.study.methods.base import Rows
from slantwood.study.methods.oblique import RANDOM_FOREST, Slantwood


class RandomForest(Slantwood):
    """The forest of the publication; two classes, as in the paper."""

    title = "ORF (ridge)"
    tasks = ("binary",)
    parameters: ClassVar = RANDOM_FOREST

    def split(self, rows: Rows) -> Any:
        """Return the learner as it was published."""
        from slantwood import RidgeSplit

        return RidgeSplit.published()
