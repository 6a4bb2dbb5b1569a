"""Boosted oblique trees: each round lowers what the earlier ones left of a loss."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from slantwood import losses, splits
from slantwood.ensemble.boosting.fitting import fit_boosting
from slantwood.ensemble.boosting.settings import default_splits
from slantwood.ensemble.boosting.spec import BoostingSpec
from slantwood.ensemble.forest import FittedForest
from slantwood.ensemble.spec import AUTO, draw_seed
from slantwood.ensemble.training_data import TrainingData
from slantwood.estimators import validation as check
from slantwood.estimators.callbacks import Progress, fitted_attributes, with_callbacks
from slantwood.estimators.classification import ObliqueClassifier
from slantwood.estimators.dense_scores import check_dense_scores
from slantwood.estimators.parameter_names import suggest_parameters
from slantwood.estimators.parts.on_disk import over_blocks
from slantwood.estimators.regression import ObliqueRegressor
from slantwood.estimators.tree_ensemble import TreeEnsemble
from slantwood.estimators.tree_view import ClassifierTreeView
from slantwood.losses import Loss
from slantwood.splits.learner import BaseSplit
from slantwood.targets.hierarchy import Hierarchy

SplitOrName = str | BaseSplit


class _Boosting(TreeEnsemble):
    stage = "round"
    # What forests have as parameters.
    oob_score = False
    unlabeled_weight = None
    class_weights_rows = True

    split: SplitOrName | Sequence[SplitOrName]  # type: ignore[assignment]
    learning_rate: float
    subsample: float
    l2_regularization: float
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int

    @abstractmethod
    def _loss(self, task: str) -> Loss:
        """Return the loss that is lowered."""

    def _splits(self, data: TrainingData) -> tuple[BaseSplit, ...]:
        """Return the split learners that compete, checked."""
        given = listed_splits(self.split)
        if given == [AUTO]:
            return default_splits()
        found = tuple(splits.named(each) for each in given)
        for each, split in zip(given, found, strict=True):
            if split.reads_labels or data.targets.task not in split.tasks:
                raise ValueError(
                    f"split={each!r} cannot be boosted: it goes by the classes or labels themselves, and "
                    "boosted trees by the gradient of a loss; choose another one, such as 'gradient'"
                )
        return found

    def _grow(self, data: TrainingData) -> None:
        earlier = self.forest_ if self._continues else None
        n_earlier = 0 if earlier is None else self.n_iter_
        if n_earlier > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {n_earlier} rounds that are already "
                "fitted; with warm_start=True it can only grow"
            )
        check_dense_scores(data.X.shape[0], data.targets.n_columns)
        spec = self._boosting_spec(data, earlier)
        progress = Progress(self, self.n_estimators - n_earlier, data.table, data.y, self._attributes_of)
        forest = fit_boosting(data, spec, earlier, progress.tree)
        progress.end(forest)
        self.__dict__.update(fitted_attributes(forest))

    def _attributes_of(self, forest: FittedForest) -> dict[str, Any]:
        other = self._with_forest(forest)
        return {name: value for name, value in vars(other).items() if name.endswith("_")}

    def _boosting_spec(self, data: TrainingData, earlier: FittedForest | None) -> BoostingSpec:
        check.check_max_features(self.max_features, data.X.shape[1])
        target_weights = data.targets.column_weights
        if self.target_weights is not None:
            target_weights = check.check_target_weights(self.target_weights, data.targets)
        drawn = None if earlier is None else earlier.seed
        return BoostingSpec(
            loss=self._loss(data.targets.task),
            splits=self._splits(data),
            n_rounds=self.n_estimators,
            learning_rate=self.learning_rate,
            subsample=self.subsample,
            l2_regularization=self.l2_regularization,
            max_depth=self.max_depth,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            max_leaf_nodes=self.max_leaf_nodes,
            max_features=self.max_features,
            normalize_rows=self.normalize_rows,
            early_stopping=self.early_stopping,
            validation_fraction=self.validation_fraction,
            n_iter_no_change=self.n_iter_no_change,
            target_weights=target_weights,
            seed=draw_seed(check_random_state(self.random_state)) if drawn is None else drawn,
            n_jobs=self.n_jobs,
        )

    def _check_out_of_bag(self) -> None:
        raise ValueError(
            f"threshold={getattr(self, 'threshold', None)!r} is found on rows that some trees did not see; "
            "use a forest or numbers"
        )

    @property
    def n_iter_(self) -> int:
        """Rounds that the model has."""
        check_is_fitted(self)
        return self.forest_.additive.n_rounds

    @property
    def validation_scores_(self) -> np.ndarray:
        """Minus the loss on rows that no tree saw: of the constant model, and then after each round.

        Of fewer than 2000 rows these are all rows, each by the models that did not see it. Empty where
        nothing was held out. A continued fit adds entries for its rounds to those of the rounds it keeps.
        """
        check_is_fitted(self)
        return self.forest_.additive.validation_scores


def listed_splits(split: Any) -> list[Any]:
    """Return split learners, or their names, of which one or several are given."""
    if not isinstance(split, Sequence) or isinstance(split, str):
        return [split]
    if not split:
        raise ValueError(f"split={split!r} names no split learner; give one or several, or 'auto'")
    return list(split)


class ObliqueBoostingClassifier(_Boosting, ObliqueClassifier):
    """Boosted oblique trees for classes, label sets or a label hierarchy.

    Every tree has a step for each class or label in each leaf. Scores are log odds; the loss is the logistic
    one, of more than two classes that of the softmax.

    Parameters
    ----------
    n_estimators : int, default=500
        Rounds at the most; each adds two trees (of few rows ten, see `early_stopping`).
    learning_rate : float, default=0.1
        The part of a step that scores take in a round. A lower one needs more rounds, and may be better.
    split : str, split learner or sequence of these, default="auto"
        How a node's hyperplane is found. Of several, those whose latest trees were best on rows that they
        did not see grow the next ones. "auto" is ["gradient", "ridge", "axis"].
    max_depth : int or None, default=6
        Depth of the trees at the most; None for no limit.
    min_samples_split : int, float or "auto", default="auto"
        Nodes with fewer rows are leaves; a float is a share of all rows. "auto" is 10, but 4 where X has
        fewer than 2000 rows.
    min_samples_leaf : int, float or "auto", default="auto"
        Every leaf has at least so many training rows; a float is a share of all rows. "auto" is 5, but 1
        where X has fewer than 2000 rows.
    max_leaf_nodes : int or None, default=None
        Leaves of a tree at the most, the best splits first; None for no limit.
    max_features : int, float, "sqrt", "log2", None or "auto", default="auto"
        Features that a split may combine: a number, a share, a function of their number, or None for all.
        With "auto", trees with half of them and trees with all compete.
    subsample : float, default=0.7
        Share of the rows that a tree sees, at most 50,000. The others tell which split learner is best.
    l2_regularization : float, default=5.0
        So many rows without a gradient are added to each leaf, in effect: small leaves take small steps.
    early_stopping : bool, default=True
        Whether to stop when the loss of rows that no tree saw is not lower for `n_iter_no_change` rounds,
        and to keep the rounds up to the lowest. Of 2000 rows or more `validation_fraction` is held out. Of
        fewer rows five models are boosted side by side, each without a fifth of the rows, and the model is
        the mean of them all: so every row tells when to stop, and every row is learned from.
    validation_fraction : float, default=0.1
        Share of the rows that is held out.
    n_iter_no_change : int, default=40
        Rounds without a lower loss after which to stop.
    class_weight : dict, "balanced", array or None, default=None
        Weights of the classes, with which those of their rows are multiplied; of labels, an array or dict.
    target_weights : array or None, default=None
        Weights of the target columns (classes, labels or numbers) in the choice of splits. With `hierarchy`,
        by default its `weights()`: 0.75 to the power of the depth.
    multi_output : {"auto", "labels", "targets"}, default="auto"
        What two or more columns of y are: labels, zeros and ones; or targets with classes of their own, which
        boosting is not for. "auto" takes columns of nothing but 0 and 1 as labels.
    hierarchy : Hierarchy or None, default=None
        Hierarchy of the labels. No label is predicted to be more probable than those above it.
    threshold : float or array, default=0.5
        Probability above which a label, or the second of two classes, is predicted; one for each label.
    normalize_rows : bool or "auto", default="auto"
        Whether rows of X are scaled to length 1, which suits texts.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        Nominal columns: those of a data frame that hold text or categories ("from_dtype"); these and the
        columns of a list of names, positions or a mask; or none. Each value becomes a 0/1 column of its own.
    missing_indicators : bool or "auto", default="auto"
        Whether splits may also use that a value is missing: adds a 0/1 column for each column of X with
        missing values. "auto" adds those of the columns that are missing for a reason: where a target clearly
        differs between the rows with and without a value.
    n_jobs : int or None, default=None
        Threads that grow and predict; None means 1, -1 all cores. The model does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed. The same seed gives the same model.
    verbose : int, default=0
        1 shows progress on stderr, 2 one line per round.
    warm_start : bool, default=False
        Whether `fit` keeps the rounds it has and adds those that are missing to `n_estimators`. Give the same
        rows again: what the first fit held out stays held out. `early_stopping=True` needs that it did.

    Attributes
    ----------
    classes_ : array
        Classes; or labels: those of the hierarchy or of the label sets, the names of the columns of y, or
        positions where these have no names.
    n_iter_ : int
        Rounds that the model has.
    validation_scores_ : array
        Minus the loss on rows that no tree saw: of the constant model, and then after each round.
    trees_ : Trees
        The fitted trees as flat arrays; their leaves are steps of the scores.
    settings_ : BoostingSettings
        What the parameters left at "auto" became; `settings_.candidates` are the kinds of trees that compete.
    forest_ : FittedForest
        All of these together, as `fit` returned them.
    estimators_ : list of TreeView
        The trees one by one, as `model[0]` and iteration give them.
    encoding_ : Encoding
        How the columns of X became those that splits combine.
    targets_ : ClassTargets, LabelTargets or HierarchyTargets
        What y was: its task, and how expected targets become predictions.
    feature_importances_ : array of shape (n_features,)
        Share of each feature in the impurity of the gradients that the splits remove.
    split_feature_names_ : array
        Names of the columns that splits combine.
    input_names_ : tuple of str
        Names of the columns of X that `fit` was given.
    target_names_ : tuple of str
        Names of the columns of y that `fit` was given, or that y has.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ObliqueBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    _view = ClassifierTreeView

    @suggest_parameters
    def __init__(
        self,
        n_estimators: int = 500,
        *,
        learning_rate: float = 0.1,
        split: SplitOrName | Sequence[SplitOrName] = "auto",
        max_depth: int | None = 6,
        min_samples_split: int | float | str = "auto",
        min_samples_leaf: int | float | str = "auto",
        max_leaf_nodes: int | None = None,
        max_features: int | float | str | None = "auto",
        subsample: float = 0.7,
        l2_regularization: float = 5.0,
        early_stopping: bool = True,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 40,
        class_weight: dict[Any, float] | str | npt.ArrayLike | None = None,
        target_weights: npt.ArrayLike | None = None,
        multi_output: str = "auto",
        hierarchy: Hierarchy | None = None,
        threshold: float | npt.ArrayLike = 0.5,
        normalize_rows: bool | str = "auto",
        categorical_features: str | Sequence[Any] | None = "from_dtype",
        missing_indicators: bool | str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.split = split
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.subsample = subsample
        self.l2_regularization = l2_regularization
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.target_weights = target_weights
        self.multi_output = multi_output
        self.hierarchy = hierarchy
        self.threshold = threshold
        self.normalize_rows = normalize_rows
        self.categorical_features = categorical_features
        self.missing_indicators = missing_indicators
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    @with_callbacks
    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        target_names: Sequence[str] | None = None,
    ) -> Self:
        """Boost the trees.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features; NaN, or a null of a frame, where a value is missing.
        y : array of shape (n_rows,), label sets, or array, sparse matrix or data frame (n_rows, n_columns)
            Classes of any type; or labels, as a 0/1 indicator matrix, whose columns may have names, or as a
            set, list or tuple of labels for each row. None or NaN marks rows without a class or known labels,
            and NaN single labels that are not known. With `hierarchy`, labels are its own.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; only their ratios matter. Rows of weight 0 take no part.
        feature_names, target_names : sequence of str, optional
            Names of the columns of X and y, for those who look at the model: `input_names_`, `target_names_`;
            by default the names that a frame y has.

        Returns
        -------
        self
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from slantwood import ObliqueBoostingClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = ObliqueBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
        >>> model.n_iter_ <= 20
        True
        """
        return self._fit(X, y, sample_weight, None, feature_names, target_names)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores of each class or label, which trees add up to.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_classes)
            Log odds of the second of two classes, or of each label; of more classes logarithms of the
            probabilities, up to a constant of the row.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueBoostingClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ObliqueBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
        >>> model.decision_function(X).shape
        (150, 3)
        """
        check_is_fitted(self)
        scores = over_blocks(lambda rows: self._predictor.scores(self.encode_features(rows)), X)
        return scores[:, 0] if self.targets_.task == "binary" else scores

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the probability of each class or label after each round.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Yields
        ------
        array of shape (n_rows, n_classes)
            Probabilities, columns in the order of `classes_`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueBoostingClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ObliqueBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
        >>> len(list(model.staged_predict_proba(X))) == model.n_iter_
        True
        """
        encoded = self.encode_features(X)
        for expected in self._predictor.staged(encoded):
            yield self.targets_.probabilities(expected)

    def staged_predict(self, X: Any) -> Iterator[Any]:
        """Yield the class of each row, or its labels, after each round.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Yields
        ------
        array, CSR array or list
            In the form of y, as `predict` returns it.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueBoostingClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ObliqueBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
        >>> accuracy = [(predicted == y).mean() for predicted in model.staged_predict(X)]
        """
        for probabilities in self.staged_predict_proba(X):
            yield self.targets_.decode(probabilities, self.decision_threshold())

    def _loss(self, task: str) -> Loss:
        return losses.of_classes(task)

    def _encode_several(self, y: Any, given: Any, weights: np.ndarray, names: Any) -> Any:
        raise ValueError(
            f"y has {len(given)} targets with classes of their own, which boosting is not for; fit one model "
            "for each, or use ObliqueForestClassifier, which takes them together"
        )

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn what the estimator can do."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags


