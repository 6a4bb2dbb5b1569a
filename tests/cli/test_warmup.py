"""Claims about `slantwood warmup`."""

import os
import re
import subprocess
import sys

import pytest

WARM_UP_THEN_WORK = """
import gc
import pathlib

import numpy as np
import scipy.sparse as sp
from numba.core.dispatcher import Dispatcher

from slantwood import Hierarchy, ObliqueForestClassifier, ObliqueForestRegressor, ObliqueTreeRegressor
from slantwood.warmup import compile_all
from slantwood.data.read import read
from slantwood.model_selection import LabelStratifiedKFold


def compiled():
    ours = (each for each in gc.get_objects() if isinstance(each, Dispatcher))
    named = {f"{each.py_func.__module__}.{each.py_func.__name__}": len(each.signatures) for each in ours}
    return {name: number for name, number in named.items() if name.startswith("slantwood.") and number}


compile_all()
before = compiled()
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 5))
gaps = np.where(rng.random(X.shape) < 0.2, np.nan, X)
few = sp.random_array((60, 50), density=0.05, format="csr", rng=rng)
labels = (X[:, :3] > 0).astype(int)
for split in ("gradient", "svm"):
    for x in (X, gaps, few):
        forest = ObliqueForestClassifier(n_estimators=3, split=split, oob_score=True).fit(x, labels[:, 0])
        forest.predict_proba(x)
        forest.apply(x)
        for y in (labels, sp.csr_array(labels)):
            forest = ObliqueForestClassifier(n_estimators=2, split=split).fit(x, y)
            forest.predict(x)
            forest.predict_proba(x, top_k=2)
        ObliqueForestRegressor(n_estimators=2, split=split).fit(x, X[:, :2]).predict(x)
    holes = np.where(rng.random(60) < 0.2, np.nan, X[:, 0])
    ObliqueTreeRegressor(split=split, unlabeled_weight=0.5).fit(X, holes).predict(X)
tree = Hierarchy.from_paths(["a", "a/b", "c"])
ObliqueForestClassifier(n_estimators=2, hierarchy=tree).fit(X, [{"a/b"}, {"c"}] * 30).predict(X)
list(LabelStratifiedKFold(3, shuffle=True, random_state=0).split(X, labels))
texts = {"a.csv": "a;b;c\\n1;x;2.5e3\\n;y;7\\n", "b.tsv": "1\\t2\\n3\\t4\\n", "a.svm": "1,2 1:1\\n 2:3\\n"}
texts["a.xmc"] = "1 2 2\\n0,1 0:1 1:2\\n"
for name, text in texts.items():
    pathlib.Path(name).write_text(text)
    read(name, None if name[-3:] in ("svm", "xmc") else "last:1")
after = compiled()
print({name: number for name, number in after.items() if before.get(name) != number})
"""


def test_it_says_how_long_it_took_and_where_the_code_is_kept(run):
    result = run("warmup")
    assert result.stdout == ""
    match = re.search(r"after [0-9.]+ s; they are kept in (.+)\.$", result.stderr)
    assert os.path.isdir(match[1])


@pytest.mark.slow
def test_no_work_has_to_wait_for_a_compilation_afterwards(folder):
    words = [sys.executable, "-c", WARM_UP_THEN_WORK]
    result = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "{}\n"
