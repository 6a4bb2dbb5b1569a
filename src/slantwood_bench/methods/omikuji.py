"""Label trees of Omikuji: Parabel (Prabhu et al. 2018) and Bonsai (Khandagale et al. 2020)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy.sparse as sp

from slantwood.task_names import LABEL_TASKS
from slantwood_bench.methods.base import OTHER, Method, dense

if TYPE_CHECKING:
    from slantwood_bench.problems import Problem


class Omikuji(Method):
    """Three trees of labels with linear classifiers, the default, however many trees others have.

    Omikuji learns from a file, so that writing it is part of learning, and predicts one row at a time. It
    makes rows unit vectors, as for words of a text; dense X is standardised before, and sparse X left as it
    is. Its random numbers cannot be seeded: two runs differ a little. Of a hierarchy it sees the labels only.

    Attributes
    ----------
    parameters : mapping
        Parameters that are not left at their defaults.
    """

    group = OTHER
    tasks = LABEL_TASKS
    package = "omikuji"
    installed_by = "slantwood[bench]"
    parameters: ClassVar[Mapping[str, Any]] = {}

    def fit(self, rows: Problem) -> None:
        """Write the rows to a file, and learn from it."""
        import omikuji
        from sklearn.preprocessing import StandardScaler

        self._scaler = None if sp.issparse(rows.X) else StandardScaler().fit(rows.X)
        self._n_labels, self._sparse_labels = rows.y.shape[1], sp.issparse(rows.y)
        given = omikuji.Model.default_hyper_param()
        for name, value in {**self.parameters, **self.changes}.items():
            setattr(given, name, value)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rows.txt")
            path.write_text("\n".join(_lines(self._scaled(rows.X), sp.csr_array(rows.y))) + "\n")
            self.model = omikuji.Model.train_on_data(str(path), given, self.threads)
        self.model.init_prediction_thread_pool(self.threads)

    def predict(self, X: Any) -> Any:
        """Return the scores of labels, 0 where the search came to none; sparse where labels were."""
        X = self._scaled(X)
        ranked = [
            self.model.predict(list(zip(indices, values, strict=True)), top_k=self._n_labels)
            for indices, values in _pairs(X)
        ]
        pairs = np.array([pair for row in ranked for pair in row]).reshape(-1, 2)
        starts = np.concatenate([[0], np.cumsum([len(row) for row in ranked])])
        shape = (X.shape[0], self._n_labels)
        scores = sp.csr_array((pairs[:, 1], pairs[:, 0].astype(np.int32), starts), shape=shape)
        scores.sort_indices()
        return scores if self._sparse_labels else dense(scores)

    def n_bytes(self) -> int:
        """Return the size of the files that Omikuji writes."""
        with tempfile.TemporaryDirectory() as folder:
            self.model.save(folder)
            return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())

    def _scaled(self, X: Any) -> sp.csr_array:
        return sp.csr_array(X if self._scaler is None else self._scaler.transform(X))


def _pairs(X: sp.csr_array) -> Iterator[tuple[list[int], list[float]]]:
    for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        yield X.indices[start:stop].tolist(), X.data[start:stop].tolist()


def _lines(X: sp.csr_array, labels: sp.csr_array) -> Iterator[str]:
    """Give the lines of a file of the extreme-classification repository.

    `slantwood.data.write` ends a row without features with a blank, which Omikuji does not read.
    """
    yield f"{X.shape[0]} {X.shape[1]} {labels.shape[1]}"
    for (own, _), (indices, values) in zip(_pairs(labels), _pairs(X), strict=True):
        cells = (f"{index}:{value:.9g}" for index, value in zip(indices, values, strict=True))
        yield " ".join([",".join(map(str, own)), *cells])
