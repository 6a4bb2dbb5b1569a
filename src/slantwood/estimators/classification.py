"""What classifiers share: classes or label matrices in, probabilities and decisions out."""

import warnings
from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from slantwood.ensemble.out_of_bag import OutOfBag
from slantwood.ensemble.training_data import TrainingData
from slantwood.estimators import several
from slantwood.estimators import validation as check
from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.callbacks import USERS_LINE, with_callbacks
from slantwood.estimators.class_weights import (
    for_classes_of,
    row_weights_by_label,
    weights_of_classes,
    with_class_weights,
)
from slantwood.estimators.dense_scores import check_dense_scores_of
from slantwood.estimators.names import output_names
from slantwood.estimators.output import ARRAYS
from slantwood.estimators.parts.on_disk import blocks_of_rows, over_blocks
from slantwood.estimators.shortcuts import CalibrateMixin
from slantwood.estimators.top_labels import TopColumns, TopLabels, top_of_dense, top_of_sparse, top_only
from slantwood.features.matrix import known_rows
from slantwood.features.sparse_input import check_sparse
from slantwood.metrics.precision_recall import pooled_auprc
from slantwood.targets.classes import ClassTargets
from slantwood.targets.clustering import Clustering
from slantwood.targets.columns import GivenColumn, array_targets, frame_targets
from slantwood.targets.hierarchical_labels import HierarchyTargets, closed_labels
from slantwood.targets.hierarchy import Hierarchy
from slantwood.targets.label_sets import holds_label_sets
from slantwood.targets.labels import LabelTargets
from slantwood.targets.reading import as_array, as_numbers, known_classes
from slantwood.targets.several import MultiTargets
from slantwood.targets.thresholds import tuned_thresholds
from slantwood.task_names import CLASS_TASKS, LABEL_TASKS
from slantwood.validation import check_flag, check_integer

# Probabilities of classes of which the best are found in one go.
_CELLS = 1 << 22


