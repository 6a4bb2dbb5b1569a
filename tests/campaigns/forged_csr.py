"""Five thousand files whose sparse matrices are forged: NPZ data files, and model files of every kind.

A case takes a good file and changes a matrix in it: where its rows begin (falling, negative, beyond the end,
in 64 bits what is fine in 32), its columns (outside the shape, twice, falling), its shape, and the types,
lengths and dimensions of its arrays. In a model file a matrix is what its document calls CSR, and what its
arrays `...counts` divide into rows: features and weights of nodes, labels of leaves, weights of label trees.
Or a matrix is put where the document has something else. Checksums are right.

A case is fine when an NPZ file is read, to matrices that SciPy and we find right, and is written again and
learned from; when a model file is loaded, and predicts as its task promises; or when either is refused with a
ValueError or TypeError that names the file. Anything else is a fault: another error, a crash, more than 5
seconds or 1 GB.

    python -m tests.campaigns.forged_csr               the full run
    python -m tests.campaigns.forged_csr --cases 500   a part of it
    python -m tests.campaigns.forged_csr --case 123    one case again
"""

import io
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from slantwood import ObliqueTreeClassifier, ObliqueTreeRegressor, load_model
from slantwood.data import Data, read, write
from slantwood.features.sparse_input import check_sparse
from slantwood.model import container
from slantwood.task_names import NUMBER_TASKS
from tests.campaigns import model_files
from tests.campaigns.child import ACCEPTED, WRONG, Outcome, refusal
from tests.campaigns.data_files import misfit
from tests.campaigns.harness import command
from tests.campaigns.valid_files import valid_files

CASES = 5_000

Parts = dict[str, np.ndarray]
Forgery = Callable[[np.random.Generator, Parts], None]

_PARTS = ("data", "indices", "indptr", "shape")
_MOST_COLUMNS = 100_000
_EXTREMES = [0, 1, -1, 2, 7, 100, 2_000_000, 2**31 - 1, 2**31, -(2**31), 2**32, 2**32 + 3, 2**40, 2**62]
_EXTREMES += [2**63 - 1, -(2**63), 2**64 - 1]
_TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">i4", ">i8", ">f4"]
_ODD_TYPES = ["O", "U3", "c16", "M8[s]"]  # of which a model file has none


def warm_up() -> None:
    """Read, write and learn from all good files, which compiles what that needs."""
    with tempfile.TemporaryDirectory() as folder:
        for number, arrays in enumerate(_npz_files()):
            path = Path(folder, f"{number}.npz")
            np.savez(path, **arrays)  # type: ignore[arg-type]
            assert _used(read(path), Path(folder)) == ""
        for number, good in enumerate(_models().values()):
            path = Path(folder, f"{number}.slant")
            path.write_bytes(good.content)
            assert model_files.verdict_of(path, "forged", good.rows) in model_files.FINE


def run_case(seed: int, number: int) -> Outcome:
    """Forge a file, and use it."""
    rng = np.random.default_rng([seed, number])
    folder = Path(tempfile.mkdtemp())
    try:
        case = _npz_case if number % 2 else _model_case
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of NumPy about numbers that do not fit, and UserWarning
            outcome = case(rng, folder)
        return replace(outcome, said=outcome.said.replace(f"{folder}{os.sep}", ""))
    finally:
        shutil.rmtree(folder)


# ---- what is changed of a matrix


def forged_parts(rng: np.random.Generator, parts: Parts) -> tuple[Parts, str]:
    """Return other arrays in place of those of a matrix, and what was done to them.

    `parts` has "data" and "indices", and "indptr" or "counts"; or some of them, and "shape".
    """
    parts, done = dict(parts), []
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        forgery = _FORGERIES[rng.integers(len(_FORGERIES))]
        forgery(rng, parts)
        done.append(forgery.__name__)
    return parts, " and ".join(done)


def _starts(parts: Parts) -> str | None:
    return next((name for name in ("indptr", "counts") if name in parts), None)


