"""FastXML (Prabhu & Varma 2014): trees whose splits rank labels."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from slantwood.study.methods.base import Rows
from slantwood.study.methods.oblique import Slantwood
from slantwood.task_names import LABEL_TASKS


class FastXML(Slantwood):
    """The published system; of a hierarchy it sees the labels only, as in the paper."""

    title = "FastXML"
    tasks = LABEL_TASKS
    knows_hierarchies = False
    parameters: ClassVar = {"unit_rows": False, "min_samples_split": 11, "min_impurity_decrease": 0.0}
    # Its C counts per length of a row, which cells that are missing have none of.
    reads_tables = False
    takes_missing = False

    def split(self, rows: Rows) -> Any:
        """Return the learner as it was published, with C in the unit that the learner has."""
        from slantwood import NDCGSplit

        squares = rows.X.multiply(rows.X).sum() if sp.issparse(rows.X) else np.square(rows.X).sum()
        return replace(NDCGSplit.published(), C=float(np.sqrt(squares / rows.X.shape[0])))
