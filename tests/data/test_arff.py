"""ARFF files of a few lines for every task: what they are read to, and that what is written is read back."""

import contextlib
import gzip
import os
import re
import threading
import time
import zipfile
from textwrap import dedent

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood.data import Data, read
from slantwood.data import write as write_data
from tests.sampling import examples

FLOWERS = """\
    @relation flowers
    @attribute width numeric
    @attribute colour {red, blue}
    @attribute length real
    @attribute kind {iris,rose,'sweet pea'}
    @data
    1.5,red,2,iris
    ?,blue,16777217,'sweet pea'
    3,?,0.1,rose
    """
NUMBERS = """\
    @relation numbers
    @attribute a numeric
    @attribute b numeric
    @attribute c numeric
    @attribute d numeric
    @data
    1,2,16777217,0.1
    3,4,5,?
    """
LABELS = """\
    @relation labels
    @attribute x numeric
    @attribute 'it\\'s red' {0,1}
    @attribute blue {0,1}
    @attribute y numeric
    @data
    5,1,0,6
    7,0,?,8
    """


@pytest.fixture
def write(tmp_path):
    def write_text(text, name="file.arff"):
        path = tmp_path / name
        path.write_bytes(dedent(text).encode())
        return path

    return write_text


# ---- tasks


def test_a_nominal_target_is_classes_and_nominal_inputs_make_a_frame(write):
    data = read(write(FLOWERS), "kind")
    assert data.task == "multi-class"
    assert data.y.tolist() == ["iris", "sweet pea", "rose"]
    assert data.feature_names == tuple(data.X) == ("width", "colour", "length")
    assert data.X["colour"].cat.categories.tolist() == ["red", "blue"]
    assert data.X["colour"].cat.codes.tolist() == [0, 1, -1]
    assert data.X["width"].dtype == np.float32
    assert data.weights is data.keys is data.hierarchy is None


def test_numeric_targets_keep_double_precision_and_inputs_single(write):
    data = read(write(NUMBERS), "last:2")
    assert data.task == "multi-target regression"
    assert (data.y.dtype, data.X.dtype) == (np.float64, np.float32)
    np.testing.assert_array_equal(data.y, [[16777217, 0.1], [5, np.nan]])
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4]])
    inputs = read(write(NUMBERS), "d", task="regression")
    assert inputs.task == "regression"
    assert inputs.X[0, 2] == 16777216


def test_targets_may_be_larger_than_single_precision(write):
    path = write("@attribute a numeric\n@attribute b numeric\n@data\n1,1e300\n2,-1e39\n3,4\n")
    assert read(path, "b").y.tolist() == [1e300, -1e39, 4]
    with pytest.raises(ValueError, match=r"line 4: attribute 'b' has the cell '1e300'; .*\(float32\)"):
        read(path, "a")
    path = write("@attribute a numeric\n@attribute b numeric\n@data\n1,1e309\n")
    with pytest.raises(ValueError, match=r"line 4: attribute 'b' has the cell '1e309'; .*\(float64\)"):
        read(path, "b")


def test_columns_of_zero_and_one_are_labels(write):
    data = read(write(LABELS), ["blue", "it's red"])
    assert data.task == "multi-label"
    assert data.target_names == ("it's red", "blue")
    np.testing.assert_array_equal(data.y, [[1, 0], [0, np.nan]])
    assert data.feature_names == ("x", "y")


@pytest.mark.parametrize(
    ("targets", "names"),
    [
        ("last:1", ("d",)),
        ("first:2", ("a", "b")),
        (-1, ("d",)),
        ([0, "c"], ("a", "c")),
        ("/[bc]/", ("b", "c")),
        (re.compile("^a$"), ("a",)),
        ("a,d", ("a", "d")),
        ((), ()),
    ],
)
def test_targets_can_be_said_in_many_ways(write, targets, names):
    data = read(write(NUMBERS), targets)
    assert data.target_names == names
    assert set(data.feature_names) == set("abcd") - set(names)


def test_where_nothing_says_the_targets_the_error_names_the_file(write):
    path = write(NUMBERS)
    with pytest.raises(
        ValueError, match="^" + re.escape(str(path)) + ": nothing says which columns are targets"
    ):
        read(path)
    with pytest.raises(ValueError, match="^" + re.escape(str(path)) + ": targets has 'e', but no column"):
        read(path, "e")


def test_names_that_occur_twice_are_told_apart(write):
    path = write("@attribute a numeric\n@attribute a numeric\n@attribute a numeric\n@data\n1,2,3\n")
    data = read(path, "a.2", task="regression")
    assert data.feature_names == ("a", "a.1")
    assert data.y.tolist() == [3]


# ---- types


@pytest.mark.parametrize(
    ("type", "shown"), [("string", "'string'"), ("DATE", "'DATE'"), ("date 'yyyy-MM'", "\"date 'yyyy-MM'\"")]
)
def test_texts_and_dates_are_refused_unless_dropped(write, type, shown):
    path = write(f"@relation r\n@attribute x numeric\n@attribute t {type}\n@data\n1,'2001, 02'\n3,?\n")
    message = (
        f"line 3: attribute 't' has the type {shown}; expected numeric, real, integer, or values in braces"
    )
    with pytest.raises(ValueError, match=re.escape(message) + r".*drop=\['t'\]"):
        read(path, "x")
    data = read(path, "x", drop="t", task="regression")
    assert (data.feature_names, data.y.tolist()) == ((), [1, 3])


def test_dropped_columns_are_not_looked_at(write):
    path = write("@attribute n numeric\n@attribute v {a}\n@attribute x numeric\n@data\nwhat,ever,1\n")
    assert read(path, "x", drop=["n", "v"], task="regression").y.tolist() == [1]
    path = write("@attribute n numeric\n@attribute v {a}\n@attribute x numeric\n@data\n{0 what,2 1}\n")
    assert read(path, "x", drop=["n", "v"], task="regression").y.tolist() == [1]