def reach_beyond(rng: np.random.Generator, parts: Parts) -> None:
    """Let a row begin or end anywhere, while the last one ends with nothing."""
    name = _starts(parts)
    if name is None or parts[name].size < 3:
        return
    starts = np.zeros(parts[name].size, np.int64)
    starts[1:3] = rng.choice(_EXTREMES[:-1], 2)
    parts[name] = starts if rng.random() < 0.5 else starts.astype(parts[name].dtype)


def disorder(rng: np.random.Generator, parts: Parts) -> None:
    """Put the numbers of an array in another order."""
    name = _any(rng, parts)
    orders: list[Callable[[np.ndarray], np.ndarray]] = [np.sort, rng.permutation, lambda array: array[::-1]]
    array = parts[name].reshape(-1)
    if array.dtype.kind in "biuf":
        parts[name] = np.ascontiguousarray(orders[rng.integers(3)](array))


def put_extremes(rng: np.random.Generator, parts: Parts) -> None:
    """Change some numbers of an array to extreme ones, of a wider type where they need one."""
    name = _any(rng, parts)
    array = parts[name].copy()
    if array.size == 0 or array.dtype.kind not in "biuf":
        return
    value = _EXTREMES[rng.integers(len(_EXTREMES))]
    if array.dtype.kind in "iu" and rng.random() < 0.5:
        array = array.astype(np.uint64 if value >= 1 << 63 else np.int64)
    places = rng.integers(array.size, size=int(rng.choice([1, 1, 2, array.size])))
    array.reshape(-1)[places] = np.array(value).astype(array.dtype)
    parts[name] = array


def add_a_little(rng: np.random.Generator, parts: Parts) -> None:
    """Add one to some numbers, or take it away: rows overlap, begin at 1, end before the last value."""
    name = _any(rng, parts)
    array = parts[name].copy()
    if array.size and array.dtype.kind in "iuf":
        places = rng.choice([rng.integers(array.size), 0, array.size - 1])
        array.reshape(-1)[places] += np.array(rng.choice([-1, 1])).astype(array.dtype)
        parts[name] = array


def wrap_around(rng: np.random.Generator, parts: Parts) -> None:
    """Add to some numbers what vanishes in 32 bits."""
    name = _any(rng, {key: each for key, each in parts.items() if key != "data"} or parts)
    if parts[name].size == 0 or parts[name].dtype.kind not in "iu":
        return
    array = parts[name].astype(np.int64)
    places = rng.integers(array.size, size=int(rng.choice([1, 2, array.size])))
    array.reshape(-1)[places] += int(rng.choice([2**32, -(2**32), 2**40]))
    parts[name] = array


def change_type(rng: np.random.Generator, parts: Parts) -> None:
    """Give an array another type."""
    name = _any(rng, parts)
    types = _TYPES + _ODD_TYPES * (rng.random() < 0.2)
    parts[name] = parts[name].astype(types[rng.integers(len(types))])


def change_length(rng: np.random.Generator, parts: Parts) -> None:
    """Make an array longer or shorter, or empty it."""
    name = _any(rng, parts)
    array = parts[name].reshape(-1)
    kept = int(rng.integers(len(array) + 1))
    forms = [array[:kept], array[1:], array[:0], np.append(array, array[:1]), np.tile(array, 2)]
    parts[name] = forms[rng.integers(len(forms))]


def change_dimensions(rng: np.random.Generator, parts: Parts) -> None:
    """Give an array two dimensions or none."""
    name = _any(rng, parts)
    array = parts[name]
    forms = [array[None], array[..., None], array.reshape(-1)[:1].reshape(array.size and ())]
    parts[name] = forms[rng.integers(2 if array.size == 0 else 3)]


def repeat_columns(rng: np.random.Generator, parts: Parts) -> None:
    """Give all columns one number: the same many times in a row."""
    if "indices" in parts and parts["indices"].size and parts["indices"].dtype.kind in "iu":
        parts["indices"] = np.full_like(parts["indices"], parts["indices"].reshape(-1)[0])


