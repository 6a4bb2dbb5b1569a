"""Pictures of what estimators predict. They need matplotlib, which is loaded when the first is drawn."""

from slantwood.views.boundaries import plot_boundaries
from slantwood.views.calibration import plot_calibration
from slantwood.views.hierarchy import plot_hierarchy
from slantwood.views.intervals import plot_intervals
from slantwood.views.trees import plot_tree

__all__ = ["plot_boundaries", "plot_calibration", "plot_hierarchy", "plot_intervals", "plot_tree"]
