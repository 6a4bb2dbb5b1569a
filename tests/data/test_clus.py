"""CLUS files of a few lines: what each spelling means, and what each mistake is called."""

import bz2
import gzip
import lzma
import re
import sys
from textwrap import dedent

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from slantwood import ObliqueTreeClassifier
from slantwood.data import Data, read, read_clus, read_hierarchy
from slantwood.data import write as write_data
from slantwood.metrics import pooled_auprc
from slantwood.targets.hierarchy import Hierarchy

PLAIN = """\
    @relation zoo
    @attribute legs numeric
    @attribute weight real
    @attribute class hierarchical cat,dog,dog/pug
    @data
    4,3.5,cat
    3,?,dog/pug@cat
    """


@pytest.fixture
def write(tmp_path):
    def write_text(text, name="zoo.arff"):
        path = tmp_path / name
        path.write_bytes(dedent(text).encode())
        return path

    return write_text


def labels_of(data):
    """Return the most specific labels of each row of y, which has their ancestors too."""
    np.testing.assert_array_equal(data.y.toarray(), data.hierarchy.closure(data.y).toarray())
    return list(map(set, data.hierarchy.label_sets(data.hierarchy.most_specific(data.y))))


def listing(classes, *cells):
    """Write a file that has nothing but a list of classes, and these cells of them."""
    return "\n".join(["@relation r", f"@attribute class hierarchical {classes}", "@data", *cells, ""])


# ---- what is read


def test_numbers_labels_and_names_are_those_of_the_file(write):
    data = read_clus(write(PLAIN))
    assert data.feature_names == ("legs", "weight")
    assert data.hierarchy == Hierarchy.from_paths(["cat", "dog", "dog/pug"])
    assert data.X.dtype == np.float32
    np.testing.assert_array_equal(data.X, [[4, 3.5], [3, np.nan]])
    assert (data.y.format, data.y.dtype) == ("csr", np.int8)
    assert data.task == "hierarchical multi-label"
    assert data.target_names == data.hierarchy.nodes
    # dog is added above dog/pug.
    np.testing.assert_array_equal(data.y.toarray(), [[1, 0, 0], [1, 1, 1]])
    assert data.keys is None


def test_the_class_may_stand_anywhere_and_have_any_name(write):
    data = read_clus(
        write("""\
        @relation r
        @attribute kind hierarchical a,b
        @attribute x numeric
        @data
        b,1
        a,2
        """)
    )
    np.testing.assert_array_equal(data.X, [[1], [2]])
    assert labels_of(data) == [{"b"}, {"a"}]


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".xz", lzma.compress), (".gz", gzip.compress), (".bz2", bz2.compress)]
)
def test_compressed_files_read_as_the_plain_one(write, tmp_path, suffix, compress):
    plain = write(PLAIN)
    packed = tmp_path / f"zoo.arff{suffix}"
    packed.write_bytes(compress(plain.read_bytes()))
    expected, data = read_clus(plain), read_clus(str(packed))
    np.testing.assert_array_equal(data.X, expected.X)
    np.testing.assert_array_equal(data.y.toarray(), expected.y.toarray())
    assert read_hierarchy(packed) == expected.hierarchy


def test_keywords_blanks_comments_and_line_ends_do_not_matter(write):
    tidy = read_clus(write(PLAIN))
    untidy = (
        "\ufeff% a comment\r\n\r\n@RELATION zoo\r\n"
        "  @Attribute\tlegs \t INTEGER % how many\r\n% between\r\n@ATTRIBUTE 'weight' Real\r\n"
        '@attribute "class"\tHierarchical cat , dog,\tdog/pug % all of them\r\n\r\n@Data % here\r\n\r\n'
        "% rows\r\n4 , 3.5,\tcat % tom, it's a 'cat'\r\n\r\n 3,?,'dog/pug@cat' % rex\r\n%last"
    )
    data = read_clus(write(untidy))
    assert data.feature_names == tidy.feature_names
    assert data.hierarchy == tidy.hierarchy
    np.testing.assert_array_equal(data.X, tidy.X)
    np.testing.assert_array_equal(data.y.toarray(), tidy.y.toarray())


def test_a_percent_sign_inside_a_value_starts_no_comment(write):
    data = read_clus(
        write("""\
        @relation r
        @attribute share {5%,'5 % of'}
        @attribute class hierarchical a
        @data
        5%,a % five
        '5 % of',a % five
        """)
    )
    assert data.X["share"].tolist() == ["5%", "5 % of"]