def change_shape(rng: np.random.Generator, parts: Parts) -> None:
    """State other numbers of rows or columns."""
    if "shape" not in parts or parts["shape"].size == 0:
        return
    shape = parts["shape"].astype(object).reshape(-1)
    shape[rng.integers(len(shape))] = _EXTREMES[rng.integers(len(_EXTREMES))]
    fits_64_bits = all(-(2**63) <= each < 2**63 for each in shape.tolist())
    parts["shape"] = shape.astype(np.int64) if fits_64_bits else np.abs(shape).astype(np.uint64)


def empty_all(rng: np.random.Generator, parts: Parts) -> None:
    """Leave nothing of the matrix but where its rows begin."""
    for name in ("data", "indices"):
        if name in parts:
            parts[name] = parts[name].reshape(-1)[:0]


def _any(rng: np.random.Generator, parts: Parts) -> str:
    return list(parts)[rng.integers(len(parts))]


_FORGERIES: tuple[Forgery, ...] = (
    *(reach_beyond, reach_beyond, disorder, put_extremes, put_extremes, add_a_little, wrap_around),
    *(change_type, change_length, change_dimensions, repeat_columns, change_shape, empty_all),
)


# ---- NPZ files


@cache
def _npz_files() -> tuple[Parts, ...]:
    """Return the arrays of the valid files, X and y of which some are sparse."""
    files = []
    for file in valid_files():
        if file.name.endswith(".npz"):
            with np.load(io.BytesIO(file.content)) as arrays:
                files.append(dict(arrays))
    counts = next(each for each in files if "X_data" in each)
    numbers = {f"{name}_{part}": counts[f"X_{part}"] for name in "Xy" for part in _PARTS}
    files.append(numbers | {"task": np.array("multi-target regression")})
    return tuple(each for each in files if "X_data" in each or "y_data" in each)


def _npz_case(rng: np.random.Generator, folder: Path) -> Outcome:
    files = _npz_files()
    arrays = dict(files[rng.integers(len(files))])
    sparse = [name for name in "Xy" if f"{name}_data" in arrays]
    done = []
    for name in sparse if rng.random() < 0.2 else [sparse[rng.integers(len(sparse))]]:
        parts, what = forged_parts(rng, {part: arrays[f"{name}_{part}"] for part in _PARTS})
        arrays |= {f"{name}_{part}": array for part, array in parts.items()}
        done.append(f"{name}: {what}")
    path = folder / "case.npz"
    np.savez(path, **arrays)  # type: ignore[arg-type]
    about = f"NPZ, {'; '.join(done)}"
    try:
        data = read(path)
    except Exception as error:
        return refusal(error, about, (path.name,))
    wrong = _used(data, folder)
    return Outcome(WRONG, about, wrong) if wrong else Outcome(ACCEPTED, about)


def _used(data: Data, folder: Path) -> str:
    """Check, write and learn from data that were read; say what is wrong, if anything is."""
    check_sparse(data.X, "X")
    check_sparse(data.y, "y")
    wrong = misfit(data)
    if wrong or data.y is None:
        return wrong
    write(data, folder / "again.npz")
    again = read(folder / "again.npz")
    if again.X.shape != data.X.shape or again.y.shape != data.y.shape:
        return "another shape after it was written and read again"
    if max(data.X.shape[1], *data.y.shape[1:]) > _MOST_COLUMNS:
        return ""  # which are only counted in a file, and learning has a number for each
    estimator = ObliqueTreeRegressor if data.task in NUMBER_TASKS else ObliqueTreeClassifier
    try:
        model = estimator(max_depth=3, random_state=0).fit(data.X, data.y)
    except (ValueError, TypeError):
        return ""  # as a single class, or labels that are not known
    return "" if model.predict(data.X).shape[0] == data.X.shape[0] else "predictions of another length"


# ---- model files


@cache
def _models() -> dict[str, model_files.Good]:
    return model_files.good_models()


