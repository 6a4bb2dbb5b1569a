"""Claims about the package as a whole: its README runs, it loads quickly, it starts warm."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import slantwood

ROOT = Path(__file__).parents[1]


def run(code, env=None):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    return result.stdout


def test_every_public_name_exists_and_is_listed():
    for name in slantwood.__all__:
        assert getattr(slantwood, name) is not None
    assert set(slantwood.__all__) == set(dir(slantwood))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = slantwood.nothing


def test_importing_the_package_loads_no_heavy_library():
    heavy = ("numpy", "scipy", "sklearn")
    assert run(f"import sys, slantwood; print([m for m in {heavy} if m in sys.modules])").strip() == "[]"


@pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="the README is not part of this installation")
def test_the_examples_of_the_readme_run_as_pasted(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert len(blocks) == 2
    assert len(blocks[0].strip().splitlines()) <= 12
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert re.search(r"LRAP 0\.\d+", capsys.readouterr().out)


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the documentation is not part of this installation")
def test_the_examples_of_the_documentation_run_as_pasted():
    files = sorted((ROOT / "docs").glob("*.md"))
    blocks = [
        (file.name, block)
        for file in files
        for block in re.findall(r"```python\n(.*?)```", file.read_text(), flags=re.DOTALL)
    ]
    assert len(blocks) >= 2
    for name, block in blocks:
        exec(compile(block, name, "exec"), {})


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the documentation is not part of this installation")
def test_files_that_the_documentation_names_exist():
    missing, n_named = [], 0
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = page.read_text(encoding="utf-8")
        named = [ROOT / path for path in re.findall(r"(?<![\w/.-])(?:src|tests|docs)/[\w./-]*\w", text)]
        linked = [page.parent / path for path in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)]
        n_named += len(named)
        missing += [f"{page.name} names {path}" for path in (*named, *linked) if not path.exists()]
    assert n_named > 10
    assert missing == []