def test_nominal_inputs_make_a_frame_with_the_declared_categories(write):
    data = read_clus(
        write("""\
        @relation r
        @attribute size {small, large,'very large'}
        @attribute 'body weight' numeric
        @attribute "it's" {no,yes}
        @attribute class hierarchical a,b
        @data
        large,1.5,no,a
        ?,?,'no',b
        'very large',2,?,a@b
        """)
    )
    assert isinstance(data.X, pd.DataFrame)
    assert tuple(data.X) == data.feature_names == ("size", "body weight", "it's")
    assert data.X["size"].cat.categories.tolist() == ["small", "large", "very large"]
    assert data.X["size"].cat.codes.tolist() == [1, -1, 2]
    # yes is declared, though no row has it.
    assert data.X["it's"].cat.categories.tolist() == ["no", "yes"]
    assert data.X["it's"].cat.codes.tolist() == [0, 0, -1]
    assert data.X["body weight"].dtype == np.float32
    np.testing.assert_array_equal(data.X["body weight"], [1.5, np.nan, 2])


def test_a_nominal_input_of_many_values_keeps_them_apart(write):
    values = [f"v{i}" for i in range(300)]
    rows = "\n".join(f"{value},a" for value in values)
    header = f"@attribute x {{{','.join(values)}}}\n@attribute class hierarchical a\n@data\n"
    assert read_clus(write(header + rows)).X["x"].tolist() == values


def test_escapes_in_quotes_are_undone(write):
    data = read_clus(
        write(r"""
        @relation r
        @attribute 'm\'usica' {'a\\b', "say \"so\"", 'tab\there, there'}
        @attribute class hierarchical 'x y',z
        @data
        'a\\b',z
        "say \"so\"","x y"
        'tab\there, there','z@x y'
        """)
    )
    assert data.feature_names == ("m'usica",)
    assert data.X["m'usica"].tolist() == ["a\\b", 'say "so"', "tab\there, there"]
    assert labels_of(data) == [{"z"}, {"x y"}, {"x y", "z"}]


def test_a_key_names_rows_and_is_no_input(write):
    data = read_clus(
        write("""\
        @relation r
        @attribute x numeric
        @attribute class hierarchical a
        @attribute gene key
        @data
        1,a,yal001c
        2,a,'yal 002'
        """)
    )
    assert data.feature_names == ("x",)
    assert data.X.shape == (2, 1)
    assert data.keys.tolist() == ["yal001c", "yal 002"]


def test_several_keys_are_columns(write):
    header = "@attribute a key\n@attribute b key\n@attribute class hierarchical x\n@data\n"
    data = read_clus(write(header + "1,2,x\n3,4,x\n"))
    assert data.keys.tolist() == [["1", "2"], ["3", "4"]]
    assert data.X.shape == (2, 0)


def test_an_input_called_key_stays_an_input(write):
    data = read_clus(write("@attribute key numeric\n@attribute class hierarchical a\n@data\n7,a\n"))
    assert data.feature_names == ("key",)
    np.testing.assert_array_equal(data.X, [[7]])
    assert data.keys is None


def test_names_that_occur_twice_are_told_apart(write):
    header = "".join(f"@attribute {name} numeric\n" for name in ("heat", "heat", "heat.1", "heat"))
    data = read_clus(write(header + "@attribute class hierarchical a\n@data\n1,2,3,4,a\n"))
    assert data.feature_names == ("heat", "heat.2", "heat.1", "heat.3")
    np.testing.assert_array_equal(data.X, [[1, 2, 3, 4]])


def test_rows_without_label_are_nan_throughout(write):
    data = read_clus(write(listing("a,a/b", "a", "?", "a/b")))
    assert data.y.dtype == np.float32
    np.testing.assert_array_equal(data.y.toarray(), [[1, 0], [np.nan, np.nan], [1, 1]])


def test_a_file_without_rows_has_the_right_columns(write):
    data = read_clus(
        write("@attribute x numeric\n@attribute n {a,b}\n@attribute class hierarchical a,b\n@data\n")
    )
    assert data.X.shape == (0, 2)
    assert data.X["n"].cat.categories.tolist() == ["a", "b"]
    assert data.y.shape == (0, 2)


# ---- as any other file


def test_a_file_with_a_hierarchy_needs_no_targets(write):
    path = write(PLAIN)
    data, expected = read(path), read_clus(path)
    np.testing.assert_array_equal(data.X, expected.X)
    np.testing.assert_array_equal(data.y.toarray(), expected.y.toarray())
    assert (data.hierarchy, data.task) == (expected.hierarchy, expected.task)
    assert read(path, "class").hierarchy == expected.hierarchy


