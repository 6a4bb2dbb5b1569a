"""Parameters of the split learner as parameters of the estimator: `split__C`, by scikit-learn's convention.

A learner is a value: to set one of its parameters is to take another learner. A name stands for the learner
of this name at its defaults, and has the same parameters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from sklearn.base import BaseEstimator

from slantwood import splits
from slantwood.hints import did_you_mean
from slantwood.split_names import name_of

_PREFIX = "split__"


class NestedSplitMixin(BaseEstimator):
    """Sets `split__*` beside the parameters of the estimator itself.

    `get_params` lists them where `split` is an object, as scikit-learn does, and not where it is a name: so
    `ObliqueForestClassifier(**forest.get_params())` makes the same forest again.
    """

    split: Any

    def set_params(self, **params: Any) -> Self:
        """Set parameters, of the estimator or as `split__*` of its split learner.

        Parameters
        ----------
        **params : dict
            Names and values. Where `split` is among them, `split__*` are of this learner, whatever the order.
            The learner that was given is left as it is; `split` becomes another one.

        Returns
        -------
        self
            The estimator.

        Examples
        --------
        >>> from slantwood import ObliqueForestClassifier
        >>> ObliqueForestClassifier().set_params(split="svm", split__C=10)
        ObliqueForestClassifier(split=SVMSplit(C=10))
        """
        changes = {k.removeprefix(_PREFIX): v for k, v in params.items() if k.startswith(_PREFIX)}
        if not changes:
            return super().set_params(**params)
        given = {k: v for k, v in params.items() if not k.startswith(_PREFIX)}
        # Made before anything is set, so that an error leaves the estimator as it was.
        given["split"] = _changed(given.get("split", self.split), changes)
        return super().set_params(**given)


def _changed(split: Any, changes: dict[str, Any]) -> Any:
    """Return the learner with other values of some parameters."""
    learner = splits.named(split)
    if name_of(learner) is None:
        return _changed_own(split, changes)
    params = learner.get_params()
    unknown = [name for name in changes if name not in params]
    if unknown:
        hint = did_you_mean(unknown[0], params, "choose from these.")
        raise ValueError(
            f"{_PREFIX}{unknown[0]}: {type(learner).__name__} has no parameter {unknown[0]!r}; {hint} "
            f"Parameters: {', '.join(params)}"
        )
    if all(value is params[name] for name, value in changes.items()):
        return split  # so that set_params(**get_params()) leaves a name a name
    return replace(learner, **changes)  # type: ignore[type-var]


def _changed_own(split: Any, changes: dict[str, Any]) -> Any:
    """Change a learner of the user's own as scikit-learn changes any part of an estimator: in place."""
    if not (hasattr(split, "get_params") and hasattr(split, "set_params")):
        kind = type(split).__name__
        raise ValueError(
            f"{_PREFIX}{next(iter(changes))}: split={split!r:.60} has no get_params and set_params; derive "
            f"{kind} from sklearn.base.BaseEstimator, which has both, or give whole learners as split"
        )
    split.set_params(**changes)
    return split
