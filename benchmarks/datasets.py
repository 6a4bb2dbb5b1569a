"""Load the real data sets used by the benchmarks and by the tests on real data.

The files are not part of the project. They are looked for, as ``<task>/<set>/<file>.xz``, in the folder that
the environment variable ``SLANTWOOD_DATA`` names, or else in ``shared/data`` beside the project's folder.
What is known of a set (its file, its targets, the columns to leave out) is one entry of a table; the readers
know file formats, never a particular set. ``python -m benchmarks.datasets`` prints the size of every set.

How raw tables become arrays:

- A nominal input with more than two values becomes one 0/1 column per value; with two values it becomes one
  column, 1 for the rarer value. These columns follow the numeric ones.
- A missing numeric input gets the mean of its column over all rows read; a missing nominal input sets none
  of its 0/1 columns. Rows with a missing target are dropped. For libraries that cannot do this themselves;
  `load_frame` gives the table as it is.
- Files that come as training and test part are put together, training rows first. Only eurlex-eurovoc keeps
  its split, which everyone who reports on it uses.
"""

import io
import lzma
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

from slantwood import Hierarchy
from slantwood.data import read_clus, read_hierarchy

Matrix = np.ndarray | sparse.csr_array
TASKS = ("bin", "mcc", "mlc", "str", "mtr")
SPARSE_BELOW = 0.1
_ENVIRONMENT = "SLANTWOOD_DATA"


@dataclass(frozen=True)
class Dataset:
    """A data set ready for fitting.

    Attributes
    ----------
    name, task : str
        One of `names()`, and one of `TASKS`.
    X : ndarray or csr_array of shape (n, d)
        Inputs in float32; sparse, with int32 indices, where under a tenth of the values are non-zero.
    y : ndarray or csr_array
        For bin and mcc class labels (n,), integers or strings; for str float64 (n,), for mtr float64 (n, t).
        For mlc an (n, t) matrix of 0 and 1: sparse float32 under the same rule as `X`, otherwise dense int8.
    X_test, y_test : like `X` and `y`, or None
        The official test part, for a set whose split has to be kept.
    remark : str
        How the files differ from the set generally known by this name; tables of results have to say so.
    """

    name: str
    task: str
    X: Matrix
    y: Matrix
    X_test: Matrix | None = None
    y_test: Matrix | None = None
    remark: str = ""


@dataclass(frozen=True)
class _Source:
    """Where a set lies and what its columns mean; the targets come last unless `target` names one."""

    task: str
    n_targets: int = 1
    file: str = ""  # without .xz; "<name>/<name>.arff" if empty; {part} stands for "train" and "test"
    keep_split: bool = False
    header: bool = True
    drop: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()  # columns of numbers that are only codes
    target: str = ""
    relabel: Callable[[np.ndarray], np.ndarray] | None = None
    remark: str = ""