def test_classes_can_be_left_out(write):
    path = write(PLAIN)
    without = read(path, ())
    assert without.y is without.task is without.hierarchy is None
    assert without.feature_names == ("legs", "weight")
    numbers = read(path, "legs", drop="class", task="regression")
    assert (numbers.feature_names, numbers.target_names) == (("weight",), ("legs",))
    assert numbers.y.tolist() == [4, 3]


def test_other_targets_beside_a_hierarchy_are_refused(write):
    path = write(PLAIN)
    with pytest.raises(ValueError, match=r"line 4: attribute 'class' has classes in a hi.*drop=\['class'\]"):
        read(path, "legs")
    with pytest.raises(ValueError, match=r"line 4: attribute 'class' .* one of 2 targets; expected it alone"):
        read(path, "last:2")


def test_inputs_can_be_dropped_whatever_they_are(write):
    header = (
        "@attribute when date\n@attribute x numeric\n@attribute t string\n@attribute c hierarchical a,b\n"
    )
    path = write(header + "@data\n2001-01-01,7,'any, thing',b\n")
    data = read(path, drop=["when", "t"])
    assert data.feature_names == ("x",)
    assert (data.X.tolist(), labels_of(data)) == ([[7]], [{"b"}])


def test_a_file_without_hierarchy_may_have_keys_too(write):
    path = write("@attribute id key\n@attribute x numeric\n@attribute t numeric\n@data\na,1,2.5\nb,3,4.5\n")
    data = read(path, "t", task="regression")
    assert data.keys.tolist() == ["a", "b"]
    assert data.feature_names == ("x",)
    assert read(path, "t", drop="id").keys is None
    with pytest.raises(ValueError, match="line 1: attribute 'id' is among the targets, and is a key"):
        read(path, "id")


def test_weights_stand_in_braces(write):
    data = read_clus(write(listing("a,b", "a, {2}", "b", "'a@b',{0.5} % so")))
    assert data.weights.tolist() == [2, 1, 0.5]
    assert labels_of(data) == [{"a"}, {"b"}, {"a", "b"}]


# ---- written


def written_again(data, path):
    write_data(data, path)
    return read(path)


LABEL_TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/@"), min_size=1, max_size=4
).filter(lambda text: text == text.strip() and text != "root")


@st.composite
def hierarchies(draw):
    """Draw a graph whose labels come in any order, parents first or not."""
    n = draw(st.integers(1, 7))
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    names = draw(st.lists(LABEL_TEXTS, min_size=n, max_size=n, unique=True))
    order = draw(st.permutations(range(n)))
    return Hierarchy([names[i] for i in order], [(names[i], names[j]) for i, j in edges])


@given(hierarchies(), st.data())
def test_any_hierarchy_and_its_labels_read_back(tmp_path_factory, hierarchy, draw):
    sets = draw.draw(st.lists(st.none() | st.sets(st.sampled_from(hierarchy.nodes), min_size=1), max_size=4))
    data = Data(np.ones((len(sets), 1), np.float32), hierarchy.indicator(sets), ("x",), (), hierarchy)
    again = written_again(data, tmp_path_factory.mktemp("any") / "any.arff")
    assert set(again.hierarchy.nodes) == set(hierarchy.nodes)
    assert set(again.hierarchy.edges) == set(hierarchy.edges)
    found = again.hierarchy.label_sets(again.y)
    assert found == again.hierarchy.label_sets(again.hierarchy.closure(again.hierarchy.indicator(sets)))


def test_a_file_lists_the_most_specific_labels_only(write, tmp_path):
    data = read_clus(write(listing("a,a/b,c", "a/b@c", "a/b@a", "?", "a")))
    path = tmp_path / "again.arff"
    write_data(data, path)
    assert path.read_text().splitlines()[-4:] == ["a/b@c", "a/b", "?", "a"]


@pytest.mark.parametrize(
    "classes",
    [
        "1,1/2,1/2/3,4",
        "0,1,1/0",
        "root/a,root/b,a/c,b/c,c/0",
        "root/a,c/d,a/b,b/c",  # c and d before what is above them
        "b/c,root/a,a/b",
    ],
)
def test_hierarchies_of_files_keep_their_order(write, tmp_path, classes):
    hierarchy = read_hierarchy(write(listing(classes)))
    label = str(hierarchy.nodes[-1])
    data = Data(np.ones((1, 1), np.float32), hierarchy.indicator([[label]]), ("x",), (), hierarchy)
    again = written_again(data, tmp_path / "again.arff.xz")
    assert again.hierarchy == hierarchy
    assert labels_of(again) == [{label}]


