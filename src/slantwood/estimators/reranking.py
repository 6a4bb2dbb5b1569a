"""How a forest's best labels are put in order anew, so that rare ones get their due: PfastreXML.

Labels that are rare are also missing from the rows that should have them. The propensity p_l says how likely
a label is to be given where it is true. With the inverse propensities as weights of the labels, a forest
proposes labels with a score s_l for each; where the rows of a label have the centre mu_l, all rows scaled to
length 1, the final score is

    alpha log(s_l / p_l) + (1 - alpha) log t_l,    t_l = exp(-gamma / 2 |x - mu_l|^2)

(H. Jain, Y. Prabhu, M. Varma: Extreme multi-label loss functions for recommendation, tagging, ranking & other
missing label applications, KDD 2016).
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from slantwood.estimators import validation as check
from slantwood.estimators.label_input import read_labels
from slantwood.estimators.label_tree import LabelTreeClassifier, shares_of_classes
from slantwood.estimators.parts.on_disk import over_blocks
from slantwood.estimators.parts.out_of_core import refuse_scan
from slantwood.estimators.top_labels import TopLabels, keep_top, top_of_sparse
from slantwood.features.matrix import known_rows
from slantwood.features.sparse_input import check_matrix
from slantwood.metrics import propensities
from slantwood.metrics.top_k import MOST_A, MOST_B
from slantwood.targets.classes import ClassTargets
from slantwood.targets.hierarchical_labels import HierarchyTargets
from slantwood.targets.label_sets import as_label_sets
from slantwood.targets.labels import LabelTargets, dense_if_full
from slantwood.targets.reading import as_array
from slantwood.validation import check_integer, check_real

# Cells of the table of rows by labels that is made at a time.
_CELLS = 1 << 22


class _Labels(NamedTuple):
    """What y was, and its indicator; rows of which no label is known have weight 0."""

    targets: LabelTargets | ClassTargets
    indicator: sp.csr_array
    weights: np.ndarray
    given: Any  # y as a classifier of slantwood learns it: of classes their indicator


class TailReranker(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Order the labels that a multi-label classifier proposes by frequency-free scores and by likeness.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Multi-label classifier whose `predict_proba` returns one (n_rows, n_labels) array, dense or sparse: a
        `LabelTreeClassifier`, an `ObliqueForestClassifier` (with `split="ndcg"` this is PfastreXML), or one
        of scikit-learn. None for `LabelTreeClassifier(random_state=0)`. Where it has a parameter
        `target_weights` and that is None, it is fitted with the inverse propensities there.
    alpha : float, default=0.8
        Share of the classifier in the logarithm of the score; the rest is that of the likeness to the rows
        that have the label.
    gamma : float, default=30.0
        How fast likeness falls with the distance.
    propensity_a, propensity_b : float, default=0.55 and 1.5
        Constants of `slantwood.metrics.propensities`: at most 5 and 100.
    n_candidates : int or None, default=None
        Labels of each row that are put in order anew: the best so many of the classifier. None for all that
        score above 0.

    Attributes
    ----------
    estimator_ : estimator
        The fitted classifier.
    propensities_ : array of shape (n_labels,)
        How likely each label is to be given where it is true.
    centres_ : CSR array of shape (n_labels, n_columns)
        Mean of the rows of each label, scaled to length 1 before; zeros where there are none. Columns are
        those of the classifier's `encode_features`, where it has that, or else the features.
    classes_ : array of shape (n_labels,)
        Names of the labels, or their positions.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from slantwood import LabelTreeClassifier, TailReranker
    >>> X = [[1, 0, 2], [0, 2, 1], [1, 3, 0], [2, 0, 0]] * 5
    >>> tags = [("sun",), ("sea",), ("sea", "sun"), ("sun",)] * 5
    >>> model = TailReranker(LabelTreeClassifier(random_state=0)).fit(X, tags)
    >>> model.predict_top_k([[0, 2, 0]], k=1).labels.tolist()
    [['sea']]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        alpha: float = 0.8,
        gamma: float = 30.0,
        propensity_a: float = 0.55,
        propensity_b: float = 1.5,
        n_candidates: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.gamma = gamma
        self.propensity_a = propensity_a
        self.propensity_b = propensity_b
        self.n_candidates = n_candidates

    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Fit the classifier, and find the centre of the rows of each label.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features, none missing. Nominal ones are for classifiers of slantwood.
        y : label sets, or array, sparse matrix or data frame of shape (n_rows, n_labels) or (n_rows,)
            A set, list or tuple of labels for each row, or a 0/1 indicator matrix, whose columns may have
            names; or one class for each row, of two or more. Of rows whose labels are not known, None or NaN,
            only the classifier may learn.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; only their ratios matter. Rows of weight 0 take no part.

        Returns
        -------
        self
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import make_multilabel_classification
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> from sklearn.multiclass import OneVsRestClassifier
        >>> from slantwood import TailReranker
        >>> X, Y = make_multilabel_classification(n_samples=50, n_classes=4, random_state=0)
        >>> reranker = TailReranker(OneVsRestClassifier(KNeighborsClassifier())).fit(X, Y)
        >>> reranker.centres_.shape
        (4, 20)
        """
        before = self.__dict__.copy()
        try:
            self._fit(X, y, sample_weight)
        except BaseException:
            self.__dict__ = before  # an earlier model stays as it was
            raise
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        check_reranking_parameters(self.get_params(deep=False))
        refuse_scan(X, type(self).__name__)
        self.estimator_ = (
            LabelTreeClassifier(random_state=0) if self.estimator is None else clone(self.estimator)
        )
        labels = self._read_labels(y, sample_weight)
        self.propensities_ = propensities(
            labels.indicator, self.propensity_a, self.propensity_b, labels.weights
        )
        if takes_propensities(self.estimator_):
            self.estimator_.set_params(target_weights=1.0 / self.propensities_)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if weights and not has_fit_parameter(self.estimator_, "sample_weight"):
            raise TypeError(
                f"sample_weight was given, but fit of estimator={self.estimator!r:.60} takes none"
            )
        self.targets_ = labels.targets
        if encodes(self.estimator_):
            self.estimator_.fit(X, labels.given, **weights)
            if not isinstance(self.estimator_.targets_, LabelTargets):
                raise ValueError(
                    "y has targets with classes of their own; give a 0/1 indicator matrix or label sets"
                )
            self.n_features_in_ = self.estimator_.n_features_in_
            if hasattr(self.estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.estimator_.feature_names_in_
            rows = self._unit_rows(X)
        else:
            rows = self._unit_rows(X, reset=True)
            check_consistent_length(rows, labels.indicator)
            Y = labels.indicator.astype(np.int8)
            self.estimator_.fit(X, Y if sp.issparse(labels.given) else Y.toarray(), **weights)
        weighted = sp.csr_array(sp.diags_array(labels.weights) @ labels.indicator)
        totals = weighted.sum(axis=0)
        inverse = 1.0 / np.where(totals > 0.0, totals, 1.0)
        self.centres_ = sp.csr_array(sp.diags_array(inverse) @ (weighted.T @ rows))
        self.centres_.sort_indices()  # as files have them: sums in another order differ in their last bits
        self.__dict__.update(labels.targets.attributes)

    def _read_labels(self, y: Any, sample_weight: Any) -> _Labels:
        if y is None:
            raise ValueError("fit requires y to be passed, but the target y is None")
        if not (hasattr(y, "shape") or hasattr(y, "__len__")):
            y = as_array(y, None)
        n_rows = y.shape[0] if hasattr(y, "shape") else len(y)
        weights = check.check_row_weights(sample_weight, n_rows)
        hierarchy = getattr(self.estimator_, "hierarchy", None)
        targets: LabelTargets | ClassTargets
        if hierarchy is None:
            targets, Y = read_labels(y, weights)
        else:
            targets, read = HierarchyTargets.read(y, hierarchy, n_rows)
            Y = sp.csr_array(targets.encode(read))
        given = dense_if_full(Y) if isinstance(targets, ClassTargets) else y
        known = known_rows(Y)
        indicator = sp.csr_array((Y.data == 1.0, Y.indices, Y.indptr), shape=Y.shape).astype(np.float64)
        indicator.eliminate_zeros()
        return _Labels(targets, indicator, np.where(known, weights, 0.0), given)

    def predict_proba(self, X: Any, *, top_k: int | None = None) -> Any:
        """Return scores of the labels that the classifier proposes: those of a score above zero.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features, none missing.
        top_k : int, optional
            Keep the largest so many of each row.

        Returns
        -------
        CSR array of shape (n_rows, n_labels)
            Numbers above 0 and at most 1, larger where the label fits better. They order labels, and are no
            probabilities. Where y was classes, they are divided by their sum, and without `top_k` an array.

        Examples
        --------
        >>> from sklearn.datasets import make_multilabel_classification
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> from sklearn.multiclass import OneVsRestClassifier
        >>> from slantwood import TailReranker
        >>> X, Y = make_multilabel_classification(n_samples=50, n_classes=4, random_state=0)
        >>> reranker = TailReranker(OneVsRestClassifier(KNeighborsClassifier())).fit(X, Y)
        >>> scores = reranker.predict_proba(X)
        >>> bool(scores.data.min() > 0 and scores.data.max() <= 1)
        True
        """
        check_is_fitted(self)
        if top_k is not None:
            check_integer("top_k", top_k, 1)
        scores = over_blocks(lambda rows: self._ranked(rows, top_k), X)
        return scores.toarray() if isinstance(self.targets_, ClassTargets) and top_k is None else scores

    def _ranked(self, X: Any, top_k: int | None) -> sp.csr_array:
        scores = self._scores(X)
        if isinstance(self.targets_, ClassTargets):
            scores = shares_of_classes(scores)
        return scores if top_k is None else keep_top(scores, self.targets_.ranks, top_k)

    def _scores(self, X: Any) -> sp.csr_array:
        check_reranking_parameters(self.get_params(deep=False))
        rows = self._unit_rows(X)
        proposed = self._proposed(X, rows.shape[0])
        weight = self.propensities_.min() / self.propensities_[proposed.indices]
        log_score = self.alpha * np.log(proposed.data * weight)
        log_score -= (1.0 - self.alpha) * 0.5 * self.gamma * self._distances(rows, proposed)
        # The smallest normal number stands for what is too small, so that all that is proposed stays so.
        score = np.clip(np.exp(log_score), np.finfo(np.float64).tiny, 1.0)
        return sp.csr_array((score, proposed.indices, proposed.indptr), proposed.shape)

    def predict_top_k(self, X: Any, k: int) -> TopLabels:
        """Return the best k labels of each row by name, best first.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features, none missing.
        k : int
            How many; where there are fewer labels, all of them.

        Returns
        -------
        TopLabels
            `labels`, values of `classes_`, and `scores`: arrays of shape (n_rows, k). Where fewer than k
            labels are proposed, others follow with 0.

        Examples
        --------
        >>> from slantwood import LabelTreeClassifier, TailReranker
        >>> X, tags = [[1, 0], [0, 1], [1, 1]] * 5, [("sun",), ("sea",), ("sea", "sun")] * 5
        >>> model = TailReranker(LabelTreeClassifier(random_state=0)).fit(X, tags)
        >>> model.predict_top_k([[2, 0]], k=2).labels.tolist()
        [['sun', 'sea']]
        """
        check_is_fitted(self)
        k = min(check_integer("k", k, 1), len(self.classes_))
        best = top_of_sparse(self.predict_proba(X, top_k=k), self.targets_.ranks, k)
        return TopLabels(self.classes_[best.columns], best.scores)

    def predict(self, X: Any) -> Any:
        """Return the labels that the classifier chooses, which another order does not change; or a class.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features, none missing.

        Returns
        -------
        array, sparse matrix or list
            What the classifier predicts, a matrix of shape (n_rows, n_labels); or, where y was label sets, a
            list with a tuple of labels for each row. Where y was classes, the one of the largest score.

        Examples
        --------
        >>> from sklearn.datasets import make_multilabel_classification
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> from sklearn.multiclass import OneVsRestClassifier
        >>> from slantwood import TailReranker
        >>> X, Y = make_multilabel_classification(n_samples=50, n_classes=4, random_state=0)
        >>> classifier = OneVsRestClassifier(KNeighborsClassifier())
        >>> chosen = TailReranker(classifier).fit(X, Y).predict(X)
        >>> bool((chosen == classifier.fit(X, Y).predict(X)).all())
        True
        """
        check_is_fitted(self)
        if isinstance(self.targets_, ClassTargets):
            return self.predict_top_k(X, 1).labels[:, 0]
        chosen = self.estimator_.predict(X)
        if encodes(self.estimator_) or not self.targets_.as_sets:
            return chosen
        return as_label_sets(chosen, self.classes_.tolist())

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Return the share of rows whose whole set of labels the classifier chooses rightly, or whose class.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features, none missing.
        y : label sets, array, sparse matrix or data frame
            True labels, in a form that `fit` takes, all of them known.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        float
            Between 0 and 1. It says nothing about the order of labels: look at
            `slantwood.metrics.propensity_scored_precision_at_k` for that.

        Examples
        --------
        >>> from slantwood import LabelTreeClassifier, TailReranker
        >>> X, tags = [[1, 0], [0, 1], [1, 1]] * 5, [("sun",), ("sea",), ("sea", "sun")] * 5
        >>> TailReranker(LabelTreeClassifier(random_state=0)).fit(X, tags).score(X, tags)
        1.0
        """
        check_is_fitted(self)
        if isinstance(self.targets_, ClassTargets):
            return float(super().score(X, y, sample_weight))
        if encodes(self.estimator_):
            return float(self.estimator_.score(X, y, sample_weight))
        chosen = sp.csr_array(self.estimator_.predict(X))
        _, truth, has_others = self.targets_.read_truth(y, chosen.shape[0])
        hit = self.targets_.all_right(chosen, 0.5, truth) & ~has_others
        return float(np.average(hit, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def save(self, path: Any, *, float16: bool = False, predict_only: bool = False) -> None:
        """Write the fitted estimator to one file, which `slantwood.load_model` reads.

        The classifier must be one of slantwood. The file holds numbers and JSON, nothing that could run. It
        appears whole or not at all.

        Parameters
        ----------
        path : str, path or binary file object
            Where to, by custom with the ending ".slant".
        float16 : bool, default=False
            Whether to round centres, and the numbers of the classifier, to half precision: about three
            digits.
        predict_only : bool, default=False
            Whether to leave out what only training needs.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from slantwood import LabelTreeClassifier, TailReranker, load_model
        >>> X, tags = [[1, 0], [0, 1], [1, 1]] * 5, [("sun",), ("sea",), ("sea", "sun")] * 5
        >>> model = TailReranker(LabelTreeClassifier(random_state=0)).fit(X, tags)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "tags.slant")
        ...     load_model(Path(folder) / "tags.slant").predict_top_k([[2, 0]], k=1).labels.tolist()
        [['sun']]
        """
        check_is_fitted(self)
        from slantwood.estimators.saving import save_model  # knows all estimators, this one among them

        save_model(self, path, float16=float16, predict_only=predict_only)

    def _unit_rows(self, X: Any, *, reset: bool = False) -> sp.csr_array:
        check_matrix(X, "X")
        if encodes(self.estimator_):
            checked = self.estimator_.encode_features(X)
            if np.isnan(checked.data if sp.issparse(checked) else checked).any():
                raise ValueError(
                    "X has missing values (NaN), so that rows have no distance from the centres of labels; "
                    "fill them, as with sklearn.impute.SimpleImputer"
                )
        else:
            checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        rows = sp.csr_array(checked, dtype=np.float64)
        lengths = np.sqrt(rows.multiply(rows).sum(axis=1))
        return sp.csr_array(sp.diags_array(1.0 / np.where(lengths > 0.0, lengths, 1.0)) @ rows)

    def _proposed(self, X: Any, n_rows: int) -> sp.csr_array:
        known = inspect.signature(self.estimator_.predict_proba).parameters
        options: dict[str, Any] = {"sparse": True, "top_k": self.n_candidates}
        scores = self.estimator_.predict_proba(
            X, **{name: options[name] for name in options if name in known}
        )
        expected = (n_rows, len(self.propensities_))
        if isinstance(scores, list) or scores.shape != expected:
            found = "a list" if isinstance(scores, list) else f"an array of shape {scores.shape}"
            raise ValueError(
                f"estimator={self.estimator!r}: its predict_proba returns {found}; it must return one "
                f"array of shape {expected}, a score for each row and label"
            )
        proposed = sp.csr_array(scores, dtype=np.float64, copy=True)
        proposed.data[~(proposed.data > 0.0)] = 0.0
        proposed.eliminate_zeros()
        if self.n_candidates is None:
            return proposed
        return keep_top(proposed, self.targets_.ranks, self.n_candidates)

    def _distances(self, rows: sp.csr_array, proposed: sp.csr_array) -> np.ndarray:
        """Squared distances of rows to the centres of the labels that are proposed for them."""
        squares = self.centres_.multiply(self.centres_).sum(axis=1)
        lengths = rows.multiply(rows).sum(axis=1)
        per_row = np.diff(proposed.indptr)
        distances = np.repeat(lengths, per_row) + squares[proposed.indices]
        across = sp.csc_array(self.centres_.T)
        step = max(_CELLS // len(squares), 1)
        for start in range(0, rows.shape[0], step):
            stop = min(start + step, rows.shape[0])
            part = slice(proposed.indptr[start], proposed.indptr[stop])
            likeness = (rows[start:stop] @ across).toarray()
            row = np.repeat(np.arange(stop - start), per_row[start:stop])
            distances[part] -= 2.0 * likeness[row, proposed.indices[part]]
        return np.maximum(distances, 0.0)

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn what the estimator can do."""
        tags = super().__sklearn_tags__()
        of_classifier = get_tags(LabelTreeClassifier() if self.estimator is None else self.estimator)
        tags.input_tags.sparse = True
        tags.input_tags.categorical = of_classifier.input_tags.categorical
        tags.input_tags.string = of_classifier.input_tags.string
        tags.classifier_tags.multi_label = True
        return tags


def check_reranking_parameters(parameters: dict[str, Any]) -> None:
    """Check what can be checked of constructor parameters before there is data."""
    check_real("alpha", parameters["alpha"], 0.0, 1.0)
    check_real("gamma", parameters["gamma"], 0.0)
    for name, most in (("propensity_a", MOST_A), ("propensity_b", MOST_B)):
        check_real(name, parameters[name], 0.0, most, open_minimum=True)
    if parameters["n_candidates"] is not None:
        check_integer("n_candidates", parameters["n_candidates"], 1)


def takes_propensities(estimator: Any) -> bool:
    """Tell whether a classifier that is not fitted yet gets the inverse propensities as weights of labels."""
    return estimator.get_params(deep=False).get("target_weights", 0) is None


def encodes(estimator: Any) -> bool:
    """Tell whether a classifier is one of slantwood, which takes frames and label sets itself."""
    return hasattr(estimator, "encode_features")
