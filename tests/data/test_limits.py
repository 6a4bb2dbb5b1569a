"""Small files that hold, or claim, far more than they are: what they take is checked before it is taken."""

import bz2
import gzip
import io
import lzma
import os
import re
import threading
import tracemalloc
import zipfile
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from numpy.lib import format as npy

from slantwood.data import limits, read_clus, read_hierarchy, read_labels
from slantwood.data.limits import Limit
from slantwood.data.read import read

MB = 1 << 20
WIDE = 60_000_000


@contextmanager
def taking_at_most(n_bytes):
    """Fail where more memory is taken at any moment."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n_bytes


@pytest.fixture
def small(monkeypatch):
    """Let small files take a megabyte."""
    monkeypatch.setattr(limits, "ALWAYS", MB)
    monkeypatch.setattr(limits, "PER_BYTE", 1)


def npz(path, **headers):
    """Write arrays of zeros that claim some shape, and hold `held` of their bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, (shape, descr, held) in headers.items():
            content = io.BytesIO()
            npy.write_array_header_1_0(content, {"descr": descr, "fortran_order": False, "shape": shape})
            zipped.writestr(f"{name}.npy", content.getvalue() + bytes(held))


# ---- columns that nobody spells out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xmc", f"1 {WIDE} 3\n0 {WIDE - 1}:1\n"),
        ("a.xmc", f"1 3 {WIDE}\n{WIDE - 1} 1:1\n"),
        ("a.svm", f"1 {WIDE}:1\n0 1:1\n"),
    ],
)
def test_millions_of_columns_that_are_only_counted_take_nothing(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    with taking_at_most(100 * MB):  # machine code among it, where it is loaded here first
        data = read(path)
    assert WIDE in (len(data.feature_names), len(data.target_names))
    assert max(data.feature_names[-1], data.target_names[-1], key=len) in (str(WIDE), str(WIDE - 1))


@pytest.mark.parametrize("n_columns", [WIDE, 2**40])
def test_a_sparse_npz_of_any_width_takes_what_it_holds(tmp_path, n_columns):
    path = tmp_path / "a.npz"
    sizes = {"X_data": [1.0], "X_indices": [n_columns - 1], "X_indptr": [0, 1], "X_shape": [1, n_columns]}
    np.savez(path, **sizes)
    with taking_at_most(10 * MB):
        data = read(path)
    assert data.X.shape == (1, n_columns)
    assert data.feature_names[-1] == f"x{n_columns - 1}"


def test_names_that_are_only_numbers_are_written_short(tmp_path):
    from slantwood.data.read import write

    (tmp_path / "a.svm").write_text(f"1 {WIDE}:1\n0 1:1\n")
    data = read(tmp_path / "a.svm")
    with taking_at_most(10 * MB):
        write(data, tmp_path / "a.npz")
        again = read(tmp_path / "a.npz")
    assert again.feature_names == data.feature_names
    assert again.feature_names[0] == "1"


# ---- lines, and what comes out of compressed files


@pytest.mark.sampled(3)
@pytest.mark.parametrize("opener", [bz2.open, gzip.open, lzma.open])
@pytest.mark.parametrize("name", ["a.csv", "a.svm", "a.xmc", "a.arff"])
def test_a_line_without_end_is_refused_while_it_is_decompressed(tmp_path, small, opener, name):
    path = tmp_path / f"{name}.{ {bz2.open: 'bz2', gzip.open: 'gz', lzma.open: 'xz'}[opener] }"
    with opener(path, "wb") as file:
        for _ in range(32):
            file.write(b"1" * MB)
    message = re.escape(str(path)) + ": a line of it has more than 262,144 bytes.*max_memory"
    with taking_at_most(24 * MB), pytest.raises(ValueError, match=message):
        read(path, targets="last:1" if name in ("a.csv", "a.arff") else None)


def test_the_limit_is_raised_by_an_argument(tmp_path, small):
    path = tmp_path / "a.csv.xz"
    path.write_bytes(lzma.compress(b"x" * MB + b",y\n1,2\n"))
    with pytest.raises(ValueError, match="a line of it has more than"):
        read(path, targets="y")
    assert read(path, targets="y", max_memory=100 * MB).feature_names == ("x" * MB,)


def test_a_quote_that_never_closes_is_refused_before_the_file_is_in_memory(tmp_path, small):
    path = tmp_path / "a.csv.xz"
    path.write_bytes(lzma.compress(b'a,y\n1,"' + b"2\n" * (8 * MB)))
    with taking_at_most(24 * MB), pytest.raises(ValueError, match=r"a row of it has more than 262,144 bytes"):
        read(path, targets="y")


@pytest.mark.parametrize("name", ["a.csv.xz", "a.svm.xz"])
def test_rows_without_end_are_refused_while_they_come(tmp_path, small, monkeypatch, name):
    path = tmp_path / name
    path.write_bytes(lzma.compress(b"1\n" * (8 * MB)))
    monkeypatch.setattr(limits, "ALWAYS", 4 * MB)
    with pytest.raises(ValueError, match=r"what it holds would take [0-9,]+ bytes"):
        read(path, targets="last:1" if "csv" in name else None)


def test_more_columns_than_memory_are_refused_before_they_are_named(tmp_path, small):
    path = tmp_path / "a.csv.xz"
    path.write_bytes(lzma.compress(b"," * 200_000))
    with taking_at_most(24 * MB), pytest.raises(ValueError, match="its 200,001 columns would take"):
        read(path, targets="last:1")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["a.npz.xz", "a.parquet.xz", "a.arrow.xz"])
