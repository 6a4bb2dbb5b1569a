"""Which values beside trees a model file can hold, and how they are written as JSON and arrays.

None, True, False, whole numbers, finite numbers and text are written as JSON has them. All else is an object
with one key that says what it is:

    {"float": "nan"}, "inf" or "-inf"
    {"bytes": text}                         one character for each byte
    {"list": [...]}, {"tuple": [...]}       sets become lists
    {"dict": [[key, value], ...]}
    {"numbers": array}                      a NumPy array of one or two dimensions: its name in the file
    {"texts": [...]}, {"objects": [...]}    NumPy arrays of text, of fixed width or of objects
    {"byte_texts": array}                   one row of bytes for each
    {"times": [array, unit]}                unit as in "M8[ns]"
    {"scalar": array}                       a NumPy scalar: any of the arrays above, of length 1
    {"csr": [data, indices, indptr, n_columns]}   columns rise within a row
    {"split": {"learner": name, parameters}}
    {"loss": {"name": name, parameters}}
    {"hierarchy": i}                        the one at this place in the list of all hierarchies

Types are looked up in this table only, never by a name from the file.
"""

import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood import losses
from slantwood.features.sparse_input import csr_from_parts
from slantwood.model.container import DTYPES, take
from slantwood.model.refusal import UNLIMITED, MemoryLimit, ModelFileError
from slantwood.split_names import SPLITS, name_of, split_class
from slantwood.targets.hierarchy import Hierarchy

_TIME_UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns")
_TIMES = [f"{kind}8[{unit}]" for kind in "mM" for unit in _TIME_UNITS]
_NO_NUMBERS = ("nan", "inf", "-inf")

# What making a hierarchy takes for each label and each edge, a little rounded up.
_BYTES_PER_LINK = 400
_BYTES_PER_ANCESTOR = 16


# Parameters that older files call otherwise.
_RENAMED = {"unit_rows": "normalize_rows", "unit_labels": "normalize_labels", "rival": "competitor"}


class ValueWriter:
    """Collects the arrays and hierarchies of the values that it turns into JSON."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self.hierarchies: list[Hierarchy] = []

    def to_json(self, value: Any, name: str) -> Any:
        """Return the JSON of a value; its arrays, and errors, are called by its name."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.array([value]), name)}
        if isinstance(value, bytes):
            return {"bytes": value.decode("latin-1")}
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else {"float": str(float(value))}
        if isinstance(value, Mapping):
            return {"dict": [self._items(pair, f"{name}/{i}") for i, pair in enumerate(value.items())]}
        if isinstance(value, (list, tuple, set, frozenset)):
            return {"tuple" if isinstance(value, tuple) else "list": self._items(value, name)}
        if isinstance(value, Hierarchy):
            if value not in self.hierarchies:
                self.hierarchies.append(value)
            return {"hierarchy": self.hierarchies.index(value)}
        if name_of(value) is not None:
            values = {each.name: getattr(value, each.name) for each in fields(value)}
            given = {key: self.to_json(each, f"{name}/{key}") for key, each in values.items()}
            return {"split": {"learner": name_of(value), **given}}
        if isinstance(value, losses.Loss):
            given = {key: self.to_json(each, f"{name}/{key}") for key, each in value.to_json().items()}
            return {"loss": given}
        if sp.issparse(value):
            csr = sp.csr_array(value)
            if not csr.has_canonical_format:
                csr = csr.copy()
                csr.sum_duplicates()
            parts = [
                self._kept(getattr(csr, part), f"{name}/{part}") for part in ("data", "indices", "indptr")
            ]
            return {"csr": [*parts, csr.shape[1]]}
        if hasattr(value, "__array__"):
            array = np.asarray(value)
            return {"scalar": self._array(array[None], name)} if array.ndim == 0 else self._array(array, name)
        raise TypeError(
            f"{name.split('/')[-1]}={value!r:.60} ({type(value).__name__}) cannot be written to a model "
            "file, which holds numbers, text, lists, dicts and arrays only"
        )

    def hierarchies_to_json(self) -> list[Any]:
        """Return the JSON of all hierarchies among the values."""
        return [json.loads(hierarchy.to_json()) for hierarchy in self.hierarchies]

    def _items(self, values: Any, name: str) -> list[Any]:
        return [self.to_json(value, f"{name}/{place}") for place, value in enumerate(values)]

    def _array(self, array: np.ndarray, name: str) -> dict[str, Any]:
        if array.dtype.name in DTYPES and array.ndim <= 2:
            return {"numbers": self._kept(array, name)}
        kind = array.dtype.kind if array.ndim == 1 else ""
        if kind == "U":
            return {"texts": array.tolist()}
        if kind == "S":
            as_bytes = np.ascontiguousarray(array).view(np.uint8).reshape(len(array), array.dtype.itemsize)
            return {"byte_texts": self._kept(as_bytes, name)}
        if array.dtype.str[1:] in _TIMES and kind:
            return {"times": [self._kept(array.astype(np.int64), name), array.dtype.str[1:]]}
        if kind == "O" and all(isinstance(each, str) for each in array):
            return {"objects": [str.__str__(each) for each in array]}
        example = next((each for each in array.ravel() if not isinstance(each, str)), None)
        what = f"{array.dtype} of {array.ndim} dimensions"
        what += f" with {example!r:.60} ({type(example).__name__})" if array.dtype.kind == "O" else ""
        raise TypeError(f"{name.split('/')[-1]} is an array of {what}; a file holds numbers, text or dates")

    def _kept(self, array: np.ndarray, name: str) -> str:
        self.arrays[name] = array
        return name


