"""What all four estimators share: from checked input to grown trees, and from rows to leaf means."""

from __future__ import annotations

import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from slantwood import splits
from slantwood.estimators import parameters as check
from slantwood.estimators.callbacks import CallbackSupportMixin, tell_progress
from slantwood.estimators.defaults import SPARSE_FEATURES, Traits, choose
from slantwood.estimators.dense_scores import check_dense_scores
from slantwood.estimators.semi_supervised import choose_unlabeled_weight, self_trained, train_teacher
from slantwood.estimators.training_data import TrainingData
from slantwood.estimators.tuning import tuned_settings
from slantwood.features.encoding import Encoding
from slantwood.features.frames import checked_table, is_table
from slantwood.features.matrix import (
    array_of,
    column_means,
    known_rows,
    nonzero_share,
    prediction_matrix,
    training_matrix,
    varying_columns,
    with_unit_rows,
)
from slantwood.features.sparse_input import check_sparse
from slantwood.growth.grow import Limits
from slantwood.growth.plan import GrowthPlan
from slantwood.kernels.announce import announced
from slantwood.kernels.matrix import Matrix, n_rows
from slantwood.model.paths import decision_paths
from slantwood.model.routing import add_leaves, route, sparse_scores
from slantwood.model.trees import join
from slantwood.targets.clustering import sketch
from slantwood.task_names import NUMBER_TASKS
from slantwood.threads import StopFlag, run_in_threads

_AUTO = "auto"

# Rows that are routed in one go, times trees: keeps the table of leaves small, and an interrupt waits for
# one chunk at the most.
_LEAVES_PER_CHUNK = 1 << 17

# Attributes that some fits set and others do not.
_OPTIONAL = (
    "oob_score_",
    "oob_decision_function_",
    "oob_prediction_",
    "thresholds_",
    "_tuned_for",
    "input_names_",
    "target_names_",
)

# In place of a mask of the trees that count for each row.
_ALL_TREES = np.empty((0, 0), np.bool_)