def test_what_is_decompressed_as_a_whole_is_bounded(tmp_path, small, name):
    path = tmp_path / name
    path.write_bytes(lzma.compress(bytes(64 * MB)))
    with taking_at_most(24 * MB), pytest.raises(ValueError, match="holds more when it is decompressed"):
        read(path, targets=None if "npz" in name else "y")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no such device")
@pytest.mark.parametrize("format", ["csv", "svmlight", "extreme", "arff"])
def test_a_device_without_end_is_refused(small, format):
    with pytest.raises(ValueError, match="/dev/zero: a line of it has more than"):
        read("/dev/zero", targets="last:1" if format in ("csv", "arff") else None, format=format)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_has_no_size_and_no_limit(tmp_path, small):
    path = tmp_path / "a.csv"
    os.mkfifo(path)
    content = b"x" * MB + b",y\n1,2\n"
    sender = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
    sender.start()
    assert read(path, targets="y").feature_names == ("x" * MB,)
    sender.join()


def test_a_plain_file_may_have_one_long_line(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "ALWAYS", MB)
    path = tmp_path / "a.csv"
    path.write_bytes(b"x" * MB + b",y\n1,2\n")
    assert read(path, targets="y").feature_names == ("x" * MB,)


# ---- claims


@pytest.mark.parametrize(
    "arrays",
    [
        {"X": ((2**20, 2**20), "<f4", 0)},
        {"X": ((2**40, 0), "<f4", 0)},
        {"X": ((0, 2**40), "<f4", 0)},
        {"X": ((2**62, 2**62), "<f4", 0)},
        {"X": ((1, 1), "<f4", 4), "y": ((2**40,), "<U0", 0)},
        {"X": ((1, 1), "<f4", 4), "y": ((1, 40 * MB), "|i1", 40 * MB)},
        {"X": ((1, 1), "<f4", 4), "keys": ((2**40,), "<U4", 0)},
    ],
)
def test_shapes_that_an_npz_file_only_claims_are_refused(tmp_path, arrays):
    path = tmp_path / "a.npz"
    npz(path, **arrays)
    with taking_at_most(10 * MB), pytest.raises(ValueError, match=re.escape(str(path)) + ".*would take"):
        read(path)


def test_an_array_that_is_shorter_than_its_shape_says_is_refused_before_it_takes_memory(tmp_path):
    npz(tmp_path / "a.npz", X=((5 * MB, 4), "<f4", 100))
    with taking_at_most(10 * MB), pytest.raises(ValueError, match="is said to have the shape"):
        read(tmp_path / "a.npz")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("names", [("feature_names", 20 * MB), ("target_names", 20 * MB)])
