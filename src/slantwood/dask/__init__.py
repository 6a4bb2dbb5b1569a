"""Forests on a Dask cluster: for rows in dask arrays and frames, or in folders of files.

Needs `pip install 'slantwood[cluster]'`. Without these estimators, a forest of rows that one process holds
grows on a cluster inside `joblib.parallel_config("dask")`.
"""

from slantwood.dask.estimators import DaskObliqueForestClassifier, DaskObliqueForestRegressor

__all__ = ["DaskObliqueForestClassifier", "DaskObliqueForestRegressor"]
