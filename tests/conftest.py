"""Shared by all tests: machine code of what only they call, how hypothesis draws, makers of matrices."""

import gc
import os
import signal
import sys
import types
import warnings
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

# Several processes share the cores: threads of libraries would wait for one another.
for _library in ("OPENBLAS", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")  # no windows

# Where real data sets may lie, unless the user names another folder.
_REAL_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
if _REAL_DATA.is_dir():
    os.environ.setdefault("SLANTWOOD_DATA", str(_REAL_DATA))

import numpy as np  # noqa: E402
import pytest  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from hypothesis import settings  # noqa: E402

from slantwood.kernels.compiling import IS_PLAIN  # noqa: E402
from slantwood.machine_code import build, library  # noqa: E402
from tests.sampling import mark_thorough  # noqa: E402

# Others than the first by `pytest --hypothesis-profile NAME`; `examples` in sampling.py knows the numbers.
settings.register_profile("slantwood", deadline=None, derandomize=True, database=None, max_examples=10)
settings.register_profile("thorough", settings.get_profile("slantwood"), max_examples=100)
# Where the same examples run a second time, as plain Python.
settings.register_profile("few", settings.get_profile("slantwood"), max_examples=5)
settings.load_profile("slantwood")


_ROOT = Path(__file__).resolve().parents[1]
_KERNELS_OF_TESTS = _ROOT / "build" / "machine_code" / "tests"


def pytest_configure(config):
    """Build what has changed of the kernels, where the sources are installed; and those that only tests call.

    What `tested_kernels.txt` does not list is compiled in memory, in each process anew. Without Numba, what
    users call can be tested, and no kernel by itself.
    """
    if IS_PLAIN or find_spec("numba") is None:
        return
    if not hasattr(config, "workerinput"):  # one process builds for all
        kept = _KERNELS_OF_TESTS.parent
        if library.PACKAGE.parent.parent == _ROOT:
            build.build(build.entry_points(), library.SHIPPED, build.this_machine(), kept)
        tested = build.entry_points(_ROOT / "tests" / "machine_code" / "tested_kernels.txt")
        build.build(tested, _KERNELS_OF_TESTS, build.this_machine(), kept)
    library.folders.append(_KERNELS_OF_TESTS)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Let the search for garbage pass over all that is there once cases are collected.

    Ten thousand cases and the modules that they import live as long as the process. Without this, every full
    search looks at each of their objects again, in a third of a second: while they are made, and in each test
    that measures memory.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Tell the cases of sampled tests that are thorough, before pytest leaves these out."""
    mark_thorough(items)


@pytest.fixture(autouse=True)
def _close_figures():
    """Close the figures that a test has drawn: Matplotlib keeps them, and warns where there are many."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")


# The fixtures below hand out functions. They live as long as the session, because a property draws
# many examples within one test.


@pytest.fixture(scope="session")
def dense():
    """Make a dense `Matrix` of any 2-D numbers."""
    from slantwood.kernels.matrix import dense_matrix

    return lambda values: dense_matrix(np.array(values, np.float32, order="C", ndmin=2))


@pytest.fixture(scope="session")
def sparse():
    """Make a sparse `Matrix` of any 2-D numbers, without stored zeros."""
    from slantwood.kernels.matrix import sparse_matrix

    return lambda values: sparse_matrix(sp.csr_array(np.array(values, np.float32, ndmin=2)))


@pytest.fixture(scope="session")
def in_both_forms(dense, sparse):
    """Make the same matrix twice: dense, then sparse."""
    return lambda values: (dense(values), sparse(values))


@pytest.fixture(scope="session")
def numbers_of():
    """Spell a `Matrix` out as a float64 array."""

    def spell_out(matrix):
        if matrix.is_dense:
            return matrix.values.astype(np.float64)
        triple = (matrix.data.astype(np.float64), matrix.indices.astype(np.int64), matrix.indptr)
        return sp.csr_array(triple, shape=(len(matrix.indptr) - 1, matrix.n_columns)).toarray()

    return spell_out


