"""Tables of text: what is read, what is refused, and that what is written is read again."""

import csv
import gzip
import io
import time

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood.data.formats import csv as csv_format
from slantwood.data.formats import tsv as tsv_format
from slantwood.data.read import read, write
from slantwood.data.read_options import ReadOptions
from slantwood.data.table import Categories, Data
from slantwood.data.text import scanning
from slantwood_bench.scripts.data import available, data_folder
from tests.sampling import examples

MISSING = {"", "?", "NA", "N/A", "NaN", "nan", "null"}


@pytest.fixture
def table_of(tmp_path):
    """Read a text as a table."""

    def go(text, targets=(), suffix=".csv", **said):
        path = tmp_path / f"table{suffix}"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        module = tsv_format if suffix == ".tsv" else csv_format
        return module.read(path, ReadOptions(targets, **said))

    return go


def columns_of(table):
    """Spell out the inputs: lists of numbers or texts, None where a cell is missing."""
    rest = iter(table.numbers.T)
    columns = {}
    for i, name in enumerate(table.names):
        if i in table.nominal:
            codes, values = table.nominal[i].codes, table.nominal[i].values
            columns[name] = [None if code < 0 else values[code] for code in codes]
        else:
            columns[name] = [None if value != value else value for value in next(rest).tolist()]
    return columns


def columns_of_slow_reader(text, separator=","):
    """Read a text with the standard library, one cell after the other."""
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
    columns = {}
    for j, name in enumerate(rows[0]):
        cells = [None if row[j] in MISSING else row[j] for row in rows[1:]]
        if any(cell is not None and not is_number(cell) for cell in cells):
            columns[name] = cells
        else:
            columns[name] = [None if cell is None else float(np.float32(float(cell))) for cell in cells]
    return columns


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell and cell.strip().isascii()


def test_numbers_texts_and_gaps(table_of):
    table = table_of("a,b,c\n1, x ,2.5\n-3e2,y,?\n,x,NA\n", "c")
    assert table.names == ("a", "b")
    assert table.numbers.dtype == np.float32
    np.testing.assert_array_equal(table.numbers, [[1], [-300], [np.nan]])
    assert table.nominal[1].values == ("x", "y")
    assert table.nominal[1].codes.tolist() == [0, 1, 0]
    assert table.target_names == ("c",)
    np.testing.assert_array_equal(table.targets[0], [2.5, np.nan, np.nan])
    assert table.targets[0].dtype == np.float64


@pytest.mark.parametrize("missing", sorted(MISSING))
def test_the_spellings_of_a_missing_cell(table_of, missing):
    table = table_of(f"a,b\n1,x\n{missing},{missing}\n2,y\n3,y\n")
    assert columns_of(table) == {"a": [1, None, 2, 3], "b": ["x", None, "y", "y"]}


def test_none_is_a_value(table_of):
    assert columns_of(table_of("a\nNone\nsome\nNone\n")) == {"a": ["None", "some", "None"]}


def test_quotes_hold_separators_quotes_and_line_ends(table_of):
    text = 'a,"b ""c"""\n"x, y","1"\n"two\r\nlines"," 2 "\n"say ""hi""",3\n  "z"  ,4\n'
    assert columns_of(table_of(text)) == {
        "a": ["x, y", "two\r\nlines", 'say "hi"', "z"],
        'b "c"': [1, 2, 3, 4],
    }


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_empty_lines_and_a_missing_last_one(table_of, line_end):
    text = line_end.join(["", "a,b", "", "1,x", "  ", "2,y"])
    assert columns_of(table_of(text)) == {"a": [1, 2], "b": ["x", "y"]}


def test_a_mark_of_the_encoding_is_no_part_of_the_first_name(table_of):
    assert table_of(b"\xef\xbb\xbfa,b\n1,2\n").names == ("a", "b")


def test_semicolons_separate_where_there_are_no_commas(table_of):
    assert columns_of(table_of("a;b\n1;2\n")) == {"a": [1], "b": [2]}
    assert columns_of(table_of('a,b\n1,"2;3"\n2,"2;4"\n')) == {"a": [1, 2], "b": ["2;3", "2;4"]}


def test_tabs_separate_and_empty_cells_between_them_are_missing(table_of):
    table = table_of("a\tb\tc\n1\t\tx, y\n \t2\tz\n", suffix=".tsv")
    assert columns_of(table) == {"a": [1, None], "b": [None, 2], "c": ["x, y", "z"]}


