"""Claims about the house: imports point downwards, files and functions stay small."""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

import slantwood
from slantwood_bench.scripts.layers import LAYERS, imports, picture, wrong_imports

ROOT = Path(slantwood.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
DOCS = Path(__file__).parents[1] / "docs"

_MOST_LINES, _MOST_LINES_OF_A_FUNCTION = 400, 100
_NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(text):
    """Return the numbers of the lines that hold code: neither blank, nor comment, nor docstring."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if documented and ast.get_docstring(node, clean=False) is not None:
            lines.difference_update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return lines


def test_every_part_of_the_package_has_its_layer():
    parts = {file.relative_to(ROOT).parts[0].removesuffix(".py") for file in FILES}
    assert {part for parts in LAYERS for part in parts} == {part for part in parts if part[0] != "_"}


def test_imports_point_downwards():
    assert wrong_imports(imports()) == []


def test_an_import_that_points_upwards_is_named(tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "block.py").write_text("def f():\n    from slantwood.growth.grow import grow\n")
    assert wrong_imports(imports(tmp_path)) == ["kernels imports growth in kernels/block.py"]


@pytest.mark.skipif(not DOCS.exists(), reason="the documentation is not part of this installation")
def test_the_picture_of_the_layers_is_that_of_these_imports():
    assert (DOCS / "layers.svg").read_text(encoding="utf-8") == picture(imports())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_files_and_functions_stay_small(file):
    text = file.read_text(encoding="utf-8")
    lines = code_lines(text)
    assert len(lines) <= _MOST_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            inside = [line for line in lines if node.lineno <= line <= node.end_lineno]
            assert len(inside) <= _MOST_LINES_OF_A_FUNCTION, node.name


@pytest.mark.skipif(not DOCS.exists(), reason="the documentation is not part of this installation")
def test_the_walks_of_the_guide_go_through_functions_that_exist_and_visit_no_file_twice():
    guide = (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    walks = guide.split("## A walk")[1].split("\n## ")[0].split("\nOne ")[1:]
    assert len(walks) == 3
    for walk in walks:
        hops = re.findall(r"`([\w/]+\.py): ([\w.]+)`", walk)
        assert len(hops) >= 6
        assert len({file for file, _ in hops}) == len(hops)
        for file, name in hops:
            defined = {
                node.name
                for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
                if isinstance(node, ast.FunctionDef | ast.ClassDef)
            }
            assert set(name.split(".")) <= defined, file