def test_relational_attributes_are_refused(write):
    path = write("@attribute bag relational\n@attribute x numeric\n@end bag\n@data\n'1'\n")
    with pytest.raises(ValueError, match="line 1: attribute 'bag' is relational: its cells are tables"):
        read(path, (), drop="bag")


def test_numbers_that_are_only_codes_become_categories(write):
    text = "@attribute code integer\n@attribute x numeric\n@data\n10,1\n9,2\n?,3\n10,4\n"
    frame = read(write(text), "x", nominal="code").X
    assert frame["code"].cat.categories.tolist() == ["9", "10"]
    assert frame["code"].cat.codes.tolist() == [1, 0, -1, 1]
    assert read(write(text), "code", nominal="code").y.tolist() == ["10", "9", None, "10"]
    with pytest.raises(ValueError, match="line 4: attribute 'code': 'ten' is not a number; expected one"):
        read(write(text.replace("10,1", "ten,1")), "x", nominal="code")
    sparse = "@attribute code integer\n@attribute x numeric\n@data\n{1 4}\n{0 3}\n"
    assert read(write(sparse), "x", nominal="code").X["code"].tolist() == ["0", "3"]


def test_texts_can_be_taken_as_categories(write):
    text = "@attribute t string\n@attribute x numeric\n@data\n'b, c',1\na,2\n?,3\n"
    frame = read(write(text), "x", nominal="t").X
    assert frame["t"].cat.categories.tolist() == ["a", "b, c"]
    assert frame["t"].cat.codes.tolist() == [1, 0, -1]


def test_empty_values_and_question_marks_count_where_they_are_quoted(write):
    text = "@attribute v {a,'',\"?\"}\n@attribute x numeric\n@data\n'',1\n'?',2\n?,3\n\"\",4\na,5\n"
    assert read(write(text), "x").X["v"].cat.codes.tolist() == [1, 2, -1, 1, 0]
    with pytest.raises(ValueError, match="line 4: attribute 'v' has the cell ''; expected one of"):
        read(write(text.replace("'',1", ",1")), "x")


def test_an_attribute_may_have_no_values(write):
    text = "@attribute v { }\n@attribute x numeric\n@data\n?,1\n"
    assert read(write(text), "x").X["v"].isna().tolist() == [True]
    with pytest.raises(ValueError, match=r"line 4: attribute 'v' is not listed; expected 0 \?"):
        read(write(text.replace("?,1", "{1 1}")), "x")


# ---- rows


def test_weights_stand_in_braces_behind_a_row(write):
    dense = "@attribute x numeric\n@attribute c {a,'{5}'}\n@data\n1,a\n2,a, {2.5}\n3,'{5}',{ 0 } % {7}\n4,a\n"
    data = read(write(dense), "c")
    assert data.weights.tolist() == [1, 2.5, 0, 1]
    assert data.X.ravel().tolist() == [1, 2, 3, 4]
    assert data.y.tolist() == ["a", "a", "{5}", "a"]
    sparse = "@attribute x numeric\n@attribute c {a,b}\n@data\n{0 1}, {3}\n{},{4} % so\n{1 b}\n"
    data = read(write(sparse), "c")
    assert data.weights.tolist() == [3, 4, 1]
    assert data.X.ravel().tolist() == [1, 0, 0]


@pytest.mark.parametrize("weight", ["-1", "?", "", "a", "inf", "nan", "1_0"])
@pytest.mark.parametrize("row", ["1,2", "{0 1}"])
def test_a_wrong_weight_is_named(write, row, weight):
    path = write(f"@attribute x numeric\n@attribute z numeric\n@data\n{row}\n{row},{{{weight}}}\n")
    shown = re.escape(repr("{" + weight + "}"))
    with pytest.raises(
        ValueError, match=rf"file\.arff, line 5: the row ends with {shown}; expected a weight"
    ):
        read(path, "z")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,2,3", "expected 2 values, one per attribute, found 3"),
        ("1,{5}", "attribute 'z' has the cell '{5}'; expected a number"),
        ("1,2,{5},{6}", "expected 2 values, one per attribute, found 4"),
        ("1", "expected 2 values, one per attribute, found 1"),
    ],
)
def test_a_wrong_row_is_named(write, row, message):
    path = write(f"@attribute x numeric\n@attribute z numeric\n@data\n1,2\n{row}\n")
    with pytest.raises(ValueError, match=re.escape(f"{path}, line 5: {message}")):
        read(path, "z")


@pytest.mark.parametrize("cell", ["1_0", "\u0661", "\uff11", "\u0967.5"])
@pytest.mark.parametrize("targets", ["z", "x"])
def test_numbers_have_the_digits_0_to_9_alone(write, cell, targets):
    path = write(f"@attribute x numeric\n@attribute z numeric\n@data\n1,2\n{cell},3\n4,5\n")
    with pytest.raises(ValueError, match=f"line 5: attribute 'x' has the cell '{cell}'; expected a number"):
        read(path, targets)


def test_blanks_of_any_kind_around_a_number_are_ignored(write):
    text = "@attribute x numeric\n@attribute z numeric\n@data\n\u00a01\u00a0,2\n3,4\n"
    assert read(write(text), "z").X.tolist() == [[1], [3]]


