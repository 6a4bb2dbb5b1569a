"""How every kernel gets its machine code before it is needed: each entry point is run once, on a few rows."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from slantwood import ObliqueForestClassifier
from slantwood.data.read import read
from slantwood.kernels.announce import announced
from slantwood.model.routing import route
from slantwood.model_selection import LabelStratifiedKFold
from slantwood.split_names import SPLITS, split_class

# Files of every text format that is read by compiled code.
_TEXTS = {"a.csv": "a,b\n1,x\n2,y\n", "a.svm": "1 1:0.5\n0 2:1\n", "a.xmc": "2 2 2\n0 0:1\n1 1:1\n"}


def compile_all() -> None:
    """Compile all kernels, so that nobody waits for them later; the machine code is kept on disk.

    This takes some minutes the first time on a machine, and seconds after that. Fits, predictions, folds and
    data files all start at once then.

    Examples
    --------
    >>> from slantwood import compile_all
    >>> compile_all()  # doctest: +SKIP
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4)).astype(np.float32)
    Y = sp.csr_array((X[:, :3] > 0).astype(np.int8))
    for split in SPLITS:
        y = Y if "multi-label" in split_class(split).tasks else X[:, 0] > 0
        forest = ObliqueForestClassifier(n_estimators=1, split=split, random_state=0).fit(X, y)
        forest.predict_proba(X)
    forest = ObliqueForestClassifier(n_estimators=1, random_state=0).fit(X, Y)
    forest.predict_proba(X, top_k=1)
    list(LabelStratifiedKFold(2).split(X, Y))
    with tempfile.TemporaryDirectory() as folder, announced():
        for name, text in _TEXTS.items():
            path = Path(folder, name)
            path.write_text(text)
            read(path, "b" if name.endswith(".csv") else None)


def cache_folder() -> str:
    """Return where the machine code of the kernels is kept: beside the package, or where Numba is told."""
    return str(Path(route.stats.cache_path).parent)