class ObliqueEstimator(CallbackSupportMixin, BaseEstimator, ABC):
    """Base of the estimators; subclasses say what y means and how many trees to grow."""

    _is_single_tree = False
    n_estimators: int
    bootstrap: bool | str
    oob_score: bool
    n_jobs: int | None
    verbose: int
    warm_start: bool
    split: Any
    max_depth: int | None
    min_samples_split: int | str
    min_impurity_decrease: float | str
    max_features: Any
    unit_rows: bool | str
    unit_labels: bool | str
    target_weights: Any
    unlabeled_weight: float | str | None
    categorical_features: Any
    missing_indicators: bool
    random_state: Any

    def _checked_features(self, X: Any, *, reset: bool, minimum: int = 1) -> Any:
        """Check X, its width and the names of its columns, which with `reset` are learned."""
        if is_table(X, self.categorical_features):
            X = checked_table(X, minimum)
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        check_sparse(X, "X")
        with np.errstate(over="ignore", invalid="ignore"):  # too large for float32: refused as infinite
            return validate_data(
                self,
                X,
                accept_sparse="csr",
                dtype=np.float32,
                reset=reset,
                ensure_min_samples=minimum,
                ensure_all_finite="allow-nan",
            )

    def _read_features(self, X: Any) -> tuple[Any, Any, Encoding]:
        """Begin a fit: check the parameters and X; return X, X as numbers, and how it became so."""
        self._check_parameters()
        if self._continues and not hasattr(self, "_seed"):
            raise ValueError(
                "warm_start=True, but this model was loaded from a file that was saved with "
                "predict_only=True, without what more trees need; give warm_start=False to fit anew"
            )
        X = self._checked_features(X, reset=not self._continues, minimum=2)
        if self._continues:
            return X, self.encoding_.encode(X), self.encoding_
        encoding, matrix = Encoding.learn(X, self.categorical_features, self.missing_indicators)
        return X, matrix, encoding

    @property
    def _continues(self) -> bool:
        """Whether `fit` adds to the trees that there are."""
        return self.warm_start and hasattr(self, "trees_")

    # ---- fitting

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Fit within this: an earlier model stays as it was if anything fails, and leaves no trace if not."""
        before = self.__dict__.copy()
        try:
            for name in _OPTIONAL:
                self.__dict__.pop(name, None)
            yield
        except BaseException:
            self.__dict__ = before  # in one step, which a second interrupt cannot break in two
            raise

    def _fit(self, data: TrainingData, tuned: dict[str, Any] | None = None) -> None:
        """Grow the trees; nothing is changed before all of them are grown.

        Settings that were `tuned` before are used as they are.
        """
        earlier = self.trees_ if self._continues else None
        n_earlier = 0 if earlier is None else earlier.n_trees
        if n_earlier > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {n_earlier} trees that are already "
                "fitted; with warm_start=True it can only grow"
            )
        if n_earlier == self.n_estimators:
            warnings.warn(
                f"warm_start=True and n_estimators={self.n_estimators}: there are as many trees already, and "
                "fit adds none; raise n_estimators to add some, or give warm_start=False to fit anew",
                UserWarning,
                stacklevel=4,
            )
        if earlier is None:
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
            importance_sum = np.zeros(data.X.shape[1])
        else:
            seed, importance_sum = self._seed, self._importance_sum.copy()
            tuned = self._tuned
        labeled = known_rows(data.Y)
        if not (labeled & (data.row_weights > 0)).any():
            raise ValueError("y has no label in any row of positive weight; at least one row must have one")
        if tuned is None:
            tuned = tuned_settings(self, data, seed)
        data, unlabeled_weight = self._with_unlabeled(data, labeled, seed, tuned)
        X, Y, targets = data.X, data.Y, data.targets
        row_weights, clustering = data.row_weights, data.clustering
        target_weights = check.check_target_weights(self.target_weights, Y.shape[1])
        if self.target_weights is None and data.hierarchy is not None:
            target_weights = data.hierarchy.weights()
        # Constant targets and those of weight 0 are predicted, but have no say in any split.
        judges = varying_columns(Y)
        if len(target_weights):
            judges &= target_weights > 0
        n_judges = int(judges.sum())
        sketch_width = clustering.sketch_width(X.shape[1], n_judges)
        settings = self._choose_settings(data, n_judges, sketch_width is not None, tuned)
        leaf_targets = judging = training_matrix(Y)
        if 0 < n_judges < Y.shape[1]:
            judging = training_matrix(Y[:, judges])
            target_weights = target_weights[judges] if len(target_weights) else target_weights
        if settings["unit_labels"]:
            judging = with_unit_rows(judging)
        attributes = judging, target_weights
        if not clustering.is_targets or sketch_width is not None:
            columns, weights = clustering.columns(X, array_of(judging), target_weights, row_weights)
            if sketch_width is not None:
                columns, weights = sketch(columns, weights, sketch_width, seed), np.empty(0)
            attributes = training_matrix(columns), weights
        # Numbers have units of their own; classes and labels are indicators, and their variances of one kind.
        units_differ = targets.task in NUMBER_TASKS or not clustering.is_targets
        plan = self._plan(X, leaf_targets, attributes, units_differ, row_weights, settings, seed)
        grown = [] if earlier is None else [earlier]
        saw_all = earlier is not None and self._has_tree_of_all_rows

        def fitted() -> dict[str, Any]:
            return {
                "trees_": join(grown),
                "settings_": settings,
                "unlabeled_weight_": unlabeled_weight,
                "encoding_": data.encoding,
                "targets_": targets,
                "_seed": seed,
                "_tuned": tuned,
                "_importance_sum": importance_sum,
                "_has_tree_of_all_rows": saw_all or (len(grown) > bool(n_earlier) and not plan.bootstrap),
                **self._describe(targets),
            }

        stop = StopFlag()
        to_grow = range(n_earlier, self.n_estimators)
        grow = partial(plan.grow_tree, stop_flag=stop.array)
        with announced():
            with (
                closing(run_in_threads(grow, to_grow, self.n_jobs, stop)) as trees,
                tell_progress(self, len(to_grow), data.table, data.y, fitted) as tell,
            ):
                for tree, importance in trees:
                    if data.hierarchy is not None and plan.Y.has_missing:
                        # Means over other rows for each label are in line with the hierarchy up to rounding.
                        leaves = data.hierarchy.consistent(array_of(tree.leaves))
                        tree = tree._replace(leaves=prediction_matrix(leaves))
                    grown.append(tree)
                    importance_sum += importance
                    if tell():
                        break
            for name, value in fitted().items():
                setattr(self, name, value)
            if self._needs_out_of_bag:
                self._set_out_of_bag(plan, data, labeled)

    def _with_unlabeled(
        self, data: TrainingData, labeled: np.ndarray, seed: int, tuned: dict[str, Any]
    ) -> tuple[TrainingData, float]:
        """Give rows without any label their part, or none; return also the weight that they have."""
        if self.unlabeled_weight is None:
            # Where the targets judge, nothing judges a row without label.
            return data.without_unlabeled() if data.clustering.is_targets else data, 0.0
        if not data.clustering.is_default:
            raise ValueError(
                f"unlabeled_weight={self.unlabeled_weight!r} is for splits that the targets judge, and "
                "clustering says what judges them; give unlabeled_weight=None, or no clustering"
            )
        weight = 0.0
        if not labeled[data.row_weights > 0].all():
            if self.unlabeled_weight == _AUTO:
                weight = choose_unlabeled_weight(self, data, seed, tuned)
            else:
                weight = float(self.unlabeled_weight)
        if weight == 0.0:
            return data.without_unlabeled(), 0.0
        return self_trained(data, train_teacher(self, data, seed, tuned), weight), weight

    @property
    def _needs_out_of_bag(self) -> bool:
        """Whether something is learned from the rows that a tree did not see."""
        return self.oob_score

    @abstractmethod
    def _describe(self, targets: Any) -> dict[str, Any]:
        """Public attributes that say what is predicted."""

    @abstractmethod
    def _keep_out_of_bag(self, means: Any, seen: np.ndarray, data: TrainingData) -> None:
        """Set the attributes that out-of-bag leaf means give; `seen` marks rows with such and a label."""

    def _check_parameters(self) -> None:
        check.check_integer("n_estimators", self.n_estimators, 1)
        if self.max_depth is not None:
            check.check_integer("max_depth", self.max_depth, 1)
        if self.min_samples_split != _AUTO:
            check.check_integer("min_samples_split", self.min_samples_split, 2)
        if self.min_impurity_decrease != _AUTO:
            check.check_real("min_impurity_decrease", self.min_impurity_decrease, 0.0, 1.0)
        for name in ("bootstrap", "unit_rows", "unit_labels"):
            if getattr(self, name) != _AUTO:
                check.check_flag(name, getattr(self, name))
        check.check_flag("oob_score", self.oob_score)
        check.check_flag("warm_start", self.warm_start)
        check.check_integer("verbose", self.verbose, 0)
        check.check_flag("missing_indicators", self.missing_indicators)
        if self._needs_out_of_bag:
            self._check_out_of_bag()
        if isinstance(self.unlabeled_weight, str):
            check.check_choice("unlabeled_weight", self.unlabeled_weight, (_AUTO,))
        elif self.unlabeled_weight is not None:
            check.check_real("unlabeled_weight", self.unlabeled_weight, 0.0, 1.0)
        # As joblib takes it: -2 is all cores but one, and there is always one thread.
        if self.n_jobs is not None and check.check_integer("n_jobs", self.n_jobs, -sys.maxsize) == 0:
            raise ValueError("n_jobs=0 has no meaning; use None or 1 for one thread, -1 for all cores")

    def _check_out_of_bag(self) -> None:
        what = "oob_score=True" if self.oob_score else f"threshold={getattr(self, 'threshold', None)!r}"
        if self._is_single_tree:
            raise ValueError(
                f"{what} is found on rows that some trees did not see; use a forest, or give numbers"
            )
        if self.bootstrap is False:
            raise ValueError(
                f"{what} needs bootstrap=True: without it every tree sees every row, and none is out of bag"
            )
        if self._continues and self._has_tree_of_all_rows:
            raise ValueError(
                f"{what} needs trees that did not see every row, and of the {self.trees_.n_trees} trees that "
                "warm_start=True keeps some were grown without bootstrap; give warm_start=False to fit anew"
            )
        if self.unlabeled_weight is not None:
            raise ValueError(
                f"{what} needs rows that no model has seen; with unlabeled_weight={self.unlabeled_weight!r} "
                "a first model sees all labelled rows and tells the others: give unlabeled_weight=None, or "
                "use cross-validation"
            )

    def _choose_settings(
        self, data: TrainingData, n_targets: int, sketched: bool, tuned: dict[str, Any]
    ) -> dict[str, Any]:
        """Fill in what was left at "auto"; the split's own parameters become part of the result."""
        split = splits.named(self.split)
        check.check_split(self.split, split, data)
        stored = data.X.data if sp.issparse(data.X) else data.X
        chosen = choose(
            Traits(
                task=data.targets.task,
                n_rows=int((data.row_weights > 0).sum()),
                n_features=data.X.shape[1],
                n_targets=n_targets,
                nonzero_features=data.encoding.input_nonzero_share(data.X),
                wide_nominal=data.encoding.has_nominal and nonzero_share(data.X) < SPARSE_FEATURES,
                features_nonnegative=bool(np.fmin.reduce(stored, axis=None, initial=0.0) >= 0),
                single_tree=self._is_single_tree,
                sketched=sketched,
                hierarchical=data.hierarchy is not None,
            ),
            split,
            tuned,
        )
        own = {
            "bootstrap": self.bootstrap,
            "max_features": self.max_features,
            "min_samples_split": self.min_samples_split,
            "min_impurity_decrease": self.min_impurity_decrease,
            "unit_rows": self.unit_rows,
            "unit_labels": self.unit_labels,
        }
        settings = {k: chosen[k] if isinstance(v, str) and v == _AUTO else v for k, v in own.items()}
        if self._needs_out_of_bag:
            settings["bootstrap"] = True
        settings["max_depth"] = self.max_depth
        settings["split"] = split.filled_in(chosen)
        return settings

    def _plan(
        self,
        X: Any,
        Y: Matrix,
        attributes: tuple[Matrix, np.ndarray],
        units_differ: bool,
        row_weights: np.ndarray,
        settings: dict[str, Any],
        seed: int,
    ) -> GrowthPlan:
        x = training_matrix(X)
        Z, attribute_weights = attributes
        split = settings["split"]
        max_features = check.check_max_features(
            settings["max_features"], X.shape[1], fewest=split.fewest_features
        )
        # A function of the number of features, such as "sqrt", is a number of features to combine. In sparse
        # data a row has few of those drawn, so it is taken by the row; a number or a share is taken as given.
        by_row = split.oblique and isinstance(settings["max_features"], str)
        return GrowthPlan(
            X=with_unit_rows(x) if settings["unit_rows"] else x,
            Y=Y,
            overall=_overall_means(Y, row_weights) if Y.has_missing else np.empty(0, np.float32),
            Z=Z,
            attribute_weights=attribute_weights.astype(np.float32),
            row_weights=row_weights,
            split=split,
            importance_power=float(units_differ),
            limits=Limits(
                max_depth=np.iinfo(np.int32).max if self.max_depth is None else self.max_depth,
                min_samples_split=int(settings["min_samples_split"]),
                min_impurity_decrease=float(settings["min_impurity_decrease"]),
                max_features=max_features,
                features_per_row=max_features if by_row else 0,
                min_support=split.min_support,
                shuffle_above=split.rows_in_order,
            ),
            bootstrap=bool(settings["bootstrap"]),
            seed=seed,
        )

    def _set_out_of_bag(self, plan: GrowthPlan, data: TrainingData, labeled: np.ndarray) -> None:
        """Predict every row from the trees that did not see it, and score that of the labelled ones."""
        counted = np.stack([plan.counts(t) == 0 for t in range(self.trees_.n_trees)], axis=1)
        seen_by_all = labeled & (data.row_weights > 0) & ~counted.any(axis=1)
        if self.oob_score and seen_by_all.any():
            warnings.warn(
                f"oob_score=True: {seen_by_all.sum()} of {len(labeled)} rows were seen by every one of the "
                f"{self.trees_.n_trees} trees, and have no out-of-bag prediction; more trees (n_estimators) "
                "leave fewer such rows",
                UserWarning,
                stacklevel=5,
            )
        if getattr(data.targets, "is_sparse", False):
            means = self._sparse_mean_leaves(plan.X, counted, None)
        else:
            means = self._mean_leaves(plan.X, counted)
        self._keep_out_of_bag(means, counted.any(axis=1) & labeled, data)

    # ---- predicting

    def _checked_input(self, X: Any) -> Matrix:
        check_is_fitted(self)
        return self._prediction_matrix(self.encoding_.encode(self._checked_features(X, reset=False)))

    def _prediction_matrix(self, encoded: Any) -> Matrix:
        matrix = prediction_matrix(encoded)
        return with_unit_rows(matrix) if self.settings_["unit_rows"] else matrix

    def _over_chunks(self, work: Callable[[int, int], Any], n_rows: int) -> list[Any]:
        """Run `work(start, stop)` over ranges of rows on n_jobs threads; results in order."""
        step = max(1, min(_LEAVES_PER_CHUNK // self.trees_.n_trees, n_rows))
        starts = range(0, n_rows, step)
        with announced():
            return list(
                run_in_threads(lambda start: work(start, min(start + step, n_rows)), starts, self.n_jobs)
            )

    def _leaf_nodes(self, X: Any) -> np.ndarray:
        """Node number, counted through all trees, of the leaf that each row reaches in each tree."""
        matrix = self._checked_input(X)
        nodes = np.empty((n_rows(matrix), self.trees_.n_trees), np.int32)
        self._over_chunks(
            lambda start, stop: route(matrix, self.trees_, start, stop, nodes[start:stop]), len(nodes)
        )
        return nodes

    def _leaf_means(self, X: Any) -> np.ndarray:
        """Average prototype of the leaves that each row reaches."""
        matrix = self._checked_input(X)
        check_dense_scores(n_rows(matrix), self.targets_)
        return self._mean_leaves(matrix, _ALL_TREES)

    def _encoded_leaf_means(self, encoded: Any) -> np.ndarray:
        """Average prototype of the leaves that each row of encoded features reaches."""
        return self._mean_leaves(self._prediction_matrix(encoded), _ALL_TREES)

    def _encoded_sparse_leaf_means(self, encoded: Any) -> sp.csr_array:
        """Return the same without its zeros."""
        return self._sparse_mean_leaves(self._prediction_matrix(encoded), _ALL_TREES, None)

    def _mean_leaves(self, matrix: Matrix, counted: np.ndarray) -> np.ndarray:
        """Average over the trees that count for a row: all where `counted` is empty, else those it marks."""
        means = np.zeros((n_rows(matrix), self.trees_.leaves.n_columns), np.float32)

        def predict_chunk(start: int, stop: int) -> None:
            nodes = np.empty((stop - start, self.trees_.n_trees), np.int32)
            route(matrix, self.trees_, start, stop, nodes)
            add_leaves(nodes, counted[start:stop], self.trees_, means[start:stop])

        self._over_chunks(predict_chunk, len(means))
        return means

    def _sparse_leaf_means(self, X: Any, top_k: int | None) -> sp.csr_array:
        """Average prototypes without their zeros, the `top_k` largest of each row where given."""
        return self._sparse_mean_leaves(self._checked_input(X), _ALL_TREES, top_k)

    def _sparse_mean_leaves(self, matrix: Matrix, counted: np.ndarray, top_k: int | None) -> sp.csr_array:
        n, n_columns = n_rows(matrix), self.trees_.leaves.n_columns
        ranks = self.targets_.ranks

        def predict_chunk(start: int, stop: int) -> sp.csr_array:
            nodes = np.empty((stop - start, self.trees_.n_trees), np.int32)
            route(matrix, self.trees_, start, stop, nodes)
            limit = -1 if top_k is None else top_k
            indptr, indices, scores = sparse_scores(nodes, counted[start:stop], self.trees_, ranks, limit)
            return sp.csr_array((scores, indices, indptr), shape=(stop - start, n_columns))

        return sp.csr_array(sp.vstack(self._over_chunks(predict_chunk, n), format="csr"))

    # ---- looking inside

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the impurity that the splits remove; sums to 1.

        What a split removes is shared out by the parts that features have in the variance of its weighted
        sum over the node's rows, and added up over splits and trees. A nominal feature has the shares of its
        values together. All zeros where no tree has a split.
        """
        check_is_fitted(self)
        importance = self.encoding_.by_input(self._importance_sum)
        total = importance.sum()
        return importance / total if total > 0 else np.zeros_like(importance)

    @property
    def split_feature_names_(self) -> np.ndarray:
        """Names of the columns that splits combine: of features, and of the values of nominal ones."""
        check_is_fitted(self)
        unnamed = [f"x{j}" for j in range(self.n_features_in_)]
        names = getattr(self, "feature_names_in_", getattr(self, "input_names_", unnamed))
        return self.encoding_.names(list(names))

    def _decision_paths(self, X: Any) -> sp.csr_array:
        nodes = self._leaf_nodes(X)  # first, since it checks that there are trees
        return decision_paths(self.trees_, nodes)

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
        return hasattr(self, "trees_")

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn what the estimator can do."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _overall_means(Y: Matrix, row_weights: np.ndarray) -> np.ndarray:
    return np.nan_to_num(column_means(array_of(Y), row_weights)).astype(np.float32)
