"""No sparse argument with indices outside its shape gets past the border, where compiled code trusts them."""

import numpy as np
import pytest
import scipy.sparse as sp

from slantwood import (
    Hierarchy,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    TailReranker,
    metrics,
)
from slantwood.model_selection import LabelStratifiedKFold

pytestmark = pytest.mark.sampled

FORMATS = ["csr", "csc", "coo", "bsr"]
X = np.random.default_rng(0).poisson(0.5, (24, 6)).astype(float)
Y = (X[:, :4] > 0).astype(int)


def damaged(cells, form, kind="array"):
    """Return a sparse matrix with one index far outside."""
    matrix = getattr(sp, f"{form}_{kind}")(cells)
    if form == "coo":
        matrix.col = np.where(np.arange(matrix.nnz) == 3, 10**8, matrix.col)
    else:
        matrix.indices[3] = 10**8
    return matrix


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", FORMATS)
def test_features_with_indices_outside_are_refused_in_fit_and_predict(form, kind):
    forest = ObliqueForestClassifier(n_estimators=2, random_state=0).fit(sp.csr_array(X), Y)
    features = damaged(X, form, kind)
    for method in (forest.predict, forest.predict_proba, forest.apply, forest.decision_path):
        with pytest.raises(ValueError, match=r"X \(.*100000000"):
            method(features)
    for model in (forest, ObliqueForestRegressor(n_estimators=2)):
        with pytest.raises(ValueError, match=r"X \(.*100000000"):
            model.fit(features, Y[:, 0])


@pytest.mark.parametrize("form", FORMATS)
def test_labels_and_clustering_columns_with_indices_outside_are_refused(form):
    tree = ObliqueTreeClassifier(random_state=0)
    with pytest.raises(ValueError, match=r"y \(.*100000000"):
        tree.fit(X, damaged(Y, form))
    with pytest.raises(ValueError, match=r"clustering \(.*100000000"):
        tree.fit(X, Y[:, 0], clustering=damaged(Y, form))
    with pytest.raises(ValueError, match=r"y \(.*100000000"):
        tree.fit(X, Y).score(X, damaged(Y, form))
    with pytest.raises(ValueError, match=r"y \(.*100000000"):
        list(LabelStratifiedKFold(2).split(X, damaged(Y, form)))


def test_a_hierarchy_refuses_indices_outside():
    chain = Hierarchy.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    for method in (chain.closure, chain.consistent, chain.label_sets):
        with pytest.raises(ValueError, match="100000000"):
            method(damaged(Y, "csr"))


def test_the_reranker_refuses_indices_outside():
    reranker = TailReranker(ObliqueTreeClassifier(random_state=0))
    with pytest.raises(ValueError, match=r"X \(.*100000000"):
        reranker.fit(damaged(X, "csc"), Y)
    with pytest.raises(ValueError, match="100000000"):
        reranker.fit(X, damaged(Y, "csc"))
    reranker.fit(X, Y)
    with pytest.raises(ValueError, match=r"X \(.*100000000"):
        reranker.predict_proba(damaged(X, "csr"))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "measure",
    [
        metrics.label_ranking_average_precision,
        metrics.pooled_auprc,
        metrics.average_auprc,
        metrics.macro_f1,
        lambda truth, scores: metrics.precision_at_k(truth, scores, 2),
    ],
    ids=["LRAP", "pooled AUPRC", "average AUPRC", "macro F1", "precision at 2"],
)
def test_measures_refuse_indices_outside(measure, form):
    with pytest.raises(ValueError, match=r"y_true \(.*100000000"):
        measure(damaged(Y, form), Y)
    with pytest.raises(ValueError, match=r"y_(score|pred) \(.*100000000"):
        measure(Y, damaged(Y, form))
