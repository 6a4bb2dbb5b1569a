"""From which number on the sparse rows of an ARFF file count attributes: from 0, as Weka's, or 1, as CLUS's.

An index that only one way of counting has proves that it is this one: 0, or the number of attributes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from slantwood.data.arff.source import Source
from slantwood.data.arff.syntax import QUOTED_OR_OPEN

_INDEX = re.compile(r"[{,][ \t]*+([0-9]{1,18}+)[ \t]")
_IN_QUOTES = re.compile(QUOTED_OR_OPEN)


@dataclass(frozen=True)
class IndexBase:
    """The number of the first attribute, and how it is known.

    Attributes
    ----------
    first : {0, 1}
        The number.
    may_be_other : bool
        Whether the rows may still prove that it is the other number.
    reason : str
        What has proven it, where it is not what was expected, or not Weka's.
    """

    first: int = 0
    may_be_other: bool = True
    reason: str = ""

    def proof(self, n_attributes: int) -> int:
        """Return the index that only this way of counting has."""
        return n_attributes if self.first else 0

    def proven(self, line: int, n_attributes: int) -> IndexBase:
        """Return the same, now that this line has the index that proves it."""
        return IndexBase(
            self.first, False, _proof_text(line, n_attributes, n_attributes) if self.first else ""
        )

    @property
    def notice(self) -> str:
        """A warning for the user; empty where the rows are read as asked, or as Weka does."""
        if not self.reason and not (self.first == 1 and self.may_be_other):
            return ""
        kind = "from 1, as CLUS does" if self.first else "from 0, as Weka does"
        reason = self.reason or "nothing in them tells"
        return f"the rows count attributes {kind}: {reason}; give index_base=0 or 1 to say it yourself"


class OtherBase(Exception):
    """The rows count attributes from another number than the one that was taken: read them again."""

    def __init__(self, base: IndexBase) -> None:
        super().__init__(base.reason)
        self.base = base


def other_base(taken: IndexBase, source: Source, line: str, n_attributes: int) -> IndexBase | None:
    """Return the other way of counting, where this row or one below proves it; the source is used up.

    The rows above have no index that proves the way that was taken.
    """
    other = IndexBase(1 - taken.first)
    proof, reason = other.proof(n_attributes), ""
    try:
        for row in chain([line], source):
            pairs = _IN_QUOTES.sub("", row).partition("}")[0]
            indices = set(map(int, _INDEX.findall(pairs)))
            if indices and not other.first <= min(indices) <= max(indices) < n_attributes + other.first:
                return None
            if proof in indices and not reason:
                reason = _proof_text(source.line, proof, n_attributes)
    except ValueError:  # the error before is the one to report
        return None
    return IndexBase(other.first, False, reason) if reason else None


def _proof_text(line: int, index: int, n_attributes: int) -> str:
    return f"line {line} has the index {index}, and there are {n_attributes} attributes"