@pytest.mark.parametrize(
    ("hierarchy", "labels", "message"),
    [
        (Hierarchy.from_paths(["a"]), [], "row 0 of y has no label, which CLUS files cannot say"),
        (Hierarchy(["a@b"], []), ["a@b"], "label 'a@b' is empty, has a '@' in it"),
        (Hierarchy([" a"], []), [" a"], "label ' a' is empty, has a '@' in it or blanks"),
        (Hierarchy(["a/b", "c"], [("c", "a/b")]), ["c"], "label 'a/b' cannot be written in a link"),
        (Hierarchy.from_paths(["root/a"]), ["root/a"], "label 'root' cannot be written in a link"),
    ],
)
def test_what_a_clus_file_cannot_hold_is_refused(tmp_path, hierarchy, labels, message):
    data = Data(np.ones((1, 1), np.float32), hierarchy.indicator([labels]), ("x",), (), hierarchy)
    with pytest.raises(ValueError, match=re.escape(message)):
        write_data(data, tmp_path / "no.arff")
    assert not list(tmp_path.iterdir())


def test_keys_and_weights_are_written(write, tmp_path):
    text = FOUR + "    1,a,p,k 1\n    2,?,p@p/q,'?',{3}\n"
    data = read_clus(write(text))
    again = written_again(data, tmp_path / "again.arff")
    assert again.X.equals(data.X)
    assert again.keys.tolist() == ["k 1", "?"]
    assert again.weights.tolist() == [1, 3]
    np.testing.assert_array_equal(again.y.toarray(), data.y.toarray())


# ---- dense and sparse


def test_mostly_zero_numbers_become_sparse(write):
    header = (
        "".join(f"@attribute x{i} numeric\n" for i in range(20)) + "@attribute class hierarchical a\n@data\n"
    )
    row = ["0"] * 20 + ["a"]
    row[3] = "2.5"
    sparse = read_clus(write(header + ",".join(row) + "\n")).X
    assert (sparse.format, sparse.dtype) == ("csr", np.float32)
    assert sparse.indices.tolist() == [3]
    assert sparse.data.tolist() == [2.5]
    row[4] = "?"
    assert isinstance(read_clus(write(header + ",".join(row) + "\n")).X, np.ndarray)
    row[4] = "1"  # now a tenth
    assert isinstance(read_clus(write(header + ",".join(row) + "\n")).X, np.ndarray)


def test_sparse_rows_list_indices_from_zero_in_any_order(write):
    zeros = "".join(f"@attribute zero{i} numeric\n" for i in range(20))
    data = read_clus(
        write(f"""\
@relation r
@attribute a numeric
@attribute b numeric
@attribute class hierarchical x,y
@attribute gene key
@attribute c numeric
{zeros}
@data
{{0 1.5,2 x@y,3 'g 1', 4 -2}}
{{ 4\t? , 3 g2, 2 y, 1 0 }} % no number but a gap
{{2 x,3 g3}}%
""")
    )
    assert (data.X.format, data.X.dtype) == ("csr", np.float32)
    assert data.feature_names[:3] == ("a", "b", "c")
    np.testing.assert_array_equal(data.X[:, :3].toarray(), [[1.5, 0, -2], [0, 0, np.nan], [0, 0, 0]])
    assert data.X.nnz == 3
    assert data.X.has_canonical_format
    assert data.X.indices.dtype == data.X.indptr.dtype == np.int32
    assert labels_of(data) == [{"x", "y"}, {"y"}, {"x"}]
    assert data.keys.tolist() == ["g 1", "g2", "g3"]


def test_nominal_inputs_left_out_of_a_sparse_row_have_their_first_value(write):
    data = read_clus(
        write("""\
        @relation r
        @attribute n {no,yes}
        @attribute x numeric
        @attribute class hierarchical a
        @data
        {2 a}
        {0 yes,1 3,2 a}
        {0 ?,2 a}
        """)
    )
    assert data.X["n"].cat.codes.tolist() == [0, 1, -1]
    assert data.X["x"].tolist() == [0, 3, 0]


# ---- hierarchies


def test_zero_padding_is_recognised_and_dropped(write):
    path = write(listing("1/0/0,1/2/0,1/2/3,10/0/0", "1/2/0@10/0/0", "1/2/3", "1/0/0"))
    data = read_clus(path)
    assert data.hierarchy.nodes == read_hierarchy(path).nodes == ("1", "1/2", "1/2/3", "10")
    assert labels_of(data) == [{"1/2", "10"}, {"1/2/3"}, {"1"}]


@pytest.mark.parametrize(
    "classes",
    [
        "1,1/1,1/1/0",  # paths of several lengths
        "1/0/0,1/0/2",  # something below a zero
        "1/1,1/2",  # nothing that ends in zero
        "0,1",  # one part, which cannot be padding
    ],
)
def test_a_zero_that_is_a_class_is_kept(write, classes):
    nodes = read_hierarchy(write(listing(classes))).nodes
    assert set(classes.split(",")) <= set(nodes)


