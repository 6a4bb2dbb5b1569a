"""The tables of the study: pure functions from rows of results to tables, one file per kind.

Those of results take `rows`, the rows of one run of the study: what differs in trees, folds or seeds is not
told apart. Most take `known`, by the name of a method: what to believe of it instead of what its class says.
"""

from slantwood_bench.tables.costs import sizes, times
from slantwood_bench.tables.environment import data_sets, failures, versions
from slantwood_bench.tables.large_sets import learning_times
from slantwood_bench.tables.noise_shares import importances, noise_by_ranking
from slantwood_bench.tables.parameters import parameters_of, sensitivity
from slantwood_bench.tables.qualities import quality
from slantwood_bench.tables.rankings import ALL_TASKS, Ranking, average_ranks, ranking
from slantwood_bench.tables.rows import Description
from slantwood_bench.tables.summary import standing, standing_in_words
from slantwood_bench.tables.table import Table, write_csv

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
    "noise_by_ranking",
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