@pytest.mark.parametrize(
    "row",
    [
        *["{0 1 1,2}", "{0 1,1}", "{0 1,,1 2}", "{0 1,1 2,}", "{01 1,1 2}", "{0 1,0 1}", "{2 1}", "{-1 1}"],
        *[
            "{+1 1}",
            "{1_0 1}",
            "{\u0660 1}",
            "{0 1}}",
            "{0 1}2",
            "{0 1",
            "{0 1_0}",
            "{0 \u0661}",
            "{0 1\uff11}",
            "{0 inf}",
            "{0 1e39}",
            "{1 c}",
        ],
        *["{" + "9" * 5000 + " 1}", "{0\u00a01}", "{0 '1}", "{0 1 % c}"],
    ],
)
def test_a_wrong_sparse_row_is_never_a_wrong_matrix(write, row):
    path = write("@attribute x numeric\n@attribute z {a,b}\n@data\n" + row + "\n")
    with pytest.raises(ValueError, match=r"file\.arff, line 4: "):
        read(path, "z")


def test_sparse_rows_read_alike_however_they_are_spelled(write):
    header = "@attribute x numeric\n@attribute c {a,b}\n@attribute z numeric\n@attribute t numeric\n@data\n"
    plain = header + "{0 1.5,1 b,2 -2e3,3 4}\n{3 -0.5}\n{}\n{2 7,0 ?}\n"
    odd = header + "{ 3\t'4', 0 1.5 ,1 \"b\",2 -2e3}\n{3 -0.5} % five\n{ }\n{0 ?,\t2 7}\n"
    one, other = (read(write(text), "t", drop="c", task="regression") for text in (plain, odd))
    np.testing.assert_array_equal(one.X, [[1.5, -2000], [0, 0], [0, 0], [np.nan, 7]])
    np.testing.assert_array_equal(other.X, one.X)
    assert one.y.tolist() == other.y.tolist() == [4, -0.5, 0, 0]


def test_inputs_of_zero_and_one_are_numbers(write):
    header = "".join(f"@attribute w{i} {{0, 1}}\n" for i in range(30)) + "@attribute t {0,1}\n@data\n"
    sparse = read(write(header + "{3 1,30 1}\n{}\n{29 1,7 0}\n{5 ?}\n"), "t")
    assert (sparse.X.format, sparse.X.dtype) == ("csr", np.float32)
    expected = np.zeros((4, 30))
    expected[0, 3] = expected[2, 29] = 1
    expected[3, 5] = np.nan
    np.testing.assert_array_equal(sparse.X.toarray(), expected)
    assert sparse.y.tolist() == ["1", "0", "0", "0"]
    dense = read(write("@attribute a {0,1}\n@attribute t numeric\n@data\n1,5\n?,6\n0,7\n"), "t")
    np.testing.assert_array_equal(dense.X, [[1], [np.nan], [0]])


def test_zero_and_one_are_categories_where_the_order_or_the_user_says_so(write):
    header = "@attribute a {1,0}\n@attribute b {0,1}\n@attribute t numeric\n@data\n"
    X = read(write(header + "{1 1,2 5}\n{0 0,2 6}\n"), "t", nominal="b").X
    assert X["a"].tolist() == ["1", "0"]
    assert X["b"].tolist() == ["1", "0"]


@pytest.mark.parametrize("row", ["2,5", "0.5,5", "{0 2,1 5}", "{0 01,1 5}", "1.0,5"])
def test_other_numbers_among_zero_and_one_are_wrong(write, row):
    path = write(f"@attribute a {{0,1}}\n@attribute t numeric\n@data\n{row}\n")
    with pytest.raises(ValueError, match=r"file\.arff, line 4: attribute 'a' .* expected one of 0, 1"):
        read(path, "t")


@pytest.mark.parametrize("at_once", [1, 7, 1 << 15])
def test_how_many_rows_are_looked_at_together_does_not_matter(write, tmp_path, monkeypatch, at_once):
    monkeypatch.setattr("slantwood.data.arff.dense_rows._CELLS_AT_ONCE", at_once)
    monkeypatch.setattr("slantwood.data.arff.writing._CELLS_AT_ONCE", at_once)
    rows = [f"{i},{'ab'[i % 2]},{'?' if i % 3 else i / 8}{',{2}' * (i % 5 == 0)}" for i in range(50)]
    header = "@attribute x numeric\n@attribute c {a,b}\n@attribute t numeric\n@data\n"
    data = read(write(header + "\n".join(rows)), "t")
    assert data.X["x"].tolist() == list(range(50))
    assert data.X["c"].tolist() == ["a", "b"] * 25
    np.testing.assert_array_equal(data.y, [np.nan if i % 3 else i / 8 for i in range(50)])
    assert data.weights.tolist() == [1 + (i % 5 == 0) for i in range(50)]
    sparse = Data(
        sp.csr_array(np.eye(50, 3, dtype=np.float32)), data.y, ("a", "b", "c"), ("t",), None, "regression"
    )
    for each in (data, sparse):
        write_data(each, tmp_path / "again.arff")
        again = read(tmp_path / "again.arff")
        np.testing.assert_array_equal(spelled_out(again.X), spelled_out(each.X))
        np.testing.assert_array_equal(again.y, data.y)
    # The first mistake is the one that is named.
    rows[31], rows[33] = "31,a,one", "33"
    with pytest.raises(ValueError, match="line 36: attribute 't' has the cell 'one'; expected a number"):
        read(write(header + "\n".join(rows)), "t")
    rows[31] = "31,c,1"
    with pytest.raises(ValueError, match="line 36: attribute 'c' has the cell 'c'; expected one of a, b"):
        read(write(header + "\n".join(rows)), "t")
    rows[31] = "31,a,1"
    with pytest.raises(ValueError, match="line 38: expected 3 values, one per attribute, found 1"):
        read(write(header + "\n".join(rows)), "t")


# ---- dialects

TWO = "@attribute x numeric\n@attribute t numeric\n@data\n"


