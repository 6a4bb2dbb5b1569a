"""Claims about the script that makes the pictures of the docs."""

from pathlib import Path

import pytest

from slantwood_bench.scripts import gallery

DOCS = Path(__file__).parents[3] / "docs"


def test_a_picture_is_made_by_the_function_of_its_name(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(gallery.PICTURES, "dot", lambda path: path.write_bytes(b"dot"))
    gallery.main([str(tmp_path), "dot"])
    assert (tmp_path / "dot.png").read_bytes() == b"dot"
    assert capsys.readouterr().out == f"{tmp_path / 'dot.png'}: 3 bytes\n"


@pytest.mark.skipif(not DOCS.exists(), reason="the documentation is not part of this installation")
def test_the_pictures_in_the_docs_are_small():
    made = [DOCS / f"{name}.png" for name in gallery.PICTURES if (DOCS / f"{name}.png").exists()]
    assert DOCS / "report.png" in made
    assert all(path.stat().st_size <= gallery.MOST_BYTES for path in made)