def test_padding_can_be_chosen(write):
    path = write(listing("1/0,1/2,3/0", "1/0"))
    kept = read_clus(path, padding=None)
    assert kept.hierarchy.nodes == ("1", "1/0", "1/2", "3", "3/0")
    assert labels_of(kept) == [{"1/0"}]
    dashes = read_clus(write(listing("a/-/-,a/b/-,-/-", "a/-/-", "a/b/-")), padding="-")
    assert dashes.hierarchy.nodes == ("a", "a/b", "-")
    assert labels_of(dashes) == [{"a"}, {"a/b"}]


def test_classes_listed_several_times_are_one(write):
    assert read_hierarchy(write(listing("1,1/1,2,1,1/2,1/1"))).nodes == ("1", "1/1", "2", "1/2")
    linked = read_hierarchy(write(listing("root/a,a/b,root/a")))
    assert linked.nodes == ("a", "b")


def test_links_below_a_root_make_a_graph(write):
    data = read_clus(write(listing("root/a,root/b,a/c,b/c,c/0", "c", "0@a")))
    assert data.hierarchy.nodes == ("a", "b", "c", "0")
    assert data.hierarchy.parents("c") == ("a", "b")
    assert data.hierarchy.roots == ("a", "b")
    assert labels_of(data) == [{"c"}, {"0"}]  # a is above 0


def test_measures_of_the_labels_of_a_file_are_those_of_the_estimator(write):
    rows = [f"{x},{'a/b' if x % 3 else 'c/d'}" for x in range(30)]
    head = "@relation r\n@attribute x numeric\n@attribute y hierarchical a,a/b,c,c/d\n@data\n"
    data = read_clus(write(head + "\n".join(rows)))
    tree = ObliqueTreeClassifier(hierarchy=data.hierarchy, random_state=0).fit(data.X, data.y)
    probabilities = tree.predict_proba(data.X)
    assert pooled_auprc(data.y, probabilities) == tree.score(data.X, data.y)


def test_a_list_of_classes_in_a_comment_counts(write):
    text = listing("1/0,1/2", "1/2").replace("hierarchical", "classes % hierarchical")
    assert read_clus(write(text)).hierarchy.nodes == ("1", "1/2")


def test_columns_follow_a_hierarchy_that_is_given(write):
    given = Hierarchy.from_paths(["b", "a", "a/c", "d"])
    data = read_clus(write(listing("a,a/c,b", "a/c@b", "a")), hierarchy=given)
    assert data.hierarchy is given
    np.testing.assert_array_equal(data.y.toarray(), [[1, 1, 1, 0], [0, 1, 0, 0]])


def test_padding_is_dropped_under_a_given_hierarchy_too(write):
    given = Hierarchy.from_paths(["2", "1", "1/2"])
    data = read_clus(write(listing("1/0,1/2,2/0", "1/0@2/0")), hierarchy=given)
    np.testing.assert_array_equal(data.y.toarray(), [[1, 1, 0]])


def test_the_hierarchy_is_read_from_the_header_alone(tmp_path):
    header = listing("a,a/b").encode()
    rows = np.random.default_rng(0).bytes(1 << 20)
    path = tmp_path / "long.arff.xz"
    # Cut off, so that reading on would fail.
    path.write_bytes(lzma.compress(header + rows)[: 1 << 19])
    assert read_hierarchy(path).nodes == ("a", "a/b")
    with pytest.raises(ValueError, match=r"long\.arff\.xz, line 4: "):
        read_clus(path)


# ---- mistakes

