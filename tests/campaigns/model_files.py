"""Damaged and forged model files by the thousand: what becomes of each when it is loaded and predicts.

    python -m tests.campaigns.model_files --damaged 10000 --forged 5000 --seed 0

A damaged file has bytes flipped, cut, added or moved; it must be refused. A forged one says something else
than was saved, in its header or its arrays, and has a right checksum; it must be refused, or predict numbers
within the range that its task promises. Files are loaded in a child process, whose addresses are limited; a
case must end within 5 s of processor time, take less than 1 GB of resident memory, and raise nothing but
ValueError or TypeError, with the name of the file where loading raises it. The exit code is 1 if any case is
at fault; `--only forged:17` does one case again, in this process.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import re
import select
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from slantwood import (
    GradientSplit,
    Hierarchy,
    LabelTreeClassifier,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    TailReranker,
    load_model,
)
from slantwood.model import container

MOST_SECONDS = 5.0
MOST_RESIDENT = 1_000_000_000
ADDRESSES_BEYOND_START = 2 << 30

# How long the parent waits before it ends a child that says nothing.
PATIENCE = 30.0

N_ROWS = 3
FINE = ("refused", "predicts as promised", "rows refused")


# ---- good models, one of every kind


@dataclass(frozen=True)
class Good:
    """A file that was saved, and rows that its model predicts."""

    content: bytes
    rows: Any


def good_models() -> dict[str, Good]:
    """Fit small models of every task and save them in every form; the same on every call."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)).astype(np.float32)
    gaps = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    counts = sp.csr_array((rng.random((60, 30)) < 0.08).astype(np.float32))
    sign = (X[:, 0] + X[:, 1] > 0).astype(int)
    three = sign + (X[:, 2] > 0)
    labels = np.stack([sign, X[:, 2] > 0, X[:, 3] > 1], axis=1).astype(np.int8)
    many = sp.csr_array(np.eye(40)[rng.integers(0, 40, 60)] + np.eye(40)[[7] * 60] > 0, dtype=np.float64)
    tree = Hierarchy.from_paths(["a/b", "a/c", "d"])
    graph = Hierarchy.from_edges([(1, 3), (2, 3), (3, 4), (2, 5)])
    sets = [{"a/b"} if one else {"a/c", "d"} for one in sign]
    columns = [[4] if one else [5, 1] for one in sign]
    table = np.empty((60, 3), object)
    table[:] = [["red" if x > 0 else "blue", float(y), 7 if x > 1 else 2**70] for x, y in X[:, :2]]
    numbers = X[:, :2] * [1.0, 100.0] + [0.0, 5.0]

    def classifier(**parameters: Any) -> Any:
        return ObliqueForestClassifier(**{"n_estimators": 3, "random_state": 0} | parameters)

    def regressor(**parameters: Any) -> Any:
        return ObliqueForestRegressor(**{"n_estimators": 3, "random_state": 0} | parameters)

    def named(model: Any) -> Any:
        model.input_names_, model.target_names_ = tuple("abcde"), ("u", "v")
        return model

    short = {"early_stopping": False, "random_state": 0}
    sloped = {"max_leaf_nodes": 3, "leaves": "linear", "random_state": 0}
    bare_trees = LabelTreeClassifier(n_forest_trees=0, random_state=0)
    half, bare = {"float16": True}, {"predict_only": True}
    fitted: dict[str, tuple[Any, Any, dict[str, bool]]] = {
        "binary": (classifier().fit(X, sign), X, {}),
        "classes": (classifier(split="svm").fit(X, three), X, half),
        "names": (classifier().fit(X, np.array(["no", "yes", "perhaps"])[three]), X, {}),
        "objects": (classifier().fit(X, np.array(["no", "yes", "ö"], object)[three]), X, bare),
        "dates": (classifier().fit(X, np.array(["2001-02-03", "2004-05-06"], "M8[D]")[sign]), X, {}),
        "weights": (classifier(class_weight={0: 1.5, 1: 2}).fit(X, sign), X, {}),
        "labels": (classifier(threshold=[0.1, 0.2, 0.3]).fit(X, labels), X, {}),
        "named labels": (classifier().fit(X, labels, target_names=["u", "v", "ö"]), X, {}),
        "label sets": (classifier().fit(X, [{3, 7} if one else {5} for one in sign]), X, {}),
        "tuned": (classifier(threshold="f1_macro", n_estimators=9).fit(X, labels), X, {}),
        "sparse labels": (classifier(oob_score=True, n_estimators=9).fit(counts, many), counts, {}),
        "half labels": (classifier().fit(counts, many), counts, half | bare),
        "hierarchy": (classifier(hierarchy=tree).fit(X, tree.indicator(sets)), X, {}),
        "sets": (classifier(hierarchy=graph, split=GradientSplit(C=3.0)).fit(X, columns), X, bare),
        "number": (regressor(oob_score=True, n_estimators=9).fit(X, numbers[:, 0]), X, {}),
        "numbers": (named(regressor().fit(X, numbers)), X, half),
        "gaps": (regressor(missing_indicators=True, bootstrap=True).fit(gaps, numbers), gaps, {}),
        "nominal": (classifier(categorical_features=[0, 2]).fit(table, sign), table, {}),
        "tree": (ObliqueTreeClassifier(random_state=0).fit(X, three), X, {}),
        "regression tree": (ObliqueTreeRegressor(random_state=0, max_depth=3).fit(X, numbers), X, bare),
        "slopes": (ObliqueTreeRegressor(**sloped).fit(X, X[:, 0] ** 2), X, {}),
        "targets": (classifier().fit(X, np.stack([three, sign], axis=1)), X, {}),
        "boosted classes": (ObliqueBoostingClassifier(2, **short).fit(X, three), X, {}),
        "boosted number": (ObliqueBoostingRegressor(2, loss="huber", **short).fit(X, numbers[:, 0]), X, {}),
        "label trees": (LabelTreeClassifier(n_forest_trees=2, random_state=0).fit(counts, many), counts, {}),
        "reranked trees": (TailReranker(bare_trees).fit(counts, many), counts, half),
        "reranked forest": (TailReranker(classifier(oob_score=True)).fit(counts, many), counts, {}),
    }
    saved = {}
    for name, (model, rows, options) in fitted.items():
        file = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.save(file, **options)
        saved[name] = Good(file.getvalue(), rows[:N_ROWS])
    return saved


