"""Files of named arrays: what is written comes back, and nothing else is ever read."""

import hashlib
import io
import json
import os
import struct
import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from slantwood.model import container
from slantwood.model.container import DTYPES, ModelFileError, read, write

pytestmark = pytest.mark.plain_python

ARRAYS = hnp.arrays(
    st.sampled_from(sorted(DTYPES)), hnp.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=9)
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
EXAMPLE = {"first": np.arange(5, dtype=np.uint16), "second": np.eye(3), "third": np.array([True, False])}


def in_bytes(document, arrays):
    file = io.BytesIO()
    write(file, document, arrays)
    return file.getvalue()


def from_bytes(data):
    return read(io.BytesIO(data))


def sealed(header, body=b"", *, version=1, zero=0, length=None, header_length=None):
    """Make a file with a right checksum, whatever else is wrong with it."""
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    header_length = len(header) if header_length is None else header_length
    length = 64 + len(header) + len(body) if length is None else length
    opening = struct.pack("<8sIIQQ", b"\x89SLT\r\n\x1a\n", version, zero, length, header_length)
    return opening + hashlib.sha256(opening + header + body).digest() + header + body


def padded(header):
    """Write a header as JSON that ends at a multiple of 64 bytes."""
    text = json.dumps(header).encode()
    return text + b" " * (-len(text) % 64)


def entry(**changes):
    return {"name": "a", "dtype": "uint8", "shape": [4], "offset": 0, "bytes": 4} | changes


@given(JSON, st.dictionaries(st.text(max_size=5), ARRAYS, max_size=4))
def test_what_is_written_comes_back(value, arrays):
    contents = from_bytes(in_bytes({"value": value}, arrays))
    assert contents.document == {"value": value}
    assert list(contents.arrays) == list(arrays)
    for name, array in arrays.items():
        again = contents.arrays[name]
        assert again.dtype == array.dtype
        assert again.shape == array.shape
        assert again.tobytes() == array.tobytes()


def test_the_layout_is_the_documented_one():
    data = in_bytes({"key": "value"}, EXAMPLE)
    magic, version, zero, length, header_length = struct.unpack_from("<8sIIQQ", data)
    assert (magic, version, zero, length) == (b"\x89SLT\r\n\x1a\n", 1, 0, len(data))
    assert data[32:64] == hashlib.sha256(data[:32] + data[64:]).digest()
    header = json.loads(data[64 : 64 + header_length])
    assert header["document"] == {"key": "value"}
    start = -(-(64 + header_length) // 64) * 64
    for listed, (name, array) in zip(header["arrays"], EXAMPLE.items(), strict=True):
        first = start + listed["offset"]
        assert first % 64 == 0
        assert data[first : first + listed["bytes"]] == array.tobytes()
        assert (listed["name"], listed["dtype"], listed["shape"]) == (name, array.dtype.name, [*array.shape])
    assert first + listed["bytes"] == len(data)


def test_the_helper_of_these_tests_makes_good_files():
    contents = from_bytes(sealed(padded({"arrays": [entry()], "document": {}}), b"abcd"))
    assert contents.arrays["a"].tobytes() == b"abcd"
    assert from_bytes(sealed({"arrays": [], "document": {"a": 1}})).document == {"a": 1}


def test_mapped_arrays_are_as_kernels_want_them_and_the_file_does_not_see_what_is_written(tmp_path):
    write(tmp_path / "file", {}, EXAMPLE)
    before = (tmp_path / "file").read_bytes()
    arrays = read(str(tmp_path / "file")).arrays
    for array in arrays.values():
        assert array.flags.writeable
        assert array.flags.aligned
        assert array.flags.c_contiguous
        assert not array.flags.owndata
        array[:] = 0
    assert (tmp_path / "file").read_bytes() == before


def test_a_mapped_file_may_be_replaced(tmp_path):
    write(tmp_path / "file", {}, EXAMPLE)
    arrays = read(tmp_path / "file").arrays
    write(tmp_path / "file", {}, {"other": np.zeros(3)})
    for name, array in EXAMPLE.items():
        np.testing.assert_array_equal(arrays[name], array)
    assert list(read(tmp_path / "file").arrays) == ["other"]


def test_arrays_in_any_order_of_memory_and_bytes_are_written():
    given_array = np.arange(12, dtype=">i4").reshape(3, 4).T[::2]
    again = from_bytes(in_bytes({}, {"a": given_array})).arrays["a"]
    np.testing.assert_array_equal(again, given_array)
    assert again.dtype == np.int32


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array([None]), np.zeros((1, 1, 1))])
def test_other_arrays_are_refused(array):
    with pytest.raises(TypeError, match="array 'wrong' has dtype"):
        in_bytes({}, {"wrong": array})