def test_a_first_line_of_numbers_is_a_row_unless_told(table_of):
    assert columns_of(table_of("1,2\n3,?\n")) == {"x0": [1, 3], "x1": [2, None]}
    assert columns_of(table_of("1,2\n3,4\n", header=True)) == {"1": [3], "2": [4]}
    assert columns_of(table_of("a,1\nb,2\n", header=False)) == {"x0": ["a", "b"], "x1": [1, 2]}


def test_names_that_are_empty_or_twice_are_told_apart(table_of):
    assert table_of(",a,a\n1,2,3\n").names == ("x0", "a", "a.1")


def test_columns_that_are_left_out_may_hold_anything(table_of):
    table = table_of('id,a\n"x\ny",1\n1e999,2\n7,3\n', drop="id")
    assert columns_of(table) == {"a": [1, 2, 3]}


def test_codes_that_look_like_numbers_stay_as_written(table_of):
    table = table_of("a,b\n01,1\n1,2\n01,3\n", nominal="a")
    assert columns_of(table)["a"] == ["01", "1", "01"]


def test_a_target_may_be_text(table_of):
    (target,) = table_of("a,y\n1,no\n2,yes\n3,?\n", "y").targets
    assert isinstance(target, Categories)
    assert (target.values, target.codes.tolist()) == (("no", "yes"), [0, 1, -1])


def test_odd_spellings_of_numbers_are_read_too(table_of):
    spelled = ["1e-310", "0.1000000000000000055511151231257827", "-NAN", "1" * 25, "5"]
    expected = [float(np.float32(float(text))) for text in spelled]
    (found,) = columns_of(table_of("a\n" + "\n".join(spelled) + "\n")).values()
    assert found[:2] + found[3:] == expected[:2] + expected[3:]
    assert found[2] is None


def test_an_underscore_makes_a_code(table_of):
    assert columns_of(table_of("a\n1_0\n2_0\n3\n")) == {"a": ["1_0", "2_0", "3"]}


@pytest.mark.parametrize("digits", ["\u0661\u0662", "\uff11\uff12", "\u0967\u0968", "1\uff12"])
def test_digits_of_other_scripts_make_a_text(table_of, digits):
    assert columns_of(table_of(f"a\n{digits}\n{digits}\n3\n")) == {"a": [digits, digits, "3"]}
    with pytest.raises(ValueError, match=f"line 4: column 'a' has '{digits}'; expected a number"):
        table_of(f"a\n1\n2\n{digits}\n")


MARKS = ["#N/A", "#NA", "-", ".", "<NA>", "NULL", "None", "n/a", "na", '" "', "NA", "N/A", "NaN", "null", "?"]


@pytest.mark.parametrize("mark", MARKS)
def test_the_usual_marks_of_missing_values_are_missing_among_numbers(table_of, mark):
    # The first row, a later one, nearly all rows, and all of them; input and target.
    for cells in ([mark, "1", "2"], ["1", mark, "2"], [mark, mark, "2", mark], [mark, mark]):
        rows = "".join(f"{cell},{cell}\n" for cell in cells)
        table = table_of(f"x,y\n{rows}", "y")
        expected = [np.nan if cell == mark else float(cell) for cell in cells]
        assert not table.nominal
        np.testing.assert_array_equal(table.numbers[:, 0], expected)
        np.testing.assert_array_equal(table.targets[0], expected)


def test_a_mark_that_comes_late_is_missing(table_of):
    n = 140_000  # more rows than are looked at first
    table = table_of("a,b\n" + "1,\n" * n + "-,#N/A\n2,3\n")
    assert not table.nominal
    np.testing.assert_array_equal(table.numbers[n:], [[np.nan, np.nan], [2, 3]])


def test_marks_among_texts_are_categories_but_for_the_shortest_list(table_of):
    text = "a,b\nx,1\n-,-\n#N/A,c\nNULL,d\nNA,?\n"
    assert columns_of(table_of(text)) == {
        "a": ["x", "-", "#N/A", "NULL", None],
        "b": ["1", "-", "c", "d", None],
    }
    assert columns_of(table_of("a\n1\n-\n2\n", nominal="a")) == {"a": ["1", "-", "2"]}


def test_a_rare_text_beside_marks_alone_is_a_category(table_of):
    assert columns_of(table_of("a\n" + "-\n" * 200 + "x\n")) == {"a": ["-"] * 200 + ["x"]}