# ---- damage: the checksum stays as it was


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Return other bytes than these."""
    ways = (_flipped, _cut, _extended, _swapped, _blanked, _repeated, _other_opening)
    changed = ways[rng.integers(len(ways))](content, rng)
    if changed == content:
        place = int(rng.integers(len(content)))
        changed = content[:place] + bytes([content[place] ^ 1 << int(rng.integers(8))]) + content[place + 1 :]
    return changed


def _flipped(content: bytes, rng: np.random.Generator) -> bytes:
    changed = np.frombuffer(content, np.uint8).copy()
    places = rng.integers(0, len(content), rng.integers(1, 20))
    changed[places] ^= rng.integers(1, 256, len(places)).astype(np.uint8)
    return changed.tobytes()


def _cut(content: bytes, rng: np.random.Generator) -> bytes:
    return content[: rng.integers(len(content))]


def _extended(content: bytes, rng: np.random.Generator) -> bytes:
    n_more = int(rng.choice([1, 7, 64, 5000]))
    return content + (bytes(n_more) if rng.random() < 0.5 else rng.bytes(n_more))


def _two_blocks(content: bytes, rng: np.random.Generator) -> tuple[int, int, int]:
    size = int(rng.integers(1, len(content) // 2))
    first = int(rng.integers(0, len(content) - 2 * size + 1))
    return first, int(rng.integers(first + size, len(content) - size + 1)), size


def _swapped(content: bytes, rng: np.random.Generator) -> bytes:
    a, b, size = _two_blocks(content, rng)
    middle = content[a + size : b]
    return content[:a] + content[b : b + size] + middle + content[a : a + size] + content[b + size :]


def _blanked(content: bytes, rng: np.random.Generator) -> bytes:
    a, _, size = _two_blocks(content, rng)
    return content[:a] + bytes([int(rng.choice([0, 255]))]) * size + content[a + size :]


def _repeated(content: bytes, rng: np.random.Generator) -> bytes:
    a, b, size = _two_blocks(content, rng)
    return content[:b] + content[a : a + size] + content[b:]


def _other_opening(content: bytes, rng: np.random.Generator) -> bytes:
    place = int(rng.choice([0, 8, 12, 16, 24, 32]))
    number = int(rng.choice([0, 1, 2, 63, 64, 2**31, 2**40, 2**63], shuffle=False))
    return content[:place] + struct.pack("<Q", number) + content[place + 8 :]


# ---- forgery: the checksum is made right again

ODD_VALUES: list[Any] = [
    *(None, True, False, -1, 0, 1, 2, 7, 255, 2**31 - 1, 2**31, 2**53, 2**63, 10**18, 10**30, -(10**30)),
    *(0.0, -0.0, 0.25, 1.5, -1e300, 1e300, 5e-324, "", "auto", "gradient", "f1_micro", "balanced", "nan"),
    *("trees/weights", "importance", "x" * 300_000, "\ud800", "\0", [], [[]], [0], [1, "a"], [[0, 1]], {}),
    *({"list": [1]}, {"list": 1}, {"tuple": ["a"]}, {"tuple": []}, {"dict": [[1, 2]]}, {"dict": [[1]]}),
    *({"dict": [[{"list": []}, 2]]}, {"float": "nan"}, {"float": "inf"}, {"float": "1"}, {"bytes": "ab"}),
    *({"bytes": "\u1234"}, {"numbers": "trees/weights"}, {"numbers": "importance"}, {"numbers": 3}),
    *({"scalar": {"numbers": "trees/bias"}}, {"scalar": 1}, {"texts": ["a", "b"]}, {"texts": []}),
    *({"objects": ["a", "b"]}, {"byte_texts": "trees/inner"}, {"times": ["importance", "M8[ns]"]}),
    *({"csr": ["trees/weights", "trees/features", "trees/counts", 3]}, {"csr": [1, 2]}, {"hierarchy": 0}),
    *({"split": {"learner": "gradient", "C": -1}}, {"split": {"learner": "svm"}}, {"split": {"learner": 1}}),
    *({"split": {"learner": "os.system"}}, {"hierarchy": -1}, {"hierarchy": 10**6}, {"pickle": "gASVAA=="}),
]
EXTREMES = {
    "f": [np.nan, np.inf, -np.inf, 3e38, -3e38, 1e300, 1e-45, -0.0, 0.0, -1.0, 1.0, 1.5, 65504.0],
    "u": [0, 1, 2, 255, 256, 65535, 2**31, 2**32 - 1],
    "i": [-(2**31), -1, 0, 1, 2**31 - 1],
    "b": [0, 1],
}


def forged(good: dict[str, Good], name: str, rng: np.random.Generator) -> bytes:
    """Return a file that says something else than the good one of this name, with a right checksum."""
    if rng.random() < 0.15:
        return _with_other_header(good[name].content, rng)
    contents = container.read(io.BytesIO(good[name].content))
    document, arrays = contents.document, contents.arrays
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        way = rng.choice(list(FORGERIES), p=[weight / _ALL_WEIGHTS for weight in FORGERIES.values()])
        _BY_NAME[way](document, arrays, good, rng)
    file = io.BytesIO()
    try:
        container.write(file, document, arrays)
    except (TypeError, ValueError):  # what cannot be written at all: forge something else
        return forged(good, name, rng)
    return file.getvalue()


def places_of(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if way:
        yield way
    inside = (
        value.items() if isinstance(value, dict) else enumerate(value[:6]) if isinstance(value, list) else ()
    )
    for key, item in inside:
        yield from places_of(item, (*way, key))


def value_at(document: Any, way: tuple[Any, ...]) -> Any:
    for step in way:
        document = document[step]
    return document


def _any_place(document: Any, rng: np.random.Generator) -> tuple[Any, ...]:
    places = list(places_of(document))
    return places[rng.integers(len(places))] if places else ()


def forge_value(document: Any, arrays: Any, good: Any, rng: np.random.Generator) -> None:
    """Put another value at some place of the document: an odd one, a near one, or one from elsewhere."""
    way = _any_place(document, rng)
    if not way:
        return
    old = value_at(document, way)
    if type(old) in (int, float) and rng.random() < 0.6:
        changed = [old + 1, old - 1, -old, old * 2, old * 10**6, old + 10**9, old / 3, 0]
        value = changed[rng.integers(len(changed))]
    elif rng.random() < 0.2:
        value = json.loads(json.dumps(value_at(document, _any_place(document, rng))))
    else:
        value = json.loads(json.dumps(ODD_VALUES[rng.integers(len(ODD_VALUES))]))
    value_at(document, way[:-1])[way[-1]] = value


def forge_key(document: Any, arrays: Any, good: Any, rng: np.random.Generator) -> None:
    """Take a key away, give it another name, or take an item out of a list or repeat it."""
    way = _any_place(document, rng)
    if not way:
        return
    parent, key = value_at(document, way[:-1]), way[-1]
    if isinstance(parent, list):
        parent.insert(key, parent[key]) if rng.random() < 0.5 else parent.pop(key)
        return
    value = parent.pop(key)
    if rng.random() < 0.5:
        parent[str(rng.choice(["unknown", "", "kind", key + "_", "__class__"]))] = value


def _any_array(arrays: Any, rng: np.random.Generator) -> str | None:
    return list(arrays)[rng.integers(len(arrays))] if arrays else None


def forge_numbers(document: Any, arrays: Any, good: Any, rng: np.random.Generator) -> None:
    """Change some numbers of an array, or some of its bytes."""
    name = _any_array(arrays, rng)
    if name is None or arrays[name].size == 0:
        return
    array = np.ascontiguousarray(arrays[name]).copy()
    n_changed = int(rng.choice([1, 1, 3, array.size]))
    with np.errstate(all="ignore"):
        if rng.random() < 0.6:
            values = EXTREMES[array.dtype.kind]
            places = rng.integers(0, array.size, n_changed)
            chosen = np.array(values)[rng.integers(0, len(values), n_changed)]
            array.reshape(-1)[places] = chosen.astype(array.dtype)
        elif rng.random() < 0.5 and array.dtype.kind != "b":
            array = (array * array.dtype.type(int(rng.choice([0, 2, 3, 100])))).astype(array.dtype)
        elif array.dtype.kind != "b":
            raw = array.reshape(-1).view(np.uint8)
            places = rng.integers(0, len(raw), n_changed)
            raw[places] = rng.integers(0, 256, n_changed)
    arrays[name] = array


def forge_form(document: Any, arrays: Any, good: Any, rng: np.random.Generator) -> None:
    """Make an array longer, shorter, of another type or of another number of dimensions."""
    name = _any_array(arrays, rng)
    if name is None:
        return
    array = arrays[name]
    n_kept = int(rng.integers(0, len(array) + 1))
    dtypes = list(container.DTYPES)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forms: list[Callable[[], np.ndarray]] = [
            lambda: array[:n_kept],
            lambda: array[1:],
            lambda: np.concatenate([array, array]),
            lambda: array[None] if array.ndim == 1 else array[0] if len(array) else array,
            lambda: array.T.copy(),
            lambda: array[::-1].copy(),
            lambda: rng.permutation(array),
            lambda: np.sort(array, axis=0),
            lambda: array.astype(dtypes[rng.integers(len(dtypes))]),
            lambda: np.zeros(int(rng.choice([0, 1, 100_000])), array.dtype),
        ]
        arrays[name] = forms[rng.integers(len(forms))]()


def forge_names(document: Any, arrays: Any, good: Any, rng: np.random.Generator) -> None:
    """Take an array away, add one, give two each other's names, or take one from another model."""
    one, other = _any_array(arrays, rng), _any_array(arrays, rng)
    if one is None or other is None:
        return
    match int(rng.integers(4)):
        case 0:
            del arrays[one]
        case 1:
            arrays["more" if rng.random() < 0.5 else "x" * 200_000] = arrays[one]
        case 2:
            arrays[one], arrays[other] = arrays[other], arrays[one]
        case _:
            source = good[list(good)[rng.integers(len(good))]]
            arrays |= container.read(io.BytesIO(source.content)).arrays