@pytest.mark.parametrize(
    "type", ["integer [1,10]", "real [0, 1]", "numeric (0,1]", "INTEGER[1,10]", "real [-1.5,2e3] % so"]
)
def test_ranges_of_numbers_are_passed_over(write, type):
    path = write(f"@attribute x {type}\n@attribute t {type}\n@data\n5,50\n6,60\n7,70\n")
    data = read(path, "t")
    assert (data.X.ravel().tolist(), data.y.tolist()) == ([5, 6, 7], [50, 60, 70])


def test_a_range_must_be_one(write):
    with pytest.raises(ValueError, match="line 1: attribute 'x' has the type 'real \\[0,1'"):
        read(write("@attribute x real [0,1\n@attribute t numeric\n@data\n5,50\n"), "t")


def test_commas_at_the_end_are_passed_over(write):
    text = "@attribute x numeric\n@attribute c {a, 'b c',}\n@data\n1,a,\n2,'b c', , % so\n3,a,{5},\n4,a\n"
    data = read(write(text), "c")
    assert data.X.ravel().tolist() == [1, 2, 3, 4]
    assert data.y.tolist() == ["a", "b c", "a", "a"]
    assert data.weights.tolist() == [1, 1, 5, 1]
    sparse = "@attribute x numeric\n@attribute c {a,b}\n@data\n{0 1,}\n{0 2,1 b, }, {3},\n{ },\n"
    data = read(write(sparse), "c")
    assert (data.X.ravel().tolist(), data.y.tolist()) == ([1, 2, 0], ["a", "b", "a"])
    assert data.weights.tolist() == [1, 3, 1]


@pytest.mark.parametrize("row", ["1,", "1,,3", ",1,2", "1,2,''"])
def test_an_empty_cell_is_no_comma_at_the_end(write, row):
    with pytest.raises(ValueError, match=r"file\.arff, line 4: "):
        read(write(f"{TWO}{row}\n"), "t")


def test_rows_may_have_blanks_between_their_cells(write):
    header = "@attribute x numeric\n@attribute c {a,'b c','?'}\n@attribute t numeric\n@data\n"
    blanks = "1 a 10\n2\t\t'b c'  20 % so\n  ?   '?' 30 {4}\n'4' ? 40\n"
    commas = "1,a,10\n2,'b c',20\n?,'?',30,{4}\n4,?,40\n"
    one, other = (read(write(header + rows), "t") for rows in (blanks, commas))
    pd.testing.assert_frame_equal(one.X, other.X)
    assert one.y.tolist() == other.y.tolist() == [10, 20, 30, 40]
    assert one.weights.tolist() == other.weights.tolist() == [1, 1, 4, 1]


@pytest.mark.parametrize("row", ["1 2 3", "1", "1 2,3 4", "1 'a", "'1' 2 3", "'a'2 3"])
def test_a_wrong_row_with_blanks_is_named(write, row):
    with pytest.raises(ValueError, match=r"file\.arff, line 4: "):
        read(write(f"{TWO}{row}\n"), "t")


def test_blanks_within_cells_stay_where_commas_stand_between_them(write):
    path = write("@attribute c {New York,Rome}\n@attribute t numeric\n@data\nNew York,1\nRome ,2\nRome,3\n")
    assert read(path, "t").X["c"].tolist() == ["New York", "Rome", "Rome"]


@pytest.mark.parametrize("cell", ["NaN", "nan", "NAN", "-nan"])
def test_nan_among_numbers_is_missing(write, cell):
    data = read(write(f"{TWO}{cell},1\n2,{cell}\n?,3\n"), "t")
    np.testing.assert_array_equal(data.X, [[np.nan], [2], [np.nan]])
    np.testing.assert_array_equal(data.y, [1, np.nan, 3])
    sparse = read(write(f"{TWO}{{0 {cell},1 1}}\n{{0 2,1 {cell}}}\n{{0 ?,1 3}}\n"), "t")
    np.testing.assert_array_equal(sparse.X, data.X)
    np.testing.assert_array_equal(sparse.y, data.y)
    codes = read(write(f"{TWO}{cell},1\n2,5\n3,3\n"), "t", nominal="x").X["x"]
    assert codes.cat.categories.tolist() == ["2", "3"]
    assert codes.cat.codes.tolist() == [-1, 0, 1]


def test_nan_among_values_is_no_value_unless_it_is_declared(write):
    text = "@attribute c {a,b}\n@attribute t numeric\n@data\nNaN,1\n"
    with pytest.raises(ValueError, match="line 4: attribute 'c' has the cell 'NaN'; expected one of a, b"):
        read(write(text), "t")
    assert read(write(text.replace("{a", "{NaN")), "t").X["c"].tolist() == ["NaN"]
    bits = "@attribute c {0,1}\n@attribute t numeric\n@data\nNaN,1\n"
    with pytest.raises(ValueError, match="line 4: attribute 'c' has the cell 'NaN'; expected one of 0, 1"):
        read(write(bits), "t")


# ---- encodings

STREETS = (
    "% é\n@attribute 's' {Rom,Straße} % é\n@attribute t numeric\n@data\n% é\nRom,1 % é\nStraße,2\nRom,3\n"
)


def test_bytes_that_are_no_utf8_are_ignored_in_comments(tmp_path):
    path = tmp_path / "file.arff"
    path.write_bytes(STREETS.replace("ß", "ss").encode("latin-1"))
    assert read(path, "t").X["s"].tolist() == ["Rom", "Strasse", "Rom"]


def test_values_that_are_no_utf8_are_taken_as_latin_with_a_warning(tmp_path):
    path = tmp_path / "file.arff"
    path.write_bytes(STREETS.encode("latin-1"))
    with pytest.warns(UserWarning, match=r"file\.arff, line 2: these bytes are not UTF-8.*latin-1") as said:
        data = read(path, "t")
    assert data.X["s"].tolist() == ["Rom", "Straße", "Rom"]
    assert [warning.filename for warning in said] == [__file__]  # once, where the user called


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_an_encoding_can_be_given(tmp_path, encoding, suffix):
    path = tmp_path / f"file.arff{suffix}"
    content = STREETS.encode(encoding)
    path.write_bytes(gzip.compress(content) if suffix else content)
    assert read(path, "t", encoding=encoding).X["s"].tolist() == ["Rom", "Straße", "Rom"]


