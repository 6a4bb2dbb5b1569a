"""Trees over labels with linear classifiers, for data with many labels, and a forest beside them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from slantwood.ensemble.prediction import Predictor
from slantwood.ensemble.spec import AUTO, draw_seed
from slantwood.estimators import validation as check
from slantwood.estimators.callbacks import CallbackSupportMixin, Progress, put_back, with_callbacks
from slantwood.estimators.dense_scores import check_dense_scores_of
from slantwood.estimators.forest import ObliqueForestClassifier
from slantwood.estimators.forest_share import MOST_LABELS, learned_share
from slantwood.estimators.label_input import read_labels
from slantwood.estimators.label_tree_steps import Steps
from slantwood.estimators.output import FramesOutMixin
from slantwood.estimators.parameter_names import KnownParametersMixin, suggest_parameters
from slantwood.estimators.parts.on_disk import over_blocks
from slantwood.estimators.parts.out_of_core import refuse_scan
from slantwood.estimators.shortcuts import DescribeMixin
from slantwood.estimators.top_labels import TopLabels, keep_top, top_of_sparse
from slantwood.features.encoding import Encoding
from slantwood.features.frames import checked_table, is_table
from slantwood.features.matrix import known_rows
from slantwood.features.sparse_input import check_matrix, is_encoded
from slantwood.label_trees.fitting import LabelTreeSpec, plan_label_trees
from slantwood.label_trees.model import MOST_CHILDREN
from slantwood.label_trees.prediction import label_scores
from slantwood.targets.classes import ClassTargets
from slantwood.validation import check_flag, check_integer, check_real

_CATEGORICAL = "from_dtype"

# On Eurlex-4K a classifier for each label that sees all rows ranked better than trees of every form, in twice
# their time. What this costs grows with the product of rows and labels.
_UNDIVIDED = MOST_LABELS
_LEAF_LABELS = 400

# Forests of more labels have few trees: with thousands of labels they take much of the time and most of the
# file, and count for little.
_MANY_LABELS = 1000
_TREES, _TREES_OF_MANY_LABELS, _SPLIT_OF_MANY_LABELS = 50, 10, 5

_POSITIVE = partial(check_real, minimum=0.0, open_minimum=True)
_CHECKS: dict[str, Any] = {
    "n_estimators": partial(check_integer, minimum=1),
    "C": _POSITIVE,
    "tol": _POSITIVE,
    "max_iter": partial(check_integer, minimum=1),
    "min_weight": partial(check_real, minimum=0.0),
    "beam": partial(check_integer, minimum=1),
    "verbose": partial(check_integer, minimum=0),
}
_CHECKS_UNLESS_AUTO: dict[str, Any] = {
    "n_forest_trees": partial(check_integer, minimum=0),
    "forest_min_samples_split": partial(check_integer, minimum=2),
    "forest_share": partial(check_real, minimum=0.0, maximum=1.0),
}


class LabelTreeClassifier(
    DescribeMixin, KnownParametersMixin, FramesOutMixin, CallbackSupportMixin, ClassifierMixin, BaseEstimator
):
    """Trees over labels with linear classifiers, for text and other sparse data with many labels.

    Each label has a linear classifier. Where labels are many, those of rows that are alike are put together,
    in a shallow tree, with a classifier for each child of a node: a row is compared with the labels of a few
    leaves only (Parabel and Bonsai are trees of this kind). A small forest of oblique trees beside them,
    whose leaves know which labels go together, makes the order of labels better.

    Parameters
    ----------
    n_estimators : int, default=3
        Number of label trees, which differ by how labels are divided; one where they are not divided.
    n_children : int, default=100
        Children of a node at the most.
    max_leaf_labels : int or "auto", default="auto"
        Nodes with no more labels are not divided: their children are the labels. Larger leaves are better and
        take longer. "auto" is 400, but up to 5000 labels are not divided at all: each has a classifier that
        sees all rows, and every row is compared with every label.
    C : float, default=1.0
        How much a row on the wrong side of a classifier costs; a lower value gives smaller weights.
    tol : float, default=0.1
        How exactly classifiers are solved: that of LIBLINEAR's dual solvers.
    max_iter : int, default=10
        Passes over the rows of a node at the most.
    min_weight : float, default=0.1
        Weights of classifiers that are no larger are left out.
    beam : int, default=10
        Nodes of a level of each tree that a row visits. More find labels that fewer miss, and take longer.
    n_forest_trees : int or "auto", default="auto"
        Trees of an `ObliqueForestClassifier` on the same rows, whose scores are mixed with those of the
        classifiers; 0 for none. "auto" is 50 up to 1000 labels, where a forest counts for much and its leaves
        are small, and 10 above.
    forest_min_samples_split : int or "auto", default="auto"
        Nodes of these with fewer rows are leaves. Noisy labels want larger leaves. "auto" leaves that to the
        forest up to 1000 labels, and is 5 above.
    forest_share : float or "auto", default="auto"
        Part of the forest in the scores, where there is one. "auto" learns it on rows that a smaller model
        did not see; it is 0.2 with fewer than 100 rows or more than 5000 labels.
    threshold : float or array of shape (n_labels,), default=0.5
        Score above which `predict` chooses a label, or the second of two classes.
    n_jobs : int or None, default=None
        Number of threads; -1 for all cores. It does not change the model.
    random_state : int, RandomState or None, default=None
        Seed of the first centres of labels, and of the order in which classifiers look at rows.
    verbose : int, default=0
        1 shows progress on stderr, 2 one line per step: a block of classifiers, or a tree of the forest.

    Attributes
    ----------
    label_trees_ : LabelTrees
        The trees as flat arrays.
    oblique_forest_ : ObliqueForestClassifier or None
        The fitted forest.
    forest_share_ : float
        Part of the forest in the scores; 0 where there is none.
    classes_ : array of shape (n_labels,)
        Names of the labels, or their positions, or the classes. Labels that no row of `fit` has score 0.
    n_features_in_ : int
        Number of features.
    input_names_ : tuple of str
        Names of the features, where `fit` was given `feature_names`.

    Examples
    --------
    >>> from slantwood import LabelTreeClassifier
    >>> X = [[1, 0, 2], [0, 2, 1], [1, 3, 0], [2, 0, 0]] * 5
    >>> tags = [("sun",), ("sea",), ("sea", "sun"), ("sun",)] * 5
    >>> model = LabelTreeClassifier(random_state=0).fit(X, tags)
    >>> model.predict([[3, 0, 0], [0, 2, 0]])
    [('sun',), ('sea',)]
    """

    stage = "step"  # what callbacks hear of

    @suggest_parameters
    def __init__(
        self,
        n_estimators: int = 3,
        *,
        n_children: int = 100,
        max_leaf_labels: int | str = "auto",
        C: float = 1.0,
        tol: float = 0.1,
        max_iter: int = 10,
        min_weight: float = 0.1,
        beam: int = 10,
        n_forest_trees: int | str = "auto",
        forest_min_samples_split: int | str = "auto",
        forest_share: float | str = "auto",
        threshold: Any = 0.5,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_children = n_children
        self.max_leaf_labels = max_leaf_labels
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.min_weight = min_weight
        self.beam = beam
        self.n_forest_trees = n_forest_trees
        self.forest_min_samples_split = forest_min_samples_split
        self.forest_share = forest_share
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        target_names: Sequence[str] | None = None,
    ) -> Self:
        """Divide the labels, and train the classifiers that lead to them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features, none missing. Rows are scaled to length 1.
        y : label sets, or array, sparse matrix or data frame of shape (n_rows, n_labels) or (n_rows,)
            A set, list or tuple of labels for each row, or a 0/1 indicator matrix, whose columns may have
            names; or one class for each row, of two or more, which is learned as a set of one label. Rows
            whose labels are not known, None or all NaN, take no part.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; only their ratios matter. Rows of weight 0 take no part.
        feature_names, target_names : sequence of str, optional
            Names of the columns of X and of an indicator matrix y, for those who look at the model:
            `input_names_`, and `classes_`; by default the names that a frame y has.

        Returns
        -------
        self
            The fitted estimator.

        Examples
        --------
        >>> from slantwood import LabelTreeClassifier
        >>> X, tags = [[1, 0], [0, 1], [1, 1]] * 5, [("sun",), ("sea",), ("sea", "sun")] * 5
        >>> LabelTreeClassifier(random_state=0).fit(X, tags).classes_.tolist()
        ['sea', 'sun']
        """
        before = self.__dict__.copy()
        try:
            for name in ("input_names_", "target_names_"):
                self.__dict__.pop(name, None)
            self._fit(X, y, sample_weight, feature_names, target_names)
        except BaseException:
            put_back(self, before)  # an earlier model stays as it was
            raise
        return self

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        feature_names: Sequence[str] | None,
        target_names: Sequence[str] | None,
    ) -> None:
        check_label_tree_parameters(self.get_params(deep=False))
        X = self._checked_features(X, reset=True, minimum=2)
        if feature_names is not None:
            self.input_names_ = check.check_names("feature_names", feature_names, (self.n_features_in_,))
        encoding, encoded = Encoding.learn(X, _CATEGORICAL, False)
        weights = check.check_row_weights(sample_weight, encoded.shape[0])
        targets, Y = read_labels(y, weights, target_names)
        check.check_threshold(self.threshold, targets)
        _check_known("X", encoded)
        kept = known_rows(Y) & (weights > 0)
        if not kept.all():  # otherwise the rows, which may lie on disk, are not copied
            encoded, Y, weights = encoded[kept], Y[kept], weights[kept]
        _check_known("y", Y)
        if np.count_nonzero(Y.data) < len(Y.data):
            Y = Y.copy()
            Y.eliminate_zeros()
        if Y.nnz == 0:
            raise ValueError("y has no label in any row; at least one row must have one")
        if encoded.shape[0] < 2 and self.n_forest_trees != 0:
            raise ValueError(
                "y has labels in only one row of positive weight, and the forest beside label trees needs "
                "two; give n_forest_trees=0 or more rows"
            )
        seed = draw_seed(check_random_state(self.random_state))
        spec = LabelTreeSpec(
            n_trees=self.n_estimators,
            n_children=self.n_children,
            max_leaf_labels=self._most_in_a_leaf(int(np.count_nonzero(np.bincount(Y.indices)))),
            C=self.C,
            tol=self.tol,
            max_iter=self.max_iter,
            min_weight=self.min_weight,
            seed=seed,
            n_jobs=self.n_jobs,
        )
        forest = self._new_forest(Y.shape[1], seed)
        plan = plan_label_trees(encoded, Y, weights, spec)
        n_trees = 0 if forest is None else forest.n_estimators
        progress = Progress(self, plan.n_parts + n_trees, X, y, lambda found: found)
        steps = Steps(progress)
        trees, share = plan.train(steps.tell), 0.0
        del plan
        if steps.is_asked_to_stop:
            forest = None
        if forest is not None:
            forest.set_callbacks(steps).fit(encoded, Y, weights).set_callbacks()
            share = (
                learned_share(encoded, Y, weights, spec, forest, self.beam)
                if self.forest_share == AUTO
                else float(self.forest_share)
            )
        found: dict[str, Any] = {"label_trees_": trees, "oblique_forest_": forest, "forest_share_": share}
        found |= {"encoding_": encoding, "targets_": targets, **targets.attributes}
        progress.end(found)
        self.__dict__.update(found)

    def _new_forest(self, n_labels: int, seed: int) -> ObliqueForestClassifier | None:
        has_many = n_labels > _MANY_LABELS
        n_trees, least = self.n_forest_trees, self.forest_min_samples_split
        if n_trees == AUTO:
            n_trees = _TREES_OF_MANY_LABELS if has_many else _TREES
        if least == AUTO and has_many:
            least = _SPLIT_OF_MANY_LABELS
        if n_trees == 0:
            return None
        given: dict[str, Any] = {"min_samples_split": least, "n_jobs": self.n_jobs, "random_state": seed}
        return ObliqueForestClassifier(int(n_trees), **given)

    def _most_in_a_leaf(self, n_labels: int) -> int:
        if self.max_leaf_labels != AUTO:
            return int(self.max_leaf_labels)
        return max(n_labels, 2) if n_labels <= _UNDIVIDED else _LEAF_LABELS

    def predict(self, X: Any) -> Any:
        """Return the labels of each row: those whose score is above the threshold.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        array, CSR array or list
            In the form of y: an indicator matrix, sparse where y was sparse; or, where y was label sets, a
            list with a tuple of labels for each row. Where it was classes, the most probable class of each
            row; of two the second where its probability is above `threshold`. After
            `set_output(predict="pandas")` a frame or series.

        Examples
        --------
        >>> from slantwood import LabelTreeClassifier
        >>> X, tags = [[1, 0], [0, 1], [1, 1]] * 5, [("sun",), ("sea",), ("sea", "sun")] * 5
        >>> LabelTreeClassifier(random_state=0).fit(X, tags).predict([[2, 0]])
        [('sun',)]
        """
        check_is_fitted(self)
        if isinstance(self.targets_, ClassTargets):
            return self._as_output(self._predicted_classes(X), X)
        return self._as_output(self.targets_.decode(self._scores_to_decide(X), self.threshold), X)

    def _predicted_classes(self, X: Any) -> np.ndarray:
        check.check_threshold(self.threshold, self.targets_)
        encoded = self.encode_features(X)
        if len(self.classes_) == 2:  # of which the threshold decides
            return self.targets_.decode(self._ranked(encoded).toarray(), self.threshold)
        best = top_of_sparse(self._scores(encoded, 1), self.targets_.ranks, 1)
        return self.classes_[best.columns[:, 0]]

    def predict_proba(self, X: Any, *, top_k: int | None = None, sparse: bool = False) -> Any:
        """Return the score of each label, between 0 and 1.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        top_k : int, optional
            Keep the largest so many of each row (those above zero) and return a CSR array.
        sparse : bool, default=False
            Return a CSR array of the scores above zero.

        Returns
        -------
        array or CSR array of shape (n_rows, n_labels)
            Columns in the order of `classes_`. Scores put labels in order, and are not calibrated; of classes
            they are divided by their sum. With
            `top_k` the dense matrix is never formed. Of labels that are not divided nearly all score above 0,
            so that `sparse` spares nothing.

        Examples
        --------
        >>> from slantwood import LabelTreeClassifier
        >>> X, tags = [[1, 0], [0, 1], [1, 1]] * 5, [("sun",), ("sea",), ("sea", "sun")] * 5
        >>> model = LabelTreeClassifier(random_state=0).fit(X, tags)
        >>> model.predict_proba(X).shape, model.predict_proba(X, top_k=1).nnz
        ((15, 2), 15)
        """
        check_is_fitted(self)
        check_flag("sparse", sparse)
        if top_k is not None:
            check_integer("top_k", top_k, 1)
        if not sparse and top_k is None:
            check_dense_scores_of(X, len(self.classes_))
        scores = over_blocks(lambda rows: self._ranked(self.encode_features(rows), top_k), X)
        return scores if sparse or top_k is not None else self._as_output(scores.toarray(), X)

    def predict_top_k(self, X: Any, k: int) -> TopLabels:
        """Return the best k labels of each row by name, best first.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        k : int
            How many; where there are fewer labels, all of them.

        Returns
        -------
        TopLabels
            `labels`, values of `classes_`, and `scores`: arrays of shape (n_rows, k). Of labels with the same
            score the one that comes first in `classes_` goes first. Where fewer than k labels score above 0,
            others follow with 0.

        Examples
        --------
        >>> from slantwood import LabelTreeClassifier
        >>> X, tags = [[1, 0], [0, 1], [1, 1]] * 5, [("sun",), ("sea",), ("sea", "sun")] * 5
        >>> model = LabelTreeClassifier(random_state=0).fit(X, tags)
        >>> model.predict_top_k([[2, 0]], k=2).labels.tolist()
        [['sun', 'sea']]
        """
        check_is_fitted(self)
        k = min(check_integer("k", k, 1), len(self.classes_))
        scores = over_blocks(lambda rows: self._ranked(self.encode_features(rows), k), X)
        best = top_of_sparse(scores, self.targets_.ranks, k)
        return TopLabels(self.classes_[best.columns], best.scores)

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Return the share of rows whose whole set of labels is right.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        y : label sets, array, sparse matrix or data frame
            True labels, in a form that `fit` takes, all of them known.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        float
            Between 0 and 1; of classes the share of the rows whose class is right. With many labels look at
            `slantwood.metrics.precision_at_k` instead.

        Examples
        --------
        >>> from slantwood import LabelTreeClassifier
        >>> X, tags = [[1, 0], [0, 1], [1, 1]] * 5, [("sun",), ("sea",), ("sea", "sun")] * 5
        >>> LabelTreeClassifier(random_state=0).fit(X, tags).score(X, tags)
        1.0
        """
        check_is_fitted(self)
        if isinstance(self.targets_, ClassTargets):
            return float(super().score(X, y, sample_weight))
        scores = self._scores_to_decide(X)
        _, truth, has_others = self.targets_.read_truth(y, scores.shape[0])
        hit = self.targets_.all_right(scores, self.threshold, truth) & ~has_others
        return float(np.average(hit, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def encode_features(self, X: Any) -> Any:
        """Return X as the numbers that classifiers weigh, before rows are scaled.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        float32 array or CSR array of shape (n_rows, n_columns)
            Numeric features, and a column for each value of nominal ones.

        Examples
        --------
        >>> from slantwood import LabelTreeClassifier
        >>> X, tags = [[1, 0], [0, 1], [1, 1]] * 5, [("sun",), ("sea",), ("sea", "sun")] * 5
        >>> LabelTreeClassifier(random_state=0).fit(X, tags).encode_features(X).shape
        (15, 2)
        """
        check_is_fitted(self)
        encoded = self.encoding_.encode(self._checked_features(X, reset=False))
        _check_known("X", encoded)
        return encoded

    def save(self, path: Any, *, float16: bool = False, predict_only: bool = False) -> None:
        """Write the fitted estimator to one file, which `slantwood.load_model` reads.

        The file holds numbers and JSON, nothing that could run. It appears whole or not at all.

        Parameters
        ----------
        path : str, path or binary file object
            Where to, by custom with the ending ".slant".
        float16 : bool, default=False
            Whether to round weights, and the numbers of the forest, to half precision: about three digits.
        predict_only : bool, default=False
            Whether to leave out what only training needs, which the forest alone has.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from slantwood import LabelTreeClassifier, load_model
        >>> X, tags = [[1, 0], [0, 1], [1, 1]] * 5, [("sun",), ("sea",), ("sea", "sun")] * 5
        >>> model = LabelTreeClassifier(random_state=0).fit(X, tags)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "tags.slant")
        ...     load_model(Path(folder) / "tags.slant").predict([[2, 0]])
        [('sun',)]
        """
        check_is_fitted(self)
        from slantwood.estimators.saving import save_model  # knows all estimators, this one among them

        save_model(self, path, float16=float16, predict_only=predict_only)

    def _scores_to_decide(self, X: Any) -> Any:
        """Return scores that may be above the threshold, dense or sparse, as y was."""
        check.check_threshold(self.threshold, self.targets_)
        least = float(np.min(self.threshold))
        if not self.targets_.is_sparse:
            check_dense_scores_of(X, self.targets_.n_columns)
        scores = over_blocks(lambda rows: self._scores(self.encode_features(rows), least=least), X)
        return scores if self.targets_.is_sparse else scores.toarray()

    def _ranked(self, encoded: Any, top_k: int | None = None) -> sp.csr_array:
        """Return the scores above zero of labels, or of classes shares that add up to 1."""
        if not isinstance(self.targets_, ClassTargets):
            return self._scores(encoded, top_k)
        shares = shares_of_classes(self._scores(encoded))
        return shares if top_k is None else keep_top(shares, self.targets_.ranks, top_k)

    def _scores(self, encoded: Any, top_k: int | None = None, least: float = 0.0) -> sp.csr_array:
        share, others = 1.0, None
        if self.oblique_forest_ is not None:
            given = self.forest_share_ if self.forest_share == AUTO else self.forest_share
            of_forest: float = _CHECKS_UNLESS_AUTO["forest_share"]("forest_share", given)
            share = 1.0 - of_forest
            others = Predictor(self.oblique_forest_.forest_, self.n_jobs).mean(encoded, sparse=True)
            others.data *= np.float32(of_forest)
        return label_scores(
            self.label_trees_,
            encoded,
            self.targets_.ranks,
            beam=check_integer("beam", self.beam, 1),
            share=share,
            others=others,
            least=least,
            top_k=top_k,
            n_jobs=self.n_jobs,
        )

    def _checked_features(self, X: Any, *, reset: bool, minimum: int = 1) -> Any:
        """Check X, its width and the names of its columns, which with `reset` are learned."""
        refuse_scan(X, type(self).__name__ if reset else "")
        if is_table(X, _CATEGORICAL):
            X = checked_table(X, minimum)
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        check_matrix(X, "X")
        has_names = reset or hasattr(self, "feature_names_in_")
        if not has_names and is_encoded(X, self.n_features_in_, minimum):
            return X
        with np.errstate(over="ignore", invalid="ignore"):  # too large for float32: refused as infinite
            limits = {"ensure_min_samples": minimum, "ensure_all_finite": "allow-nan"}
            return validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=reset, **limits)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there are trees to predict with."""
        return hasattr(self, "label_trees_")

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn what the estimator can do."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.classifier_tags.multi_label = True
        return tags


def check_label_tree_parameters(parameters: dict[str, Any]) -> None:
    """Check what can be checked of constructor parameters before there is data."""
    for name, checked in _CHECKS.items():
        checked(name, parameters[name])
    for name, checked in _CHECKS_UNLESS_AUTO.items():
        value = parameters[name]
        if isinstance(value, str) and value != AUTO:
            raise ValueError(f"{name}={value!r:.60} must be a number, or 'auto'")
        if not isinstance(value, str):
            checked(name, value)
    check.check_parameters({"n_jobs": parameters["n_jobs"]})
    if isinstance(parameters["threshold"], str):
        raise TypeError(f"threshold={parameters['threshold']!r} must be a number, or one for each label")
    for name in ("n_children", "max_leaf_labels"):
        value = parameters[name]
        if (name != "max_leaf_labels" or value != AUTO) and check_integer(name, value, 2) > MOST_CHILDREN:
            raise ValueError(f"{name}={value} must be at most {MOST_CHILDREN}")


def shares_of_classes(scores: sp.csr_array) -> sp.csr_array:
    """Divide the scores of each row by their sum; where all are zero, all classes have the same share."""
    n_classes = scores.shape[1]
    scores = scores.astype(np.float64)
    totals = np.asarray(scores.sum(axis=1)).ravel()
    data = scores.data / np.repeat(totals, np.diff(scores.indptr))
    shares = sp.csr_array((data, scores.indices, scores.indptr), scores.shape)
    empty = sp.csr_array(np.where(totals > 0.0, 0.0, 1.0 / n_classes)[:, None])
    return sp.csr_array(shares + empty @ sp.csr_array(np.ones((1, n_classes)))) if empty.nnz else shares


def _check_known(name: str, matrix: Any) -> None:
    values = matrix.data if sp.issparse(matrix) else matrix
    if not np.isnan(values.min(initial=0.0)):
        return
    if name == "X":
        remedy = "fill them, as with sklearn.impute.SimpleImputer, or take ObliqueForestClassifier"
        raise ValueError(f"X has missing values (NaN), which linear classifiers cannot weigh; {remedy}")
    raise ValueError(
        "y has rows of which some labels are known and others not (NaN); give all of them or none, or take "
        "ObliqueForestClassifier"
    )
