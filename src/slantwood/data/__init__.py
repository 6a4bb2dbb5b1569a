"""Files of other programs to the X and y that estimators take. Nothing here knows estimators."""

from slantwood.data.clus import ClusData, read_clus, read_hierarchy

__all__ = ["ClusData", "read_clus", "read_hierarchy"]