def test_what_does_not_fit_an_encoding_is_named(tmp_path):
    path = tmp_path / "file.arff"
    path.write_bytes(STREETS.encode("latin-1"))
    with pytest.raises(ValueError, match=r"file\.arff, line 1: some bytes .* are not text in utf-8"):
        read(path, "t", encoding="utf-8")
    with pytest.raises(ValueError, match="encoding='latin-77' is not a text encoding"):
        read(path, "t", encoding="latin-77")
    with pytest.raises(ValueError, match="encoding='hex' is not a text encoding"):
        read(path, "t", encoding="hex")
    with pytest.raises(TypeError, match="encoding=8 must be a name"):
        read(path, "t", encoding=8)


@pytest.mark.parametrize("said", [{"encoding": "cp1252"}, {"index_base": 1}, {"drop_text": True}])
def test_what_is_said_of_arff_is_refused_for_other_files(write, said):
    path = write("a,b\n1,2\n", "file.csv")
    (argument,) = said
    with pytest.raises(
        ValueError, match=rf"file\.csv is not an ARFF file, and {argument} applies to these only"
    ):
        read(path, "b", **said)


# ---- texts and dates

WITH_TEXTS = (
    "@attribute i string\n@attribute d date 'yyyy-MM'\n@attribute x numeric\n@attribute t numeric\n@data\n"
)


@pytest.mark.parametrize(
    "rows", ["'a, b',2001-02,1,4\n?,?,2,5\nc,2001-03,3,6\n", "{2 1,3 4}\n{2 2,3 5}\n{2 3,3 6}"]
)
def test_texts_and_dates_can_be_dropped_at_once(write, rows):
    path = write(WITH_TEXTS + rows)
    with pytest.raises(ValueError, match=r"attribute 'i' has the type 'string'.*with drop_text=True"):
        read(path, "t")
    with pytest.raises(ValueError, match=r"attribute 'd' has the type .*with drop_text=True"):
        read(path, "t", drop="i")
    data = read(path, "t", drop_text=True)
    assert data.feature_names == ("x",)
    assert (data.X.ravel().tolist(), data.y.tolist()) == ([1, 2, 3], [4, 5, 6])


def test_a_text_that_is_nominal_or_a_target_is_not_dropped(write):
    path = write(WITH_TEXTS + "a,2001-02,1,4\nb,2001-03,2,5\na,?,3,6\n")
    data = read(path, "t", nominal="i", drop_text=True)
    assert data.feature_names == ("i", "x")
    with pytest.raises(ValueError, match="attribute 'd' has the type"):
        read(path, "d", drop_text=True)


# ---- from which number on sparse rows count

SPARSE = "@attribute a numeric\n@attribute b {u,v}\n@attribute c numeric\n@attribute t {p,q}\n@data\n"
FROM_ZERO = "{1 v}\n{0 1.5,3 q}\n{2 -2}\n{1 v}, {2}\n"
FROM_ONE = "{2 v}\n{1 1.5,4 q}\n{3 -2}\n{2 v}, { 2 }\n"


def assert_read_right(data):
    assert data.X["a"].tolist() == [0, 1.5, 0, 0]
    assert data.X["b"].tolist() == ["v", "u", "u", "v"]
    assert data.X["c"].tolist() == [0, 0, -2, 0]
    assert data.y.tolist() == ["p", "q", "p", "p"]
    assert data.weights.tolist() == [1, 1, 1, 2]


@pytest.mark.parametrize("base", ["auto", "clus"])
def test_rows_that_prove_to_count_from_one_are_read_so_with_a_warning(write, base):
    path = write(SPARSE + FROM_ONE)
    message = r"file\.arff: the rows count attributes from 1.*: line 7 has the index 4, and there are 4"
    with pytest.warns(UserWarning, match=message) as said:
        assert_read_right(read(path, "t", index_base=base))
    assert [warning.filename for warning in said] == [__file__]


def test_what_comes_through_a_pipe_has_to_be_told_how_it_counts(tmp_path):
    pipe = tmp_path / "pipe.arff"
    os.mkfifo(pipe)
    for said in ({}, {"index_base": 1}):
        writer = threading.Thread(target=pipe.write_text, args=(SPARSE + FROM_ONE,))
        writer.start()
        if said:
            assert_read_right(read(pipe, "t", **said))
        else:
            with pytest.raises(ValueError, match=r"count attributes from 1: line 7 .*; give index_base=1"):
                read(pipe, "t")
        writer.join()


@pytest.mark.parametrize("base", [1, "1"])
def test_rows_that_are_said_to_count_from_one_are_read_so(write, base):
    assert_read_right(read(write(SPARSE + FROM_ONE), "t", index_base=base))


@pytest.mark.parametrize("base", ["auto", 0, "0"])
def test_rows_that_count_from_zero_are_read_so(write, base):
    assert_read_right(read(write(SPARSE + FROM_ZERO), "t", index_base=base))


def test_rows_that_count_from_zero_are_read_so_where_clus_was_expected(write):
    message = "the rows count attributes from 0, as Weka does: line 7 has the index 0"
    with pytest.warns(UserWarning, match=message):
        assert_read_right(read(write(SPARSE + FROM_ZERO), "t", index_base="clus"))