def test_a_row_of_numbers_and_marks_is_no_line_of_names(table_of):
    assert columns_of(table_of("1,#N/A\n2,3\n")) == {"x0": [1, 2], "x1": [None, 3]}


def test_a_column_of_numbers_but_for_a_few_cells_is_reported(table_of):
    rows = [[str(i), "3", "k", "5"] for i in range(20)]
    rows[2][0] = rows[7][0] = "n.d."
    rows[5][1] = rows[6][1] = "low"
    rows[0][3] = rows[1][3] = rows[2][3] = rows[3][3] = rows[4][3] = "high"  # a fourth of the cells
    text = "a,b,c,d\n" + "\n".join(map(",".join, rows))
    message = (
        "table.csv: column 'a' has text in 2 of 20 cells, the first 'n.d.' in line 4, and numbers in the "
        r"others; it is read as nominal; likewise 'b'. Empty or correct.*nominal=\['a'\]"
    )
    with pytest.warns(UserWarning, match=message) as caught:
        table = table_of(text)
    assert len(caught) == 1
    assert set(table.nominal) == {0, 1, 2, 3}
    assert set(table_of(text, nominal=["a", "b"]).nominal) == {0, 1, 2, 3}


def test_cells_that_are_missing_do_not_make_texts_few(table_of):
    assert set(table_of("a\n1\n2\n" + "-\n" * 20 + "x\ny\n").nominal) == {0}


ROWS = "".join(f"{i}\n" for i in range(300))


@pytest.mark.parametrize(
    ("text", "said", "message"),
    [
        ("a,b\n1,2\n\n1,2,3\n", {}, r"line 4: has 3 cells; expected 2"),
        ("a,b\n1\n", {}, r"line 2: has 1 cells; expected 2"),
        ('a,b\n1,2\n"1\n2",3\n4\n', {}, r"line 5: has 1 cells; expected 2"),
        ('a,b\n"1,2\n', {}, r"line 2: a quote opens in this row and never closes"),
        ('"a,b\n1,2\n', {}, r"line 1: a quote opens in this line and never closes"),
        ('a,b\n1,2\n"1"2,3\n', {}, r"line 3: a quote closes within a cell"),
        ('a,"b"c\n1,2\n', {}, r"line 1: a quote closes within a cell"),
        ("", {}, r"line 1: the file is empty"),
        ("\n\n", {}, r"the file is empty"),
        (f"a\n{ROWS}\n1o\n5\n", {}, r"line 303: column 'a' has '1o'; expected a number.*nominal=\['a'\]"),
        (f"a\nx\n{ROWS}", {}, r"line 2: column 'a' has 'x'; expected a number"),
        ("a\n1\n2\ninf\n", {}, r"line 4: column 'a' has 'inf'; expected a finite number"),
        ("a\n1\n2\n1e39\n", {}, r"line 4: column 'a' has '1e39'; expected a finite number of single"),
        ("a,y\n1,2\n1,1e400\n", {"targets": "y"}, r"line 3: column 'y' has '1e400'.*double"),
        ("a;b\n1,5;1\n2,5;2\n", {}, r"line 2: column 'a' has '1,5'; expected a number with a decimal point"),
        (b"a,b\n1,\xff\xfe\n2,c\n", {}, r"line 2: .*expected UTF-8"),
        (b"a,\xff\n1,2\n", {}, r"line 1: these bytes are not text; expected UTF-8"),
    ],
)
def test_malformed_files_are_refused_with_the_line(table_of, text, said, message):
    with pytest.raises(ValueError, match=message) as caught:
        table_of(text, **said)
    assert "table.csv" in str(caught.value)


def test_a_large_target_fits_double_precision(table_of):
    assert table_of("a,y\n1,2\n1,1e300\n", "y").targets[0].tolist() == [2, 1e300]


