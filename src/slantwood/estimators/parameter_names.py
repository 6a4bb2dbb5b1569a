"""What to say of a parameter that no estimator has: which one was meant, also by users of other libraries."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any, ParamSpec, Self

from slantwood.hints import did_you_mean, shown
from slantwood.split_names import SPLITS, split_class

P = ParamSpec("P")

# What LightGBM, XGBoost, CatBoost, YDF, R's randomForest, ranger and rpart, or CLUS call a parameter of ours.
_ELSEWHERE = {
    "n_estimators": "n_trees num_trees ntree ntrees iterations num_iterations n_iter num_boost_round",
    "max_depth": "depth maxdepth",
    "min_samples_split": "minsplit min_split",
    "min_samples_leaf": "min_data_in_leaf min_child_samples min_examples min_leaf minbucket nodesize "
    "min_node_size min_data minimal_weight",
    "min_weight_fraction_leaf": "min_child_weight min_sum_hessian_in_leaf",
    "max_leaf_nodes": "num_leaves max_leafs max_leaves maxnodes max_num_nodes",
    "min_impurity_decrease": "min_split_gain min_gain_to_split gamma min_impurity_split",
    "ccp_alpha": "cp pruning",
    "max_features": "colsample_bytree colsample_bynode colsample_bylevel feature_fraction "
    "feature_fraction_bynode mtry rsm num_candidate_attributes num_candidate_attributes_ratio",
    "max_samples": "subsample bagging_fraction bootstrap_size_ratio sample_fraction sampsize",
    "oob_score": "oob compute_oob_performances",
    "class_weight": "class_weights scale_pos_weight",
    "categorical_features": "cat_features categorical_feature",
    "n_jobs": "num_threads n_threads nthread nthreads thread_count",
    "random_state": "seed random_seed",
}
_OURS = {other: ours for ours, others in _ELSEWHERE.items() for other in others.split()}

_NO_COUNTERPART = {
    "criterion": "splits lower the variance of the targets, which for classes is Gini's impurity; `split` "
    "says how they are found",
    "splitter": "`split` says how splits are found; AxisParallelSplit(thresholds='random') draws thresholds",
    "learning_rate": "trees are averaged, not added up; where a split is searched for by gradients, give "
    "split=GradientSplit(learning_rate=...)",
}


def parameter_hint(name: str, known: Collection[str]) -> str:
    """Say which of the known parameters was meant by a name that is none of them.

    Examples
    --------
    >>> parameter_hint("n_estimater", ["n_estimators", "max_depth"])
    "did you mean 'n_estimators'?"
    >>> parameter_hint("num_leaves", ["max_leaf_nodes", "max_depth"])
    "here it is 'max_leaf_nodes'"
    """
    lower = name.lower()
    if lower.startswith("split__"):
        return f"{name} is for set_params and searches; give split=GradientSplit({name[7:]}=...)"
    if lower in _NO_COUNTERPART:
        return _NO_COUNTERPART[lower]
    ours = _OURS.get(lower)
    if ours is not None:
        return f"here it is {ours!r}" + ("" if ours in known else ", which this estimator does not have")
    for learner in map(split_class, SPLITS):
        if name in (each.name for each in fields(learner)):
            return f"it is one of split learners: split={learner.__name__}({name}=...)"
    return did_you_mean(name, known, f"expected one of {', '.join(known)}")


def unknown_parameter(owner: object, name: str, known: Collection[str]) -> str:
    """Return what to say where an estimator is given a parameter that it does not have."""
    return f"{type(owner).__name__} has no parameter {shown(name)}; {parameter_hint(name, known)}"


def suggest_parameters(init: Callable[P, None]) -> Callable[P, None]:
    """Let a constructor name, of a keyword that it does not know, the parameter that was meant.

    Its signature stays what it is, from which scikit-learn takes the names of parameters.
    """
    known = tuple(inspect.signature(init).parameters)[1:]

    @functools.wraps(init)
    def suggesting(*args: P.args, **kwargs: P.kwargs) -> None:
        for name in kwargs:
            if name not in known:
                raise TypeError(unknown_parameter(args[0], name, known))
        init(*args, **kwargs)

    return suggesting


class KnownParametersMixin:
    """Lets `set_params` name the parameter that was meant."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator.

        Parameters
        ----------
        **params : dict
            Values by name. Of a name that is unknown, the error says which one was meant.

        Returns
        -------
        self
            The estimator.

        Examples
        --------
        >>> from slantwood import ObliqueTreeClassifier
        >>> ObliqueTreeClassifier().set_params(max_depth=3).max_depth
        3
        """
        known = self.get_params(deep=False)  # type: ignore[attr-defined]
        for name in params:
            if name.partition("__")[0] not in known:
                raise ValueError(unknown_parameter(self, name, known))
        return super().set_params(**params)  # type: ignore[misc]
