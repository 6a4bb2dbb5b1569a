"""Ensembles of oblique trees whose leaves are averaged."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from slantwood.estimators.classification import ObliqueClassifier
from slantwood.estimators.parameter_names import suggest_parameters
from slantwood.estimators.regression import ObliqueRegressor
from slantwood.estimators.tree_ensemble import TreeEnsemble
from slantwood.estimators.tree_view import ClassifierTreeView
from slantwood.splits.learner import BaseSplit
from slantwood.splits.own import SplitLearner
from slantwood.targets.hierarchy import Hierarchy


class ObliqueForestClassifier(TreeEnsemble, ObliqueClassifier):
    """A forest of oblique predictive clustering trees for classes or label sets.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees.
    preset : {"default", "fast", "best", "paper"}, default="default"
        How much time for how much quality, where nothing else is given: "fast" takes a third of the time or
        less, "best" up to ten times of it, with four times `n_estimators` trees and the split learner that
        suits the data best; "paper" is the publication's plain form. Single trees have "default" and "paper".
    split : str or split learner, default="auto"
        How a node's hyperplane is found. "auto" is "gradient" unless the preset says otherwise. By name or as
        an object, such as `GradientSplit(C=1)`: "gradient",
        "svm", "axis", "ridge", "cart-lc", "oc1", "wodt" (for classes) or "ndcg" (for labels, or more than two
        classes); or one of your own with a method `learn(X, Z, p, weights, rng)`.
    max_depth : int or None, default=None
        Depth of the trees at the most; None for no limit.
    min_samples_split : int, float or "auto", default="auto"
        Nodes with fewer rows are leaves; a float is a share of all rows. Rows count as one whatever their
        weight, unless it is 0, and as often as the bootstrap drew them.
    min_samples_leaf : int or float, default=1
        Every leaf has at least so many training rows, counted in the same way; a float is a share of all
        rows. A split that leaves fewer on a side is not considered: its threshold moves to the best place
        that leaves enough, or another split is found.
    min_weight_fraction_leaf : float, default=0.0
        Every leaf has at least this share of the weight of all rows of its tree.
    max_leaf_nodes : int or None, default=None
        Leaves of a tree at the most: the split that removes the most impurity is made first, then the next
        one, until there are so many. None for no limit.
    min_impurity_decrease : float or "auto", default="auto"
        A split must lower the impurity of at least one side by this share, measured as `acceptance` says. 0
        accepts every split. "auto" is 0.05, but 0 for the axis-parallel split and that of FastXML.
    acceptance : {"auto", "direction", "impurity"}, default="auto"
        "direction" measures impurity along the direction in which a split separates the targets, and keeps a
        split that leads within three levels to one that passes beyond chance. "impurity" is the publication's
        rule: the impurity of all targets that vary in the node, and a split that does not pass ends the
        branch; of many targets a split can lower few, and trees are small. "auto" is "direction", but
        "impurity" with `preset="paper"`.
    ftest : float or None, default=None
        The F-test of CLUS: a split is made only where it lowers the variance of the targets significantly at
        this level, such as 0.05; a lower level gives smaller trees. None for no test.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning: of the grown tree stays what has the least cost plus `ccp_alpha`
        times its leaves. The cost is the impurity of the leaves, weighted by their rows: of classes Gini's,
        as in scikit-learn; of labels and numbers the variance, added up over the targets, where a number has
        variance 1 over all rows. (For one number, that is scikit-learn's `ccp_alpha` divided by the variance
        of y.) 0 for no pruning.
    max_features : int, float, "sqrt", "log2", None or "auto", default="auto"
        Features that a split may combine, drawn at random for each split as `feature_sampling` says: a
        number, a share, a function of their number, or None for all.
    feature_sampling : {"auto", "varying", "all"}, default="auto"
        "varying" draws among the features that vary in the node, in sparse data in proportion to the rows
        that have them, and never fewer than five where a split combines features: there `max_features` of 1
        to 5 are the same. Where a subset gives no split, wider ones follow. "all" is the publication's way:
        once, among all features, and as few as `max_features` says. "auto" is "varying", but "all" with
        `preset="paper"`.
    bootstrap : bool or "auto", default="auto"
        Whether each tree sees a random sample of the rows, drawn with replacement.
    max_samples : int, float or None, default=None
        Rows that are drawn for a tree: a number, or a share of the rows of X. None for as many as X has. A
        number or a share turns on `bootstrap` where that is left at "auto".
    max_memory : int, str or None, default=None
        What `fit` may take of memory, beside what the process has already: bytes, or text such as "4GB".
        Where rows take more, they are read in blocks, and trees grow on random shares of them that fit; X and
        y may then be arrays on disk (`np.memmap`, CSR of such), or X a `slantwood.data.scan` of files,
        without y. None for no limit.
    oob_score : bool, default=False
        Whether to predict and score every row by the trees that did not see it; needs `bootstrap`.
    class_weight : dict, "balanced", array of shape (n_labels,), list or None, default=None
        Weights of the classes; "balanced" makes them inverse to how often the classes occur. The trees of a
        forest are the same with any, and the probabilities that they give are multiplied by the weights: they
        are those of a population that has so many times more of each class. In a single tree, whose leaves
        may be of one class each, the weights of rows are multiplied instead. Of labels, one weight for each,
        in an array or a dict (those left out have weight 1), or "balanced": a row weighs the mean of the
        weights of its labels, and 1 without any. Rows of rare labels then count more in splits and in
        probabilities; `target_weights` are for the choice of splits alone. Of several targets "balanced", or
        a list with a dict, "balanced" or None for each: a row weighs the product.
    target_weights : array or None, default=None
        Weights of the target columns (classes, labels or numbers) in the choice of splits; of several
        targets, one for each. All targets are predicted, also those of weight 0. With `hierarchy`, by
        default its `weights()`: 0.75 to the power of the depth.
    multi_output : {"auto", "labels", "targets"}, default="auto"
        What two or more columns of y are: labels, zeros and ones, of which `predict_proba` returns one array;
        or targets with classes of their own, of which it returns a list of arrays. "auto" takes columns of
        nothing but 0 and 1 as labels. Give the kind where it must not depend on the values that y happens to
        have, as in cross-validation.
    hierarchy : Hierarchy or None, default=None
        Which labels are special cases of which. y may then be a set of labels for each row, or an indicator
        matrix with a column for each of `hierarchy.nodes`; ancestors are added. No label scores above its
        parents, and `predict` gives labels with all their ancestors.
    normalize_rows : bool or "auto", default="auto"
        Whether rows of X are scaled to length 1, which suits texts.
    normalize_labels : bool or "auto", default="auto"
        In multi-label tasks, whether the labels of a row are scaled to length 1 in the choice of splits, so
        that rows with many labels have no more say than others.
    threshold : float, array of shape (n_labels,), "f1_micro" or "f1_macro", default=0.5
        In multi-label tasks `predict` returns the labels whose probability is above it: one number, one for
        each label, or those that give the highest F1 on out-of-bag rows, one for all labels ("f1_micro") or
        one for each ("f1_macro"), which needs a forest with `bootstrap`. Of two classes, `predict` returns
        the second one of `classes_` where its probability is above the number; of more, always the most
        probable one.
    unlabeled_weight : float, "auto" or None, default=None
        Weight, between 0 and 1, of a row without any label beside a labelled one: it takes part with the
        predictions of a first model of the labelled rows. "auto" chooses it by cross-validation on the
        labelled rows; 0 leaves such rows out, and so does None unless `clustering` has something to score
        them by. With a number or "auto", classes of -1 mark rows without label.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        Nominal columns: those of a data frame that hold text or categories ("from_dtype"); these and the
        columns of a list of names, positions or a mask; or none. Each value becomes a 0/1 column of its own.
    missing_indicators : bool or "auto", default="auto"
        Whether splits may also use that a value is missing: adds a 0/1 column for each column of X with
        missing values. "auto" adds those of the columns that are missing for a reason: where a target clearly
        differs between the rows with and without a value. `encoding_.indicated` says which.
    n_jobs : int or None, default=None
        Threads that grow and predict; None means 1, -1 all cores. The model does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed. The same seed gives the same model.
    verbose : int, default=0
        1 shows progress on stderr, 2 one line per tree.
    warm_start : bool, default=False
        Whether `fit` keeps the trees it has and adds those that are missing to `n_estimators`.

    Attributes
    ----------
    classes_ : array or list
        Classes; or labels: those of the hierarchy or of the label sets, the names of the columns of y, or
        positions where these have no names. Of several targets a list with the classes of each, and None for
        a number; `n_outputs_` is their number.
    trees_ : Trees
        The fitted trees as flat arrays.
    settings_ : Settings
        What the parameters left at "auto" became; `settings_.split` is the split learner in use.
    forest_ : FittedForest
        All of these together, as `fit` returned them.
    estimators_ : list of TreeView
        The trees one by one, as `forest[0]` and iteration give them.
    encoding_ : Encoding
        How the columns of X became those that splits combine.
    targets_ : ClassTargets, LabelTargets, HierarchyTargets or MultiTargets
        What y was: its task, and how leaf means become predictions.
    unlabeled_weight_ : float
        Weight in use of rows without label.
    feature_importances_ : array of shape (n_features,)
        Share of each feature in the impurity that the splits remove.
    split_feature_names_ : array
        Names of the columns that splits combine.
    input_names_ : tuple of str
        Names of the columns of X that `fit` was given.
    target_names_ : tuple of str
        Names of the columns of y that `fit` was given, or that y has.
    oob_score_ : float
        What `score` returns, on out-of-bag predictions, with `oob_score=True`.
    oob_decision_function_ : array, or CSR array where y is sparse
        Out-of-bag probabilities; NaN, in a CSR array nothing, where every tree saw the row.
    thresholds_ : array of shape (n_labels,)
        Thresholds of the labels, where they are tuned.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from slantwood import ObliqueForestClassifier
    >>> X, Y = make_multilabel_classification(n_classes=4, random_state=0)
    >>> forest = ObliqueForestClassifier(n_estimators=10, random_state=0).fit(X, Y)
    >>> forest.predict_proba(X).shape
    (100, 4)
    """

    _view = ClassifierTreeView

    @suggest_parameters
    def __init__(
        self,
        n_estimators: int = 50,
        *,
        preset: str = "default",
        split: str | BaseSplit | SplitLearner = "auto",
        max_depth: int | None = None,
        min_samples_split: int | float | str = "auto",
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float | str = "auto",
        acceptance: str = "auto",
        ftest: float | None = None,
        ccp_alpha: float = 0.0,
        max_features: int | float | str | None = "auto",
        feature_sampling: str = "auto",
        bootstrap: bool | str = "auto",
        max_samples: int | float | None = None,
        max_memory: int | str | None = None,
        oob_score: bool = False,
        class_weight: dict[Any, float] | str | npt.ArrayLike | None = None,
        target_weights: npt.ArrayLike | None = None,
        multi_output: str = "auto",
        hierarchy: Hierarchy | None = None,
        normalize_rows: bool | str = "auto",
        normalize_labels: bool | str = "auto",
        threshold: float | str | npt.ArrayLike = 0.5,
        unlabeled_weight: float | str | None = None,
        categorical_features: str | Sequence[Any] | None = "from_dtype",
        missing_indicators: bool | str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.preset = preset
        self.split = split
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.acceptance = acceptance
        self.ftest = ftest
        self.ccp_alpha = ccp_alpha
        self.max_features = max_features
        self.feature_sampling = feature_sampling
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_memory = max_memory
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.target_weights = target_weights
        self.multi_output = multi_output
        self.hierarchy = hierarchy
        self.normalize_rows = normalize_rows
        self.normalize_labels = normalize_labels
        self.threshold = threshold
        self.unlabeled_weight = unlabeled_weight
        self.categorical_features = categorical_features
        self.missing_indicators = missing_indicators
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start


class ObliqueForestRegressor(TreeEnsemble, ObliqueRegressor):
    """A forest of oblique predictive clustering trees for one or several numbers.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees.
    preset : {"default", "fast", "best", "paper"}, default="default"
        How much time for how much quality, where nothing else is given: "fast" takes a third of the time or
        less, "best" up to ten times of it, with four times `n_estimators` trees and the split learner that
        suits the data best; "paper" is the publication's plain form. Single trees have "default" and "paper".
    split : str or split learner, default="auto"
        How a node's hyperplane is found. "auto" is "gradient" unless the preset says otherwise. By name or as
        an object, such as `GradientSplit(C=1)`: "gradient",
        "svm", "axis", "ridge", "cart-lc", "oc1", "wodt" (for classes) or "ndcg" (for labels, or more than two
        classes); or one of your own with a method `learn(X, Z, p, weights, rng)`.
    max_depth : int or None, default=None
        Depth of the trees at the most; None for no limit.
    min_samples_split : int, float or "auto", default="auto"
        Nodes with fewer rows are leaves; a float is a share of all rows. Rows count as one whatever their
        weight, unless it is 0, and as often as the bootstrap drew them.
    min_samples_leaf : int or float, default=1
        Every leaf has at least so many training rows, counted in the same way; a float is a share of all
        rows. A split that leaves fewer on a side is not considered: its threshold moves to the best place
        that leaves enough, or another split is found.
    min_weight_fraction_leaf : float, default=0.0
        Every leaf has at least this share of the weight of all rows of its tree.
    max_leaf_nodes : int or None, default=None
        Leaves of a tree at the most: the split that removes the most impurity is made first, then the next
        one, until there are so many. None for no limit.
    min_impurity_decrease : float or "auto", default="auto"
        A split must lower the impurity of at least one side by this share, measured as `acceptance` says. 0
        accepts every split. "auto" is 0.05, but 0 for the axis-parallel split and that of FastXML.
    acceptance : {"auto", "direction", "impurity"}, default="auto"
        "direction" measures impurity along the direction in which a split separates the targets, and keeps a
        split that leads within three levels to one that passes beyond chance. "impurity" is the publication's
        rule: the impurity of all targets that vary in the node, and a split that does not pass ends the
        branch; of many targets a split can lower few, and trees are small. "auto" is "direction", but
        "impurity" with `preset="paper"`.
    ftest : float or None, default=None
        The F-test of CLUS: a split is made only where it lowers the variance of the targets significantly at
        this level, such as 0.05; a lower level gives smaller trees. None for no test.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning: of the grown tree stays what has the least cost plus `ccp_alpha`
        times its leaves. The cost is the impurity of the leaves, weighted by their rows: of classes Gini's,
        as in scikit-learn; of labels and numbers the variance, added up over the targets, where a number has
        variance 1 over all rows. (For one number, that is scikit-learn's `ccp_alpha` divided by the variance
        of y.) 0 for no pruning.
    leaves : {"mean", "linear", "auto"}, default="mean"
        What leaves predict: the mean of their rows, or with "linear" also how far the targets follow where a
        row lies along the last splits above the leaf, where the errors of left-out rows tell so; within the
        range of the training rows there. "auto" is "linear", in a forest unless small
        forests that did not see all rows predict the others no better by it. `docs/leaves.md` has the
        measurements.
    max_features : int, float, "sqrt", "log2", None or "auto", default="auto"
        Features that a split may combine, drawn at random for each split as `feature_sampling` says: a
        number, a share, a function of their number, or None for all.
    feature_sampling : {"auto", "varying", "all"}, default="auto"
        "varying" draws among the features that vary in the node, in sparse data in proportion to the rows
        that have them, and never fewer than five where a split combines features: there `max_features` of 1
        to 5 are the same. Where a subset gives no split, wider ones follow. "all" is the publication's way:
        once, among all features, and as few as `max_features` says. "auto" is "varying", but "all" with
        `preset="paper"`.
    bootstrap : bool or "auto", default="auto"
        Whether each tree sees a random sample of the rows, drawn with replacement.
    max_samples : int, float or None, default=None
        Rows that are drawn for a tree: a number, or a share of the rows of X. None for as many as X has. A
        number or a share turns on `bootstrap` where that is left at "auto".
    max_memory : int, str or None, default=None
        What `fit` may take of memory, beside what the process has already: bytes, or text such as "4GB".
        Where rows take more, they are read in blocks, and trees grow on random shares of them that fit; X and
        y may then be arrays on disk (`np.memmap`, CSR of such), or X a `slantwood.data.scan` of files,
        without y. None for no limit.
    oob_score : bool, default=False
        Whether to predict and score every row by the trees that did not see it; needs `bootstrap`.
    target_weights : array or None, default=None
        Weights of the target columns (classes, labels or numbers) in the choice of splits; of several
        targets, one for each. All targets are predicted, also those of weight 0. With `hierarchy`, by
        default its `weights()`: 0.75 to the power of the depth.
    normalize_rows : bool or "auto", default="auto"
        Whether rows of X are scaled to length 1, which suits texts.
    unlabeled_weight : float, "auto" or None, default=None
        Weight, between 0 and 1, of a row without any label beside a labelled one: it takes part with the
        predictions of a first model of the labelled rows. "auto" chooses it by cross-validation on the
        labelled rows; 0 leaves such rows out, and so does None unless `clustering` has something to score
        them by. With a number or "auto", classes of -1 mark rows without label.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        Nominal columns: those of a data frame that hold text or categories ("from_dtype"); these and the
        columns of a list of names, positions or a mask; or none. Each value becomes a 0/1 column of its own.
    missing_indicators : bool or "auto", default="auto"
        Whether splits may also use that a value is missing: adds a 0/1 column for each column of X with
        missing values. "auto" adds those of the columns that are missing for a reason: where a target clearly
        differs between the rows with and without a value. `encoding_.indicated` says which.
    n_jobs : int or None, default=None
        Threads that grow and predict; None means 1, -1 all cores. The model does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed. The same seed gives the same model.
    verbose : int, default=0
        1 shows progress on stderr, 2 one line per tree.
    warm_start : bool, default=False
        Whether `fit` keeps the trees it has and adds those that are missing to `n_estimators`.

    Attributes
    ----------
    trees_ : Trees
        The fitted trees as flat arrays.
    settings_ : Settings
        What the parameters left at "auto" became; `settings_.split` is the split learner in use.
    forest_ : FittedForest
        All of these together, as `fit` returned them.
    estimators_ : list of TreeView
        The trees one by one, as `forest[0]` and iteration give them.
    encoding_ : Encoding
        How the columns of X became those that splits combine.
    targets_ : RegressionTargets
        What y was: its task, and how leaf means become predictions.
    unlabeled_weight_ : float
        Weight in use of rows without label.
    feature_importances_ : array of shape (n_features,)
        Share of each feature in the impurity that the splits remove.
    split_feature_names_ : array
        Names of the columns that splits combine.
    input_names_ : tuple of str
        Names of the columns of X that `fit` was given.
    target_names_ : tuple of str
        Names of the columns of y that `fit` was given, or that y has.
    oob_score_ : float
        R2 of the out-of-bag predictions, with `oob_score=True`.
    oob_prediction_ : array
        Out-of-bag predictions; NaN where every tree saw the row.

    Examples
    --------
    >>> from sklearn.datasets import load_linnerud
    >>> from slantwood import ObliqueForestRegressor
    >>> X, Y = load_linnerud(return_X_y=True)
    >>> ObliqueForestRegressor(n_estimators=10, random_state=0).fit(X, Y).predict(X).shape
    (20, 3)
    """

    @suggest_parameters
    def __init__(
        self,
        n_estimators: int = 50,
        *,
        preset: str = "default",
        split: str | BaseSplit | SplitLearner = "auto",
        max_depth: int | None = None,
        min_samples_split: int | float | str = "auto",
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float | str = "auto",
        acceptance: str = "auto",
        ftest: float | None = None,
        ccp_alpha: float = 0.0,
        leaves: str = "mean",
        max_features: int | float | str | None = "auto",
        feature_sampling: str = "auto",
        bootstrap: bool | str = "auto",
        max_samples: int | float | None = None,
        max_memory: int | str | None = None,
        oob_score: bool = False,
        target_weights: npt.ArrayLike | None = None,
        normalize_rows: bool | str = "auto",
        unlabeled_weight: float | str | None = None,
        categorical_features: str | Sequence[Any] | None = "from_dtype",
        missing_indicators: bool | str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.preset = preset
        self.split = split
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.acceptance = acceptance
        self.ftest = ftest
        self.ccp_alpha = ccp_alpha
        self.leaves = leaves
        self.max_features = max_features
        self.feature_sampling = feature_sampling
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_memory = max_memory
        self.oob_score = oob_score
        self.target_weights = target_weights
        self.normalize_rows = normalize_rows
        self.unlabeled_weight = unlabeled_weight
        self.categorical_features = categorical_features
        self.missing_indicators = missing_indicators
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