class ObliqueBoostingRegressor(_Boosting, ObliqueRegressor):
    """Boosted oblique trees for one or several numbers.

    A round grows the same trees for all targets, with a step for each in every leaf.

    Parameters
    ----------
    n_estimators : int, default=500
        Rounds at the most; each adds two trees (of few rows ten, see `early_stopping`).
    loss : str or Loss, default="squared_error"
        What is lowered: "squared_error", "absolute_error", "huber", "quantile" (by default the median),
        "poisson", "gamma" or "tweedie"; or one of `slantwood.losses` with parameters of its own, such as
        `QuantileLoss(level=0.9)`.
    learning_rate : float, default=0.1
        The part of a step that scores take in a round. A lower one needs more rounds, and may be better.
    split : str, split learner or sequence of these, default="auto"
        How a node's hyperplane is found. Of several, those whose latest trees were best on rows that they
        did not see grow the next ones. "auto" is ["gradient", "ridge", "axis"].
    max_depth : int or None, default=6
        Depth of the trees at the most; None for no limit.
    min_samples_split : int, float or "auto", default="auto"
        Nodes with fewer rows are leaves; a float is a share of all rows. "auto" is 10, but 4 where X has
        fewer than 2000 rows.
    min_samples_leaf : int, float or "auto", default="auto"
        Every leaf has at least so many training rows; a float is a share of all rows. "auto" is 5, but 1
        where X has fewer than 2000 rows.
    max_leaf_nodes : int or None, default=None
        Leaves of a tree at the most, the best splits first; None for no limit.
    max_features : int, float, "sqrt", "log2", None or "auto", default="auto"
        Features that a split may combine: a number, a share, a function of their number, or None for all.
        With "auto", trees with half of them and trees with all compete.
    subsample : float, default=0.7
        Share of the rows that a tree sees, at most 50,000. The others tell which split learner is best.
    l2_regularization : float, default=5.0
        So many rows without a gradient are added to each leaf, in effect: small leaves take small steps.
    early_stopping : bool, default=True
        Whether to stop when the loss of rows that no tree saw is not lower for `n_iter_no_change` rounds,
        and to keep the rounds up to the lowest. Of 2000 rows or more `validation_fraction` is held out. Of
        fewer rows five models are boosted side by side, each without a fifth of the rows, and the model is
        the mean of them all: so every row tells when to stop, and every row is learned from. With the squared
        error and `split="auto"` each of them has a forest beside it, unless they are better without.
    validation_fraction : float, default=0.1
        Share of the rows that is held out.
    n_iter_no_change : int, default=40
        Rounds without a lower loss after which to stop.
    target_weights : array or None, default=None
        Weights of the target columns (classes, labels or numbers) in the choice of splits.
    normalize_rows : bool or "auto", default="auto"
        Whether rows of X are scaled to length 1, which suits texts.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        Nominal columns: those of a data frame that hold text or categories ("from_dtype"); these and the
        columns of a list of names, positions or a mask; or none. Each value becomes a 0/1 column of its own.
    missing_indicators : bool or "auto", default="auto"
        Whether splits may also use that a value is missing: adds a 0/1 column for each column of X with
        missing values. "auto" adds those of the columns that are missing for a reason: where a target clearly
        differs between the rows with and without a value.
    n_jobs : int or None, default=None
        Threads that grow and predict; None means 1, -1 all cores. The model does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed. The same seed gives the same model.
    verbose : int, default=0
        1 shows progress on stderr, 2 one line per round.
    warm_start : bool, default=False
        Whether `fit` keeps the rounds it has and adds those that are missing to `n_estimators`. Give the same
        rows again: what the first fit held out stays held out. `early_stopping=True` needs that it did.

    Attributes
    ----------
    n_iter_ : int
        Rounds that the model has.
    validation_scores_ : array
        Minus the loss on rows that no tree saw: of the constant model, and then after each round.
    trees_ : Trees
        The fitted trees as flat arrays; their leaves are steps of the scores.
    settings_ : BoostingSettings
        What the parameters left at "auto" became; `settings_.candidates` are the kinds of trees that compete.
    forest_ : FittedForest
        All of these together, as `fit` returned them.
    estimators_ : list of TreeView
        The trees one by one, as `model[0]` and iteration give them.
    encoding_ : Encoding
        How the columns of X became those that splits combine.
    targets_ : RegressionTargets
        What y was: its task, and how expected targets become predictions.
    feature_importances_ : array of shape (n_features,)
        Share of each feature in the impurity of the gradients that the splits remove.
    split_feature_names_ : array
        Names of the columns that splits combine.
    input_names_ : tuple of str
        Names of the columns of X that `fit` was given.
    target_names_ : tuple of str
        Names of the columns of y that `fit` was given, or that y has.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from slantwood import ObliqueBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ObliqueBoostingRegressor(n_estimators=50, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.5)
    True
    """

    @suggest_parameters
    def __init__(
        self,
        n_estimators: int = 500,
        *,
        loss: str | Loss = "squared_error",
        learning_rate: float = 0.1,
        split: SplitOrName | Sequence[SplitOrName] = "auto",
        max_depth: int | None = 6,
        min_samples_split: int | float | str = "auto",
        min_samples_leaf: int | float | str = "auto",
        max_leaf_nodes: int | None = None,
        max_features: int | float | str | None = "auto",
        subsample: float = 0.7,
        l2_regularization: float = 5.0,
        early_stopping: bool = True,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 40,
        target_weights: npt.ArrayLike | None = None,
        normalize_rows: bool | str = "auto",
        categorical_features: str | Sequence[Any] | None = "from_dtype",
        missing_indicators: bool | str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.loss = loss
        self.learning_rate = learning_rate
        self.split = split
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.subsample = subsample
        self.l2_regularization = l2_regularization
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.target_weights = target_weights
        self.normalize_rows = normalize_rows
        self.categorical_features = categorical_features
        self.missing_indicators = missing_indicators
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    @with_callbacks
    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        target_names: Sequence[str] | None = None,
    ) -> Self:
        """Boost the trees.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features; NaN, or a null of a frame, where a value is missing.
        y : array or data frame of shape (n_rows,) or (n_rows, n_targets)
            Numbers to predict; NaN where one is not known. Names of columns become `target_names_`.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; only their ratios matter. Rows of weight 0 take no part.
        feature_names, target_names : sequence of str, optional
            Names of the columns of X and y, for those who look at the model: `input_names_`, `target_names_`;
            by default the names that a frame y has.

        Returns
        -------
        self
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from slantwood import ObliqueBoostingRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = ObliqueBoostingRegressor(n_estimators=20, random_state=0).fit(X, y)
        >>> model.n_iter_ <= 20
        True
        """
        return self._fit(X, y, sample_weight, None, feature_names, target_names)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the predicted number(s) of each row after each round.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Yields
        ------
        array of shape (n_rows,) or (n_rows, n_targets)
            Predictions, in the shape of y.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from slantwood import ObliqueBoostingRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = ObliqueBoostingRegressor(n_estimators=5, random_state=0).fit(X, y)
        >>> errors = [((predicted - y) ** 2).mean() for predicted in model.staged_predict(X)]
        >>> bool(errors[-1] < errors[0])
        True
        """
        encoded = self.encode_features(X)
        for expected in self._predictor.staged(encoded):
            yield self.targets_.decode(expected)

    def _loss(self, task: str) -> Loss:
        return losses.named(self.loss)

    def _encode_targets(
        self, y: Any, weights: np.ndarray, names: Sequence[str] | None
    ) -> tuple[Any, Any, Any, np.ndarray]:
        loss = losses.named(self.loss)
        y, targets, Y, weights = super()._encode_targets(y, weights, names)
        loss.check_targets(y[weights > 0])
        if loss.link == "log":  # then numbers are counted from zero
            targets = replace(targets, mean=np.zeros_like(targets.mean))
            Y = targets.encode(y)
        return y, targets, Y, weights