FOUR = """\
    @attribute x numeric
    @attribute n {a,b}
    @attribute class hierarchical p,p/q
    @attribute id key
    @data
    """


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("4,2", "expected 4 values, one per attribute, found 2"),
        ("4,a,p,k,5", "expected 4 values, one per attribute, found 5"),
        ("4 a p", "expected 4 values, one per attribute, found 1"),
        ("4,c,p,k", "attribute 'n' has the cell 'c'; expected one of a, b, or ?"),
        ("4,,p,k", "attribute 'n' has the cell ''; expected one of a, b, or ?"),
        ("4,'?',p,k", "attribute 'n' has the cell \"'?'\"; expected one of a, b, or ?"),
        ("four,a,p,k", "attribute 'x' has the cell 'four'; expected a number"),
        (",a,p,k", "attribute 'x' has the cell ''; expected a number"),
        ("'',a,p,k", "attribute 'x' has the cell \"''\"; expected a number"),
        ("inf,a,p,k", "attribute 'x' has the cell 'inf'; expected a number"),
        ("-inf,a,p,k", "attribute 'x' has the cell '-inf'; expected a number"),
        ("1e39,a,p,k", "attribute 'x' has the cell '1e39'; expected a number, not too large for single"),
        ("1_000,a,p,k", "attribute 'x' has the cell '1_000'; expected a number"),
        ("4,a,z,k", "attribute 'class': label 'z' is not in the hierarchy"),
        ("4,a,q,k", "attribute 'class': label 'q' is not in the hierarchy"),
        ("4,a,p@,k", "attribute 'class': label '' is not in the hierarchy"),
        ("4,a,,k", "attribute 'class' has the cell ''; expected a value or ?"),
        ("4,a,p,", "attribute 'id' has the cell ''; expected a value or ?"),
        ("4,'a,p,k", 'expected a closing quote and a comma in "\'a,p,k"'),
        ("4,'a'b,p,k", "expected a closing quote and a comma in \"'a'b,p,k\""),
        ("{0 4,2 p,3 k}", "expected values without braces, as in the first row"),
    ],
)
def test_a_wrong_row_is_named_with_what_was_expected(write, row, message):
    # The lines of comments and blank lines count.
    path = write(dedent(FOUR) + f"1,a,p,k\n% comment\n\n{row}\n1,a,p,k\n")
    with pytest.raises(ValueError, match="^" + re.escape(f"{path}, line 9: {message}")):
        read_clus(path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{0 4,2 p,4 1,3 k}", "index 4 is too large; expected 0 to 3"),
        ("{0 4,2 p,0 4,3 k}", "index 0 occurs twice; expected each index once"),
        ("{0 4,-1 3,2 p,3 k}", "expected 'index value' and a comma or brace in '-1 3,2 p,3 k}'"),
        ("{0 4,2,3 k}", "expected 'index value' and a comma or brace in '2,3 k}'"),
        ("{0 4,2 p,3 k", "expected 'index value' and a comma or brace in '3 k'"),
        (
            "{0 4,2 p,3 k},5",
            "expected nothing after the closing brace but a weight such as ', {2}', found ',5'",
        ),
        ("{0 4,2 p,3 k},{-5}", "the row ends with '{-5}'; expected a weight in braces that is not negative"),
        ("{0 4,3 k}", "attribute 'class' is not listed; expected 2 and a value, or 2 ?"),
        ("{}", "attribute 'class' is not listed; expected 2 and a value, or 2 ?"),
        ("{0 four,2 p,3 k}", "attribute 'x' has the cell 'four'; expected a number"),
        ("{0 inf,2 p,3 k}", "attribute 'x' has the cell 'inf'; expected a number"),
        ("{1 c,2 p,3 k}", "attribute 'n' has the cell 'c'; expected one of a, b, or ?"),
        ("{2 z,3 k}", "attribute 'class': label 'z' is not in the hierarchy"),
        ("4,a,p,k", "expected {index value, ...}, as in the first row"),
    ],
)
def test_a_wrong_sparse_row_is_named_with_what_was_expected(write, row, message):
    path = write(dedent(FOUR) + f"{{2 p,3 k}}\n{row}\n")
    with pytest.raises(ValueError, match="^" + re.escape(f"{path}, line 7: {message}")):
        read_clus(path)


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        (
            "@attribute t string",
            "attribute 't' has the type 'string'; expected numeric, real, integer, or values",
        ),
        ("@attribute t date 'yyyy'", "attribute 't' has the type \"date 'yyyy'\"; expected numeric"),
        ("@attribute t classes", "attribute 't' has the type 'classes'; expected numeric"),
        ("@attribute t {a,b", "attribute 't' has the type '{a,b'; expected numeric"),
        ("@attribute t {a,b} c", "attribute 't' has the type '{a,b} c'; expected numeric"),
        ("@attribute t {a,b,a}", "attribute 't' has the value 'a' twice"),
        ("@attribute t {a,?}", "attribute 't' has the value '?'; expected values that are neither"),
        ("@attribute t {a,,b}", "attribute 't' has the value ''; expected values that are neither"),
        ("@attribute t relational", "attribute 't' is relational: its cells are tables; expected numeric"),
        ("@attribute t", "expected '@attribute <name> <type>' or @data, found '@attribute t'"),
        ("@attribute 't numeric", "expected '@attribute <name> <type>' or @data, found"),
        ("1,a", "expected '@attribute <name> <type>' or @data, found '1,a'"),
    ],
)
def test_a_wrong_attribute_is_named_with_what_was_expected(write, attribute, message):
    path = write(f"@relation r\n\n{attribute}\n@attribute class hierarchical a\n@data\n1,a\n")
    with pytest.raises(ValueError, match="^" + re.escape(f"{path}, line 3: {message}")):
        read_clus(path)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ("a,,b", "path '' has an empty part"),
        ("a//b", "path 'a//b' has an empty part"),
        ("root/a,a/b/c", "class 'a/b/c'; expected 'parent/child', since some entries begin with 'root/'"),
        ("root/a,b", "class 'b'; expected 'parent/child'"),
        ("root/a,a/", "class 'a/'; expected 'parent/child'"),
        ("root/a,a/b,b/a", "the edges run in a cycle"),
        ("a,'b", "expected a closing quote"),
    ],
)
@pytest.mark.parametrize("read", [read_clus, read_hierarchy])
def test_a_wrong_list_of_classes_is_named(write, classes, message, read):
    path = write(listing(classes, "a"))
    with pytest.raises(ValueError, match="^" + re.escape(f"{path}, line 2: ") + ".*" + re.escape(message)):
        read(path)


