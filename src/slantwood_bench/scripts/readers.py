"""How fast data files are read, beside the parsers of pandas, scikit-learn and SciPy on the same files.

``python -m slantwood_bench.scripts.readers`` unpacks real files to a temporary folder, reads each several
times by both in turn, and prints the least seconds of each, and those of slantwood from the compressed file.
The others give a frame, a matrix or an array of records; slantwood goes on to inputs and targets of the right
types.
"""

import argparse
import lzma
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.io import arff
from sklearn.datasets import load_svmlight_file

from slantwood.data import read
from slantwood_bench.scripts.data import data_folder


@dataclass(frozen=True)
class Case:
    """A file, how slantwood is told to read it, and another reader of it."""

    file: str  # in the folder of data sets, without .xz
    other: str
    read_other: Callable[[Path], Any]
    said: dict[str, Any] = field(default_factory=dict)


def _pandas(path: Path) -> pd.DataFrame:
    return pd.read_csv(path)


def _pandas_categories(path: Path) -> pd.DataFrame:
    """Read text as categories, which is what we give."""
    kinds = pd.read_csv(path, nrows=1000).dtypes
    return pd.read_csv(path, dtype={name: "category" for name, kind in kinds.items() if kind == "str"})


def _scikit_learn(path: Path) -> Any:
    return load_svmlight_file(str(path), dtype=np.float32)


def _scikit_learn_labels(path: Path) -> Any:
    """Read the rows after the line of sizes, which scikit-learn does not know."""
    with open(path, "rb") as file:
        file.readline()
        return load_svmlight_file(file, dtype=np.float32, multilabel=True, zero_based=True)


def _scipy(path: Path) -> Any:
    return arff.loadarff(path)


CASES = (
    Case("mcc/diabetes130us/diabetic_data.csv", "pandas", _pandas, {"targets": "last:1"}),
    Case(
        "mcc/diabetes130us/diabetic_data.csv",
        "pandas, categories",
        _pandas_categories,
        {"targets": "last:1"},
    ),
    Case("mcc/isolet/isolet.csv", "pandas", _pandas, {"targets": "last:1"}),
    Case("mcc/amazon-reviews/amazon_commerce_reviews.csv", "pandas", _pandas, {"targets": "last:1"}),
    Case("mtr/scm20d/scm20d.csv", "pandas", _pandas, {"targets": "last:16"}),
    Case("mcc/gas-drift/gas_drift_PARTIAL_batches_1-6_8_9.libsvm", "scikit-learn", _scikit_learn),
    Case("mlc/eurlex-eurovoc/eurlex-4k.train.txt", "scikit-learn", _scikit_learn_labels),
    Case("mlc/mediamill/mediamill.train.arff", "scipy", _scipy, {"targets": "last:101"}),
    Case("str/ailerons/ailerons.arff", "scipy", _scipy, {"targets": "last:1"}),
)


def least_seconds(readers: list[Callable[[], Any]], repeats: int) -> list[float]:
    """Run the readers in turn, so that what disturbs the machine disturbs all; least seconds of each."""
    least = [float("inf")] * len(readers)
    for _ in range(repeats):
        for i, reader in enumerate(readers):
            started = time.perf_counter()
            reader()
            least[i] = min(least[i], time.perf_counter() - started)
    return least


def compare(case: Case, packed: Path, folder: Path, repeats: int) -> str:
    """Return a line of the table."""
    plain = folder / packed.stem
    with lzma.open(packed) as source, open(plain, "wb") as target:
        shutil.copyfileobj(source, target)
    read(plain, **case.said)  # compiles
    ours, other = least_seconds([lambda: read(plain, **case.said), lambda: case.read_other(plain)], repeats)
    (unpacking,) = least_seconds([lambda: read(packed, **case.said)], 1)
    name = f"{plain.name[:40]:41}{plain.stat().st_size / 1e6:6.1f}"
    return f"{name}{ours:10.3f}{other:9.3f} {case.other:19}{other / ours:6.1f}{unpacking:9.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="", help="only files with this in their name")
    options = parser.parse_args(arguments)
    root = data_folder()
    if root is None:
        raise SystemExit("there is no folder of data sets; set SLANTWOOD_DATA to its path")
    print(f"{'file':41}{'MB':>6}{'slantwood':>10}{'other':>9} {'':19}{'ratio':>6}{'from .xz':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            packed = root / f"{case.file}.xz"
            if options.only in case.file and packed.is_file():
                print(compare(case, packed, Path(folder), options.repeats), flush=True)


if __name__ == "__main__":
    main()
