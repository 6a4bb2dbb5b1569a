"""What all estimators share: they check, encode, call `ensemble`, and set attributes."""

import copy
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from slantwood import splits
from slantwood.ensemble.fitting import fit_forest
from slantwood.ensemble.forest import FittedForest
from slantwood.ensemble.out_of_bag import OutOfBag, OutOfBagSoFar, out_of_bag
from slantwood.ensemble.prediction import Predictor
from slantwood.ensemble.settings import Settings
from slantwood.ensemble.spec import AUTO, ForestSpec, draw_seed
from slantwood.ensemble.training_data import TrainingData, with_informative_indicators
from slantwood.estimators import validation as check
from slantwood.estimators.callbacks import (
    USERS_LINE,
    CallbackSupportMixin,
    Progress,
    fitted_attributes,
    put_back,
)
from slantwood.estimators.nested_split import NestedSplitMixin
from slantwood.estimators.output import FramesOutMixin
from slantwood.estimators.parameter_names import KnownParametersMixin
from slantwood.estimators.parts.on_disk import over_blocks
from slantwood.estimators.parts.out_of_core import Given, fitted_within_memory, is_scan, refuse_scan
from slantwood.estimators.shortcuts import ExplainMixin
from slantwood.features.encoding import Encoding
from slantwood.features.frames import checked_table, is_table
from slantwood.features.sparse_input import check_matrix, is_encoded
from slantwood.model.trees import Trees
from slantwood.presets import PRESETS
from slantwood.splits.gradient import GradientSplit
from slantwood.splits.learner import BaseSplit
from slantwood.splits.own import SplitLearner
from slantwood.targets.reading import names_of

# Attributes that some fits set and others do not.
_BY_OUT_OF_BAG = ("oob_score_", "oob_decision_function_", "oob_prediction_", "thresholds_", "threshold_rule_")
_OPTIONAL = (*_BY_OUT_OF_BAG, "input_names_", "target_names_")