class ValueReader:
    """Makes values of JSON, and takes their arrays out of those of the file."""

    def __init__(
        self, arrays: dict[str, np.ndarray], hierarchies: Any, memory: MemoryLimit = UNLIMITED
    ) -> None:
        self.arrays = arrays
        self.memory = memory
        parts = [each.get(key) for each in _of_type(list, hierarchies) for key in ("nodes", "edges")]
        n_links = sum(len(part) for part in parts if isinstance(part, list))
        memory.check(_BYTES_PER_LINK * n_links, f"hierarchies of {n_links} labels and edges")
        self.hierarchies = [Hierarchy.from_json(json.dumps(each)) for each in hierarchies]
        # A label has at least as many ancestors as it is deep, and predicting may list them all.
        n_ancestors = sum(int(each.depth.sum()) for each in self.hierarchies)
        memory.check(_BYTES_PER_ANCESTOR * n_ancestors, f"{n_ancestors} ancestors in hierarchies")
        self._makers: dict[str, Callable[[Any], Any]] = {
            "float": lambda text: float(_one_of(text, _NO_NUMBERS)),
            "bytes": lambda text: _of_type(str, text).encode("latin-1"),
            "list": self._items,
            "tuple": lambda values: tuple(self._items(values)),
            "dict": lambda pairs: dict(map(self._items, _of_type(list, pairs))),
            "numbers": lambda name: take(arrays, name, DTYPES, n_dimensions=None),
            "texts": self._fixed_width,
            "objects": lambda texts: np.array(_texts(texts), object),
            "byte_texts": self._byte_texts,
            "times": self._times,
            "scalar": self._scalar,
            "csr": self._csr,
            "split": self._split,
            "loss": self._loss,
            "hierarchy": lambda place: self.hierarchies[_count(place)],
        }

    def value(self, given: Any) -> Any:
        """Return the value that was written as this JSON."""
        if given is None or isinstance(given, (bool, int, float, str)):
            return given
        if len(_of_type(dict, given)) != 1:
            raise ModelFileError(f"{given!r:.60} is not a value")
        ((kind, content),) = given.items()
        return self._makers[_one_of(kind, self._makers)](content)

    def _items(self, values: Any) -> list[Any]:
        return [self.value(each) for each in _of_type(list, values)]

    def _fixed_width(self, texts: Any) -> np.ndarray:
        content = _texts(texts)
        width = max(map(len, content), default=1)
        self.memory.check(4 * len(content) * width, f"{len(content)} texts of up to {width} letters")
        return np.array(content, np.str_)

    def _byte_texts(self, name: Any) -> np.ndarray:
        rows = take(self.arrays, name, ("uint8",), n_dimensions=2)
        if rows.shape[1] == 0:
            raise ModelFileError(f"array {name!r:.60} has no columns")
        return np.ascontiguousarray(rows).view(f"S{rows.shape[1]}").reshape(len(rows))

    def _times(self, content: Any) -> np.ndarray:
        name, unit = _of_type(list, content)
        return take(self.arrays, name, ("int64",)).view(_one_of(unit, _TIMES))

    def _scalar(self, content: Any) -> Any:
        if not _of_type(dict, content).keys() <= {"numbers", "texts", "byte_texts", "times"}:
            raise ModelFileError(f"{content!r:.60} is not a scalar")
        array = self.value(content)
        if array.shape != (1,):
            raise ModelFileError(f"a scalar has shape {array.shape}")
        return array[0]

    def _csr(self, content: Any) -> sp.csr_array:
        data, indices, indptr, n_columns = _of_type(list, content)
        stored = take(self.arrays, data, DTYPES)
        columns, starts = (take(self.arrays, name, ("int32", "int64")) for name in (indices, indptr))
        shape = (len(starts) - 1, _count(n_columns))
        csr = csr_from_parts(stored, columns, starts, shape, f"{_of_type(str, data)!r:.60}")
        if not csr.has_canonical_format:
            raise ModelFileError(f"array {indices!r:.60} does not rise within a row")
        return csr

    def _split(self, content: Any) -> Any:
        given = current_names(_of_type(dict, content))
        kind = split_class(_one_of(given.pop("learner", None), SPLITS))
        return kind(**{name: self.value(each) for name, each in given.items()})

    def _loss(self, content: Any) -> losses.Loss:
        given = _of_type(dict, content)
        return losses.from_json({name: self.value(each) for name, each in given.items()})


def current_names(given: dict[str, Any]) -> dict[str, Any]:
    """Return parameters by the names that they have today."""
    return {_RENAMED.get(name, name): value for name, value in given.items()}


def _of_type(kind: type, content: Any) -> Any:
    if not isinstance(content, kind):
        raise ModelFileError(f"{content!r:.60} is not a {kind.__name__}")
    return content


def _texts(content: Any) -> list[str]:
    return [_of_type(str, each) for each in _of_type(list, content)]


def _count(content: Any) -> int:
    if type(content) is not int or not 0 <= content <= np.iinfo(np.int32).max:
        raise ModelFileError(f"{content!r:.60} is not a number of things")
    return content


def _one_of(content: Any, choices: Collection[str]) -> str:
    if content not in choices:
        raise ModelFileError(f"{content!r:.60} is none of {', '.join(choices)}")
    return str(content)