def test_text_that_comes_late_makes_the_whole_column_text(table_of):
    n = 140_000  # more rows than are looked at first
    text = (
        "a,b,c\n" + "".join(f"{i % 7},,{i}\n" for i in range(n)) + "".join("u,v,5\n" for _ in range(n // 9))
    )
    with pytest.warns(
        UserWarning, match="column 'a' has text in 15555 of 155555 cells, the first 'u' in line"
    ):
        table = table_of(text)
    assert set(table.nominal) == {0, 1}
    assert table.nominal[0].values == ("0", "1", "2", "3", "4", "5", "6", "u")
    np.testing.assert_array_equal(table.nominal[0].codes[:n], np.arange(n) % 7)
    assert (table.nominal[1].codes[:n] == -1).all()
    assert (table.nominal[1].codes[n:] == 0).all()
    np.testing.assert_array_equal(table.numbers[:n, 0], np.arange(n))


def test_numbers_that_come_late_make_a_column_of_numbers(table_of):
    n = 140_000
    text = "a,b,y\n" + "1,,\n" * n + "2,3.5,4\n"
    table = table_of(text, "y")
    assert not table.nominal
    np.testing.assert_array_equal(table.numbers[-1], [2, 3.5])
    assert np.isnan(table.numbers[:n, 1]).all()
    assert table.targets[0][-1] == 4


def test_many_distinct_texts_are_all_told_apart(table_of):
    texts = [f"v{i * 7919 % 30011}" for i in range(30_000)]
    assert columns_of(table_of("a,b\n" + "".join(f"{t},w{t}\n" for t in texts))) == {
        "a": texts,
        "b": [f"w{t}" for t in texts],
    }


CELLS = st.one_of(
    st.integers(-5, 5).map(str),
    st.floats(-1e6, 1e6, width=32).map(repr),
    st.sampled_from([*sorted(MISSING), "a", "b c", "None", "1_0"]),
    st.text('ab1 ,;"\n\té', min_size=1, max_size=5).map(lambda text: f"[{text}]"),
)


@st.composite
def texts_of_tables(draw):
    """Draw the text of a table, some of whose columns are numbers, and the size of blocks to read it by."""
    n_columns, n_rows = draw(st.integers(1, 4)), draw(st.integers(0, 12))
    numeric = st.one_of(st.integers(-99, 99).map(str), st.floats(-9, 9, width=32).map(repr), st.just(""))
    columns = [
        draw(st.lists(draw(st.sampled_from([numeric, CELLS])), min_size=n_rows, max_size=n_rows))
        for _ in range(n_columns)
    ]
    out = io.StringIO(newline="")
    style = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer = csv.writer(out, lineterminator=draw(st.sampled_from(["\n", "\r\n"])), quoting=style)
    writer.writerow([f"c{j}" for j in range(n_columns)])
    writer.writerows(zip(*columns, strict=True))
    return out.getvalue(), draw(st.sampled_from([1, 7, 64, 1 << 20]))


def looks_like_a_mistake(column):
    known = [cell for cell in column if cell is not None]
    n_texts = sum(not isinstance(cell, float) and not is_number(cell) for cell in known)
    return 0 < n_texts < len(known) and (n_texts == 1 or n_texts <= 0.01 * len(known))


@pytest.mark.plain_python
@examples(40)
@given(drawn=texts_of_tables())
def test_any_table_is_read_as_by_a_slow_reader(tmp_path_factory, drawn):
    text, size = drawn
    expected = columns_of_slow_reader(text)
    path = tmp_path_factory.mktemp("any") / "table.csv"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanning, "BLOCK", size)
        if any(looks_like_a_mistake(column) for column in expected.values()):
            with pytest.raises(ValueError, match="expected a number"):
                csv_format.read(path, ReadOptions((), header=True))
        else:
            assert columns_of(csv_format.read(path, ReadOptions((), header=True))) == expected


FLOATS = st.floats(width=32, allow_infinity=False)
NAMES = st.text("ab ,\"'\n\té;", min_size=1, max_size=4).map(lambda name: f"n{name}|")
VALUES = st.sampled_from(["x", "y,z", 'q"', " blank ", "two\nlines", "é", "tab\t", "None"])


@st.composite
def datasets(draw):
    """Draw inputs, some of them nominal or sparse, and targets of any task."""
    n, d = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    names = tuple(f"{draw(NAMES)}{j}" for j in range(d))
    X = np.array(draw(st.lists(FLOATS, min_size=n * d, max_size=n * d)), np.float32).reshape(n, d)
    form = draw(st.sampled_from(["dense", "sparse", "frame"]))
    if form == "sparse":
        X = sp.csr_array(
            np.where(np.arange(n * d).reshape(n, d) % 11 == 0, np.nan_to_num(X), 0).astype(np.float32)
        )
    if form == "frame":
        texts = pd.Categorical(["x", *(draw(st.one_of(VALUES, st.none())) for _ in range(n - 1))])
        X = pd.DataFrame({name: X[:, j] for j, name in enumerate(names)} | {names[0]: texts})
    task = draw(st.sampled_from(["none", "regression", "multi-target regression", "binary", "multi-label"]))
    y, targets = None, ()
    if task == "regression":
        y = np.array(draw(st.lists(st.floats(-1e9, 1e9), min_size=n, max_size=n)))
        y, targets = y + 0.5 * (np.arange(n) % 3), ("t",)
    if task == "multi-target regression":
        y, targets = np.arange(2.0 * n).reshape(n, 2) + 0.1, ("t", "u")
    if task == "binary":
        y, targets = np.array(["yes", "no"] * n)[:n], ("t",)
    if task == "multi-label":
        y, targets = np.eye(n, 3, dtype=np.int8), ("t", "u", "v")
        y[0] = [1, 1, 1]
    return Data(X, y, names, targets, task=None if y is None else task)


def spelled_out(X):
    if hasattr(X, "columns"):
        columns = [X.iloc[:, j] for j in range(X.shape[1])]
        return [column.astype(object).where(column.notna(), None).tolist() for column in columns]
    dense = X.toarray() if sp.issparse(X) else X
    return [[None if value != value else value for value in column] for column in dense.T.tolist()]


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz"])
@examples(20)
@given(data=datasets())
def test_what_is_written_is_read_again(tmp_path_factory, suffix, data):
    path = tmp_path_factory.mktemp("written") / f"table{suffix}"
    write(data, path)
    task = "regression" if data.task == "regression" else None
    again = read(path, targets=data.target_names, task=task, header=True)
    assert (again.feature_names, again.target_names) == (data.feature_names, data.target_names)
    assert again.task == data.task
    assert spelled_out(again.X) == spelled_out(data.X)
    if data.y is not None:
        y = again.y.toarray() if sp.issparse(again.y) else again.y
        np.testing.assert_array_equal(y, data.y)
        assert y.dtype.kind == data.y.dtype.kind


def test_a_sparse_indicator_of_labels_is_written_as_columns(tmp_path):
    Y = sp.csr_array(np.eye(30, dtype=np.int8))
    data = Data(
        np.ones((30, 1), np.float32), Y, ("a",), tuple(f"l{j}" for j in range(30)), task="multi-label"
    )
    write(data, tmp_path / "labels.csv")
    again = read(tmp_path / "labels.csv", targets="last:30")
    assert again.task == "multi-label"
    np.testing.assert_array_equal(again.y.toarray(), Y.toarray())


def test_a_value_that_would_be_read_as_missing_is_refused(tmp_path):
    X = pd.DataFrame({"a": pd.Categorical(["NA", "b"])})
    with pytest.raises(ValueError, match=r"column 'a' has the value 'NA'.*write arff or parquet"):
        write(Data(X, None, ("a",)), tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []


def test_missing_classes_are_empty_cells(tmp_path):
    data = Data(
        np.ones((3, 1), np.float32), np.array(["u", None, "v"], object), ("a",), ("y",), task="binary"
    )
    write(data, tmp_path / "a.csv")
    assert read(tmp_path / "a.csv", "y").y.tolist() == ["u", None, "v"]


def test_a_compressed_table_is_read(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert columns_of(csv_format.read(path, ReadOptions(()))) == {"a": [1], "b": [2]}


def frame_of_pandas(path, separator):
    """Read cells as text, and columns that Python can read so as numbers."""
    options = {"na_values": sorted(MISSING), "keep_default_na": False, "skipinitialspace": True}
    frame = pd.read_csv(path, sep=separator, dtype=str, **options).astype(object)
    columns = {}
    for name, column in frame.items():
        try:
            columns[name] = column.map(float)
        except ValueError:
            columns[name] = column
    return pd.DataFrame(columns)


@pytest.mark.real_data
@pytest.mark.skipif(not available(), reason="the folder of real data sets is absent")
@pytest.mark.parametrize(
    "file",
    [
        "mcc/diabetes130us/diabetic_data.csv",
        pytest.param("mcc/isolet/isolet.csv", marks=pytest.mark.thorough),
        "mtr/scm20d/scm20d.csv",
        "bin/musk/clean2.tsv",
    ],
)
def test_real_tables_are_read_as_by_pandas(file):
    path = data_folder() / f"{file}.xz"
    frame = frame_of_pandas(path, "\t" if "tsv" in file else ",")
    codes = [name for name in ("diag_1", "diag_2", "diag_3") if name in frame]  # numbers, but for a few
    data = read(path, targets=(), nominal=codes)
    assert data.feature_names == tuple(frame)
    assert data.X.shape == frame.shape
    for j, name in enumerate(frame):
        column = frame[name]
        found = data.X.iloc[:, j] if hasattr(data.X, "columns") else data.X[:, j]
        if column.dtype.kind in "biuf":
            np.testing.assert_array_equal(np.asarray(found), column.to_numpy(np.float32))
        else:
            assert found.astype(object).where(found.notna(), None).tolist() == [
                None if value != value else value for value in column.tolist()
            ]


@pytest.mark.parametrize("first", ['"size, cm";b;c', "size, cm;b;c", '"a,\n,;b";"b,,";c'])
def test_commas_in_names_do_not_separate_where_semicolons_do(table_of, first):
    assert list(columns_of(table_of(f"{first}\n1.5;x;2\n2.5;y;3\n")).values()) == [
        [1.5, 2.5],
        ["x", "y"],
        [2, 3],
    ]


@pytest.mark.parametrize("header", ["", "a;b;c\n"])
def test_decimal_commas_are_told(table_of, header):
    with pytest.raises(ValueError, match="expected a number with a decimal point, not a comma"):
        table_of(f"{header}1,5;2,5;3,5\n2,5;3;1,5\n3,1;1,2;5,1\n")


@pytest.mark.parametrize(
    ("text", "names", "n_rows"),
    [
        ("0,1,2\n5,6,7\n", ("0", "1", "2"), 1),
        (",0,1\n5,6,7\n", ("x0", "0", "1"), 1),
        ('"7","8"\n5,6\n', ("7", "8"), 1),
        ('"7","8"\n"a","b"\n"b","a"\n', ("7", "8"), 2),
        ('"7","8"\n', ("7", "8"), 0),
        ('"7","8"\n"5","6"\n', ("x0", "x1"), 2),
        ("0,1\n5,6\n", ("x0", "x1"), 2),
        ("1,2,3\n5,6,7\n", ("x0", "x1", "x2"), 2),
    ],
)
def test_names_that_are_numbers_are_told_from_a_row(table_of, text, names, n_rows):
    table = table_of(text)
    assert table.names == names
    assert len(table.numbers) == n_rows


@pytest.mark.parametrize("suffix", [".csv", ".svm", ".parquet", ".npz"])
def test_infinite_values_are_not_written(tmp_path, suffix):
    X = np.array([[1, np.inf]], np.float32)
    for inputs in (X, sp.csr_array(X), pd.DataFrame(X, columns=["a", "b"])):
        with pytest.raises(ValueError, match="X has infinite values"):
            write(
                Data(inputs, np.array([1.5]), ("a", "b"), ("y",), task="regression"), tmp_path / f"a{suffix}"
            )
    assert list(tmp_path.iterdir()) == []


def test_wide_tables_of_text_take_time_in_proportion_to_their_width(table_of):
    n_columns = 50_000
    line = ",".join(["a"] * n_columns)
    started = time.process_time()
    table = table_of(f"{line}\n{line}\n")
    assert len(table.nominal) == n_columns
    assert time.process_time() - started < 5  # looking each column up in a list took about ten


@pytest.mark.parametrize(
    "text",
    [
        "a,y\n" + "1,2\n" * 300 + "z" * 1_000_000 + ",2\n",
        "n" * 1_000_000 + ",y\n" + "1,2\n" * 300 + "z,2\n",
        "a,y\n1," + "9" * 1_000_000 + "\n",
    ],
)
def test_a_long_cell_or_name_is_not_repeated_in_an_error(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match="expected a") as caught:
        read(path, targets="y")
    assert len(str(caught.value)) < 600


def test_a_long_text_among_targets_is_not_repeated_in_an_error(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,y\n1," + "z" * 1_000_000 + "\n2,b\n")
    for wanted in (
        {"targets": "y", "task": "regression"},
        {"targets": ["a", "y"], "task": "regression"},
        {"targets": "q" * 1_000_000},
    ):
        with pytest.raises(ValueError, match="expected") as caught:
            read(path, **wanted)
        assert len(str(caught.value)) < 600
