"""What is planned: rows that wait for their turn."""

from __future__ import annotations

from slantwood_bench.expectations.row import Group, Planned

GROUP = Group("to come")


def _planned(name: str, where: str) -> None:
    @GROUP.row(name)
    def trial() -> None:
        raise Planned(where)


_planned("contributions of features to a prediction", "explanations")
_planned("plot_tree", "drawings")
_planned("a report of a model as one page", "report")
_planned("the same estimators on a cluster", "cluster")
