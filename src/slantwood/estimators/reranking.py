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
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from slantwood.features.sparse_input import check_sparse
from slantwood.metrics import propensities
from slantwood.targets.label_sets import holds_label_sets
from slantwood.validation import check_real

# Cells of the table of rows by labels that is made at a time.
_CELLS = 1 << 22


class TailReranker(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Order the labels that a multi-label classifier proposes by frequency-free scores and by likeness.

    Parameters
    ----------
    estimator : estimator
        Multi-label classifier whose `predict_proba` returns one (n_rows, n_labels) array, dense or sparse;
        a forest with `split=NDCGSplit()` makes this PfastreXML. Where it has a parameter `target_weights`
        and that is None, it is fitted with the inverse propensities there.
    alpha : float, default=0.8
        Share of the classifier in the logarithm of the score; the rest is that of the likeness to the rows
        that have the label.
    gamma : float, default=30.0
        How fast likeness falls with the distance.
    propensity_a, propensity_b : float, default=0.55 and 1.5
        Constants of `slantwood.metrics.propensities`.

    Attributes
    ----------
    estimator_ : estimator
        The fitted classifier.
    propensities_ : array of shape (n_labels,)
        How likely each label is to be given where it is true.
    centres_ : CSR array of shape (n_labels, n_features)
        Mean of the rows of each label, scaled to length 1 before; zeros where there are none.
    classes_ : array
        The labels as the classifier numbers them.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.multiclass import OneVsRestClassifier
    >>> from slantwood import TailReranker
    >>> X, Y = make_multilabel_classification(n_samples=50, n_classes=4, random_state=0)
    >>> reranker = TailReranker(OneVsRestClassifier(KNeighborsClassifier())).fit(X, Y)
    >>> reranker.predict_proba(X).shape
    (50, 4)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        alpha: float = 0.8,
        gamma: float = 30.0,
        propensity_a: float = 0.55,
        propensity_b: float = 1.5,
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.gamma = gamma
        self.propensity_a = propensity_a
        self.propensity_b = propensity_b

    def fit(self, X: Any, y: Any) -> TailReranker:
        """Fit the classifier, and find the centre of the rows of each label.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_rows, n_features)
            Features, none missing.
        y : array or sparse matrix of shape (n_rows, n_labels)
            Indicator of the labels, zeros and ones.

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
        self._check_weights()
        if not sp.issparse(y) and (holds_label_sets(y) or np.ndim(y) == 1):
            raise ValueError(
                "y has one dimension; pass the (n_rows, n_labels) indicator matrix of labels, which "
                "scikit-learn's MultiLabelBinarizer makes of label sets"
            )
        rows = self._unit_rows(X, reset=True)
        check_consistent_length(rows, y)
        self.propensities_ = propensities(y, self.propensity_a, self.propensity_b)
        self.estimator_ = clone(self.estimator)
        if self.estimator_.get_params(deep=False).get("target_weights", 0) is None:
            self.estimator_.set_params(target_weights=1.0 / self.propensities_)
        self.estimator_.fit(X, y)
        labels = sp.csr_array(y, dtype=np.float64)
        counts = np.maximum(labels.sum(axis=0), 1.0)
        self.centres_ = sp.csr_array(sp.diags_array(1.0 / counts) @ (labels.T @ rows))
        self.classes_ = getattr(self.estimator_, "classes_", np.arange(labels.shape[1]))
        return self

    def predict_proba(self, X: Any) -> sp.csr_array:
        """Return scores of the labels that the classifier proposes: those of a score above zero.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_rows, n_features)
            Features, none missing.

        Returns
        -------
        CSR array of shape (n_rows, n_labels)
            Numbers above 0 and at most 1, larger where the label fits better. They order labels, and are no
            probabilities.

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
        self._check_weights()
        rows = self._unit_rows(X, reset=False)
        proposed = self._proposed(X)
        weight = self.propensities_.min() / self.propensities_[proposed.indices]
        log_score = self.alpha * np.log(proposed.data * weight)
        log_score -= (1.0 - self.alpha) * 0.5 * self.gamma * self._distances(rows, proposed)
        # The smallest normal number stands for what is too small, so that all that is proposed stays so.
        score = np.maximum(np.exp(log_score), np.finfo(np.float64).tiny)
        return sp.csr_array((np.minimum(score, 1.0), proposed.indices, proposed.indptr), proposed.shape)

    def predict(self, X: Any) -> Any:
        """Return the labels that the classifier chooses; another order of labels does not change them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_rows, n_features)
            Features, none missing.

        Returns
        -------
        array or sparse matrix of shape (n_rows, n_labels)
            What the classifier predicts.

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
        return self.estimator_.predict(X)

    def _check_weights(self) -> None:
        check_real("alpha", self.alpha, 0.0, 1.0)
        check_real("gamma", self.gamma, 0.0)
        for name in ("propensity_a", "propensity_b"):
            check_real(name, getattr(self, name), 0.0, open_minimum=True)

    def _unit_rows(self, X: Any, *, reset: bool) -> sp.csr_array:
        check_sparse(X, "X")
        checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        rows = sp.csr_array(checked)
        lengths = np.sqrt(rows.multiply(rows).sum(axis=1))
        return sp.csr_array(sp.diags_array(1.0 / np.where(lengths > 0.0, lengths, 1.0)) @ rows)

    def _proposed(self, X: Any) -> sp.csr_array:
        has_sparse = "sparse" in inspect.signature(self.estimator_.predict_proba).parameters
        scores = self.estimator_.predict_proba(X, **({"sparse": True} if has_sparse else {}))
        expected = (X.shape[0] if hasattr(X, "shape") else len(X), len(self.propensities_))
        if isinstance(scores, list) or scores.shape != expected:
            found = "a list" if isinstance(scores, list) else f"an array of shape {scores.shape}"
            raise ValueError(
                f"estimator={self.estimator!r}: its predict_proba returns {found}; it must return one "
                f"array of shape {expected}, a score for each row and label"
            )
        proposed = sp.csr_array(scores, dtype=np.float64, copy=True)
        proposed.data[~(proposed.data > 0.0)] = 0.0
        proposed.eliminate_zeros()
        return proposed

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
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags
