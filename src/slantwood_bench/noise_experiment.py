"""The noise experiment: as many features of noise as real ones, and which of them a model relies on."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from slantwood.explain import RANKING_METHODS, feature_ranking
from slantwood_bench.methods.base import Method
from slantwood_bench.methods.oblique import Slantwood
from slantwood_bench.noise import with_noise
from slantwood_bench.problems import Problem, cut
from slantwood_bench.usage import usage_of

# With more features each tree would be asked thousands of times.
_MOST_TO_SHUFFLE = 2000


class _Numbers(Method):
    """Stands for whatever takes numbers, missing ones too."""

    takes_missing = True


def noise_experiment(problem: Problem, method: Any, seed: int) -> dict[str, Any]:
    """Learn from all rows, with as many noise features beside the real ones, and ask what counted.

    Parameters
    ----------
    problem : Problem
        The rows.
    method : Method
        What learns.
    seed : int
        Seed of the noise.

    Returns
    -------
    dict
        Seconds of learning; importances of the real features and of the noise features; and, of methods of
        slantwood, the share of the noise features in the scores of each feature ranking.
    """
    every = np.arange(problem.X.shape[0])
    # As numbers: a nominal input is as many features as it has columns of 0 and 1.
    rows, _ = cut(problem, every, every[:1], _Numbers)
    noisy = rows._replace(X=with_noise(rows.X, seed))
    learning = usage_of(lambda: method.fit(noisy))
    importances = method.model.feature_importances_
    n_real = rows.X.shape[1]
    found = {
        "learn_seconds": learning.seconds,
        "importances": {"real": importances[:n_real].tolist(), "noise": importances[n_real:].tolist()},
    }
    if isinstance(method, Slantwood):
        found["noise_by_ranking"] = noise_by_ranking(method.model, noisy.X, noisy.y, n_real, seed)
    return found


def noise_by_ranking(model: Any, X: Any, y: Any, n_real: int, seed: int) -> dict[str, float | None]:
    """Return the share of noise features in the scores of each ranking; None where it would take too long.

    Shuffling asks trees about rows that they did not see: where the forest has none, one of the same
    parameters is grown on bootstrap samples.
    """
    shares: dict[str, float | None] = {}
    for name in RANKING_METHODS:
        asked = model
        if name == "permutation":
            if X.shape[1] > _MOST_TO_SHUFFLE or "bootstrap" not in model.get_params():
                shares[name] = None
                continue
            if not model.settings_.bootstrap:
                asked = clone(model).set_params(bootstrap=True).fit(X, y)
        given: Any = name
        # Where shuffling a feature happens to help, the feature is of no use.
        scores = feature_ranking(asked, X, y, given, random_state=seed).scores.clip(min=0.0)
        total = scores.sum()
        shares[name] = float(scores[n_real:].sum() / total) if total > 0 else None
    return shares