class ObliqueEstimator(
    ExplainMixin, FramesOutMixin, CallbackSupportMixin, KnownParametersMixin, NestedSplitMixin, ABC
):
    """Base of the estimators; subclasses say what y means and how many trees to grow."""

    is_single_tree = False
    stage = "tree"  # what a fit has so many of as `n_estimators` says
    n_estimators: int
    preset: str
    bootstrap: bool | str
    max_samples: int | float | None
    max_memory: int | str | None = None  # a parameter of forests
    oob_score: bool
    n_jobs: int | None
    verbose: int
    warm_start: bool
    split: str | BaseSplit | SplitLearner
    max_depth: int | None
    min_samples_split: int | float | str
    min_samples_leaf: int | float | str
    min_weight_fraction_leaf: float
    max_leaf_nodes: int | None
    min_impurity_decrease: float | str
    acceptance: str = "auto"  # these two are no parameters of boosting
    feature_sampling: str = "auto"
    ftest: float | None
    ccp_alpha: float
    leaves: str = "mean"  # a parameter of the regressors
    max_features: int | float | str | None
    normalize_rows: bool | str
    normalize_labels: bool | str
    target_weights: npt.ArrayLike | None
    unlabeled_weight: float | str | None
    categorical_features: str | Sequence[Any] | None
    missing_indicators: bool | str
    random_state: int | np.random.RandomState | None

    # ---- fitting

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        clustering: Any,
        feature_names: Sequence[str] | None,
        target_names: Sequence[str] | None,
    ) -> Self:
        """Fit; an earlier model stays as it was if anything fails, and leaves no trace if not."""
        before = self.__dict__.copy()
        given = Given(X, y, sample_weight, clustering, feature_names, target_names)
        is_limited = self.max_memory is not None or is_scan(X)
        try:
            in_memory = fitted_within_memory(self, given) if is_limited else given
            if in_memory is not None:
                # Growing comes last, so that callbacks know the names, too.
                self._grow(self._read(*in_memory))
        except BaseException:
            put_back(self, before)
            raise
        return self

    def _read(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        clustering: Any,
        feature_names: Sequence[str] | None,
        target_names: Sequence[str] | None,
        mean_weight: float | None = None,
    ) -> TrainingData:
        """Check and encode what `fit` is given, and set the names; attributes of an earlier fit go.

        Of rows that are a part of all, `mean_weight` is the mean of the weights of all.
        """
        earlier_inputs, earlier_targets = vars(self).get("input_names_"), vars(self).get("target_names_")
        for name in _OPTIONAL:
            self.__dict__.pop(name, None)
        names = names_of(y) if target_names is None else target_names
        data = self._training_data(X, y, sample_weight, clustering, names, mean_weight)
        if target_names is None and data.targets.hierarchy is not None and len(names or ()) > 1:
            names = None  # columns in an order of their own, while the hierarchy names the labels
        if names is not None:
            names = check.check_names("target_names", names, check.target_name_counts(data.targets))
        if self._continues:  # y and X without names have those of before
            names = check.same_names("target_names", names, earlier_targets)
            feature_names = earlier_inputs if feature_names is None else feature_names
        if feature_names is not None:
            self.input_names_ = check.check_names("feature_names", feature_names, (self.n_features_in_,))
        if names is not None:
            self.target_names_ = names
        return data

    def _training_data(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        clustering: Any,
        names: Sequence[str] | None,
        mean_weight: float | None = None,
    ) -> TrainingData:
        """Check and encode what `fit` is given; `names` are those of the columns of y, not checked yet."""
        table, X, encoding = self._read_features(X)
        weights = check.check_row_weights(sample_weight, X.shape[0], mean_weight)
        attributes = check.check_clustering(clustering, X.shape[0])
        y, targets, Y, weights = self._encode_targets(y, weights, names)
        data = TrainingData(table, X, encoding, y, Y, targets, weights, attributes)
        is_open = isinstance(self.missing_indicators, str) and not self._continues
        return with_informative_indicators(data) if is_open else data

    @abstractmethod
    def _encode_targets(
        self, y: Any, weights: np.ndarray, names: Sequence[str] | None
    ) -> tuple[Any, Any, Any, np.ndarray]:
        """Return y as it was read, what it is, its matrix, and the weights of the rows.

        `names` are those of the columns of y, where it has any; they are not checked yet.
        """

    @property
    def _continues(self) -> bool:
        """Whether `fit` adds to the trees that there are."""
        return self.warm_start and hasattr(self, "forest_")

    def _continued(self, targets: Any) -> Any:
        return self.targets_.continued(targets) if self._continues else targets

    def _read_features(self, X: Any) -> tuple[Any, Any, Encoding]:
        """Begin a fit: check the parameters and X; return X, X as numbers, and how it became so."""
        check.check_parameters(self.get_params(deep=False))
        if self._needs_out_of_bag:
            self._check_out_of_bag()
        if self._continues and self.forest_.seed is None:
            raise ValueError(
                "warm_start=True, but this model was saved with predict_only=True; give warm_start=False"
            )
        X = self._checked_features(X, reset=not self._continues, minimum=2)
        if self._continues:
            return X, self.encoding_.encode(X), self.encoding_
        # Those left at "auto" are all there until the targets have their say.
        encoding, matrix = Encoding.learn(X, self.categorical_features, bool(self.missing_indicators))
        return X, matrix, encoding

    def _checked_features(self, X: Any, *, reset: bool, minimum: int = 1) -> Any:
        """Check X, its width and the names of its columns, which with `reset` are learned."""
        refuse_scan(X)
        if is_table(X, self.categorical_features):
            X = checked_table(X, minimum)
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        check_matrix(X, "X")
        has_names = reset or hasattr(self, "feature_names_in_")
        if not has_names and is_encoded(X, self.n_features_in_, minimum):
            return X
        limits = {"ensure_min_samples": minimum, "ensure_all_finite": "allow-nan"}
        with np.errstate(over="ignore", invalid="ignore"):  # too large for float32: refused as infinite
            return validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=reset, **limits)

    def _grow(self, data: TrainingData) -> None:
        """Grow the trees; no attribute is set before all are grown."""
        earlier = self.forest_ if self._continues else None
        n_earlier = 0 if earlier is None else earlier.trees.n_trees
        n_trees = self._n_trees
        if n_earlier > n_trees:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {n_earlier} trees that are already "
                "fitted; with warm_start=True it can only grow"
            )
        if n_earlier == n_trees:
            warnings.warn(
                f"warm_start=True and n_estimators={self.n_estimators}: there are as many trees already, and "
                "fit adds none; raise n_estimators to add some, or give warm_start=False to fit anew",
                stacklevel=USERS_LINE,
            )
        spec = self._spec(data, earlier)
        so_far = partial(self._attributes_so_far, data=data, seen=OutOfBagSoFar(data, spec))
        progress = Progress(self, n_trees - n_earlier, data.table, data.y, so_far)
        forest = fit_forest(data, spec, earlier, progress.tree)
        progress.end(forest)
        self._keep(forest, data, spec)

    def _keep(self, forest: FittedForest, data: TrainingData, spec: ForestSpec) -> None:
        """Set the attributes of a fit whose trees are all grown."""
        self.__dict__.update(fitted_attributes(forest))
        if not self._needs_out_of_bag:
            return
        found = out_of_bag(forest, data, spec)
        if self.oob_score and found.n_seen_by_all:
            warnings.warn(
                f"oob_score=True: {found.n_seen_by_all} of {len(found.has_mean)} rows were seen by every one "
                f"of the {self.trees_.n_trees} trees, and have no out-of-bag prediction; more trees "
                "(n_estimators) leave fewer such rows",
                stacklevel=USERS_LINE + 1,
            )
        self._keep_out_of_bag(found, data)

    def _attributes_so_far(self, forest: FittedForest, data: TrainingData, seen: OutOfBagSoFar) -> Any:
        """Return, for callbacks, what a fit would set that ended with this forest."""
        other = self._with_forest(forest)
        if self._needs_out_of_bag:
            found = seen.of(forest)
            if found.has_mean.any():
                other._keep_out_of_bag(found, data)
        return {name: value for name, value in vars(other).items() if name.endswith("_")}

    def _spec(self, data: TrainingData, earlier: FittedForest | None) -> ForestSpec:
        """Check what depends on the data; return what the fit is asked for."""
        check.check_preset(self.preset, self.is_single_tree)
        preset, is_open = PRESETS[self.preset], isinstance(self.split, str) and self.split == AUTO
        split = splits.named(self.split)
        if is_open and preset.published:
            split = GradientSplit.published()
        if is_open and earlier is not None and earlier.settings.split is not None:
            split = earlier.settings.split
        check.check_split(self.split, split, data)
        check.check_unlabeled(self.unlabeled_weight, data.clustering)
        check.check_max_features(self.max_features, data.X.shape[1])
        target_weights = data.targets.column_weights
        if self.target_weights is not None:
            target_weights = check.check_target_weights(self.target_weights, data.targets)
        if earlier is None or earlier.seed is None:
            seed, tuned = draw_seed(check_random_state(self.random_state)), None
        else:
            seed, tuned = earlier.seed, earlier.tuned
        # Other fields are parameters, as they were given.
        given = {each.name: getattr(self, each.name, None) for each in fields(ForestSpec)}
        given |= {"split": split, "n_trees": self._n_trees, "seed": seed, "tuned": tuned}
        given["auditions"] = is_open and preset.auditions
        given |= {"single_tree": self.is_single_tree, "out_of_bag": self._needs_out_of_bag}
        return ForestSpec(**given | {"target_weights": target_weights})

    @property
    def _n_trees(self) -> int:
        return 1 if self.is_single_tree else PRESETS[self.preset].count(self.n_estimators)

    # ---- out of bag

    @property
    def _needs_out_of_bag(self) -> bool:
        """Whether something is learned from the rows that a tree did not see."""
        return self.oob_score

    @abstractmethod
    def _keep_out_of_bag(self, found: OutOfBag, data: TrainingData) -> None:
        """Set the attributes that out-of-bag leaf means give."""

    def _check_out_of_bag(self) -> None:
        what = "oob_score=True" if self.oob_score else f"threshold={getattr(self, 'threshold', None)!r}"
        if self.is_single_tree:
            raise ValueError(f"{what} is found on rows that some trees did not see; use a forest or numbers")
        if self.bootstrap is False:
            raise ValueError(f"{what} needs bootstrap=True: without it every tree sees every row")
        if self._continues and self.forest_.has_tree_of_all_rows:
            raise ValueError(
                f"{what} needs trees that did not see every row, and of the {self.trees_.n_trees} trees that "
                "warm_start=True keeps some were grown without bootstrap; give warm_start=False to fit anew"
            )
        if self._continues and self.settings_.max_samples != self.max_samples:
            raise ValueError(
                f"{what} needs to know which rows each tree saw, and those that warm_start=True keeps saw "
                f"samples of max_samples={self.settings_.max_samples!r}; give the same, or warm_start=False"
            )
        if self.unlabeled_weight is not None:
            raise ValueError(
                f"{what} needs rows that no model has seen; with unlabeled_weight={self.unlabeled_weight!r} "
                "a first model sees all labelled rows and tells the others: give unlabeled_weight=None, or "
                "use cross-validation"
            )

    # ---- predicting

    def encode_features(self, X: Any) -> Any:
        """Return X as the numbers that splits combine.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        float32 array or CSR array of shape (n_rows, n_columns)
            A column for each of `split_feature_names_`; NaN where a value is missing.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> tree.encode_features(X).shape
        (150, 4)
        """
        check_is_fitted(self)
        return self.encoding_.encode(self._checked_features(X, reset=False))

    @property
    def _predictor(self) -> Predictor:
        return Predictor(self.forest_, self.n_jobs)

    def _means(self, X: Any, **how: Any) -> Any:
        """Return what the trees say of rows; of rows on disk a block at a time, so that no copy is whole."""
        return over_blocks(lambda rows: self._predictor.mean(self.encode_features(rows), **how), X)

    def _with_forest(self, forest: FittedForest) -> Self:
        """Return a copy that predicts with other trees."""
        other = copy.copy(self)
        other.__dict__.update(fitted_attributes(forest))
        return other

    # ---- looking inside

    def _training_data_again(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        """Check and encode the rows of `fit` again, for what explains a model by them."""
        encoded = self.encode_features(X)
        n_rows = encoded.shape[0]
        weights = check.check_row_weights(sample_weight, n_rows)
        names = names_of(y)
        if self.targets_.hierarchy is None:  # which finds its labels by name
            check.same_names("target_names", names, getattr(self, "target_names_", None))
        y, targets, Y, weights = self._encode_targets(y, weights, names)
        clustering = check.check_clustering(None, n_rows)
        return TrainingData(X, encoded, self.encoding_, y, Y, targets, weights, clustering)

    @property
    def trees_(self) -> Trees:
        """The fitted trees as flat arrays."""
        return self.forest_.trees

    @property
    def settings_(self) -> Settings:
        """What the parameters left at "auto" became."""
        return self.forest_.settings

    @property
    def encoding_(self) -> Encoding:
        """How the columns of X became those that splits combine."""
        return self.forest_.encoding

    @property
    def targets_(self) -> Any:
        """What y was: its task, and how leaf means become predictions."""
        return self.forest_.targets

    @property
    def unlabeled_weight_(self) -> float:
        """Weight in use of rows without label."""
        return self.forest_.unlabeled_weight

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the impurity that the splits remove; sums to 1.

        What a split removes is shared out by the parts that features have in the variance of its weighted
        sum over the node's rows, and added up over splits and trees. A nominal feature has the shares of its
        values together. All zeros where no tree has a split.
        """
        check_is_fitted(self)
        importance = self.encoding_.by_input(self.forest_.importance_sum)
        total = importance.sum()
        return importance / total if total > 0 else np.zeros_like(importance)

    @property
    def split_feature_names_(self) -> np.ndarray:
        """Names of the columns that splits combine: of features, and of the values of nominal ones."""
        check_is_fitted(self)
        unnamed = [f"x{j}" for j in range(self.n_features_in_)]
        names = getattr(self, "feature_names_in_", getattr(self, "input_names_", unnamed))
        return self.encoding_.names(list(names))

    def save(self, path: Any, *, float16: bool = False, predict_only: bool = False) -> None:
        """Write the fitted estimator to one file, which `slantwood.load_model` reads.

        The file holds numbers and JSON, nothing that could run. It appears whole or not at all: if anything
        goes wrong, an earlier file of this name stays as it was. Parameters are saved too, of a RandomState
        the seed that was drawn; callbacks and requests for metadata are not.

        Parameters
        ----------
        path : str, path or binary file object
            Where to, by custom with the ending ".slant".
        float16 : bool, default=False
            Whether to round the numbers of splits and leaves to half precision, eleven bits or about three
            digits; a row very near to a split may then go another way. An array with numbers too large for
            it, above 65504, is kept as it is.
        predict_only : bool, default=False
            Whether to leave out what only training needs: out-of-bag predictions, the weight of the training
            rows in each node, and what `warm_start` goes on from. A model with a split learner of your own
            can be saved only so; the file then names the default one.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from slantwood import load_model
        >>> from sklearn.datasets import load_iris
        >>> from slantwood import ObliqueTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tree.save(Path(folder) / "iris.slant")
        ...     load_model(Path(folder) / "iris.slant").get_depth()
        2
        """
        check_is_fitted(self)
        from slantwood.estimators.saving import save_model  # knows all estimators, which know this class

        save_model(self, path, float16=float16, predict_only=predict_only)

    def _split_is_for(self, *tasks: str) -> bool:
        """Whether the split learner is for any of some tasks; one that is none is refused in `fit`."""
        try:
            return not set(tasks).isdisjoint(splits.named(self.split).tasks)
        except (TypeError, ValueError):
            return True

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there are trees to predict with."""
        return hasattr(self, "forest_")

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn what the estimator can do."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
