"""Labels of a hierarchy as readers return them: with all their ancestors."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data.limits import Limit
from slantwood.targets.hierarchy import Hierarchy

# Of a link to an ancestor, and of a label of a row, while both are multiplied.
_BYTES_PER_LINK = 16
_BYTES_PER_LABEL = 24


def with_ancestors(Y: Any, hierarchy: Hierarchy, limit: Limit) -> Any:
    """Return the indicator closed under ancestors, unless that takes more memory than the file may.

    Files list the most specific labels, or these and their ancestors. Measures compare all labels, so that
    readers return the same indicator for both.
    """
    # A label has at least as many ancestors as it is deep.
    depth = np.asarray(hierarchy.depth, np.int64)
    columns = Y.indices[Y.data == 1] if sp.issparse(Y) else np.nonzero(Y == 1)[1]
    n_labels = len(columns) + int(depth[columns].sum())
    n_bytes = _BYTES_PER_LINK * int(depth.sum()) + _BYTES_PER_LABEL * n_labels
    limit.check(n_bytes, "its labels with their ancestors")
    return hierarchy.closure(Y)