def forge_part(document: Any, arrays: Any, good: Any, rng: np.random.Generator) -> None:
    """Take a part of the document from another model."""
    source = container.read(io.BytesIO(good[list(good)[rng.integers(len(good))]].content)).document
    key = list(source)[rng.integers(len(source))]
    document[key] = source[key]
    if rng.random() < 0.5:
        document["estimator"] = source["estimator"]


def forge_counts(document: Any, arrays: Any, good: Any, rng: np.random.Generator) -> None:
    """Say that there are many of something: trees that are leaves, labels, texts, links, categories."""
    n = int(rng.choice([1000, 100_000, 5_000_000, 1 << 24, 64_000_000]))
    fewer = min(n, 200_000)
    document = document.get("classifier", document)  # of what a reranker orders
    match int(rng.integers(7)):
        case 0:
            bits = np.zeros(-(-n // 8), np.uint8)
            arrays |= {"trees/inner": bits, "trees/bias": np.zeros(0), "trees/counts": np.zeros(0, np.uint8)}
            arrays |= {"trees/features": np.zeros(0, np.uint16), "trees/weights": np.zeros(0, np.float32)}
            arrays |= {"trees/means": np.zeros(0, np.float32), "leaves/targets": np.zeros(0, np.uint16)}
            n_leaves = n if rng.random() < 0.7 and n <= 1 << 24 else 5
            arrays |= {
                "leaves/counts": np.zeros(n_leaves, np.uint8),
                "leaves/values": np.zeros(0, np.float32),
            }
            arrays.pop("trees/sizes", None)
            document["trees"] = {"n_trees": n, "sparse_leaves": True}
        case 1:
            form = {"is_sparse": bool(rng.random() < 0.5), "dtype": str(rng.choice(["int8", "float64"]))}
            document["targets"] = {"kind": "labels", "n_labels": n, **form}
        case 2:
            texts = [f"{i:07}" for i in range(fewer)]
            document["targets"] = {"kind": "classes", "classes": {"texts": [*texts, "z" * fewer]}}
        case 3:
            links = [[i, i + 1] for i in range(fewer - 1)]
            if rng.random() < 0.3:
                links.append([fewer - 1, 0])
            nodes = list(range(fewer)) if rng.random() < 0.5 else [f"l{i}" for i in range(fewer)]
            made = {"format": "slantwood hierarchy", "version": 1, "nodes": nodes, "edges": links}
            document["hierarchies"] = [made]
        case 4:
            document["fitted"]["input_names_"] = {"tuple": ["n" * int(rng.choice([1, 100]))] * fewer}
        case 5:
            if "categories" in document["encoding"]:
                document["encoding"]["categories"] = [[f"c{i}" for i in range(fewer)]] * 2
        case _:
            document["parameters"]["class_weight"] = {"dict": [[i, 1.0] for i in range(fewer)]}


FORGERIES = {
    "value": 30,
    "key": 8,
    "numbers": 25,
    "form": 12,
    "names": 5,
    "part": 5,
    "counts": 3,
}
_ALL_WEIGHTS = sum(FORGERIES.values())
_BY_NAME: dict[str, Callable[[Any, Any, Any, np.random.Generator], None]] = {
    "value": forge_value,
    "key": forge_key,
    "numbers": forge_numbers,
    "form": forge_form,
    "names": forge_names,
    "part": forge_part,
    "counts": forge_counts,
}


def _with_other_header(content: bytes, rng: np.random.Generator) -> bytes:
    """Change the text of the header itself, and seal it anew."""
    (header_length,) = struct.unpack("<Q", content[24:32])
    header, body = content[64 : 64 + header_length], content[64 + header_length :]
    text = bytearray(header)
    match int(rng.integers(7)):
        case 0:
            text[rng.integers(len(text))] = int(rng.integers(32, 127))
        case 1:  # a digit
            places = [match.start() for match in re.finditer(rb"\d", header)]
            text[places[rng.integers(len(places))]] = int(rng.integers(48, 58))
        case 2:  # an entry of an array
            old = re.findall(rb'"(?:offset|bytes)": \d+|"shape": \[[\d, ]+\]|"dtype": "\w+"', header)
            odd = (b'"offset": 64', b'"bytes": 0', b'"shape": [281474976710656]', b'"dtype": "float64"')
            one = old[rng.integers(len(old))]
            text = bytearray(header.replace(one, odd[rng.integers(len(odd))], 1))
        case 3:  # nesting
            depth = int(rng.choice([100, 2000, 200_000]))
            text = bytearray(header.replace(b"null", b"[" * depth + b"]" * depth, 1))
        case 4:  # a key twice
            text = bytearray(header.replace(b'"document": {', b'"document": {"slantwood": "0", ', 1))
        case 5:  # many small values
            value = (b"[],", b"{},", b'{"a":0},', b"0,", b'"ab",')[rng.integers(5)]
            n_values = int(rng.choice([1000, 100_000, 8_000_000]))
            text = bytearray(header.replace(b"null", b'{"list":[' + value * n_values + b"0]}", 1))
        case _:  # numbers that JSON does not have, or nobody writes
            odd = (b"NaN", b"Infinity", b"1e999", b"9" * 5000, b"0." + b"1" * 100_000, b"-0", b"[1]" * 3)
            text = bytearray(header.replace(b"null", odd[rng.integers(len(odd))], 1))
    padding = -len(text) % 64 if body else 0
    body = body[-header_length % 64 :] if body else b""
    opening = struct.pack("<8sIIQQ", content[:8], 1, 0, 64 + len(text) + padding + len(body), len(text))
    rest = bytes(text) + bytes(padding) + body
    return opening + hashlib.sha256(opening + rest).digest() + rest


# ---- one case


def content_of(good: dict[str, Good], kind: str, number: int, seed: int) -> tuple[str, bytes]:
    """Return the name of the good model, and the file that was made of it: the same on every call."""
    rng = np.random.default_rng([seed, ("damaged", "forged").index(kind), number])
    name = list(good)[rng.integers(len(good))]
    return name, damaged(good[name].content, rng) if kind == "damaged" else forged(good, name, rng)


def verdict_of(path: Path, kind: str, rows: Any) -> str:
    """Load a file and predict; return what became of it."""
    try:
        model = load_model(path)
    except (ValueError, TypeError) as error:
        if not isinstance(error, ValueError) or str(path) not in str(error) or len(str(error)) > 1000:
            return f"FAULT: refused without its name, or in too many words: {str(error)[:200]}"
        return "refused"
    except Exception as error:
        return f"FAULT: loading raised {type(error).__name__}: {str(error)[:200]}"
    if kind == "damaged":
        return "FAULT: loaded, although it is damaged"
    try:
        return _predictions(model, rows)
    except (ValueError, TypeError):
        return "rows refused"  # the model is of another kind than its rows are
    except Exception as error:
        return f"FAULT: predicting raised {type(error).__name__}: {str(error)[:200]}"


def _predictions(model: Any, rows: Any) -> str:
    model.predict(rows)
    if hasattr(model, "apply"):
        model.apply(rows)
    if hasattr(model, "feature_importances_") and not np.isfinite(model.feature_importances_).all():
        return "FAULT: importances are not finite"
    if not hasattr(model, "predict_proba"):
        return _judged(model.predict(rows), -np.inf, np.inf)
    scores = model.predict_proba(rows)
    found = scores if isinstance(scores, list) else [scores, model.predict_proba(rows, top_k=2)]
    for each in found:  # of several targets an array for each
        judged = _judged(each.data if sp.issparse(each) else each, 0.0, 1.0 + 1e-5)
        if judged not in FINE:
            return judged
    return judged


def _judged(scores: np.ndarray, least: float, most: float) -> str:
    if not np.isfinite(scores).all():
        return "FAULT: predictions are not finite"
    if scores.size and (scores.min() < least or scores.max() > most):
        return f"FAULT: predictions from {scores.min()} to {scores.max()}"
    return "predicts as promised"


# ---- the child, which does one case after the other


def work(kind: str, start: int, stop: int, seed: int) -> None:
    """Do cases and say of each that it begins, and what became of it."""
    warnings.simplefilter("ignore")
    good = good_models()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.slant"
        for each in good.values():  # loads compiled code, before time is taken
            path.write_bytes(each.content)
            assert verdict_of(path, "forged", each.rows) == "predicts as promised"
        _limit_addresses()
        for number in range(start, stop):
            name, content = content_of(good, kind, number, seed)
            path.write_bytes(content)
            del content
            _forget_peak()
            print(json.dumps([number, "begins"]), flush=True)
            began = time.process_time()  # whatever else the machine does
            verdict = verdict_of(path, kind, good[name].rows)
            seconds, resident = time.process_time() - began, _peak()
            if verdict in FINE and seconds > MOST_SECONDS:
                verdict = f"FAULT: took {seconds:.1f} s ({verdict})"
            if verdict in FINE and resident > MOST_RESIDENT:
                verdict = f"FAULT: took {resident / 1e9:.2f} GB ({verdict})"
            print(json.dumps([number, verdict, seconds, resident, name]), flush=True)


def _limit_addresses() -> None:
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + ADDRESSES_BEYOND_START
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, OSError):
        pass  # then only what is taken is measured


def _forget_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
        return int(found[1]) * 1024 if found else 0
    except OSError:
        return 0


# ---- the parent, which survives whatever happens


@dataclass
class Tally:
    """What became of all cases of a kind."""

    counts: Counter[str]
    faults: list[str]
    seconds: float = 0.0
    resident: int = 0

    def add(self, kind: str, number: int, verdict: str, name: str = "") -> None:
        """Count one case, and remember it where it is at fault."""
        self.counts[verdict if verdict in FINE else "faults"] += 1
        if verdict not in FINE:
            self.faults.append(f"{kind}:{number} {name}: {verdict}")
            print(f"  {self.faults[-1]}", flush=True)


def run(kind: str, n_cases: int, seed: int) -> Tally:
    """Do all cases of a kind; a child that dies or hangs costs its case, and the next one goes on."""
    tally = Tally(Counter(), [])
    done = 0
    while done < n_cases:
        command = [
            sys.executable,
            "-m",
            "tests.campaigns.model_files",
            "--work",
            kind,
            str(done),
            str(n_cases),
        ]
        with subprocess.Popen([*command, "--seed", str(seed)], stdout=subprocess.PIPE) as child:
            current: int | None = None
            ended = False
            for line in _lines(child):
                if line is None:
                    child.kill()
                    tally.add(kind, done if current is None else current, "FAULT: hangs")
                    ended = True
                    break
                number, verdict, *more = json.loads(line)
                current = number
                if verdict != "begins":
                    seconds, resident, name = more
                    tally.add(kind, number, verdict, name)
                    tally.seconds = max(tally.seconds, seconds)
                    tally.resident = max(tally.resident, resident)
                    done, current = number + 1, None
        if child.returncode != 0 or ended:
            if current is None and not ended:
                raise RuntimeError(f"the child ended with {child.returncode} between two cases")
            if not ended:
                tally.add(kind, int(current or 0), f"FAULT: crashed with exit code {child.returncode}")
            done = (done if current is None else current) + 1
    return tally


def _lines(child: subprocess.Popen[bytes]) -> Iterator[bytes | None]:
    """Yield lines as they come, None where none came for too long; the first waits for imports and fits."""
    assert child.stdout is not None
    patience, pending = 600.0, b""
    while True:
        ready, _, _ = select.select([child.stdout], [], [], patience)
        if not ready:
            yield None
            return
        chunk = child.stdout.read1(1 << 16)  # type: ignore[attr-defined]
        if not chunk:
            return
        patience = PATIENCE
        *whole, pending = (pending + chunk).split(b"\n")
        yield from whole


def main(arguments: list[str] | None = None) -> int:
    """Run the campaign; return 1 if any case is at fault."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--damaged", type=int, default=10_000, metavar="N")
    parser.add_argument("--forged", type=int, default=5_000, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", metavar="KIND:NUMBER", help="do one case in this process")
    parser.add_argument("--work", nargs=3, metavar=("KIND", "FROM", "TO"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work:
        work(options.work[0], int(options.work[1]), int(options.work[2]), options.seed)
        return 0
    if options.only:
        return _one(*options.only.split(":"), options.seed)
    began = time.perf_counter()
    tallies = {kind: run(kind, getattr(options, kind), options.seed) for kind in ("damaged", "forged")}
    heading = f"{'':10}" + "".join(f"{name:>22}" for name in (*FINE, "faults", "slowest s", "largest MB"))
    print(heading)
    for kind, tally in tallies.items():
        numbers = [f"{tally.counts[name]:,}" for name in (*FINE, "faults")]
        cells = [*numbers, f"{tally.seconds:.2f}", f"{tally.resident / 1e6:.0f}"]
        print(f"{kind:10}" + "".join(f"{cell:>22}" for cell in cells))
    print(f"seed {options.seed}, {time.perf_counter() - began:.0f} s")
    return int(any(tally.faults for tally in tallies.values()))


def _one(kind: str, number: str, seed: int) -> int:
    good = good_models()
    name, content = content_of(good, kind, int(number), seed)
    path = Path(tempfile.gettempdir()) / f"{kind}-{number}.slant"
    path.write_bytes(content)
    print(f"{path}, made of {name!r}")
    try:
        load_model(path)
    except Exception:
        traceback.print_exc()
    verdict = verdict_of(path, kind, good[name].rows)
    print(verdict)
    return int(verdict not in FINE)


if __name__ == "__main__":
    sys.exit(main())