_ONE_ARFF_FILE = {  # task -> set -> number of targets
    "bin": {"credit-approval": 1, "diabetes": 1, "spambase": 1},
    "mcc": {"balance-scale": 1},
    "mlc": {
        "CAL500": 174,
        "bibtex": 159,
        "corel5k": 374,
        "delicious": 983,
        "emotions": 6,
        "enron": 53,
        "flags": 7,
    },
    "str": {
        "ailerons": 1,
        "cholesterol": 1,
        "cpu_small": 1,
        "elevators": 1,
        "house_8L": 1,
        "pol": 1,
        "puma8NH": 1,
        "triazines": 1,
    },
    "mtr": {
        "andro": 6,
        "atp1d": 6,
        "atp7d": 6,
        "edm": 2,
        "enb": 2,
        "jura": 3,
        "oes10": 16,
        "oes97": 16,
        "rf1": 8,
    }
    | {"scpf": 3, "sf1": 3, "slump": 3, "wq": 14},
}
_SOURCES = {name: _Source(task, t) for task, sets in _ONE_ARFF_FILE.items() for name, t in sets.items()} | {
    "arrhythmia": _Source("bin", relabel=lambda y: (y == "1").astype(int), remark="class 1 against the rest"),
    "banknote": _Source("bin", file="banknote/banknote_authentication.csv", header=False),
    "bioresponse": _Source("bin", file="bioresponse/bioresponse.csv", target="Activity"),
    "musk": _Source("bin", file="musk/clean2.tsv", drop=("molecule_name", "conformation_name")),
    "speeddating": _Source(
        "bin",
        file="speeddating/speeddating_raw_columns.csv",
        drop=("decision", "decision_o"),  # the target is their conjunction
        remark="partial: 64 of 120 inputs, without the derived ones",
    ),
    "transfusion": _Source("bin", file="transfusion/transfusion.csv"),
    "amazon-reviews": _Source("mcc", file="amazon-reviews/amazon_commerce_reviews.csv"),
    "diabetes130us": _Source(
        "mcc",
        file="diabetes130us/diabetic_data.csv",
        drop=("encounter_id", "patient_nbr"),
        nominal=("admission_type_id", "discharge_disposition_id", "admission_source_id"),
    ),
    "energy_efficiency": _Source(
        "mcc",
        file="energy_efficiency/ENB2012_data.csv",
        drop=("Y2",),
        relabel=lambda y: np.rint(y).astype(int),
        remark="class is Y1 rounded",
    ),
    "gas-drift-partial": _Source(
        "mcc", file="gas-drift/gas_drift_PARTIAL_batches_1-6_8_9.libsvm", remark="partial: 8 of 10 batches"
    ),
    "gas-drift-rescaled": _Source(
        "mcc",
        file="gas-drift/gas_drift_ALL_BATCHES_minmax_scaled_per_batch.csv",
        drop=("batch",),
        remark="inputs scaled to 0..1 within each batch",
    ),
    "gesture": _Source("mcc", file="gesture/gesture_phase_va3_processed.csv"),
    "isolet": _Source("mcc", file="isolet/isolet.csv"),
    "mfeat-pixel": _Source("mcc", file="mfeat-pixel/mfeat_pixel.tsv"),
    "micro-mass": _Source("mcc", file="micro-mass/micromass_pure_spectra.csv"),
    "wine-white": _Source("mcc", file="wine-white/winequality-white.csv", header=False),
    "birds": _Source("mlc", 19, file="birds/birds.{part}.arff"),
    "eurlex-eurovoc": _Source(
        "mlc", 3993, file="eurlex-eurovoc/eurlex-4k.{part}.txt", keep_split=True, remark="the form Eurlex-4K"
    ),
    "genbase": _Source("mlc", 27, drop=("protein",)),
    "mediamill": _Source("mlc", 101, file="mediamill/mediamill.{part}.arff", remark="converted"),
    "rcv1subset1": _Source("mlc", 101, remark="converted; labels of rows 3001-6000 are shifted by one"),
    "scene": _Source("mlc", 6, file="scene/scene.{part}.arff"),
    "tmc2007-500": _Source("mlc", 22, remark="500 selected words of 49060"),
    "cpmp-2015": _Source("str", file="cpmp-2015/cpmp-2015_runtime.csv"),
    "satellite_image": _Source("str", file="satellite_image/294_satellite_image.tsv"),
    "scm20d": _Source("mtr", 16, file="scm20d/scm20d.csv"),
}


def data_folder() -> Path | None:
    """Return the folder of the data sets, or None where there is none."""
    beside_the_project = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get(_ENVIRONMENT) or beside_the_project)
    return folder if folder.is_dir() else None


def available() -> bool:
    """Tell whether there is a folder of data sets."""
    return data_folder() is not None


def names(task: str | None = None) -> list[str]:
    """Return the names of all known sets, or of those of one of the `TASKS`."""
    if task is None:
        return [name for each in TASKS for name in names(each)]
    if task not in TASKS:
        raise ValueError(f"task is {task!r}, but has to be None or one of {', '.join(TASKS)}")
    return sorted(name for name, source in _SOURCES.items() if source.task == task)


def load(name: str) -> Dataset:
    """Read the data set of this name, one of `names()`.

    Raises
    ------
    ValueError
        If no set of this name is known.
    FileNotFoundError
        If the folder of data sets or the set's files are absent.
    """
    if name not in _SOURCES:
        raise ValueError(f"no data set is called {name!r}; known are {', '.join(names())}")
    source = _SOURCES[name]
    tables = [_read(path, source) for path in _paths(name, source)]
    if len(tables) > 1 and not source.keep_split:
        tables = [pd.concat(tables, ignore_index=True)]
    arrays = [array for table in tables for array in _inputs_and_targets(table, source)]
    return Dataset(name, source.task, *arrays, remark=source.remark)


def load_frame(name: str) -> tuple[str, pd.DataFrame, np.ndarray]:
    """Read a dense set as a data frame, with its text and its missing cells; task, inputs, targets."""
    source = _SOURCES[name]
    table = pd.concat([_read(path, source) for path in _paths(name, source)], ignore_index=True)
    X, targets = _without_targets(table, source)
    return source.task, X, _targets(targets, source)


