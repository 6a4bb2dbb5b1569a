"""Does everything that reaches compiled code; prints the entry points it used, and if Numba was loaded.

python tests/machine_code/everything.py [--list]

With --list, prints only the entry points, for `src/slantwood/machine_code/entry_points.txt`.
"""

import gc
import json
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from slantwood import (
    Hierarchy,
    LabelTreeClassifier,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeRegressor,
)
from slantwood.data import read
from slantwood.explain import conformal, contributions
from slantwood.losses import LOSSES
from slantwood.machine_code.kernel import Kernel
from slantwood.model_selection import LabelStratifiedKFold
from slantwood.split_names import SPLITS, split_class
from slantwood.task_names import NUMBER_TASKS

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 5)).astype(np.float32)
labels = (X[:, :3] > 0).astype(np.int8)
TEXTS = {
    "a.csv": "a;b;c\n1;x;2.5e3\n;y;7\n",
    "b.tsv": "1\t2\n3\t4\n",
    "a.svm": "1,2 1:1\n 2:3\n",
    "a.xmc": "1 2 2\n0,1 0:1 1:2\n",
}


class AnyPlane:
    """A learner of the user's own."""

    def learn(self, X, Z, p, weights, rng):
        return rng.normal(size=X.shape[1]), 0.0


def locked(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def containers(folder):
    """The same rows in everything that a user may have them in."""
    import pandas as pd
    import polars

    np.save(folder / "x.npy", X)
    few = sp.random_array((60, 50), density=0.05, format="csr", rng=rng, dtype=np.float64)
    shut = few.astype(np.float32)
    for part in (shut.data, shut.indices, shut.indptr):
        part.flags.writeable = False
    missing = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    yield from (X, X.astype(np.float64), np.asfortranarray(X), locked(X), X[::2].repeat(2, axis=0), missing)
    yield from (
        np.load(folder / "x.npy", mmap_mode="r"),
        X.tolist(),
        X[:, :1],
        pd.DataFrame(X),
        polars.DataFrame(X),
    )
    yield from (
        pd.DataFrame({"only": X[:, 0]}),
        few,
        few.tocsc(),
        sp.coo_matrix(few),
        shut,
        (X * 10).astype(int),
    )


def boost(tree):
    """Every loss and every task of boosting, on all forms of X and y that reach compiled code."""
    partly = np.where(rng.random((60, 2)) < 0.2, np.nan, np.abs(X[:, :2]) + 0.1)
    for name, kind in LOSSES.items():
        if kind.tasks == NUMBER_TASKS:
            for y in (partly[:, 0], partly):
                ObliqueBoostingRegressor(4, loss=name).fit(X, y).predict(X)
    several = np.where(labels[:, 0] > 0, 2, labels[:, 1])
    for x in (X, sp.csr_array(X * (np.abs(X) > 1.5))):
        for y in (labels[:, 0], several, labels, sp.csr_array(labels)):
            model = ObliqueBoostingClassifier(4, early_stopping=False).fit(x, y)
            model.predict_proba(x)
            list(model.staged_predict(x))
    ObliqueBoostingClassifier(4, hierarchy=tree).fit(X, [{"a/b"}, {"c"}] * 30).predict_proba(X, top_k=2)
    stopped = {"early_stopping": True, "warm_start": True, "max_leaf_nodes": 4}
    large = np.repeat(X, 40, axis=0)
    model = ObliqueBoostingRegressor(3, **stopped).fit(large, large[:, 0])
    model.set_params(n_estimators=5).fit(large, large[:, 0])


def run(folder):
    for x in containers(folder):
        forest = ObliqueForestClassifier(n_estimators=2, random_state=0).fit(x, labels[:, 0])
        forest.predict_proba(x)
        forest.apply(x)
        contributions(forest, x)
    for split in [*SPLITS, AnyPlane()]:
        kind = split_class(split) if isinstance(split, str) else None
        y = labels if kind is None or "multi-label" in kind.tasks else labels[:, 0]
        for x in (X, sp.csr_array(X * (np.abs(X) > 1.5))):
            ObliqueForestClassifier(n_estimators=2, split=split, oob_score=True, bootstrap=True).fit(
                x, y
            ).predict(x)
    for y in (labels, sp.csr_array(labels), locked(labels)):
        forest = ObliqueForestClassifier(n_estimators=2).fit(X, y)
        forest.predict(X)
        forest.predict_proba(X, top_k=2)
    for x, y in ((X, labels), (sp.csr_array(X), sp.csr_array(labels)), (locked(X), locked(labels))):
        trees = LabelTreeClassifier(2, n_children=2, max_leaf_labels=2, n_forest_trees=2).fit(x, y)
        trees.predict(x)
        trees.predict_top_k(x, 2)
    ObliqueForestRegressor(n_estimators=2).fit(X, X[:, :2]).predict(X)
    partly = np.where(rng.random(60) < 0.2, np.nan, X[:, 0])
    ObliqueTreeRegressor(unlabeled_weight=0.5).fit(X, partly).predict(X)
    ObliqueTreeRegressor().fit(X, np.where(rng.random((60, 2)) < 0.2, np.nan, X[:, :2])).predict(X)
    ObliqueTreeRegressor(ccp_alpha=0.01).fit(X, X[:, :2])
    for x in (X, sp.csr_array(X * (np.abs(X) > 0.5))):
        sloped = ObliqueForestRegressor(n_estimators=2, leaves="linear").fit(x, X[:, :2])
        sloped.predict(x)
        contributions(sloped, x)
        conformal(sloped, x, X[:, :2], unseen=True)
    tree = Hierarchy.from_paths(["a", "a/b", "c"])
    ObliqueForestClassifier(n_estimators=2, hierarchy=tree).fit(X, [{"a/b"}, {"c"}] * 30).predict(X)
    boost(tree)
    list(LabelStratifiedKFold(3, shuffle=True, random_state=0).split(X, labels))
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
        read(folder / name, None if name[-3:] in ("svm", "xmc") else "last:1")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder))
    kernels = [each for each in gc.get_objects() if type(each) is Kernel]
    used = sorted(kernel.entry(form) for kernel in kernels for form in kernel.found)
    print("\n".join(used) if "--list" in sys.argv else json.dumps([used, "numba" in sys.modules]))