def test_rows_that_tell_nothing_are_read_as_said(write):
    rows = "{1 2}\n{1 3,2 1}\n{1 4}\n"
    path = write("@attribute a numeric\n@attribute b numeric\n@attribute c numeric\n@data\n" + rows)
    np.testing.assert_array_equal(read(path, ()).X, [[0, 2, 0], [0, 3, 1], [0, 4, 0]])
    with pytest.warns(
        UserWarning, match=r"from 1, as CLUS does: nothing in them tells; give index_base=0 or 1"
    ):
        data = read(path, (), index_base="clus")
    np.testing.assert_array_equal(data.X, [[2, 0, 0], [3, 1, 0], [4, 0, 0]])


@pytest.mark.parametrize("base", ["auto", "clus"])
@pytest.mark.parametrize("rows", ["{0 1}\n{4 q}\n", "{4 q}\n{0 1}\n", "{1 v}\n{4 q}\n{0 1}\n"])
def test_rows_that_contradict_each_other_are_refused(write, rows, base):
    with pytest.raises(ValueError, match=r"file\.arff, line [67]: "):
        read(write(SPARSE + rows), "t", index_base=base)


@pytest.mark.parametrize(
    ("base", "row", "limits"), [(0, "{4 q}", "0 to 3"), (1, "{0 1}", "1 to 4"), (1, "{5 1}", "1 to 4")]
)
def test_a_base_that_is_said_is_not_doubted(write, base, row, limits):
    with pytest.raises(ValueError, match=f"line 6: index . is too (large|small); expected {limits}"):
        read(write(f"{SPARSE}{row}\n{{2 v}}\n"), "t", index_base=base)


def test_a_mistake_is_told_with_the_way_of_counting_that_the_rows_prove(write):
    rows = "{2 w}\n{4 q}\n"
    with pytest.raises(ValueError, match="line 6: attribute 'b' has the cell 'w'; expected one of u, v"):
        read(write(SPARSE + rows), "t")


@pytest.mark.parametrize("base", ["weka", 2, True, None, 1.0])
def test_an_unknown_base_is_refused(write, base):
    with pytest.raises(ValueError, match=r"index_base=.* is not known; expected 'auto', 'clus', 0 or 1"):
        read(write(SPARSE + FROM_ZERO), "t", index_base=base)


# ---- labels that the file or the one beside tells

BLUE, RED = '<label name="blue">', '<label name="it\'s red">'
LISTED = '<labels xmlns="http://mulan.sourceforge.net/labels">{}</labels>'
XML = LISTED.format(f"{BLUE}</label>{RED}</label>")
NESTED = LISTED.format(f"{RED}{BLUE}</label></label>")


@pytest.mark.parametrize(
    ("arff", "xml"),
    [
        ("set.arff", "set.xml"),
        ("set.train.arff", "set.xml"),
        ("set.train.arff", "set.train.xml"),
        ("set-train.arff", "set.xml"),
        ("set.arff.zip", "set.xml"),
    ],
)
def test_the_xml_beside_tells_the_labels(write, arff, xml):
    path = write(LABELS, arff)
    if path.suffix == ".zip":
        content = path.read_bytes()
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("set.arff", content)
    write(XML, xml)
    data = read(path)
    assert data.target_names == ("it's red", "blue")  # in the order of the columns
    assert (data.task, data.hierarchy) == ("multi-label", None)
    assert read(path, "y").target_names == ("y",)  # the user knows better


def test_a_nested_xml_beside_makes_a_hierarchy(write):
    path = write(LABELS, "set.arff")
    write(NESTED, "set.xml")
    data = read(path)
    assert data.task == "hierarchical multi-label"
    assert data.hierarchy.nodes == data.target_names == ("it's red", "blue")
    assert data.hierarchy.edges == (("it's red", "blue"),)
    np.testing.assert_array_equal(data.y, [[1, 0], [0, 0]])  # nothing is below what is not there


def test_names_escaped_without_quotes_are_found(write):
    write(XML, "quoted.xml")
    expected = read(write(LABELS, "quoted.arff"))
    path = write(LABELS.replace("'it\\'s red'", "it\\'s_red"), "bare.arff")
    for label in ("it's_red", r"it\'s_red"):
        write(XML.replace("it's red", label), "bare.xml")
        data = read(path)
        assert data.target_names == (r"it\'s_red", "blue")
        np.testing.assert_array_equal(data.y, expected.y)


def test_a_label_that_is_no_attribute_names_both_files(write):
    path = write(NUMBERS, "set.arff")
    xml = write(XML, "set.xml")
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read(path)
    assert str(path) in str(caught.value)
    assert str(xml) in str(caught.value)
    assert "has the label 'blue'" in str(caught.value)


def test_an_xml_beside_that_is_no_list_of_labels_is_named_with_the_way_out(write):
    path = write(LABELS, "set.arff")
    xml = write("<html/>", "set.xml")
    with pytest.raises(ValueError, match=re.escape(f"{xml}, line 1: ") + ".*beside .*set.arff; give targets"):
        read(path)
    assert read(path, "y").target_names == ("y",)


@pytest.mark.parametrize(
    ("mark", "names"),
    [("-C 2", ("a", "b")), ("-C -1", ("d",)), ("-split 5 -C -3 -x", ("b", "c", "d")), ("-C 0", ())],
)
def test_mekas_mark_tells_the_labels(write, mark, names):
    assert read(write(NUMBERS.replace("numbers", f"'numbers: {mark}'"))).target_names == names


@pytest.mark.parametrize("name", ["'a-C 2'", "'a -C 2.5'", "'a -c 2'", "'a -Clast'", "-C"])
def test_other_names_of_tables_tell_nothing(write, name):
    with pytest.raises(ValueError, match="nothing says which columns are targets"):
        read(write(NUMBERS.replace("numbers", name)))


