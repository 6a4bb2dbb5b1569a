"""How much each feature counts: what every ranking method returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slantwood.validation import check_integer

if TYPE_CHECKING:
    import pandas as pd

# Features that the short text names.
_SHOWN = 3


@dataclass(frozen=True, eq=False, repr=False)
class FeatureRanking:
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
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the ranking as a table; needs pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each feature, the best first, with the columns "score" and "spread" and one for each
            target or group.

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

        sorted_self = self.top(len(self.names))
        numbers = np.column_stack([sorted_self.scores, sorted_self.spread, sorted_self.group_scores])
        index = pd.Index(sorted_self.names, name="feature")
        return pd.DataFrame(numbers, index=index, columns=["score", "spread", *self.group_names])

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        best = ", ".join(f"{self.names[j]} {self.scores[j]:.4g}" for j in self.order[:_SHOWN])
        more = ", ..." if len(self) > _SHOWN else ""
        return f"FeatureRanking(method={self.method!r}, {len(self)} features: {best}{more})"
