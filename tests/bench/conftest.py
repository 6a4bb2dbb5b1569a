"""Shared by the tests of the study: jobs that do what their `changes` say, and small sets of every task."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from slantwood_bench.jobs import Job
from slantwood_bench.worker import Folders

_TOYS = '''
"""Toy jobs: `changes` says what one does; `prepare` counts how often it was called."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path


def warm_up():
    print("a print before anything is ready")
    with open(Path(__file__).with_name("warmed.txt"), "a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(float(os.environ.get("TOY_WARM_UP", "0")))


def prepare(job, data, folds):
    with open(folds / "prepared.txt", "a") as file:
        file.write(f"{job.dataset} {os.getpid()} {os.getppid()}\\n")
    if job.dataset == "absent":
        raise FileNotFoundError(2, "no such data set", "absent.arff")
    if job.dataset == "deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    if job.dataset == "threads":
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return {"set": job.dataset, "folder": folds, "used": 0}


def metadata(job, prepared):
    return {"task": "binary", "n_rows": len(prepared["set"])}


def run(job, prepared):
    prepared["used"] += 1
    found = {"quality": job.fold / 10 + job.seed, "used": prepared["used"], "pid": os.getpid()}
    return globals()["_" + job.changes.get("do", "return")](job, prepared, found) or found


def _return(job, prepared, found):
    with open(prepared["folder"] / "ran.txt", "a") as file:
        file.write(job.key + "\\n")


def _sleep(job, prepared, found):
    (prepared["folder"] / f"pid-{os.getpid()}").touch()
    time.sleep(job.changes["seconds"])
    _return(job, prepared, found)


def _never_end(job, prepared, found):
    # With a process of its own, which has a group of its own no more than it needs one.
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    (prepared["folder"] / f"pid-{other.pid}").touch()
    (prepared["folder"] / f"pid-{os.getppid()}").touch()
    (prepared["folder"] / f"pid-{os.getpid()}").touch()
    other.wait()


def _leave_a_process(job, prepared, found):
    other = os.fork()
    if other == 0:
        time.sleep(600)
    (prepared["folder"] / f"pid-{other}").touch()


def _die_and_leave_a_process(job, prepared, found):
    _leave_a_process(job, prepared, found)
    os._exit(4)


def _raise(job, prepared, found):
    raise TypeError("a job that\\nfails in two lines")


def _exit(job, prepared, found):
    sys.exit("as some libraries do")


def _die(job, prepared, found):
    print("the first words", file=sys.stderr)
    print("the last words", file=sys.stderr, flush=True)
    os._exit(3)


def _kill(job, prepared, found):
    os.kill(os.getpid(), signal.SIGKILL)


def _kill_worker(job, prepared, found):
    (prepared["folder"] / f"pid-{os.getpid()}").touch()
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(600)


def _print(job, prepared, found):
    print('{"done": {"status": "rubbish"}, "last": true}')
    os.write(1, b"rubbish without an end of line")
    subprocess.run(["echo", "rubbish of a child"], check=True)
    found["read"] = sys.stdin.read()


def _long(job, prepared, found):
    found["importances"] = list(range(200_000))


def _strange(job, prepared, found):
    found["thing"] = object()


def _numpy(job, prepared, found):
    import numpy as np

    found.update(quality=np.float32(0.5), nodes=np.int64(7), importances=np.arange(3), learn_seconds=np.nan)


def _environment(job, prepared, found):
    import tempfile

    found["threads_of_blas"] = os.environ["OPENBLAS_NUM_THREADS"]
    found["place"] = tempfile.mkdtemp()


def _backend(job, prepared, found):
    from slantwood.workers.backends import has_workers

    found["grows_elsewhere"] = has_workers()


def _change_the_key(job, prepared, found):
    found["dataset"] = "another"


def _close_everything(job, prepared, found):
    os.closerange(3, 100)
'''


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """Write the module of toy jobs where this process and its children find it, and return its name."""
    place = tmp_path / "modules"
    place.mkdir()
    (place / "toy_jobs.py").write_text(_TOYS)
    monkeypatch.syspath_prepend(str(place))
    # For workers of joblib and Dask that are there already: they know no new path.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(place), *filter(None, sys.path)]))
    return "toy_jobs"


@pytest.fixture
def folders(tmp_path):
    """Return the folders of a study; toy jobs leave traces in that of folds."""
    folds = tmp_path / "folds"
    folds.mkdir()
    return Folders(None, folds)


@pytest.fixture(scope="session")
def toy():
    """Make a toy job."""

    def make(do="return", dataset="one", fold=0, timeout=60.0, threads=1, **changes):
        changes = changes if do == "return" else {"do": do, **changes}
        return Job("comparison", "toy", dataset, fold, threads=threads, changes=changes, timeout=timeout)

    return make


@pytest.fixture(scope="session")
def traced():
    """Return the ids of processes that toy jobs have noted."""
    return lambda folders: {int(path.name[4:]) for path in folders.folds.glob("pid-*")}


@pytest.fixture(scope="session")
def worker_pids():
    """Return the ids of all workers that have read a data set, and of the processes that started them."""

    def read(folders):
        lines = (folders.folds / "prepared.txt").read_text().splitlines()
        return {int(line.split()[1]) for line in lines}, {int(line.split()[2]) for line in lines}

    return read


@pytest.fixture(scope="session")
def within():
    """Wait until something is so; return whether it came to be."""

    def wait(seconds, is_so):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    return wait


@pytest.fixture(scope="session")
def alive():
    """Return those of some processes that are still at work."""

    def is_alive(pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return False

    return lambda pids: {pid for pid in pids if is_alive(pid)}


@pytest.fixture
def start_script(tmp_path, toys):
    """Start a Python script in a process of its own; what is still at work after the test is killed."""
    started = []

    def start(text):
        path = tmp_path / f"script{len(started)}.py"
        path.write_text(textwrap.dedent(text))
        process = subprocess.Popen(
            [sys.executable, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


# ---- a folder of data sets: names of the registry, and contents that are made up


@pytest.fixture(scope="session")
def made_sets(tmp_path_factory):
    """Write a small set of each task, two for other experiments, and one that stands in for another."""
    folder = tmp_path_factory.mktemp("sets")
    rng = np.random.default_rng(0)
    for name, make in {
        "str/triazines/triazines.arff": _one_number,
        "str/cholesterol/cholesterol.arff": _one_number,
        "mtr/slump/slump.arff": _three_numbers,
        "bin/banknote/banknote_authentication.csv": _two_classes,
        "bin/spambase/spambase.arff": _mail,
        "mcc/balance-scale/balance-scale.arff": _three_classes,
        "mlc/flags/flags.arff": _labels,
        "mlc/tmc2007-500/tmc2007-500.arff": _rare_labels,
        "hmlc/enron/enron.trainvalid.arff": _labels_of_a_hierarchy,
        "hmlc/enron/enron.test.arff": _labels_of_a_hierarchy,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make(rng))
    return folder


@pytest.fixture(scope="module")
def data(made_sets, tmp_path_factory):
    """Return the folder of made-up data sets, while none that this computer has can be found."""
    nothing = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SLANTWOOD_DATA", raising=False)
        for module in ("loading", "places"):
            patch.setattr(f"slantwood.data.registry.{module}.cache_folder", lambda: nothing)
        yield made_sets


def _arff(columns):
    """Write columns of cells: numbers, or a pair of the values that are declared and the cells."""
    head, cells = ["@relation made"], []
    for name, column in columns.items():
        values, column = column if isinstance(column, tuple) else (None, column)
        head.append(f"@attribute {name} {'numeric' if values is None else '{' + ','.join(values) + '}'}")
        cells.append([_cell(value) for value in column])
    return "\n".join([*head, "@data", *map(",".join, zip(*cells, strict=True))]) + "\n"


def _cell(value):
    return value if isinstance(value, str) else "?" if np.isnan(value) else f"{value:g}"


def _with_gaps(column, every):
    column = np.array(column, object if isinstance(column[0], str) else float)
    column[every // 2 :: every] = "?" if column.dtype == object else np.nan
    return column


def _inputs(rng, n, d, every=11):
    """Make numbers of which some are missing, and one column that is nominal."""
    X = rng.normal(size=(n, d)).round(3)
    colours = rng.choice(["red", "green", "blue"], n)
    columns = {f"x{j}": _with_gaps(X[:, j], every + j) if j else X[:, j] for j in range(d)}
    columns["colour"] = (("red", "green", "blue"), _with_gaps(colours, every))
    return X, colours, columns


def _one_number(rng):
    X, colours, columns = _inputs(rng, 90, 4)
    y = 3 * X[:, 0] + X[:, 1] + 2 * (colours == "red")
    return _arff({**columns, "activity": _with_gaps(y.round(3), 30)})


def _three_numbers(rng):
    X, _, columns = _inputs(rng, 80, 5)
    targets = {"slump": X[:, 0] + X[:, 1], "flow": _with_gaps(X[:, 0] - X[:, 2], 27), "strength": 5 * X[:, 1]}
    return _arff({**columns, **targets})


def _two_classes(rng):
    X = rng.normal(size=(100, 4)).round(3)
    y = X[:, 0] + X[:, 1] > 0.3
    return "".join(",".join([*map(str, row), str(int(own))]) + "\n" for row, own in zip(X, y, strict=True))


def _mail(rng):
    X = rng.normal(size=(150, 6)).round(3)
    columns = {f"word{j}": X[:, j] for j in range(6)}
    return _arff({**columns, "class": (("0", "1"), (X.sum(axis=1) > 0).astype(int).astype(str))})


def _three_classes(rng):
    X, _, columns = _inputs(rng, 90, 4)
    names = np.array(["L", "B", "R"])[np.digitize(X[:, 0] - X[:, 1], [-0.8, 0.8])]
    return _arff({**columns, "class": (("L", "B", "R"), _with_gaps(names, 45))})


def _labels(rng):
    X, _, columns = _inputs(rng, 80, 5)
    on = X[:, :5] @ rng.normal(size=(5, 7)) > 0.5
    return _arff(
        {**columns, **{f"label{j}": (("0", "1"), on[:, j].astype(int).astype(str)) for j in range(7)}}
    )


def _rare_labels(rng):
    words = rng.random((90, 60)) < 0.07
    columns = {f"word{j}": words[:, j].astype(int) for j in range(60)}
    labels = {f"label{j}": (("0", "1"), words[:, j].astype(int).astype(str)) for j in range(22)}
    return _arff({**columns, **labels})


def _labels_of_a_hierarchy(rng):
    """Write labels without those above them, and words of which few are in each row."""
    paths = [f"{top}/{low}" for top in "abcd" for low in ("x", "y", "y/z")]
    words = rng.random((60, 40)) < 0.06
    words[:, 0] |= ~words[:, :12].any(axis=1)
    head = [f"@attribute word{j} numeric" for j in range(40)]
    classes = ",".join(sorted({*"abcd", *paths}))
    rows = [
        "{" + ",".join([*(f"{j} 1" for j in np.flatnonzero(row)), f"40 {'@'.join(_some(paths, row))}"]) + "}"
        for row in words
    ]
    return "\n".join(
        ["@relation made", *head, f"@attribute class hierarchical {classes}", "@data", *rows, ""]
    )


def _some(paths, words):
    return [paths[j] for j in np.flatnonzero(words[: len(paths)])]