def test_a_mark_for_more_labels_than_attributes_is_an_error(write):
    with pytest.raises(ValueError, match=r"file\.arff: the relation says '-C 5', 5 labels, but there are 4"):
        read(write(NUMBERS.replace("numbers", "'n: -C 5'")))


# ---- written and read back

NASTY = [
    "",
    "?",
    "'",
    '"',
    "\\",
    "\\'",
    "a b",
    " a",
    "a ",
    "a,b",
    "%",
    " %",
    "{",
    "}",
    "{5}",
    "\n",
    "\r",
    "\t",
]
NASTY += ["1", "0x", "@data", "é", "''", "'?'", "\\n", "nan", "key", "_", "\u2028", "\x00", "\ufeff", "a %b"]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.sampled_from(NASTY)
SINGLE = st.floats(width=32, allow_nan=True, allow_infinity=False)
DOUBLE = st.floats(allow_nan=True, allow_infinity=False)


def columns_of(n_rows, cells):
    return st.lists(cells, min_size=n_rows, max_size=n_rows)


@st.composite
def targets(draw, n_rows):
    """Draw y, how many columns it has, and its task."""
    task = draw(st.sampled_from(["none", "multi-label", "classes", "numbers"]))
    if task == "none":
        return None, 0, None
    if task == "classes":
        return np.array(draw(columns_of(n_rows, st.none() | TEXTS)), dtype=object), 1, "multi-class"
    width = draw(st.integers(2, 4))
    cells = st.sampled_from([0.0, 1.0, np.nan]) if task == "multi-label" else DOUBLE
    Y = np.array(draw(columns_of(n_rows * width, cells))).reshape(n_rows, width)
    if task == "numbers":
        return Y, width, "multi-target regression"
    if draw(st.booleans()):
        return sp.csr_array(np.nan_to_num(Y).astype(np.int8)), width, task
    return Y.astype(np.float32), width, task


@st.composite
def inputs(draw, n_rows, width):
    """Draw numbers, dense or sparse, or a frame of numbers and categories."""
    form = draw(st.sampled_from(["dense", "sparse", "frame"]))
    if form != "frame":
        X = np.array(draw(columns_of(n_rows * width, SINGLE | st.just(0.0))), np.float32).reshape(
            n_rows, width
        )
        return sp.csr_array(X) if form == "sparse" else X
    columns = {}
    for j in range(width):
        values = draw(st.lists(TEXTS, unique=True, max_size=4)) if j else ["a"]
        codes = st.integers(-1, len(values) - 1)
        columns[j] = pd.Categorical.from_codes(draw(columns_of(n_rows, codes)), categories=values)
        if j and draw(st.booleans()):
            columns[j] = np.array(draw(columns_of(n_rows, SINGLE)), np.float32)
    return pd.DataFrame(columns)


@st.composite
def data_sets(draw):
    n_rows, width = draw(st.integers(0, 4)), draw(st.integers(1, 4))
    y, n_targets, task = draw(targets(n_rows))
    X = draw(inputs(n_rows, width))
    names = draw(st.lists(TEXTS, min_size=width + n_targets, max_size=width + n_targets, unique=True))
    if hasattr(X, "columns"):
        X.columns = names[:width]
    weights = draw(st.none() | columns_of(n_rows, st.floats(0, 1e300)))
    if weights is not None:
        weights = np.array(weights) if n_rows else None
    keys = draw(st.none() | columns_of(n_rows, TEXTS.filter(lambda text: "\x00" not in text)))
    keys = None if keys is None else np.array(keys, dtype=str)
    return Data(X, y, tuple(names[:width]), tuple(names[width:]), None, task, weights, keys)