@dataclass(frozen=True)
class HierarchicalDataset:
    """A set with a label hierarchy: training rows, which include those meant for validation, and test rows.

    X and X_test are as `slantwood.data.read_clus` gives them; Y and Y_test have the labels as the files do.
    """

    hierarchy: Hierarchy
    X: pd.DataFrame | Matrix
    Y: sparse.csr_array
    X_test: pd.DataFrame | Matrix
    Y_test: sparse.csr_array


def hierarchical_names() -> list[str]:
    """Names that `load_hierarchical` knows."""
    folder = data_folder()
    return [] if folder is None else sorted(path.name for path in (folder / "hmlc").iterdir())


def load_hierarchical(name: str) -> HierarchicalDataset:
    """Read the parts of a set with a label hierarchy."""
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(f"there is no folder of data sets; set {_ENVIRONMENT} to its path")
    test = folder / "hmlc" / name / f"{name}.test.arff.xz"
    train = [path for path in sorted(test.parent.glob("*.arff.xz")) if path != test]
    if not train:
        raise FileNotFoundError(f"data set {name!r} needs {test} and its training part")
    hierarchy = read_hierarchy(train[0])
    parts = [read_clus(path, hierarchy=hierarchy) for path in train]
    held_out = read_clus(test, hierarchy=hierarchy)
    Y = sparse.csr_array(sparse.vstack([part.y for part in parts]))
    return HierarchicalDataset(hierarchy, joined([part.X for part in parts]), Y, held_out.X, held_out.y)


def joined(parts: list[pd.DataFrame | Matrix]) -> pd.DataFrame | Matrix:
    """Put tables of the same columns under each other."""
    if all(isinstance(part, pd.DataFrame) for part in parts):
        return pd.concat(parts, ignore_index=True)
    if any(map(sparse.issparse, parts)):
        return sparse.csr_array(sparse.vstack([sparse.csr_array(part) for part in parts]))
    return np.vstack(parts)


def _paths(name: str, source: _Source) -> list[Path]:
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(f"there is no folder of data sets; set {_ENVIRONMENT} to its path")
    file = source.file or f"{name}/{name}.arff"
    files = [file.format(part=part) for part in ("train", "test")] if "{part}" in file else [file]
    paths = [folder / source.task / f"{file}.xz" for file in files]
    for path in paths:
        if not path.is_file():
            raise FileNotFoundError(f"data set {name!r} needs {path}; {_ENVIRONMENT} sets the folder")
    return paths


def _text(path: Path) -> str:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return file.read()


def _read(path: Path, source: _Source) -> pd.DataFrame | sparse.csr_array:
    text = _text(path)
    match path.suffixes[-2]:
        case ".arff":
            return _read_arff(text)
        case ".txt":
            return _read_extreme(text)
        case ".libsvm":  # each row has all values in order, so the indices can go; the class moves to the end
            table = _read_cells(re.sub(r"\d+:", "", text), sep=" ", header=None)
            return table[[*table.columns[1:], 0]]
    separator = "\t" if ".tsv" in path.suffixes else ","
    codes = dict.fromkeys(source.nominal, "str")
    return _read_cells(text, sep=separator, header=0 if source.header else None, dtype=codes)


def _read_cells(text: str, **options) -> pd.DataFrame:
    # pandas' own list of missing values holds "None", which is a proper value in diabetes130us.
    missing = {"na_values": ["?", ""], "keep_default_na": False}
    return pd.read_csv(io.StringIO(text), skipinitialspace=True, low_memory=False, **missing, **options)


def _read_arff(text: str) -> pd.DataFrame | sparse.csr_array:
    header, body = re.split(r"(?im)^@data\s*\n", text, maxsplit=1)
    attribute = r"""(?im)^@attribute\s+('(?:\\.|[^'\\])*'|"[^"]*"|\S+)\s+(.*?)\s*$"""
    attributes = [(name.strip("'\""), kind.replace(" ", "")) for name, kind in re.findall(attribute, header)]
    if body.startswith("{"):
        return _read_pairs([row.strip("{} ") for row in body.rstrip("\n").split("\n")], len(attributes))
    # {0,1} needs no encoding, and millions of labels are faster to read as numbers than as strings.
    nominal = {i: "str" for i, (_, kind) in enumerate(attributes) if kind.startswith("{") and kind != "{0,1}"}
    table = _read_cells(body, header=None, dtype=nominal, comment="%")
    return table.set_axis([name for name, _ in attributes], axis=1)