def test_too_much_text_is_refused(monkeypatch):
    monkeypatch.setattr(container, "MOST_HEADER_BYTES", 100)
    with pytest.raises(ValueError, match="room for 100"):
        in_bytes({"long": "x" * 100}, {})


# ---- interrupted writing


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError, MemoryError])
@pytest.mark.parametrize("is_there", [True, False])
def test_an_earlier_file_stays_if_writing_fails(tmp_path, monkeypatch, interruption, is_there):
    path = tmp_path / "file"
    if is_there:
        write(path, {"old": True}, {})
    before = sorted((each.name, each.read_bytes()) for each in tmp_path.iterdir())

    def write_half(file, chunks):
        file.write(chunks[0])
        file.write(chunks[1])
        raise interruption

    monkeypatch.setattr(container, "_write_all", write_half)
    with pytest.raises(interruption):
        write(path, {"new": True}, EXAMPLE)
    assert sorted((each.name, each.read_bytes()) for each in tmp_path.iterdir()) == before


# ---- damaged files


def test_every_flipped_bit_is_noticed():
    data = bytearray(in_bytes({"key": [1, 2.5, None]}, EXAMPLE))
    for place in range(len(data)):
        for bit in range(8):
            data[place] ^= 1 << bit
            with pytest.raises(ModelFileError):
                from_bytes(data)
            data[place] ^= 1 << bit
    assert from_bytes(data).document == {"key": [1, 2.5, None]}


def test_truncated_and_longer_files_are_noticed(tmp_path):
    data = in_bytes({}, EXAMPLE)
    for length in range(len(data)):
        with pytest.raises(ModelFileError):
            from_bytes(data[:length])
    for more in (b"\0", b"\0" * 64, data):
        with pytest.raises(ModelFileError):
            from_bytes(data + more)
    for length in (0, 1, 63, 64, len(data) - 1):
        (tmp_path / "file").write_bytes(data[:length])
        with pytest.raises(ModelFileError):
            read(tmp_path / "file")


@given(st.data())
def test_other_damage_is_noticed(data):
    good = in_bytes({"a": 1}, EXAMPLE)
    place = data.draw(st.integers(0, len(good)))
    removed = data.draw(st.integers(0, 100))
    bad = good[:place] + data.draw(st.binary(max_size=100)) + good[place + removed :]
    if bad != good:
        with pytest.raises(ModelFileError):
            from_bytes(bad)


@given(st.binary(max_size=300))
def test_any_bytes_are_refused(data):
    with pytest.raises(ModelFileError):
        from_bytes(data)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name are those of POSIX systems")
def test_a_pipe_is_read_as_a_file_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(in_bytes({"a": 1}, EXAMPLE),))
    writer.start()
    assert read(tmp_path / "pipe").document == {"a": 1}
    writer.join()


def test_files_of_text_are_told():
    with pytest.raises(TypeError, match="it was read as str; open it as binary, with mode 'rb'"):
        read(io.StringIO("text"))


def test_messages_say_what_to_do(tmp_path):
    good = in_bytes({}, EXAMPLE)
    with pytest.raises(ModelFileError, match="incomplete or damaged, copy it again"):
        from_bytes(good[:-1])
    with pytest.raises(ModelFileError, match="checksum is wrong"):
        from_bytes(good[:-1] + b"\7")
    with pytest.raises(ModelFileError, match="not a slantwood model file"):
        from_bytes(b"PK\3\4" + good)
    with pytest.raises(ModelFileError, match=r"format version is 2, .* reads version 1; it may need a newer"):
        from_bytes(sealed({"arrays": [], "document": {}}, version=2))
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing")


# ---- hostile files, whose checksum is right