@pytest.mark.parametrize("read", [read_clus, read_hierarchy])
def test_a_file_needs_one_hierarchical_attribute(write, read):
    none = write("@attribute class {a,b}\n@data\na\n")
    with pytest.raises(
        ValueError, match=r"line 2: expected one attribute of type 'hierarchical .*, found none"
    ):
        read(none)
    two = write("@attribute a hierarchical x\n@attribute b hierarchical x\n@data\nx,x\n")
    with pytest.raises(ValueError, match=r"line 3: expected one attribute .*, found 'a', 'b'"):
        read(two)


@pytest.mark.parametrize("read", [read_clus, read_hierarchy])
def test_a_file_needs_data(write, read):
    with pytest.raises(ValueError, match=r"zoo\.arff, line 1: the file ends here; expected @data"):
        read(write("@attribute class hierarchical a\n"))
    with pytest.raises(ValueError, match=r"zoo\.arff, line 1: the file ends here"):
        read(write(""))


def test_labels_are_checked_against_a_given_hierarchy(write):
    path = write(listing("a,b", "a", "b"))
    with pytest.raises(ValueError, match="line 5: attribute 'class': label 'b' is not in the hierarchy"):
        read_clus(path, hierarchy=Hierarchy.from_paths(["a"]))


def test_classes_that_are_no_utf8_are_taken_as_latin_with_a_warning(tmp_path):
    path = tmp_path / "latin.arff"
    path.write_bytes(listing("a,caf\u00e9", "caf\u00e9").encode("latin-1"))
    message = r"latin\.arff, line 2: these bytes are not UTF-8"
    with pytest.warns(UserWarning, match=message):
        assert labels_of(read_clus(path)) == [{"caf\u00e9"}]
    with pytest.warns(UserWarning, match=message):
        assert read_hierarchy(path).nodes == ("a", "caf\u00e9")
    assert labels_of(read_clus(path, encoding="cp1252")) == [{"caf\u00e9"}]
    assert read_hierarchy(path, encoding="cp1252").nodes == ("a", "caf\u00e9")


def test_sparse_rows_of_clus_count_from_one(write):
    path = write("""\
        @attribute a numeric
        @attribute b numeric
        @attribute class hierarchical x,y
        @attribute s string
        @data
        {1 1.5,3 x@y,4 z}
        {2 -2,3 y,4 z}
        """)
    for said in ({}, {"index_base": "clus"}):
        with pytest.warns(UserWarning, match="from 1, as CLUS does: line 6 has the index 4, and there are 4"):
            data = read_clus(path, drop_text=True, **said)
        np.testing.assert_array_equal(data.X, [[1.5, 0], [0, -2]])
        assert labels_of(data) == [{"x", "y"}, {"y"}]
    assert labels_of(read_clus(path, drop_text=True, index_base=1)) == labels_of(data)


@pytest.mark.parametrize("suffix", [".xz", ".gz", ".bz2"])
def test_a_file_that_is_not_compressed_as_its_name_says_is_named(write, suffix):
    path = write(PLAIN, f"zoo.arff{suffix}")
    with pytest.raises(
        ValueError, match=rf"line 0: cannot decompress what follows .*expected a whole \{suffix} file"
    ):
        read_clus(path)


