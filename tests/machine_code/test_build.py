"""Claims about building: what changed is compiled again, and the same sources give the same bytes."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from slantwood.kernels.compiling import IS_PLAIN
from slantwood.machine_code import build, library
from slantwood.machine_code.targets import TARGETS, host, platform_name

pytestmark = pytest.mark.skipif(IS_PLAIN, reason="plain Python needs no library")
pytest.importorskip("ziglang")

UNIFORM = 'slantwood.kernels.random.uniform["u8:1"]'
DERIVATIVES = 'slantwood.losses.{0}.{0}_derivatives["f4:2","f4:2","f4:2","f4:2"]'
HUBER = 'slantwood.losses.huber.huber_derivatives["f4:2","f4:2","f4:2","f4:2","f4:1"]'
# The beginnings of files that systems load.
MAGIC = {"linux": b"\x7fELF", "darwin": b"\xcf\xfa\xed\xfe", "win32": b"MZ"}


@pytest.fixture
def build_uniform(tmp_path):
    def go(folder="lib", kept="kept", entries=(UNIFORM,), target=None):
        target = target or build.this_machine()
        return build.build(entries, tmp_path / folder, target, tmp_path / kept)

    return go


def test_a_library_is_built_once_and_again_where_it_is_another(build_uniform, tmp_path):
    assert build_uniform()
    assert not build_uniform()
    path = tmp_path / "lib" / build.this_machine().file
    path.write_bytes(path.read_bytes()[:-1])
    assert build_uniform()
    assert build_uniform(entries=(UNIFORM, DERIVATIVES.format("squared")))
    assert not build_uniform(entries=(DERIVATIVES.format("squared"), UNIFORM))


def test_object_code_that_is_kept_is_not_compiled_again(build_uniform, monkeypatch):
    entries = [UNIFORM, DERIVATIVES.format("squared")]
    build_uniform(entries=entries[:1])
    compiled = []
    real = build._compile_all
    monkeypatch.setattr(
        build, "_compile_all", lambda missing, *others: compiled.extend(missing) or real(missing, *others)
    )
    build_uniform(entries=entries)
    assert compiled == entries[1:]


def test_a_change_in_one_loss_concerns_its_kernel_only(monkeypatch, tmp_path):
    changed = library.PACKAGE / "losses" / "huber.py"
    entries = build.entry_points()
    target = build.this_machine()
    before = {entry: build._object_file(entry, target, 0, tmp_path) for entry in entries}
    real = build._digest_of
    monkeypatch.setattr(build, "_digest_of", lambda path: "another" if path == changed else real(path))
    after = {entry: build._object_file(entry, target, 0, tmp_path) for entry in entries}
    assert [entry for entry in entries if before[entry] != after[entry]] == [HUBER]


@pytest.mark.parametrize("name", ["machine_code/backend.py", "kernels/compiling.py"])
def test_a_change_in_what_all_rest_on_concerns_all(name):
    for entry in build.entry_points():
        assert library.PACKAGE / name in build.sources(entry)


def test_the_sources_are_those_that_compilation_really_reads():
    code = """
import sys
from slantwood.machine_code import build
from slantwood.machine_code.kernel import Kernel
from slantwood.machine_code.library import PACKAGE
import pathlib, numba
compiled = set()
from slantwood.machine_code import lowering
real = lowering.as_numba_function
def watched(kernel, **options):
    compiled.add(kernel.py_func.__code__.co_filename)
    return real(kernel, **options)
lowering.as_numba_function = watched
from slantwood.machine_code.frontend import translate
entry = [each for each in build.entry_points() if "sparse_scores" in each][0]
kernel, form = build.kernel_of(entry)
translate(kernel, form)
assert len(compiled) > 1
print(sorted(compiled - set(map(str, build.sources(entry)))))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert result.stdout == "[]\n", result.stderr


def test_the_same_sources_give_the_same_bytes_in_any_folder_and_process(build_uniform, tmp_path):
    entries = (DERIVATIVES.format("softmax"), UNIFORM, 'tests.machine_code.small_kernels.refuse["i8"]')
    build_uniform("first", "kept 1", entries)
    build_uniform("second", "kept 2", entries[::-1])
    for name in (library.DESCRIPTION, build.this_machine().file):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def elf(path):
    return pytest.importorskip("elftools.elf.elffile").ELFFile.load_from_path(str(path))


@pytest.mark.skipif(sys.platform != "linux", reason="reads libraries of Linux")
def test_the_library_asks_for_an_old_c_library_only_and_exports_entry_points_only():
    path = next(library.SHIPPED.glob("kernels.so"))
    description = json.loads((library.SHIPPED / library.DESCRIPTION).read_text())
    with elf(path) as file:
        symbols = list(file.get_section_by_name(".dynsym").iter_symbols())
        needed = {tag.needed for tag in file.get_section_by_name(".dynamic").iter_tags("DT_NEEDED")}
        versions = {
            version.name
            for _, auxiliary in file.get_section_by_name(".gnu.version_r").iter_versions()
            for version in auxiliary
        }
    exported = {each.name for each in symbols if each["st_shndx"] != "SHN_UNDEF"}
    levels = description["levels"]
    wanted = {library.symbol(entry, level) for entry in build.entry_points() for level in levels}
    assert exported == wanted | {library.RELEASE, library.LEVEL}
    assert needed <= {"libc.so.6", "libm.so.6"}
    assert versions
    assert all(tuple(map(int, name.removeprefix("GLIBC_").split("."))) <= (2, 17) for name in versions)


@pytest.mark.thorough
@pytest.mark.parametrize("tag", TARGETS)
def test_a_library_for_any_platform_is_built_on_any_other(build_uniform, tmp_path, tag):
    target = TARGETS[tag]
    assert build_uniform(target=target)
    content = (tmp_path / "lib" / target.file).read_bytes()
    assert content.startswith(MAGIC[target.platform.partition("-")[0]])
    for level in target.levels:
        assert library.symbol(UNIFORM, level).encode() in content


def test_this_machine_is_one_of_the_targets():
    assert host().platform == platform_name()


@pytest.mark.parametrize(("system", "machine"), [("plan9", "x86_64"), ("linux", "vax")])
def test_a_platform_without_a_library_is_named(monkeypatch, system, machine):
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(LookupError, match=f"no library for {system}-{machine}"):
        host()


@pytest.mark.skipif(shutil.which("cc") is None, reason="shows that a compiler of the system is not used")
def test_linking_needs_no_compiler_of_the_system(build_uniform, monkeypatch):
    monkeypatch.setenv("PATH", os.devnull)
    assert build_uniform(target=build.this_machine())