def spelled_out(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


@examples(30)
@given(data_sets())
def test_any_data_reads_back_as_it_was_written(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "any.arff"
    write_data(data, path)
    again = read(path, task="classification" if data.task in ("multi-class", "multi-label") else None)
    assert again.feature_names == data.feature_names
    assert again.target_names == data.target_names
    if hasattr(data.X, "columns"):
        pd.testing.assert_frame_equal(again.X, data.X)
    else:
        np.testing.assert_array_equal(spelled_out(again.X), spelled_out(data.X))
    for field in ("weights", "keys"):
        found, expected = getattr(again, field), getattr(data, field)
        assert (found is None) == (expected is None)
        if expected is not None:
            assert found.tolist() == expected.tolist()
    if data.y is None:
        assert again.y is None
    else:
        np.testing.assert_array_equal(spelled_out(again.y), spelled_out(data.y))


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=50))
def test_numbers_are_written_shortly_and_exactly(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("any") / "any.arff"
    column = np.array(numbers, np.float32).reshape(-1, 1)
    write_data(Data(column, None, ("x",)), path)
    # Below NumPy 2.3, whole numbers are spelt out up to 1e16; doubles would take 19 characters and more.
    assert max(map(len, path.read_text().splitlines()[3:])) <= len("-1000000000000000")
    np.testing.assert_array_equal(spelled_out(read(path).X), column)


def test_sparse_data_is_written_as_pairs(tmp_path):
    X = sp.csr_array(np.array([[0, 2.5, np.nan], [0, 0, 0]], np.float32))
    data = Data(
        X, sp.csr_array(np.array([[0, 1], [0, 0]], np.int8)), ("a", "b", "c"), ("p", "q"), None, "multi-label"
    )
    write_data(data, tmp_path / "sparse.arff")
    assert (tmp_path / "sparse.arff").read_text().splitlines() == [
        "@relation 'data: -C -2'",
        *["@attribute a numeric", "@attribute b numeric", "@attribute c numeric"],
        *["@attribute p {0,1}", "@attribute q {0,1}"],
        *["@data", "{1 2.5,2 ?,4 1}", "{}"],
    ]


def test_classes_that_are_numbers_become_nominal(tmp_path):
    for y in (np.array([10, 9, 10]), np.array([10.0, 9.0, np.nan])):
        write_data(Data(np.ones((3, 1), np.float32), y, ("x",), ("t",), None, "binary"), tmp_path / "a.arff")
        assert "@attribute t {9,10}" in (tmp_path / "a.arff").read_text()
    assert read(tmp_path / "a.arff").y.tolist() == ["10", "9", None]


def test_frames_of_any_types_are_written(tmp_path):
    X = pd.DataFrame(
        {
            "whole": [1, 2, 3],
            "gaps": pd.array([1, None, 3], "Int64"),
            "flag": [True, False, True],
            "text": ["b", None, "a"],
            "codes": pd.Categorical([7, 5, 7]),
        }
    )
    write_data(Data(X, None, tuple(X)), tmp_path / "frame.arff")
    again = read(tmp_path / "frame.arff").X
    np.testing.assert_array_equal(again["gaps"], [1, np.nan, 3])
    assert again["flag"].tolist() == [1, 0, 1]
    assert again["text"].cat.categories.tolist() == ["a", "b"]
    assert again["text"].cat.codes.tolist() == [1, -1, 0]
    assert again["codes"].tolist() == ["7", "5", "7"]


def test_infinite_numbers_are_refused(tmp_path):
    data = Data(np.array([[1], [np.inf]], np.float32), None, ("x",))
    with pytest.raises(ValueError, match="X has infinite values"):
        write_data(data, tmp_path / "no.arff")
    weighed = Data(np.ones((2, 1), np.float32), None, ("x",), weights=np.array([1, np.inf]))
    with pytest.raises(ValueError, match="weights has infinite values, which ARFF cannot hold"):
        write_data(weighed, tmp_path / "no.arff")
    assert not list(tmp_path.iterdir())


# ---- anything at all

SEEDS = [FLOWERS, NUMBERS, LABELS]
SEEDS += [LABELS.replace("5,1,0,6", "{0 5,1 1}").replace("7,0,?,8", "{2 ?,3 8},{2}")]
SEEDS += [
    "@attribute x real\n@attribute k key\n@attribute c hierarchical 1/0,1/2,3/0\n@data\n1,'k',1/2@3/0\n"
]
SEEDS += ["@attribute x real\n@attribute c hierarchical root/a,a/b,root/b\n@data\n{0 2,1 a@b},{2}\n"]
PIECES = [bytes([each]) for each in b"'\"{},\n ?%\\@/\xff\x00-"] + [b"9" * 30, b"1e999", b"\\'"]


@st.composite
def damaged(draw, texts, pieces=PIECES):
    content = bytearray(draw(st.sampled_from([dedent(text).encode() for text in texts])))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(content)))
        stop = start + draw(st.sampled_from([0, 0, 1, 1, 2, 10]))
        content[start:stop] = draw(st.sampled_from(pieces) | st.binary(max_size=3) | st.just(b""))
    return bytes(content)


# Damage may look like another encoding, or another way to count attributes, of which the reader warns.
@pytest.mark.filterwarnings("ignore:.*(not UTF-8|count attributes):UserWarning")
@examples(80)
@given(damaged(SEEDS), st.sampled_from([None, "last:1", "first:2", ()]))
def test_a_damaged_file_is_read_or_named(tmp_path_factory, content, targets):
    path = tmp_path_factory.mktemp("any") / "damaged.arff"
    path.write_bytes(content)
    try:
        data = read(path, targets)
    except ValueError as error:
        assert str(path) in str(error)  # noqa: PT017
    else:
        assert data.X.shape[1] == len(data.feature_names)


HEADS = ["%s x", "a %s", "a {%s", "a {'%s", "a hierarchical %s", "a numeric %s"]
ROWS = ["%s", "{%s", "{0 %s", "{0 1,1 %s", "1,%s", "'%s", "{0 1}%s", "{0 1},{%s", "1,2,{%s"]


@pytest.mark.parametrize(
    "piece", [" ", "'", "\\'", "{", "{,", ", ", "a ", " %", "'a' ", "' ", "\"'", "}", "\\"]
)
@pytest.mark.parametrize("place", [*(f"@attribute {head}\n@data" for head in HEADS), *ROWS])
def test_long_nonsense_does_not_hang(write, piece, place):
    header = "@attribute x numeric\n" + "@attribute y {1,2}\n@data\n" * (place in ROWS)
    path = write(header + place.replace("%s", piece * 20_000 + "!") + "\n1,1\n")
    start = time.process_time()
    with contextlib.suppress(ValueError):  # most of it is wrong, and some is a comment
        read(path, "x")
    # Far more than it takes, and far less than a pattern that looks back again and again.
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "text",
    [
        "@attribute {long} relational\n@data\n",
        "@attribute {long} string\n@data\n",
        "@attribute {long} {a,?}\n@data\n",
        "@attribute x {{long},{long}}\n@data\n",
        "@attribute {long} numeric\n@data\nz\n",
        "@attribute {long} {a,b}\n@data\n{long}\n",
        "@attribute {long} {0,1}\n@data\n2\n",
        "@attribute x {{long},b}\n@data\nz\n",
        "@attribute {long} {}\n@data\n{}\n",
        "@relation 'r: -C {blanks} 9'\n@attribute x numeric\n@data\n1\n",
        "@attribute {long} key\n@attribute x numeric\n@data\na,1\n",
    ],
)
def test_an_error_quotes_the_beginning_of_long_names_and_values_only(write, text):
    path = write(text.replace("{long}", "long" * 5000).replace("{blanks}", " " * 20_000))
    targets = None if "-C" in text else "last:1" if "key" not in text else ["long" * 5000]
    with pytest.raises(ValueError, match=re.escape(str(path))) as caught:
        read(path, targets)
    assert len(str(caught.value)) < 800
