"""Short methods that draw what was found: all that they do is to call a function of `slantwood.views`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PlotsRanking:
    """Adds `plot` to rankings of features."""

    def plot(self, *, top: int = 20, ax: Axes | None = None) -> Axes:
        """Draw the best features: bars, or a heat map where there are groups of targets.

        Parameters
        ----------
        top : int, default=20
            How many features.
        ax : matplotlib.axes.Axes, optional
            Where to draw. By default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on, by `slantwood.views.plot_importances`.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from slantwood.explain import FeatureRanking
        >>> none = np.empty((2, 0))
        >>> ranking = FeatureRanking(("age", "size"), np.array([0.2, 0.8]), np.zeros(2), (), none, "paper")
        >>> len(ranking.plot(ax=Figure().subplots()).patches)
        2
        """
        from slantwood.views.importances import plot_importances

        return plot_importances(self, top=top, ax=ax)


class PlotsContributions:
    """Adds `plot` to contributions."""

    def plot(self, row: int = 0, *, targets: Any = None, top: int = 10, ax: Axes | None = None) -> Axes:
        """Draw what the features of a row add to what is predicted for it.

        Parameters
        ----------
        row : int, default=0
            Which of the rows, counted from 0.
        targets : str, int or list of these, optional
            The outputs: names or positions. By default those that differ most from the base, at most six.
        top : int, default=10
            How many features.
        ax : matplotlib.axes.Axes, optional
            Where to draw. By default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on, by `slantwood.views.plot_contributions`.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from slantwood.explain import Contributions
        >>> found = Contributions(np.array([[[1.0], [-2.0]]]), np.array([5.0]), ("age", "size"), ("price",))
        >>> len(found.plot(ax=Figure().subplots()).patches)
        2
        """
        from slantwood.views.contributions import plot_contributions

        return plot_contributions(self, row, targets=targets, top=top, ax=ax)


class PlotsIntervals:
    """Adds `plot` to intervals."""

    def plot(self, y: Any = None, *, target: Any = 0, max_rows: int = 200, ax: Axes | None = None) -> Axes:
        """Draw the intervals in the order of the predictions, and the true numbers as points.

        Parameters
        ----------
        y : array of shape (n_rows,) or (n_rows, n_targets), optional
            True numbers.
        target : int or str, default=0
            Which of several targets to draw, by position or name.
        max_rows : int, default=200
            Of more rows, so many are drawn.
        ax : matplotlib.axes.Axes, optional
            Where to draw. By default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on, by `slantwood.views.plot_intervals`.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from slantwood.explain import Intervals
        >>> found = Intervals(np.zeros(3), np.full(3, 2.0), np.ones(3), ("price",), 0.9, False)
        >>> found.plot(ax=Figure().subplots()).get_ylabel()
        'price'
        """
        from slantwood.views.intervals import plot_intervals

        return plot_intervals(self, y, target=target, max_rows=max_rows, ax=ax)


class PlotsCalibration:
    """Adds `plot` to reliability curves."""

    def plot(self, *, label: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw the reliability curve.

        Parameters
        ----------
        label : str, optional
            What the legend calls the curve, where several are drawn on the same axes.
        ax : matplotlib.axes.Axes, optional
            Where to draw. By default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on, by `slantwood.views.plot_calibration`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from slantwood.explain import Calibration
        >>> found = Calibration.from_probabilities([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1])
        >>> found.plot(ax=Figure().subplots()).get_xlabel()
        'predicted probability'
        """
        from slantwood.views.calibration import plot_calibration

        return plot_calibration(self, label=label, ax=ax)


class PlotsCooccurrence:
    """Adds `plot` to co-occurrences of labels."""

    def plot(self, *, top: int = 300, ax: Axes | None = None) -> Axes:
        """Draw which labels come together, above the diagonal as predicted and below it as observed.

        Parameters
        ----------
        top : int, default=300
            Of more labels, so many of the most frequent ones.
        ax : matplotlib.axes.Axes, optional
            Where to draw. By default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on, by `slantwood.views.plot_cooccurrence`.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from slantwood.explain import Cooccurrence
        >>> share = np.array([[0.5, 0.1], [0.1, 0.2]])
        >>> len(Cooccurrence(("sea", "sun"), share, share).plot(ax=Figure().subplots()).images)
        1
        """
        from slantwood.views.cooccurrence import plot_cooccurrence

        return plot_cooccurrence(self, top=top, ax=ax)
