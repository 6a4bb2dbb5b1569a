"""Mulan's XML lists of labels: flat and nested ones, and what is wrong with others."""

import io
import lzma
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slantwood.data import Labels, read, read_labels, write_labels
from slantwood.targets.hierarchy import Hierarchy
from tests.sampling import examples

START = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n'
FLAT = START + '<label name="b"></label>\n<label name="a &amp; &quot;c&quot;"/>\n</labels>\n'
NESTED = (
    START
    + '<label name="a">\n<label name="b"/>\n<label name="c"><label name="d"/></label>\n</label>\n</labels>'
)


@pytest.fixture
def write(tmp_path):
    def write_text(text, name="labels.xml"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write_text


def test_a_flat_list_has_names_in_order_and_no_hierarchy(write):
    labels = read_labels(write(FLAT))
    assert labels.names == ("b", 'a & "c"')
    assert labels.parents == (None, None)
    assert labels.hierarchy is None


def test_a_nested_list_is_a_hierarchy(write):
    labels = read_labels(write(NESTED))
    assert labels == Labels(("a", "b", "c", "d"), (None, "a", "a", "c"))
    assert labels.hierarchy == Hierarchy(list("abcd"), [("a", "b"), ("a", "c"), ("c", "d")])


def test_namespace_encoding_and_compression_do_not_matter(write):
    expected = read_labels(write(FLAT))
    assert read_labels(write(FLAT.replace(' xmlns="http://mulan.sourceforge.net/labels"', ""))) == expected
    assert read_labels(write(FLAT.replace("utf-8", "utf-16").encode("utf-16"))) == expected
    assert read_labels(str(write(lzma.compress(FLAT.encode()), "labels.xml.xz"))) == expected
    latin = FLAT.replace("utf-8", "latin-1").replace('"b"', '"é"').encode("latin-1")
    assert read_labels(write(latin)).names[0] == "é"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "no element found; expected XML"),
        ("@relation r\n", 1, "not well-formed (invalid token); expected XML"),
        (FLAT[:-10], 5, "no element found"),
        (FLAT.replace("</label>", "</lable>"), 3, "mismatched tag; expected XML"),
        (FLAT.replace("&amp;", "&"), 4, "not well-formed (invalid token)"),
        (FLAT.replace("&amp;", "&lol;"), 4, "undefined entity"),
        (FLAT.replace("utf-8", "klingon"), 1, "unknown encoding"),
        (FLAT.replace("a &amp; &quot;c&quot;", "b"), 4, "label 'b' occurs twice; expected each label once"),
        (FLAT.replace('name="b"', 'title="b"'), 3, 'a <label> has no name; expected <label name="...">'),
        (FLAT.replace("<label name", "<class name", 1), 3, "found the element <class>; expected <label>"),
        (FLAT.replace("mulan.", "meka."), 2, "found the element <labels>; expected <labels>, as in Mulan's"),
        ("<html/>", 1, "found the element <html>; expected <labels>"),
        (START + "</labels>", 3, "the list is empty; expected elements"),
    ],
)
def test_a_wrong_file_is_named_with_the_line(write, text, line, message):
    path = write(text)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read_labels(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert message in str(caught.value)


ENTITIES = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">\n' for i in range(12))
BOMB = f'<!DOCTYPE labels [\n<!ENTITY e0 "boom">\n{ENTITIES}]>\n<labels><label name="&e12;"/></labels>'
OUTSIDE = '<!DOCTYPE labels SYSTEM "file:///etc/hostname">\n<labels><label name="a"/></labels>'


@pytest.mark.parametrize("text", [BOMB, OUTSIDE])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_type_is_refused_before_anything_expands(write, text, encoding):
    path = write(text.encode(encoding))
    # In the first line: nothing below it, as the label that expands, was looked at.
    with pytest.raises(ValueError, match=r"labels\.xml, line 1: found a document type \(DOCTYPE\); expected"):
        read_labels(path)


def test_deep_nesting_is_read(write):
    n = 5000
    text = "<labels>" + "".join(f'<label name="{i}">' for i in range(n)) + "</label>" * n + "</labels>"
    assert read_labels(write(text)).parents[-1] == str(n - 2)


def test_a_damaged_file_is_named(write):
    path = write(lzma.compress(FLAT.encode())[:-20], "labels.xml.xz")
    with pytest.raises(ValueError, match=r"labels\.xml\.xz: cannot decompress what follows"):
        read_labels(path)


NAMES = st.text(
    st.characters(
        exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff", include_characters="\t\n\r"
    ),
    max_size=4,
)


@given(st.lists(NAMES, min_size=1, max_size=8, unique=True), st.data())
def test_any_list_reads_back_as_it_was_written(tmp_path_factory, names, draw):
    # Each label below one that comes before it, or none.
    above = [draw.draw(st.none() | st.sampled_from(names[:i]) if i else st.none()) for i in range(len(names))]
    path = tmp_path_factory.mktemp("any") / "any.xml.gz"
    write_labels(path, names, above)
    labels = read_labels(path)
    assert dict(zip(labels.names, labels.parents, strict=True)) == dict(zip(names, above, strict=True))
    write_labels(path, labels.names, labels.parents)
    assert read_labels(path) == labels


def test_a_list_can_be_written_to_an_open_file(write):
    file = io.BytesIO()
    write_labels(file, ["b", 'a & "c"'])
    assert file.getvalue() == FLAT.replace("/>", "></label>").encode()


@pytest.mark.parametrize(
    ("names", "parents", "message"),
    [
        ([], None, "names is empty; expected at least one label"),
        (["a", "a"], None, "names has a label twice"),
        (["a", "b"], [None], "parents has 1 entries for 2 names; expected as many"),
        (["a", "b"], [None, "c"], "parents has 'c', which is not among the names"),
        (["a", "b", "c"], [None, "c", "b"], "parents run in a cycle"),
        (["a\x00"], None, r"has the character '\\x00', which XML cannot hold"),
        (["\ud800"], None, r"has the character '\\ud800', which XML cannot hold"),
    ],
)
def test_lists_that_cannot_be_written_are_refused(tmp_path, names, parents, message):
    with pytest.raises(ValueError, match=message):
        write_labels(tmp_path / "no.xml", names, parents)
    assert not list(tmp_path.iterdir())


PIECES = [
    b"<",
    b">",
    b'"',
    b"&",
    b"/",
    b"\n",
    b"\xff",
    b"\x00",
    b"<label>",
    b"<!DOCTYPE a>",
    b"]]>",
    b"utf-16",
    b"utf-7",
]


@examples(60)
@given(st.sampled_from([FLAT, NESTED]), st.data())
def test_any_damage_is_read_or_named(tmp_path_factory, text, draw):
    content = bytearray(text.encode())
    for _ in range(draw.draw(st.integers(1, 5))):
        start = draw.draw(st.integers(0, len(content)))
        stop = start + draw.draw(st.sampled_from([0, 0, 1, 1, 2, 10]))
        content[start:stop] = draw.draw(st.sampled_from(PIECES) | st.binary(max_size=3))
    path = tmp_path_factory.mktemp("any") / "damaged.xml"
    path.write_bytes(content)
    try:
        labels = read_labels(path)
    except ValueError as error:
        assert str(path) in str(error)  # noqa: PT017
    else:
        assert labels.names


@pytest.mark.parametrize(
    "encoding", ["utf-7", "big5", "utf-32", "hex", "rot13", "idna", "punycode", "undefined", "cp037"]
)
def test_odd_encodings_are_read_or_named(write, encoding):
    path = write(FLAT.replace("utf-8", encoding))
    try:
        read_labels(path)
    except ValueError as error:
        assert str(path) in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    "text",
    ["<{long}/>", "<labels><{long}/></labels>", "<labels>" + '<label name="{long}"/>' * 2 + "</labels>"],
)
def test_an_error_quotes_the_beginning_of_long_names_only(write, text):
    path = write(text.replace("{long}", "long" * 5000))
    with pytest.raises(ValueError, match=re.escape(str(path))) as caught:
        read_labels(path)
    assert len(str(caught.value)) < 500


def test_a_long_label_that_the_table_lacks_is_quoted_in_short(write):
    write(f'<labels><label name="{"long" * 5000}"/></labels>', "table.xml")
    path = write("@attribute x numeric\n@data\n1\n", "table.arff")
    with pytest.raises(ValueError, match="no attribute of this name") as caught:
        read(path)
    assert len(str(caught.value)) < 500
