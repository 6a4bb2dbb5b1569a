"""Pictures of what estimators predict. They need matplotlib, which is loaded when the first is drawn."""

from slantwood.views.boundaries import plot_boundaries
from slantwood.views.hierarchy import plot_hierarchy

__all__ = ["plot_boundaries", "plot_hierarchy"]
