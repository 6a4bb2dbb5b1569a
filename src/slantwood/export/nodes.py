"""How is an ONNX graph put together: nodes that are added in order, and numbers that all of them share."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np


class Nodes:
    """Nodes of a graph, or of the body of a loop within it.

    Values are known by their names, which are made up here and are unique in the whole model. A body sees the
    values of the graph around it. In a model that others add nodes to as well, all names here begin with a
    prefix that theirs do not have.
    """

    def __init__(self, around: Nodes | None = None, prefix: str = "") -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = [] if around is None else around.constants
        self._numbers: count[int] = count() if around is None else around._numbers
        self.prefix: str = prefix if around is None else around.prefix

    def body(self) -> Nodes:
        """Begin the body of a loop."""
        return Nodes(self)

    def name(self, what: str) -> str:
        """Make up a name."""
        return f"{self.prefix}{what}_{next(self._numbers)}"

    def add(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Add a node of one output, which may have a name of its own; return its name, prefix included."""
        name = f"{self.prefix}{output}" if output else self.name(kind)
        return self.add_many(kind, *inputs, outputs=[name], **attributes)[0]

    def add_many(self, kind: str, *inputs: str, outputs: list[str], **attributes: Any) -> list[str]:
        """Add a node of several outputs; return their names."""
        from onnx import helper

        self.nodes.append(helper.make_node(kind, list(inputs), outputs, self.name(kind), **attributes))
        return outputs

    def cast(self, value: str, dtype: Any, output: str | None = None) -> str:
        """Convert numbers to another type."""
        return self.add("Cast", value, output=output, to=type_code(dtype))

    def constant(self, array: Any, what: str = "constant") -> str:
        """Store an array; return the name by which any node can read it.

        Whole numbers of Python, alone or in a list, are int64, as sizes and positions are in ONNX.
        """
        from onnx import numpy_helper

        name = self.name(what)
        values = np.asarray(array, np.int64 if isinstance(array, (int, list)) else None)
        self.constants.append(numpy_helper.from_array(values, name))
        return name

    def graph(self, name: str, inputs: list[Any], outputs: list[Any], **more: Any) -> Any:
        """Make the graph that these nodes are."""
        from onnx import helper

        return helper.make_graph(self.nodes, name, inputs, outputs, **more)


def typed(name: str, dtype: Any, shape: tuple[int | str | None, ...]) -> Any:
    """Say what a value that goes into a graph or comes out of it is."""
    from onnx import helper

    return helper.make_tensor_value_info(name, type_code(dtype), list(shape))


def type_code(dtype: Any) -> int:
    """Return the number that ONNX has for a type of NumPy."""
    from onnx import helper

    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