def _read_extreme(text: str) -> sparse.csr_array:
    """Read rows ``label,label index:value index:value`` below a line of sizes (rows, inputs, labels)."""
    sizes, *rows = text.rstrip("\n").split("\n")
    _, n_inputs, n_labels = map(int, sizes.split())
    halves = [row.partition(" ") for row in rows]
    X = _read_pairs([values.strip().replace(" ", ",").replace(":", " ") for _, _, values in halves], n_inputs)
    Y = _read_pairs([labels and labels.replace(",", " 1,") + " 1" for labels, _, _ in halves], n_labels)
    return sparse.hstack([X, Y], format="csr")


def _read_pairs(rows: list[str], n_columns: int) -> sparse.csr_array:
    """Read rows ``index value,index value`` with indices from 0."""
    n_pairs = [row.count(",") + 1 if row else 0 for row in rows]
    pairs = np.fromstring(" ".join(rows).replace(",", " "), sep=" ").reshape(-1, 2)
    starts = np.concatenate([[0], np.cumsum(n_pairs)])
    return sparse.csr_array((pairs[:, 1], pairs[:, 0].astype(np.int32), starts), shape=(len(rows), n_columns))


def _inputs_and_targets(table: pd.DataFrame | sparse.csr_array, source: _Source) -> tuple[Matrix, Matrix]:
    if sparse.issparse(table):
        return _compact(table[:, : -source.n_targets]), _compact(table[:, -source.n_targets :], np.int8)
    X, targets = _without_targets(table, source)
    y = _targets(targets, source)
    return _encode(X), _compact(y, np.int8) if source.task == "mlc" else y


def _without_targets(table: pd.DataFrame, source: _Source) -> tuple[pd.DataFrame, pd.DataFrame]:
    table = table.drop(columns=list(source.drop))
    targets = [source.target] if source.target else list(table.columns[-source.n_targets :])
    table = table.dropna(subset=targets)
    return table.drop(columns=targets), table[targets]


def _targets(targets: pd.DataFrame, source: _Source) -> np.ndarray:
    y = targets.to_numpy()
    if source.task == "mlc":
        return y.astype(np.int8)
    if source.task in ("str", "mtr"):
        y = np.ascontiguousarray(y, np.float64)
    elif not np.issubdtype(y.dtype, np.number):
        y = y.astype(str)
    y = y[:, 0] if source.n_targets == 1 else y
    return source.relabel(y) if source.relabel else y


def _encode(inputs: pd.DataFrame) -> Matrix:
    numeric = inputs.select_dtypes("number")
    numbers = numeric.fillna(numeric.mean()).to_numpy(np.float32)
    nominal = inputs.columns.difference(numeric.columns, sort=False)
    indicators = [_indicators(inputs[name]) for name in nominal]
    return _compact(sparse.hstack([sparse.coo_array(numbers), *indicators]) if indicators else numbers)


def _indicators(column: pd.Series) -> sparse.coo_array:
    values = column.value_counts().index
    values = values if len(values) > 2 else values[1:]
    codes = values.get_indexer(column)
    rows = np.flatnonzero(codes >= 0)
    shape = (len(column), max(len(values), 1))
    return sparse.coo_array((np.ones(len(rows)), (rows, codes[rows])), shape=shape)


def _nonzero_share(matrix: Matrix | sparse.coo_array) -> float:
    nonzero = matrix.count_nonzero() if sparse.issparse(matrix) else np.count_nonzero(matrix)
    return nonzero / np.prod(matrix.shape)


def _compact(matrix: Matrix | sparse.coo_array, dense_dtype: type = np.float32) -> Matrix:
    if _nonzero_share(matrix) >= SPARSE_BELOW:
        return np.ascontiguousarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dense_dtype)
    compact = sparse.csr_array(matrix, dtype=np.float32)
    compact.eliminate_zeros()
    compact.sort_indices()
    compact.indices, compact.indptr = compact.indices.astype(np.int32), compact.indptr.astype(np.int32)
    return compact


def _print_sizes() -> None:
    print(f"{'name':19}{'task':4}{'N':>7}{'D':>7}{'T':>6}{'non-zero':>10}       remark")
    for data in map(load, names()):
        n = data.X.shape[0] + (0 if data.X_test is None else data.X_test.shape[0])
        is_classes = data.task in ("bin", "mcc")
        t = len(np.unique(data.y)) if is_classes else _SOURCES[data.name].n_targets
        form = "csr" if sparse.issparse(data.X) else ""
        size = f"{n:7}{data.X.shape[1]:7}{t:6}{_nonzero_share(data.X):10.2%}"
        print(f"{data.name:19}{data.task:4}{size} {form:5} {data.remark}".rstrip())


if __name__ == "__main__":
    _print_sizes()
