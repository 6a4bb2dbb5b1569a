"""The tables of the study: pure functions from rows of results to tables, one file per kind.

Rows are of one run of the study: what differs in trees, folds or seeds is not told apart.
"""

from slantwood.study.tables.circumstances import data_sets, failures, versions
from slantwood.study.tables.costs import sizes, times
from slantwood.study.tables.glance import standing, standing_in_words
from slantwood.study.tables.large_sets import learning_times
from slantwood.study.tables.noise_shares import importances
from slantwood.study.tables.parameters import parameters_of, sensitivity
from slantwood.study.tables.qualities import quality
from slantwood.study.tables.rankings import ALL_TASKS, Ranking, average_ranks, ranking
from slantwood.study.tables.rows import Description
from slantwood.study.tables.table import Table, write_csv

__all__ = [
    "ALL_TASKS",
    "Description",
    "Ranking",
    "Table",
    "average_ranks",
    "data_sets",
    "failures",
    "importances",
    "learning_times",
    "parameters_of",
    "quality",
    "ranking",
    "sensitivity",
    "sizes",
    "standing",
    "standing_in_words",
    "times",
    "versions",
    "write_csv",
]