def test_an_absent_file_is_reported_as_such(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_clus(tmp_path / "absent.arff.xz")


@pytest.mark.parametrize("read", [read_clus, read_hierarchy])
@pytest.mark.parametrize(("padding", "error"), [("", ValueError), ("0/0", ValueError), (0, TypeError)])
def test_padding_must_be_one_part_of_a_path(write, read, padding, error):
    with pytest.raises(error, match="padding="):
        read(write(PLAIN), padding=padding)


def test_a_hierarchy_must_be_one(write):
    with pytest.raises(TypeError, match="hierarchy is of type list; expected a Hierarchy or None"):
        read_clus(write(PLAIN), hierarchy=["cat"])


def test_only_nominal_inputs_need_pandas(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert read_clus(write(PLAIN)).X.shape == (2, 2)
    # Before the rows are read: these are wrong.
    path = write(dedent(FOUR) + "1\n")
    with pytest.raises(ImportError, match=r"zoo\.arff has nominal columns.*slantwood\[data\]"):
        read_clus(path)


# ---- any table

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(
    lambda text: text != "?"
)
NUMBERS = st.floats(width=32, allow_nan=False, allow_infinity=False)
LABELS = ["1", "1/2", "1/2/0", "3", "0"]


def quoted(text):
    for plain, escaped in [("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")]:
        text = text.replace(plain, escaped)
    return f"'{text}'"


@st.composite
def tables(draw):
    """Draw columns as (name, values or None for numbers, cells); a cell is None where it is missing."""
    n_rows = draw(st.integers(0, 5))
    names = draw(st.lists(TEXTS, max_size=5, unique=True))
    columns = []
    for name in names:
        values = draw(st.none() | st.lists(TEXTS, min_size=1, max_size=4, unique=True))
        cell = st.none() | (NUMBERS if values is None else st.sampled_from(values))
        columns.append((name, values, draw(st.lists(cell, min_size=n_rows, max_size=n_rows))))
    label_sets = st.none() | st.sets(st.sampled_from(LABELS), min_size=1)
    return columns, draw(st.lists(label_sets, min_size=n_rows, max_size=n_rows))


def as_text(columns, label_sets, in_pairs):
    lines = ["@relation any"]
    for name, values, _ in columns:
        kind = "numeric" if values is None else "{" + ", ".join(map(quoted, values)) + "}"
        lines.append(f"@attribute {quoted(name)} {kind}")
    lines += ["@attribute class hierarchical " + ",".join(LABELS), "@data"]
    for i, labels in enumerate(label_sets):
        cells = [column[i] for *_, column in columns]
        row = [
            "?" if cell is None else quoted(cell) if isinstance(cell, str) else repr(cell) for cell in cells
        ]
        row.append("?" if labels is None else "@".join(sorted(labels)))
        lines.append(
            "{" + ", ".join(f"{i} {cell}" for i, cell in enumerate(row)) + "}" if in_pairs else ",".join(row)
        )
    return "\n".join([*lines, ""])


@given(tables(), st.booleans())
def test_any_table_reads_back_as_it_was_written(tmp_path_factory, table, in_pairs):
    columns, label_sets = table
    path = tmp_path_factory.mktemp("any") / "any.arff"
    path.write_bytes(as_text(columns, label_sets, in_pairs).encode())
    data = read_clus(path)
    assert data.feature_names == tuple(name for name, *_ in columns)
    has_nominal = any(values is not None for _, values, _ in columns)
    assert isinstance(data.X, pd.DataFrame) == has_nominal
    X = data.X.toarray() if sp.issparse(data.X) else data.X
    assert X.shape == (len(label_sets), len(columns))
    for i, (name, values, cells) in enumerate(columns):
        found = X[name] if has_nominal else X[:, i]
        if values is None:
            np.testing.assert_array_equal(found, np.array(cells, np.float32))
        else:
            assert found.cat.categories.tolist() == values
            assert found.cat.codes.tolist() == [-1 if cell is None else values.index(cell) for cell in cells]
    assert data.hierarchy.nodes == tuple(LABELS)
    for labels, row in zip(label_sets, data.y.toarray(), strict=True):
        if labels is None:
            assert np.isnan(row).all()
        else:
            given = data.hierarchy.indicator([labels])
            assert row.tolist() == data.hierarchy.closure(given).toarray()[0].tolist()


@pytest.mark.parametrize(
    ("classes", "cell"),
    [
        ("root/{long},{long}/a/b", "{long}"),
        ("{long}//a", "{long}"),
        ("a,b", "{long}"),
        ("{long},b", "c"),
        ("root/{long},{long}/a,a/{long}", "a"),
        ("root/{long},{long}/root", "a"),
        ("a,b\n@attribute {long} hierarchical a,b", "a"),
    ],
)
def test_an_error_quotes_the_beginning_of_long_classes_only(write, classes, cell):
    text = f"@attribute x numeric\n@attribute {{long}} hierarchical {classes}\n@data\n1,{cell}\n"
    path = write(text.replace("{long}", "long" * 5000))
    with pytest.raises(ValueError, match=re.escape(str(path))) as caught:
        read(path)
    assert len(str(caught.value)) < 800
