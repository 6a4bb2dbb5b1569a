"""How much each feature counts: what every ranking method returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slantwood.explain.shortcuts import PlotsRanking
from slantwood.hints import printable
from slantwood.validation import check_integer

if TYPE_CHECKING:
    import pandas as pd

# Features that the short text names.
_SHOWN = 3

# The share of rankings of pure chance in which any feature may come out above noise.
_ANY_BY_CHANCE = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class FeatureRanking(PlotsRanking):
    """Scores of the features of a model, larger where a feature counts more.

    Parameters
    ----------
    names : tuple of str
        Names of the features.
    scores : array of shape (n_features,)
        Their scores for all targets together.
    spread : array of shape (n_features,)
        Standard deviation of the scores between the trees; zeros for a single tree.
    group_names : tuple of str
        Names of the targets, or groups of targets, that were asked for.
    group_scores : array of shape (n_features, n_groups)
        Scores for each of them.
    method : str
        How the scores were found.
    null : array of shape (n_refits, n_features), optional
        Scores by models of the same kind that were fitted on shuffled targets, where these were asked for:
        what features get by chance.

    Examples
    --------
    >>> import numpy as np
    >>> from slantwood.explain import FeatureRanking
    >>> none = np.empty((2, 0))
    >>> FeatureRanking(("age", "size"), np.array([0.2, 0.8]), np.zeros(2), (), none, "paper")
    FeatureRanking(method='paper', 2 features: size 0.8, age 0.2)
    """

    names: tuple[str, ...]
    scores: np.ndarray
    spread: np.ndarray
    group_names: tuple[str, ...]
    group_scores: np.ndarray
    method: str
    null: np.ndarray | None = None

    @property
    def p_values(self) -> np.ndarray | None:
        """How probable a score so high is by chance, for each feature by itself; None without `null`.

        That is (1 + r) / (1 + n), where r of n models of shuffled targets score the feature as high. It
        is not corrected for the number of features: of a hundred of pure noise, five are below 0.05.
        """
        if self.null is None:
            return None
        return np.asarray((1.0 + (self.null >= self.scores).sum(axis=0)) / (1.0 + len(self.null)))

    @property
    def above_noise(self) -> np.ndarray | None:
        """Mask of the features above what the best of all features gets by chance; None without `null`.

        Family-wise: a ranking of pure noise has any such feature in about one of twenty cases, however many
        features there are. The limit is the highest score of each model of shuffled targets, and of these
        the 95 % quantile; of fewer than twenty models the largest.
        """
        if self.null is None:
            return None
        highest = np.sort(self.null.max(axis=1, initial=0.0))
        rank = int(np.ceil((1.0 - _ANY_BY_CHANCE) * (len(highest) + 1)))
        return np.asarray(self.scores > highest[min(rank, len(highest)) - 1])

    @property
    def order(self) -> np.ndarray:
        """Positions of the features, from the highest score down; equal ones as they came."""
        return np.argsort(-self.scores, kind="stable")

    def top(self, k: int) -> FeatureRanking:
        """Return the features of the highest scores.

        Parameters
        ----------
        k : int
            How many.

        Returns
        -------
        FeatureRanking
            Of these features alone, the best first; of all where there are fewer than k.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import FeatureRanking
        >>> none = np.empty((2, 0))
        >>> ranking = FeatureRanking(("age", "size"), np.array([0.2, 0.8]), np.zeros(2), (), none, "paper")
        >>> ranking.top(1).names
        ('size',)
        """
        best = self.order[: check_integer("k", k, 1)]
        return FeatureRanking(
            tuple(self.names[j] for j in best),
            self.scores[best],
            self.spread[best],
            self.group_names,
            self.group_scores[best],
            self.method,
            None if self.null is None else self.null[:, best],
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the ranking as a table; needs pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each feature, the best first, with the columns "score" and "spread", with models of
            shuffled targets also "null" (the mean score by these), "p_value" (for each feature by itself) and
            "above_noise" (family-wise), and a column for each target or group.

        Examples
        --------
        >>> import numpy as np
        >>> from slantwood.explain import FeatureRanking
        >>> none = np.empty((2, 0))
        >>> ranking = FeatureRanking(("age", "size"), np.array([0.2, 0.8]), np.zeros(2), (), none, "paper")
        >>> ranking.to_frame().index.tolist()
        ['size', 'age']
        """
        import pandas as pd

        order = self.order
        columns = {"score": self.scores[order], "spread": self.spread[order]}
        p_values, above_noise = self.p_values, self.above_noise
        if self.null is not None and p_values is not None and above_noise is not None:
            columns["null"] = self.null[:, order].mean(axis=0)
            columns |= {"p_value": p_values[order], "above_noise": above_noise[order]}
        index = pd.Index([self.names[j] for j in order], name="feature")
        groups = pd.DataFrame(self.group_scores[order], index=index, columns=list(self.group_names))
        return pd.concat([pd.DataFrame(columns, index=index), groups], axis=1)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        best = ", ".join(f"{printable(self.names[j])} {self.scores[j]:.4g}" for j in self.order[:_SHOWN])
        more = ", ..." if len(self) > _SHOWN else ""
        return f"FeatureRanking(method={self.method!r}, {len(self)} features: {best}{more})"
