"""Probabilistic label trees of napkinXC."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from slantwood_bench.methods.base import Method
from slantwood_bench.methods.lightgbm import as_matrix

if TYPE_CHECKING:
    from slantwood_bench.problems import Problem

# Labels that are ranked for each row; the others count as 0.
_BEST = 1000


class NapkinXC(Method):
    """One label tree, the default, however many trees are asked for: each is a whole classifier."""

    package = "napkinxc"
    installed_by = "slantwood[bench]"

    def fit(self, rows: Problem) -> None:
        """Fit the label tree, which is written to a folder that lives as long as the adapter."""
        from napkinxc.models import PLT

        self.folder = tempfile.TemporaryDirectory()
        self.n_labels = rows.y.shape[1]
        self.model = PLT(self.folder.name, threads=self.threads, seed=self.seed)
        self.model.fit(as_matrix(rows.X), sp.csr_matrix(rows.y, dtype=np.float32))

    def predict(self, X: Any) -> sp.csr_array:
        """Return the probabilities of the best labels."""
        ranked = self.model.predict_proba(as_matrix(X), top_k=min(_BEST, self.n_labels))
        labels, values = zip(*(pair for row in ranked for pair in row), strict=True)
        starts = np.concatenate([[0], np.cumsum([len(row) for row in ranked])])
        scores = sp.csr_array((values, labels, starts), shape=(len(ranked), self.n_labels))
        scores.sort_indices()
        return scores
