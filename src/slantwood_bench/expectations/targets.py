"""What y may be."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood import Hierarchy
from slantwood_bench.expectations.data import forest, irises, regressor
from slantwood_bench.expectations.row import Group, library

GROUP = Group("targets")


@GROUP.row("classes of text, of booleans, of any numbers")
def classes() -> None:
    """Fit on classes of several types."""
    for y in (irises().words, irises().y > 0, irises().y * 10 - 7, irises().words.tolist()):
        assert set(forest().fit(irises().X, y).predict(irises().X).tolist()) <= set(np.asarray(y).tolist())


@GROUP.row("label matrix, dense and sparse")
def label_matrices() -> None:
    """Fit on indicators."""
    dense = forest().fit(irises().X, irises().labels)
    sparse = forest().fit(irises().X, sp.csr_array(irises().labels))
    assert sp.issparse(sparse.predict(irises().X))
    assert dense.predict_proba(irises().X).shape == (75, 3)


@GROUP.row("label sets in, label sets out")
def label_sets() -> None:
    """Fit on tuples of labels."""
    model = forest().fit(irises().X, irises().sets)
    assert sorted(model.classes_) == ["large", "small", "wide"]
    found = model.predict(irises().X)
    assert isinstance(found[0], tuple)
    assert np.mean([set(a) == set(b) for a, b in zip(found, irises().sets, strict=True)]) > 0.8


@GROUP.row("the k best labels by name")
def top_labels() -> None:
    """Ask for the two best."""
    model: Any = forest().fit(irises().X, irises().sets)
    best = model.predict_top_k(irises().X, 2)
    assert len(best.labels) == len(best.scores) == 75
    assert set(np.ravel(best.labels)) <= {"small", "large", "wide"}
    assert (np.diff(best.scores, axis=1) <= 0).all()


@GROUP.row("several nominal targets")
def nominal_targets() -> None:
    """Fit on two columns of classes."""
    y = np.column_stack([irises().words, np.where(irises().X[:, 1] > 3, "wide", "slim")]).astype(object)
    model = forest().fit(irises().X, y)
    assert model.predict(irises().X).shape == (75, 2)
    assert [each.shape for each in model.predict_proba(irises().X)] == [(75, 3), (75, 2)]


@GROUP.row("nominal and numeric targets together")
def mixed_targets() -> None:
    """Fit on a column of classes and one of numbers."""
    pandas = library("pandas")
    y = pandas.DataFrame({"kind": irises().words, "length": irises().number})
    found = pandas.DataFrame(forest().fit(irises().X, y).predict(irises().X), columns=["kind", "length"])
    assert (found["kind"] == y["kind"]).mean() > 0.9
    assert np.corrcoef(found["length"].astype(float), y["length"])[0, 1] > 0.9


@GROUP.row("targets that are known in some rows only")
def partly_known() -> None:
    """Leave holes in y."""
    random = np.random.default_rng(0)
    numbers = np.where(random.random((75, 3)) < 0.3, np.nan, irises().numbers)
    assert np.isfinite(regressor().fit(irises().X, numbers).predict(irises().X)).all()
    labels = np.where(random.random((75, 3)) < 0.3, np.nan, irises().labels)
    assert np.isfinite(forest().fit(irises().X, labels).predict_proba(irises().X)).all()


@GROUP.row("rows without any class (semi-supervised)")
def without_class() -> None:
    """Mark rows without a class by -1."""
    partly = np.where(np.arange(75) % 3 == 0, irises().y, -1)
    model = forest(unlabeled_weight="auto").fit(irises().X, partly)
    assert model.score(irises().X, irises().y) > 0.8


@GROUP.row("hierarchy of labels, sets in and out")
def hierarchies() -> None:
    """Fit on labels with ancestors."""
    hierarchy = Hierarchy.from_paths(["flower/small", "flower/large", "wide"])
    sets = [{"flower/small"} if y == 0 else {"flower/large"} for y in irises().y]
    found = forest(hierarchy=hierarchy).fit(irises().X, sets).predict(irises().X)
    assert "flower" in set(found[0])


@GROUP.row("several numbers, one or two dimensions kept")
def several_numbers() -> None:
    """Fit on one number and on three."""
    for y in (irises().number, irises().number[:, None], irises().numbers):
        assert regressor().fit(irises().X, y).predict(irises().X).shape == y.shape


@GROUP.row("other columns than the targets score splits")
def clustering_attributes() -> None:
    """Cluster by columns of one's own."""
    model = forest().fit(irises().X, irises().y, clustering=irises().numbers)
    assert model.score(irises().X, irises().y) > 0.8
