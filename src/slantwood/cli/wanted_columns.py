"""Data files read with roles of columns that `slantwood.data.read` has no words for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from slantwood.data.formats import format_of
from slantwood.data.inputs import inputs
from slantwood.data.table import Data
from slantwood.data.tasks import posed
from slantwood.data.wanted import Roles, Wanted


@dataclass(frozen=True)
class OrNoTargets(Wanted):
    """Takes all columns as inputs where nothing says which are targets."""

    def roles(self, names: Sequence[str]) -> Roles:
        """Return the roles of columns with these names."""
        return super().roles(names) if self.targets is not None else replace(self, targets=()).roles(names)


def read_wanted(path: Path, wanted: Wanted, *, task: str | None = None, format: str | None = None) -> Data:
    """Read a data file whose columns have the roles that `wanted` gives them."""
    try:
        content = format_of(path, format).load().read(path, wanted)
        if isinstance(content, Data):
            return content
        y, recognised = posed(content.targets, content.target_names, task)
    except ValueError as error:
        if str(path) in str(error):
            raise
        raise ValueError(f"{path}: {error}") from error
    hierarchy = content.hierarchy if recognised == "multi-label" else None
    return Data(
        inputs(path, content),
        y,
        content.names,
        content.target_names,
        hierarchy,
        recognised if hierarchy is None else "hierarchical multi-label",
        content.weights,
        content.keys,
    )