@pytest.mark.parametrize(
    "changes",
    [
        {"dtype": "object"},
        {"dtype": "O"},
        {"dtype": "V4"},
        {"dtype": "<u1"},
        {"dtype": "complex64"},
        {"dtype": ["uint8"]},
        {"dtype": None},
        {"dtype": "uint16"},
        {"name": 5},
        {"name": ["a"]},
        {"shape": [3]},
        {"shape": [5]},
        {"shape": []},
        {"shape": [1, 2, 2]},
        {"shape": 4},
        {"shape": None},
        {"shape": [-4]},
        {"shape": [-2, -2]},
        {"shape": [4.0]},
        {"shape": [True], "bytes": 1},
        {"shape": ["4"]},
        {"shape": [[4]]},
        {"shape": [10**12], "bytes": 10**12},
        {"shape": [2**62, 4], "bytes": 4},
        {"shape": [10**30], "bytes": 10**30},
        {"shape": [0, 10**30], "bytes": 0},
        {"shape": [0, 2**62], "bytes": 0},
        {"offset": -1},
        {"offset": -64},
        {"offset": 64},
        {"offset": 4},
        {"offset": 10**30},
        {"offset": 0.0},
        {"offset": None},
        {"bytes": 3},
        {"bytes": -4},
        {"bytes": 10**15},
        {"bytes": "4"},
        {"dtype": "bool"},
        {"more": 1},
    ],
)
def test_wrong_entries_are_refused_without_allocating(changes):
    data = sealed(padded({"arrays": [entry(**changes)], "document": {}}), b"abcd")
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            from_bytes(data)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("missing", entry())
def test_incomplete_entries_are_refused(missing):
    incomplete = {key: value for key, value in entry().items() if key != missing}
    with pytest.raises(ModelFileError):
        from_bytes(sealed(padded({"arrays": [incomplete], "document": {}}), b"abcd"))


@pytest.mark.parametrize(
    ("entries", "body"),
    [
        ([entry(), entry()], b"abcd"),  # twice, and on top of each other
        ([entry(), entry(offset=64)], b"abcd" + bytes(60) + b"efgh"),  # twice
        ([entry(), entry(name="b")], b"abcd"),  # overlapping
        ([entry(), entry(name="b", offset=4)], b"abcdefgh"),
        ([entry(name="b", offset=64), entry()], b"abcd" + bytes(60) + b"efgh"),  # in another order
        ([entry(), entry(name="b", offset=64)], b"abcd" + bytes(59) + b"\1" + b"efgh"),  # between arrays
        ([entry(), entry(name="b", offset=128)], b"abcd" + bytes(124) + b"efgh"),  # a gap
        ([entry()], b"abcd\0"),  # more than there should be
        ([entry()], b"abc"),
        ([], b"\0"),
        (entry(), b"abcd"),
        ([[]], b"abcd"),
        ([None], b"abcd"),
    ],
)
def test_arrays_must_lie_one_after_another(entries, body):
    with pytest.raises(ModelFileError):
        from_bytes(sealed(padded({"arrays": entries, "document": {}}), body))


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"arrays": [], "document": {}',
        b'{"arrays": [], "document": []}',
        b'{"arrays": {}, "document": {}}',
        b'{"arrays": [], "document": {}, "more": 1}',
        b'{"arrays": [], "document": {}, "document": {}}',
        b'{"arrays": [], "document": {"a": 1, "a": 2}}',
        b'{"arrays": [], "document": {"a": NaN}}',
        b'{"arrays": [], "document": {"a": -Infinity}}',
        b'{"arrays": [], "document": {"a": 1e999}}',
        b'{"arrays": [], "document": {"a": ' + b"1" * 10_000 + b"}}",
        b'{"arrays": [], "document": {"a": "\xff"}}',
        '{"arrays": [], "document": {}}'.encode("utf-16"),
        b'{"arrays": [], "document": {"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}}",
        b'{"arrays": [' + b"1," * 20_000 + b'1], "document": {}}',
    ],
    ids=range(18),
)
def test_wrong_headers_are_refused(header):
    with pytest.raises(ModelFileError):
        from_bytes(sealed(header))


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 0},
        {"version": 2**32 - 1},
        {"zero": 1},
        {"length": 0},
        {"length": 2**63},
        {"header_length": 0},
        {"header_length": 10**6},
        {"header_length": 2**64 - 1},
        {"header_length": 29},
    ],
)
def test_wrong_prologues_are_refused(changes):
    with pytest.raises(ModelFileError):
        from_bytes(sealed({"arrays": [], "document": {}}, **changes))
