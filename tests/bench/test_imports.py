"""The learner and the study are neighbours: one does not know the other, which uses public names only."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src"
LEARNER, STUDY = SOURCES / "slantwood", SOURCES / "slantwood_bench"

pytestmark = pytest.mark.skipif(not SOURCES.is_dir(), reason="the sources are not part of this installation")


def _imports(path):
    """Yield the module and the name of every import of a file; no name where all of a module is imported."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((each.name, None) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module, each.name) for each in node.names)


def _is_public(module, name):
    """Tell whether a module says by `__all__` what is public in it, and names this."""
    public = getattr(import_module(module), "__all__", None)
    return public is not None and (name is None or name in public)


@pytest.mark.parametrize("path", sorted(STUDY.rglob("*.py")), ids=lambda path: str(path.relative_to(STUDY)))
def test_the_study_imports_public_names_only(path):
    used = [each for each in _imports(path) if each[0] == "slantwood" or each[0].startswith("slantwood.")]
    assert [each for each in used if not _is_public(*each)] == []


def test_the_learner_does_not_know_the_study():
    for path in sorted(LEARNER.rglob("*.py")):
        assert "slantwood_bench" not in path.read_text(encoding="utf-8"), path
