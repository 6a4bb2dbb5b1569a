"""Pictures of what estimators predict. They need matplotlib, which is loaded when the first is drawn."""

from slantwood.views.boundaries import plot_boundaries
from slantwood.views.calibration import plot_calibration
from slantwood.views.contributions import plot_contributions
from slantwood.views.cooccurrence import plot_cooccurrence
from slantwood.views.hierarchy import plot_hierarchy
from slantwood.views.importances import plot_importances
from slantwood.views.intervals import plot_intervals
from slantwood.views.learning import plot_learning
from slantwood.views.proximities import plot_proximities
from slantwood.views.trees import plot_tree

__all__ = [
    "plot_boundaries",
    "plot_calibration",
    "plot_contributions",
    "plot_cooccurrence",
    "plot_hierarchy",
    "plot_importances",
    "plot_intervals",
    "plot_learning",
    "plot_proximities",
    "plot_tree",
]
