"""Single oblique trees."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from slantwood.ensemble.fitting import fit_forest, fit_pruning_path
from slantwood.ensemble.training_data import TrainingData
from slantwood.estimators.base import ObliqueEstimator
from slantwood.estimators.callbacks import fitted_attributes
from slantwood.estimators.classification import ObliqueClassifier
from slantwood.estimators.parameter_names import suggest_parameters
from slantwood.estimators.parts.on_disk import over_blocks
from slantwood.estimators.regression import ObliqueRegressor
from slantwood.growth.pruning import PruningPath
from slantwood.splits.learner import BaseSplit
from slantwood.splits.own import SplitLearner
from slantwood.targets.hierarchy import Hierarchy
from slantwood.targets.reading import names_of


class _SingleTree(ObliqueEstimator):
    is_single_tree = True
    class_weights_rows = True
    n_estimators = 1
    bootstrap = False
    oob_score = False
    n_jobs = None
    verbose = 0
    warm_start = False

    def _fit_to(self, data: TrainingData, like: ObliqueEstimator, n_rows: int) -> Self:
        """Fit the tree to rows that are encoded as another model has them, and call all as that does.

        Nodes then say how many of `n_rows` came to them, of which the data may have made more.
        """
        for name in ("n_features_in_", "feature_names_in_", "input_names_", "target_names_"):
            if hasattr(like, name):
                setattr(self, name, getattr(like, name))
        forest = fit_forest(data, self._spec(data, None))
        counts = forest.trees.node_weight * (n_rows / data.row_weights.sum())
        forest = replace(forest, trees=forest.trees._replace(node_weight=counts))
        self.__dict__.update(fitted_attributes(forest))
        return self

    def apply(self, X: Any) -> np.ndarray:
        """Return the number of the leaf that each row reaches.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        array of int of shape (n_rows,)
            Numbers of nodes.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> len(set(tree.apply(X).tolist())) == tree.get_n_leaves()
        True
        """
        check_is_fitted(self)
        return over_blocks(lambda rows: self._predictor.leaves(self.encode_features(rows))[:, 0], X)

    def decision_path(self, X: Any) -> sp.csr_array:
        """Return the nodes that each row passes.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        CSR array of shape (n_rows, n_nodes)
            Indicator of the nodes that a row passes, from the root to a leaf.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> bool((tree.decision_path(X).sum(axis=1) <= tree.get_depth() + 1).all())
        True
        """
        check_is_fitted(self)
        return over_blocks(lambda rows: self._predictor.paths(self.encode_features(rows)), X)

    def get_depth(self) -> int:
        """Return the depth of the tree.

        Returns
        -------
        int
            Number of splits above the deepest leaf; 0 for a single leaf.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> tree.get_depth()
        2
        """
        return int(self.trees_.depth.max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        int
            Number of leaves.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> 2 < tree.get_n_leaves() <= 4
        True
        """
        return int((self.trees_.left < 0).sum())

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> PruningPath:
        """Return the trees that pruning leaves, from the whole one to its root.

        The tree is grown as `fit` would grow it; the estimator itself is left as it was. Pass one of the
        `ccp_alphas` as `ccp_alpha`, and `fit` gives the tree that belongs to it.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        y : array
            Targets, as for `fit`.
        sample_weight : array of shape (n_rows,), number or None, default=None
            Weights of the rows.

        Returns
        -------
        PruningPath
            `ccp_alphas`, from which value of `ccp_alpha` on each tree is what is left, and `impurities`, that
            of its leaves together.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = ObliqueTreeClassifier(random_state=0)
        >>> path = tree.cost_complexity_pruning_path(X, y)
        >>> tree.set_params(ccp_alpha=path.ccp_alphas[-2]).fit(X, y).get_n_leaves()
        2
        """
        unpruned = clone(self)
        data = unpruned._training_data(X, y, sample_weight, None, names_of(y))
        return fit_pruning_path(data, unpruned._spec(data, None))


class ObliqueTreeClassifier(_SingleTree, ObliqueClassifier):
    """An oblique predictive clustering tree for classes or label sets.

    Parameters
    ----------
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
    random_state : int, RandomState or None, default=None
        Seed. The same seed gives the same model.

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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slantwood import ObliqueTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(ObliqueTreeClassifier(random_state=0).fit(X, y).score(X, y) > 0.95)
    True
    """

    @suggest_parameters
    def __init__(
        self,
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
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
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
        self.random_state = random_state


class ObliqueTreeRegressor(_SingleTree, ObliqueRegressor):
    """An oblique predictive clustering tree for one or several numbers.

    Parameters
    ----------
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
    random_state : int, RandomState or None, default=None
        Seed. The same seed gives the same model.

    Attributes
    ----------
    trees_ : Trees
        The fitted trees as flat arrays.
    settings_ : Settings
        What the parameters left at "auto" became; `settings_.split` is the split learner in use.
    forest_ : FittedForest
        All of these together, as `fit` returned them.
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

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from slantwood import ObliqueTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ObliqueTreeRegressor(max_depth=3, random_state=0).fit(X, y).predict(X).shape
    (442,)
    """

    @suggest_parameters
    def __init__(
        self,
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
        target_weights: npt.ArrayLike | None = None,
        normalize_rows: bool | str = "auto",
        unlabeled_weight: float | str | None = None,
        categorical_features: str | Sequence[Any] | None = "from_dtype",
        missing_indicators: bool | str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
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
        self.target_weights = target_weights
        self.normalize_rows = normalize_rows
        self.unlabeled_weight = unlabeled_weight
        self.categorical_features = categorical_features
        self.missing_indicators = missing_indicators
        self.random_state = random_state
