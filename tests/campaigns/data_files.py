"""Twenty thousand damaged data files: each is read, or refused in words that name the file.

A case takes a small valid file of one of the formats that `slantwood.data.read` takes (ARFF dense and
sparse, with the marks of MEKA and CLUS or an XML file of Mulan beside it, CSV, TSV, svmlight, extreme
classification, Parquet, Arrow, Feather, NPZ), plain or compressed, and damages it: bytes changed, cut,
repeated; cells and numbers of the header replaced by extreme ones; tokens of other formats inserted; very
long lines; parts of files of other formats. Half of the compressed files are damaged before compression,
and half after it.

A case is fine when the file is read, to a matrix and targets that fit each other, or refused with a
ValueError or TypeError that names the file. Anything else is a fault: another error, a warning other than
UserWarning, a crash, more than 5 seconds or 1 GB.

    python -m tests.campaigns.data_files               the full run
    python -m tests.campaigns.data_files --cases 500   a part of it
    python -m tests.campaigns.data_files --case 123    one case again; `prepared` writes its file
"""

import bz2
import gzip
import importlib
import lzma
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood.data import Data, read
from tests.campaigns.child import ACCEPTED, WRONG, Outcome, refusal
from tests.campaigns.harness import command
from tests.campaigns.mutations import ANYWHERE, IN_TEXT, inside_archive, mutated
from tests.campaigns.valid_files import valid_files

CASES = 20_000

_zstd = importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
_COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda content: gzip.compress(content, 1),
    ".bz2": bz2.compress,
    ".xz": lambda content: lzma.compress(content, preset=0),
    ".zst": _zstd.compress,
}
BINARY = ("parquet", "arrow", "feather", "npz")


@dataclass(frozen=True)
class Prepared:
    """A damaged file on the disk, how it is to be read, and what was done to it."""

    path: Path
    said: dict[str, Any]
    about: str


def warm_up() -> None:
    """Read all valid files, which compiles what reading needs; none may be refused."""
    with tempfile.TemporaryDirectory() as folder:
        for file in valid_files():
            path = Path(folder, file.name)
            path.write_bytes(file.content)
            if file.beside is not None:
                path.with_name(file.beside.name).write_bytes(file.beside.content)
            read(path, **file.said)


def run_case(seed: int, number: int) -> Outcome:
    """Damage a file, and read it."""
    folder = Path(tempfile.mkdtemp())
    try:
        case = prepared(seed, number, folder)
        names = tuple(each.name for each in folder.iterdir())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)
            try:
                data = read(case.path, **case.said)
            except Exception as error:
                outcome = refusal(error, case.about, names)
                return replace(outcome, said=outcome.said.replace(f"{folder}{os.sep}", ""))
        wrong = misfit(data)
        return Outcome(WRONG, case.about, wrong) if wrong else Outcome(ACCEPTED, case.about)
    finally:
        shutil.rmtree(folder)


def prepared(seed: int, number: int, folder: Path) -> Prepared:
    """Write the file of a case to a folder, which must be there."""
    rng = np.random.default_rng([seed, number])
    file = valid_files()[rng.integers(len(valid_files()))]
    said = (
        dict(file.said) if rng.random() < 0.9 else dict(valid_files()[rng.integers(len(valid_files()))].said)
    )
    stem, suffix = file.name.split(".")
    kinds = ANYWHERE if suffix in BINARY else ANYWHERE + IN_TEXT * 2
    if suffix == "npz":
        kinds += (inside_archive,) * 5
    compression = rng.choice([*_COMPRESSIONS, *[""] * 8])
    content, done = file.content, []
    damages_beside = file.beside is not None and rng.random() < 0.5
    damages_archive = compression != "" and rng.random() < 0.5
    if not damages_beside and not damages_archive:
        content, done = mutated(rng, content, _others(), kinds)
    if compression:
        content = _COMPRESSIONS[compression](content)
        if damages_archive:
            content, done = mutated(rng, content, _others(), ANYWHERE)
    path = folder / f"{stem}.{suffix}{compression}"
    path.write_bytes(content)
    if file.beside is not None:
        content = file.beside.content
        if damages_beside:
            content, done = mutated(rng, content, _others(), ANYWHERE + IN_TEXT)
        path.with_name(file.beside.name).write_bytes(content)
    return Prepared(path, said, f"{path.name}, {' and '.join(done)}, read with {said}")


@cache
def _others() -> tuple[bytes, ...]:
    return tuple(file.content for file in valid_files())


def misfit(data: Data) -> str:
    """Say what does not fit in data that were read; nothing where all does."""
    n, d = data.X.shape
    if len(data.feature_names) != d:
        return f"{d} columns have {len(data.feature_names)} names"
    if data.y is not None and data.y.shape[0] != n:
        return f"{n} rows have {data.y.shape[0]} targets"
    if data.y is not None and data.y.ndim == 2 and data.y.shape[1] != len(data.target_names):
        return f"{data.y.shape[1]} targets have {len(data.target_names)} names"
    for name, values in (("weights", data.weights), ("keys", data.keys)):
        if values is not None and len(values) != n:
            return f"{n} rows have {len(values)} {name}"
    for name, values in (("X", data.X), ("y", data.y)):
        if sp.issparse(values):
            values.check_format(full_check=True)
            values = values.data
        if isinstance(values, np.ndarray) and values.dtype.kind == "f" and np.isinf(values).any():
            return f"{name} has infinite values"
        if isinstance(values, np.ndarray) and values.dtype.kind not in "biufUO":
            return f"{name} is of type {values.dtype}"
    return ""


if __name__ == "__main__":
    command("tests.campaigns.data_files")