class ObliqueClassifier(CalibrateMixin, ClassifierMixin, ObliqueEstimator):
    """Base of the classifiers."""

    # Whether class weights are weights of rows; or else trees are the same with any of them but 0, and
    # probabilities are weighted.
    class_weights_rows = False
    class_weight: dict[Any, float] | str | npt.ArrayLike | None
    multi_output: str
    threshold: float | str | npt.ArrayLike
    hierarchy: Hierarchy | None
    oob_decision_function_: Any  # of several targets a list

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        clustering: str | Clustering | npt.ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        target_names: Sequence[str] | None = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features; NaN, or a null of a frame, where a value is missing. With `max_memory`, also a scan of
            data files (`slantwood.data.scan`), which has its own y.
        y : array of shape (n_rows,), label sets, or array, sparse matrix or data frame (n_rows, n_columns)
            Classes of any type; or labels, as a 0/1 indicator matrix, whose columns may have names, or as a
            set, list or tuple of labels for each row (lists of numbers of equal length are rows of a matrix).
            Two or more columns of other whole numbers, text or objects are several targets, each with classes
            of its own; in a data frame, columns of floats beside columns of classes are numbers to predict.
            None or NaN marks rows without a class or known labels, and NaN single labels and targets that are
            not known; with `unlabeled_weight`, a class of -1 does too. With `hierarchy`, labels are its own:
            the most specific ones, or these and their ancestors.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; only their ratios matter. Rows of weight 0 take no part.
        clustering : {"targets", "features", "targets+features", "sketch"}, matrix or Clustering, optional
            What scores splits in place of the targets: the features, both, a random projection of the
            targets, or columns of your own with one row for each row of X. `Clustering` has the details.
        feature_names, target_names : sequence of str, optional
            Names of the columns of X and y, for those who look at the model: `input_names_`, `target_names_`;
            by default the names that a frame y has. Those of a label matrix are also `classes_`.

        Returns
        -------
        self
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> tree.classes_.tolist()
        [0, 1, 2]
        """
        return self._fit(X, y, sample_weight, clustering, feature_names, target_names)

    def _encode_targets(
        self, y: Any, weights: np.ndarray, names: Sequence[str] | None
    ) -> tuple[Any, Any, Any, np.ndarray]:
        targets: Any
        if self.hierarchy is not None:
            targets, read = HierarchyTargets.read(y, self.hierarchy, len(weights))
        elif holds_label_sets(y):
            if self.multi_output == "targets":
                raise ValueError(
                    "multi_output='targets', and y holds label sets; give columns with classes of their own, "
                    "or multi_output='auto'"
                )
            goes_on = self._continues and isinstance(self.targets_, LabelTargets)
            earlier = self.targets_.classes if goes_on else None
            targets, read = LabelTargets.of_sets(y, len(weights), earlier)
        else:
            of_labels, may_be_labels = self.multi_output == "labels", self.multi_output != "targets"
            columns = None if of_labels else self._columns_as_before(y, len(weights))
            if columns is None and not of_labels:
                columns = frame_targets(y, len(weights), may_be_labels=may_be_labels)
            if columns is not None:
                return self._encode_several(y, columns, weights, names)
            y = as_array(y, len(weights))
            if not sp.issparse(y) and y.ndim == 2 and y.shape[1] == 1:
                warnings.warn(
                    "A column-vector y was passed when a 1d array was expected: it is taken as one class per "
                    "row; pass one dimension to say so yourself",
                    DataConversionWarning,
                    stacklevel=USERS_LINE + 2,  # `_fit` calls this by `_read` and `_training_data`
                )
                y = y.ravel()
            if y.ndim == 1:
                return self._encode_classes(y, weights)
            columns = None if of_labels else array_targets(y, may_be_labels=may_be_labels)
            if columns is not None:
                return self._encode_several(y, columns, weights, names)
            if not may_be_labels:
                what = (
                    "is sparse, as labels are" if sp.issparse(y) else "has columns of numbers with fractions"
                )
                raise ValueError(
                    f"multi_output='targets', and y {what}; give an array or frame of whole numbers or text"
                )
            y = read = y if sp.issparse(y) or y.dtype.kind in "biuf" else as_numbers(y)
            targets = LabelTargets.of(y, check.check_column_names(names, y.shape[1]))
        targets = self._continued(targets)
        Y = targets.encode(read)
        if self.class_weight is not None:
            weights = with_class_weights(weights, row_weights_by_label(self.class_weight, targets.classes, Y))
            self._check_some_weight(weights[known_rows(Y)])
        check.check_threshold(self.threshold, targets)
        return y, targets, Y, weights

    def _columns_as_before(self, y: Any, n_rows: int) -> list[GivenColumn] | None:
        """Return columns of the kinds that they had, where trees are added: a few rows may not show it."""
        if not (self._continues and isinstance(self.targets_, MultiTargets)):
            return None
        if sp.issparse(y) or np.shape(y)[1:] != (self.targets_.n_outputs,):
            return None
        return several.columns_of(y, self.targets_, n_rows)

    def _check_some_weight(self, weights: np.ndarray) -> None:
        if not (weights > 0).any():
            raise ValueError(f"class_weight={self.class_weight!r:.60} leaves no row with a positive weight")

    def _read_classes(self, given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a column of classes, and the mask of the rows in which the class is known."""
        if given.dtype.kind == "O" and holds_label_sets(given):
            raise ValueError(
                "a column of y holds label sets, which are not beside others or in a frame: give the column "
                "itself, as y['name']"
            )
        y, known = known_classes(given, minus_one_is_unknown=self.unlabeled_weight is not None)
        classes = np.unique(y[known])
        minus_one = self.unlabeled_weight is not None and len(classes) == 1
        if minus_one and any(isinstance(value, Real) and value == -1 for value in given.tolist()):
            # Rather meant as one of two classes than as the mark of rows without one.
            raise ValueError(
                f"y holds -1 and {classes[0]} only, and with unlabeled_weight={self.unlabeled_weight!r} -1 "
                "marks rows without a class, so that a single class is left. If -1 is a class, give it "
                f"another name, as in y = (y == {classes[0]}).astype(int); if not, give rows of a second "
                "class"
            )
        try:
            check_classification_targets(y[known])
        except (TypeError, ValueError) as error:
            raise type(error)(f"y cannot be taken as classes: {error}") from error
        return y, known

    def _encode_classes(
        self, given: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, ClassTargets, Any, np.ndarray]:
        y, known = self._read_classes(given)
        of_classes = np.ones(len(y))
        if self.class_weight is not None:
            of_class = for_classes_of(y[known], self.class_weight) if self._continues else self.class_weight
            of_classes[known] = weights_of_classes(of_class, y[known], weights[known])
            if (weights[known] > 0).any():  # or else it is not class_weight that leaves nothing
                self._check_some_weight((weights * of_classes)[known])
            rows_by = of_classes if self.class_weights_rows else of_classes > 0
            weights = with_class_weights(weights, rows_by)
        # Classes that only weightless rows have are not classes of the data.
        present = known & (weights > 0)
        if self.class_weight is None or self.class_weights_rows:
            targets = ClassTargets.of(y[present])
        else:
            targets = ClassTargets.weighted(y[present], of_classes[present], weights[present])
        if (weights[known] == 0).any():
            known[known] = np.isin(y[known], targets.classes)
        targets = self._continued(targets)
        check.check_threshold(self.threshold, targets)
        return given, targets, targets.encode(y, known), weights

    def _encode_several(
        self, y: Any, given: list[GivenColumn], weights: np.ndarray, names: Sequence[str] | None
    ) -> tuple[Any, MultiTargets, Any, np.ndarray]:
        check.check_column_names(names, len(given))
        columns = several.read_targets(given, self._read_classes)
        if self.class_weight is not None:
            of_classes = several.row_weights_by_classes(
                self.class_weight, columns, may_lack_some=self._continues
            )
            weights = with_class_weights(weights, of_classes)
            self._check_some_weight(weights)
        several.check_some_known(given, columns, weights)
        targets = MultiTargets.of(columns, weights)
        columns = targets.known_only(columns)
        targets = self._continued(targets)
        check.check_threshold(self.threshold, targets)
        return y, targets, targets.encode(columns), weights

    def predict(self, X: Any) -> Any:
        """Return the class of each row, or its labels.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        array, CSR array or list
            In the form of y: classes; an indicator matrix, sparse where y was sparse; or, where y was label
            sets, a list with a tuple of labels for each row, as MultiLabelBinarizer has it. Labels of a
            hierarchy come with all their ancestors. Several targets have a column each, in an array of their
            type or, where types differ, of objects. After `set_output(predict="pandas")` a series or frame.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> tree.predict(X[:2]).tolist()
        [0, 0]
        """
        check_is_fitted(self)
        if isinstance(self.targets_, MultiTargets):
            check.check_threshold(self.threshold, self.targets_)
            means = self._means(X)
            if self._predictions_as == ARRAYS:
                return self.targets_.decode(means)
            columns = zip(output_names(self), self.targets_.decoded_columns(means), strict=True)
            return self._frame_out(dict(columns), X)
        # Of rows on disk, the probabilities of a block at a time are in memory.
        return self._as_output(over_blocks(self._decided, X), X)

    def _decided(self, X: Any) -> Any:
        return self.targets_.decode(self._scores(X), self.decision_threshold())

    def _scores(self, X: Any, *, sparse: bool | None = None, top_k: int | None = None) -> Any:
        """Return the probabilities, by default dense or sparse as y was."""
        targets = self.targets_
        sparse = targets.is_sparse if sparse is None else sparse
        if sparse:
            return self._means(X, sparse=True, top_k=top_k)
        check_dense_scores_of(X, targets.n_columns)
        if isinstance(targets, MultiTargets):
            return targets.probabilities(self._means(X))
        return over_blocks(lambda rows: targets.probabilities(self._means(rows)), X)

    def decision_threshold(self) -> Any:
        """Return the probability above which `predict` chooses a label, or the second of two classes.

        Returns
        -------
        float or array of shape (n_labels,)
            The parameter `threshold`, or `thresholds_` where they are tuned.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> tree.decision_threshold()
        0.5
        """
        check_is_fitted(self)
        if not isinstance(self.threshold, str):
            check.check_threshold(self.threshold, self.targets_)
            return self.threshold
        if getattr(self, "threshold_rule_", None) != self.threshold:
            raise ValueError(f"threshold={self.threshold!r} is tuned in fit; fit again, or give numbers")
        return self.thresholds_

    def predict_proba(self, X: Any, *, top_k: int | None = None, sparse: bool = False) -> Any:
        """Return the probability of each class or label.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        top_k : int, optional
            Keep the largest so many of each row (those above zero) and return a CSR array.
        sparse : bool, default=False
            Return a CSR array of the probabilities above zero.

        Returns
        -------
        array or CSR array of shape (n_rows, n_classes), or list of arrays
            Columns in the order of `classes_`. With many labels, `top_k` and `sparse` never form the
            dense matrix. Of several targets a list with an array for each, and None for a number. After
            `set_output(predict="pandas")` what is dense is a frame; its columns are called `target=class`
            where targets are several.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, y)
        >>> forest.predict_proba(X[:2]).round(1).tolist()
        [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
        >>> forest.predict_proba(X, top_k=1).nnz
        150
        """
        check_is_fitted(self)
        check_flag("sparse", sparse)
        if top_k is not None:
            check_integer("top_k", top_k, 1)
        wants_sparse = sparse or top_k is not None
        if isinstance(self.targets_, MultiTargets) and wants_sparse:
            raise ValueError(
                f"top_k={top_k!r}, sparse={sparse!r}: the probabilities of {self.n_outputs_} targets are a "
                "list of dense arrays; give neither, and sort the array of a target yourself"
            )
        if isinstance(self.targets_, MultiTargets):
            return self._several_out(self._scores(X), X)
        is_plain = self.targets_.n_columns > 1 and not getattr(self.targets_, "weights", ())
        if is_plain and wants_sparse:
            return self._scores(X, sparse=True, top_k=top_k)
        scores = self._scores(X, sparse=False)
        if not wants_sparse:
            return self._as_output(scores, X)
        return sp.csr_array(scores if top_k is None else top_only(scores, top_k))

    def predict_top_k(self, X: Any, k: int) -> TopLabels:
        """Return the best k classes or labels of each row by name, best first.

        With many labels the dense matrix of scores is never formed; `predict_proba(X, top_k=k)` has the same
        scores as a CSR array, for machines.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        k : int
            How many; where there are fewer classes or labels, all of them.

        Returns
        -------
        TopLabels
            `labels`, values of `classes_`, and `scores`, their probabilities: arrays of shape (n_rows, k). Of
            labels with the same score the one that comes first in `classes_` goes first, in a hierarchy
            parents before their children. Where fewer than k labels score above 0, others follow with 0.

        Examples
        --------
        >>> from slantwood import ObliqueForestClassifier
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5
        >>> tags = [(), ("sea",), ("sun",), ("sea", "sun")] * 5
        >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, tags)
        >>> best = forest.predict_top_k([[1, 0]], k=2)
        >>> best.labels.tolist(), best.scores.round(1).tolist()
        ([['sun', 'sea']], [[1.0, 0.0]])
        """
        check_is_fitted(self)
        if isinstance(self.targets_, MultiTargets):
            raise ValueError(
                f"predict_top_k is for classes and labels, and y has {self.n_outputs_} targets with classes "
                "of their own; sort the array of a target in predict_proba"
            )
        k = min(check_integer("k", k, 1), len(self.classes_))
        found = [best for rows in blocks_of_rows(X) for best in self._best_columns(rows, k)]
        columns, scores = map(np.concatenate, zip(*found, strict=True))
        return TopLabels(self.classes_[columns], scores)

    def _best_columns(self, X: Any, k: int) -> Iterator[TopColumns]:
        """Yield the best classes or labels of some rows after others."""
        targets, encoded = self.targets_, self.encode_features(X)
        if targets.task in LABEL_TASKS:
            yield top_of_sparse(self._predictor.mean(encoded, sparse=True, top_k=k), targets.ranks, k)
            return
        step = max(_CELLS // len(self.classes_), 1)
        for start in range(0, encoded.shape[0], step):
            means = self._predictor.mean(encoded[start : start + step])
            yield top_of_dense(targets.probabilities(means), k)

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Return how well the labels of X are predicted.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        y : array, sparse matrix, data frame or label sets
            True classes or labels, in a form that `fit` takes, all of them known. Columns of a frame that are
            called like the labels may come in any order. A set with a label that `fit` never saw is wrong.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        float
            The share of rows whose class, or whose whole set of labels, is right. Of a hierarchy, where
            hardly any row is right in all its labels, the area under the pooled precision-recall curve
            (`slantwood.metrics.pooled_auprc`). Of several targets the mean over them of the accuracy, or of
            R2 for numbers, each over the rows in which it is known.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, y)
        >>> bool(forest.score(X, y) > 0.9)
        True
        """
        check_is_fitted(self)
        targets = self.targets_
        if isinstance(targets, MultiTargets):
            predicted = targets.decoded_columns(self._means(X))
            row_weights = check.check_row_weights(sample_weight, len(predicted[0]))
            names = getattr(self, "target_names_", ())
            of_targets = several.given_truth(y, targets, names, len(row_weights))
            return several.mean_score(targets, of_targets, predicted, row_weights)
        if targets.task in CLASS_TASKS:
            check_sparse(y, "y")
            return float(accuracy_score(y, self._decided(X), sample_weight=sample_weight))
        scores = self._scores(X)
        if targets.hierarchy is not None:
            truth = closed_labels(y, targets.hierarchy, scores.shape[0])
            return pooled_auprc(truth, scores, sample_weight=sample_weight)
        _, truth, has_others = targets.read_truth(y, scores.shape[0])
        hit = targets.all_right(scores, self.decision_threshold(), truth) & ~has_others
        weights = None if sample_weight is None else np.asarray(sample_weight)
        return float(np.average(hit, weights=weights))

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of the probability of each class or label.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        array of shape (n_rows, n_classes), or list of arrays
            Columns in the order of `classes_`; minus infinity where a probability is 0. Of several targets
            a list, as `predict_proba` returns.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=5, random_state=0).fit(X, y)
        >>> forest.predict_log_proba(X).shape
        (150, 3)
        """
        check_is_fitted(self)
        with np.errstate(divide="ignore"):
            if isinstance(self.targets_, MultiTargets):
                shares = self._scores(X, sparse=False)
                return self._several_out([None if each is None else np.log(each) for each in shares], X)
            return self._as_output(np.log(self._scores(X, sparse=False)), X)

    @property
    def _needs_out_of_bag(self) -> bool:
        return self.oob_score or isinstance(self.threshold, str)

    def _keep_out_of_bag(self, found: OutOfBag, data: TrainingData) -> None:
        means, seen, targets = found.means, found.has_mean, self.targets_
        if isinstance(self.threshold, str):
            average: Any = self.threshold.removeprefix("f1_")
            self.thresholds_ = tuned_thresholds(means[seen], data.Y[seen], data.row_weights[seen], average)
            self.threshold_rule_ = self.threshold
        if not self.oob_score:
            return
        if isinstance(targets, MultiTargets):
            columns, weights = targets.decoded_columns(means), np.where(seen, data.row_weights, 0.0)
            shares = targets.probabilities(means)
            self.oob_decision_function_ = [
                a if b is None else b for a, b in zip(columns, shares, strict=True)
            ]
            truth = several.encoded_truth(data.Y, targets)
            self.oob_score_ = several.mean_score(targets, truth, columns, weights)
            return
        self.oob_decision_function_ = targets.probabilities(means)
        if targets.hierarchy is not None:
            weighted = seen & (data.row_weights > 0)
            truth, weights = data.Y[weighted], data.row_weights[weighted]
            self.oob_score_ = float("nan")
            if (truth == 1).sum() > 0:
                self.oob_score_ = pooled_auprc(truth, means[weighted], sample_weight=weights)
            return
        if targets.task in LABEL_TASKS:
            hit = targets.all_right(means[seen], self.decision_threshold(), data.Y[seen])
        else:
            decided = targets.decode(self.oob_decision_function_[seen], self.decision_threshold())
            hit = decided == data.y[seen]
        weights = data.row_weights[seen]
        self.oob_score_ = float(np.average(hit, weights=weights)) if weights.sum() > 0 else float("nan")

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn what the estimator can do."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self._split_is_for("multi-label")
        tags.classifier_tags.multi_class = self._split_is_for("multi-class")
        tags.target_tags.single_output = self._split_is_for(*CLASS_TASKS)
        tags.target_tags.multi_output = self._split_is_for("multi-target classification")
        return tags