@pytest.fixture(scope="session")
def gathered():
    """Go all the way from a `Matrix` to a node's `Block`; return the block, its columns and the workspace."""
    from slantwood.kernels.block import gather
    from slantwood.kernels.workspace import make_workspace, measure, set_scales

    def go(matrix, rows=None, weights=None, power=1.0, importance=(), min_support=1, unit_variance=True):
        n = len(matrix.values) if matrix.is_dense else len(matrix.indptr) - 1
        rows = np.arange(n, dtype=np.uint32) if rows is None else np.array(rows, np.uint32)
        weights = np.ones(len(rows), np.float32) if weights is None else np.array(weights, np.float32)
        workspace = make_workspace(matrix, rows, True)
        n_active = measure(matrix, rows, weights, min_support, workspace)
        set_scales(workspace, n_active, float(power), np.array(importance, np.float32), unit_variance)
        block = gather(matrix, rows, workspace, n_active)
        return block, workspace.columns[:n_active].astype(np.int64), workspace

    return go


@pytest.fixture(scope="session")
def standardised_of():
    """Spell a `Block` out as a float64 array, with the means of sparse blocks subtracted."""

    def spell_out(block):
        if block.is_dense:
            return block.values.astype(np.float64)
        stored = sp.csr_array(
            (block.data.astype(np.float64), block.indices.astype(np.int64), block.indptr),
            shape=(block.n_rows, block.n_columns),
        )
        return stored.toarray() - block.mean.astype(np.float64)

    return spell_out


@pytest.fixture(scope="session")
def blocks_of():
    """Make the block of the numbers `stored - mean` twice: dense, then sparse with its means kept apart."""
    from slantwood.kernels.block import Block

    def make(stored, mean=None):
        csr = sp.csr_array(np.array(stored, np.float32, ndmin=2))
        n, d = csr.shape
        mean = np.zeros(d, np.float32) if mean is None else np.array(mean, np.float32)
        values = (csr.toarray().astype(np.float64) - mean).astype(np.float32)
        indptr, indices = csr.indptr.astype(np.int64), csr.indices.astype(np.uint32)
        none_missing = indptr[:0], indices[:0]
        return (
            Block(
                True, values, indptr[:0], indices[:0], csr.data[:0], np.zeros_like(mean), n, d, *none_missing
            ),
            Block(False, np.empty((0, 0), np.float32), indptr, indices, csr.data, mean, n, d, *none_missing),
        )

    return make


@pytest.fixture(scope="session")
def liac():
    """Return liac-arff."""
    return pytest.importorskip("arff", reason="liac-arff is not installed")


@pytest.fixture(scope="session")
def load_from_arff(liac):
    """Return the reader of scikit-multilearn, whose module wants a library to download with."""
    pytest.importorskip("skmultilearn", reason="scikit-multilearn is not installed")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import requests  # noqa: F401
        except ImportError:
            patch.setitem(sys.modules, "requests", types.ModuleType("requests"))
        from skmultilearn.dataset import load_from_arff

    def load(*arguments, **settings):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it leaves files open
            return load_from_arff(*arguments, **settings)

    return load


class TimeIsUpError(Exception):
    """What the handler of a time limit raises."""


@pytest.fixture(scope="session")
def time_limit():
    """Make a block that must be ended by an exception, which a signal handler raises after some seconds."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("this system has no SIGALRM")

    @contextmanager
    def limit(seconds):
        def ring(number, frame):
            raise TimeIsUpError

        before = signal.signal(signal.SIGALRM, ring)
        # What Python raises inside of a callback of its garbage collector is lost, and hypothesis has one.
        callbacks, gc.callbacks[:] = gc.callbacks[:], []
        # An exception that is lost makes the test fail, as every one that Python cannot raise does; that it
        # rings again only ends the block.
        signal.setitimer(signal.ITIMER_REAL, seconds, 10.0)
        try:
            with pytest.raises(TimeIsUpError):
                yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)
            gc.callbacks[:] = callbacks

    return limit
