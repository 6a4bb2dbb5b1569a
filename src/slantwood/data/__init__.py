"""Data files of any format, and known data sets by name, as the X and y that estimators take.

Nothing here knows estimators.
"""

from slantwood.data.arff.mulan import Labels, read_labels, write_labels
from slantwood.data.formats.arff import read_clus, read_hierarchy
from slantwood.data.read import read, write
from slantwood.data.registry.entries import Dataset
from slantwood.data.registry.listing import Listing, dataset, datasets
from slantwood.data.registry.loading import load
from slantwood.data.registry.places import cache_folder
from slantwood.data.registry.web import FetchError
from slantwood.data.scans.scan import Scan, scan
from slantwood.data.table import Data

__all__ = [
    "Data",
    "Dataset",
    "FetchError",
    "Labels",
    "Listing",
    "Scan",
    "cache_folder",
    "dataset",
    "datasets",
    "load",
    "read",
    "read_clus",
    "read_hierarchy",
    "read_labels",
    "scan",
    "write",
    "write_labels",
]