def test_names_without_end_are_refused_before_each_becomes_a_text(tmp_path, names):
    field, count = names
    y = {"y": ((1, 1), "<f4", 4)}
    npz(tmp_path / "a.npz", X=((1, 1), "<f4", 4), **y, **{field: ((count,), "<U1", 4 * count)})
    with pytest.raises(ValueError, match=f"{field}.* would take"):
        read(tmp_path / "a.npz")


def test_columns_of_a_sparse_y_are_not_spelled_out_beyond_the_limit(tmp_path):
    sizes = {"y_data": [0.5], "y_indices": [5], "y_indptr": [0, 1], "y_shape": [1, WIDE]}
    np.savez(tmp_path / "a.npz", X=np.eye(1), task="multi-target regression", **sizes)
    with taking_at_most(10 * MB), pytest.raises(ValueError, match="y as columns would take"):
        read(tmp_path / "a.npz", task="regression")


def test_rows_that_an_arrow_file_only_claims_are_refused(tmp_path):
    schema = pa.schema([("a", pa.null()), ("y", pa.null())])
    nothing = pa.nulls(2**30)
    with pa.ipc.new_file(tmp_path / "a.arrow", schema) as writer:
        writer.write_batch(pa.record_batch([nothing, nothing], schema=schema))
    with taking_at_most(10 * MB), pytest.raises(ValueError, match="its 1,073,741,824 rows would take"):
        read(tmp_path / "a.arrow", targets="y")


def test_a_text_that_a_parquet_file_holds_once_is_not_copied_for_each_row(tmp_path):
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), pa.array(["a" * MB]))
    table = pa.table({"c": texts, "y": np.arange(2000.0)})
    pq.write_table(table, tmp_path / "a.parquet", store_schema=False)
    pool = pa.default_memory_pool()
    before = pool.bytes_allocated()
    peak_before = pool.max_memory()
    data = read(tmp_path / "a.parquet", targets="y")
    assert data.X["c"].cat.categories.tolist() == ["a" * MB]
    assert pool.max_memory() - max(peak_before, before) < 200 * MB


@pytest.mark.sampled(1)
@pytest.mark.parametrize("type", ["numeric", "{a,b}"])
@pytest.mark.parametrize("targets", ["last:1", "first:500"])
def test_cells_that_sparse_rows_leave_out_are_counted_before_they_take_memory(tmp_path, small, type, targets):
    path = tmp_path / "a.arff"
    path.write_text(f"@attribute x {type}\n" * 501 + "@data\n" + "{}\n" * 20_000)
    with taking_at_most(40 * MB):  # pandas among it, where it is imported here first
        if targets == "last:1" and type == "numeric":  # the inputs stay sparse
            assert read(path, targets=targets).X.shape == (20_000, 500)
            return
        message = re.escape(str(path)) + ": its targets and nominal columns, with what rows leave out, would"
        with pytest.raises(ValueError, match=message):
            read(path, targets=targets)


# ---- texts of which one is long

LONG = "k" * 20_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "x,y\n1,{long}\n{rows}"),
        ("a.arff", "@attribute x numeric\n@attribute y {a,{long}}\n@data\n1,{long}\n{rows}"),
        ("a.arff", "@attribute y numeric\n@attribute k key\n@data\n1,{long}\n{rows}"),
    ],
)
def test_one_long_text_does_not_make_all_of_them_take_as_much(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text.replace("{long}", LONG).replace("{rows}", "1,a\n" * 20_000))
    message = f"{re.escape(str(path))}: (target 'y'|its keys), 20,001 texts of up to 20,000 letters, would"
    with taking_at_most(100 * MB), pytest.raises(ValueError, match=message):
        read(path, targets="y")