def _model_case(rng: np.random.Generator, folder: Path) -> Outcome:
    good = _models()
    name = list(good)[rng.integers(len(good))]
    path = folder / "case.slant"
    while True:
        contents = container.read(io.BytesIO(good[name].content))
        try:
            done = forge_matrix(rng, contents.document, contents.arrays)
            container.write(path, contents.document, contents.arrays)
        except (TypeError, ValueError):  # what cannot be written at all: forge something else
            continue
        break
    about = f"{name}, {done}"
    try:
        load_model(path)
    except Exception as error:
        return refusal(error, about, (path.name,))
    verdict = model_files.verdict_of(path, "forged", good[name].rows)
    return Outcome(ACCEPTED if verdict in model_files.FINE else WRONG, about, verdict)


def forge_matrix(rng: np.random.Generator, document: Any, arrays: Parts) -> str:
    """Change one matrix of a model file, or put one in; return what was done."""
    written = [place for place in model_files.places_of(document) if place[-1] == "csr"]
    counts = [name for name in arrays if name.endswith("counts")]
    kind = rng.choice(["written"] * 2 * bool(written) + ["counts"] * bool(counts) + ["planted"])
    if kind == "planted":
        return _plant(rng, document, arrays)
    if kind == "counts":
        name = counts[rng.integers(len(counts))]
        parts = _beside(name, arrays)
        forged, done = forged_parts(rng, {part: arrays[parts[part]] for part in parts})
        arrays |= {parts[part]: forged[part] for part in parts}
        return f"{name}: {done}"
    place = written[rng.integers(len(written))]
    value = model_files.value_at(document, place)
    within = "".join(f"{step}/" for step in place if step in ("classifier", "forest"))  # one model in another
    names = {part: within + each for part, each in zip(_PARTS[:3], value[:3], strict=True)}
    n_rows = arrays[names["indptr"]].size - 1
    given = {part: arrays[names[part]] for part in names} | {"shape": np.array([n_rows, value[3]])}
    forged, done = forged_parts(rng, given)
    arrays |= {names[part]: forged[part] for part in names}
    value[3] = forged["shape"].reshape(-1).tolist()[-1] if forged["shape"].size else None
    return f"{'/'.join(map(str, place))}: {done}"


def _beside(name: str, arrays: Parts) -> dict[str, str]:
    """Return the names of the arrays that counts divide into rows."""
    prefix = name.removesuffix("counts")
    columns = {"trees/": "features", "leaves/": "targets", "slopes/": "nodes", "child_": "targets"}
    columns |= {"feature_": "features", "weight_": "children"}
    values = {"trees/": "weights", "leaves/": "values", "slopes/": "coefficients"}
    last = next(end for end in columns if prefix.endswith(end))
    root = prefix.removesuffix(last) if last.endswith("_") else prefix
    found = {"counts": name, "indices": root + columns[last], "data": root + values.get(last, "weights")}
    return {part: each for part, each in found.items() if each in arrays}


def _plant(rng: np.random.Generator, document: Any, arrays: Parts) -> str:
    places = list(model_files.places_of(document))
    place = places[rng.integers(len(places))]
    n_rows, n_columns = int(rng.integers(1, 70)), int(rng.integers(1, 50))
    n = int(rng.integers(1, 20))
    parts: Parts = {
        "data": rng.random(n).astype(rng.choice(["f4", "f8"])),
        "indices": np.sort(rng.integers(0, n_columns, n)).astype(np.int32),
        "indptr": np.sort(np.append(rng.integers(0, n + 1, n_rows - 1), [0, n])).astype(np.int32),
        "shape": np.array([n_rows, n_columns]),
    }
    parts, done = forged_parts(rng, parts)
    within = "".join(f"{step}/" for step in place if step in ("classifier", "forest"))
    arrays |= {f"{within}planted/{part}": parts[part] for part in _PARTS[:3]}
    last = parts["shape"].reshape(-1).tolist()[-1:] or [None]
    value = {"csr": ["planted/data", "planted/indices", "planted/indptr", *last]}
    model_files.value_at(document, place[:-1])[place[-1]] = value
    return f"planted at {'/'.join(map(str, place))}: {done}"


if __name__ == "__main__":
    command("tests.campaigns.forged_csr")