def test_many_columns_of_text_take_little_more_memory_than_their_frame(tmp_path):
    path = tmp_path / "a.csv"
    n_columns = 20_000
    rows = [
        [f"c{j}" for j in range(n_columns)],
        *[["abc"[(i + j) % 3] for j in range(n_columns)] for i in range(4)],
    ]
    path.write_text("\n".join(map(",".join, rows)))
    warm = tmp_path / "warm.csv"
    warm.write_text("a,b\nx,1\n")
    read(warm, targets=())  # which compiles, and imports pandas
    with taking_at_most(20 * MB):  # of which the frame is 14
        X = read(path, targets=()).X
    assert (X.shape, X["c4"].tolist()) == ((4, n_columns), ["b", "c", "a", "b"])


def test_a_path_of_many_classes_is_refused_before_each_of_them_is_spelled_out(tmp_path):
    path = tmp_path / "a.arff"
    classes = "/".join(["a"] * 50_000)
    path.write_text(f"@attribute x numeric\n@attribute y hierarchical {classes}\n@data\n1,a\n")
    message = f"{re.escape(str(path))}: the classes of attribute 'y' would take 4,999,950,000 bytes"
    for reader in (read, read_clus, read_hierarchy):
        with taking_at_most(100 * MB), pytest.raises(ValueError, match=message):
            reader(path)


def test_labels_with_their_ancestors_are_refused_before_these_are_listed(tmp_path):
    path = tmp_path / "a.arff"
    links = ",".join(f"{'root' if i == 0 else i - 1}/{i}" for i in range(6000))
    path.write_text(f"@attribute x numeric\n@attribute y hierarchical {links}\n@data\n1,5999\n2,?\n")
    message = f"{re.escape(str(path))}: its labels with their ancestors would take 288,[0-9,]* bytes"
    with taking_at_most(100 * MB), pytest.raises(ValueError, match=message):
        read(path)


# ---- the argument


@pytest.mark.parametrize("reader", [read, read_clus, read_hierarchy])
def test_the_limit_of_a_hierarchy_is_raised_by_an_argument(tmp_path, small, reader):
    path = tmp_path / "a.arff.xz"
    classes = f"{'a' * MB},b"
    content = f"@attribute x numeric\n@attribute y hierarchical {classes}\n@data\n1,b\n"
    path.write_bytes(lzma.compress(content.encode()))
    with pytest.raises(ValueError, match="a line of it has more than"):
        reader(path)
    found = reader(path, max_memory=100 * MB)
    assert len(getattr(found, "hierarchy", found)) == 2
    with pytest.raises(ValueError, match="max_memory=0 is not positive"):
        reader(path, max_memory=0)


def test_the_limit_of_a_list_of_labels_is_that_of_the_table_beside(tmp_path, small):
    path = tmp_path / "a.xml.xz"
    path.write_bytes(lzma.compress(f"<labels>{' ' * 2 * MB}<label name='b'/></labels>".encode()))
    (tmp_path / "a.arff").write_text("@attribute x numeric\n@attribute b {0,1}\n@data\n1,1\n2,0\n")
    for reader, file in ((read_labels, path), (read, tmp_path / "a.arff")):
        with pytest.raises(ValueError, match=r"a\.xml\.xz: (a line of it has|it holds) more"):
            reader(file)
        reader(file, max_memory=100 * MB)
    assert read_labels(path, max_memory=100 * MB).names == ("b",)


@pytest.mark.parametrize("value", [1.5, "1 GB", True])
def test_a_limit_that_is_no_number_of_bytes_is_refused(tmp_path, value):
    with pytest.raises(TypeError, match=r"max_memory=.* expected a whole number of bytes"):
        read(tmp_path / "a.csv", max_memory=value)
    with pytest.raises(ValueError, match="max_memory=0 is not positive"):
        read(tmp_path / "a.csv", max_memory=0)


def test_larger_files_may_take_more(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(bytes(MB))
    assert Limit.of(path).n_bytes == 1000 * MB
    path.write_bytes(b"")
    assert Limit.of(path).n_bytes == 256 * MB
    assert Limit.of(path, 7).n_bytes == 7
