"""Runs the cases of a campaign in a child process, and goes on if one crashes, hangs or takes all memory.

A campaign is a module with three names: `CASES`, how many make a full run; `warm_up()`, which compiles what
cases need; and `run_case(seed, number)`, which does one case, all of it determined by the two numbers, and
returns an `Outcome`. Its last line is ``command(__spec__.name)``, which gives it these options:

    --cases N    run so many, in place of a full run
    --seed S     draw other cases
    --case N     repeat one, here, where a debugger reaches it; may be given several times
    --out FILE   where results go; the numbers and messages of faulty cases are in it

Limits. A case has 5 seconds of processor time: the clock on the wall would count what other programs do.
One that waits without working is given up after six times as long. It may add 1 GB to the memory that the
process holds (resident memory, at its peak): a limit on addresses (RLIMIT_AS) would not do, since compiled
code, threads and allocators reserve gigabytes that they never touch, and a process would die of that and
not of the case. The child measures itself when it can, and the parent looks at it every twentieth of a
second and ends it when it is beyond a limit. After that, and after a crash, a new child goes on with the
next case.
"""

import argparse
import contextlib
import datetime
import json
import os
import platform
import re
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from tests.campaigns.child import ACCEPTED, REFUSED

SECONDS = 5.0
MEGABYTES = 1000.0
_PATIENCE = 6.0  # seconds on the wall for each second of work
_LOOK_EVERY = 0.05
_CASES_PER_CHILD = 1000

CRASH, HANG, MEMORY = "crash", "hang", "memory"
_ROOT = Path(__file__).parents[2]
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Result:
    """A case and what came of it."""

    case: int
    verdict: str
    about: str
    said: str
    seconds: float
    megabytes: float


@dataclass
class Report:
    """What came of all cases of a run."""

    campaign: str
    seed: int
    verdicts: Counter[str] = field(default_factory=Counter)
    faults: list[Result] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)
    longest: float = 0.0
    largest: float = 0.0

    def add(self, result: Result) -> None:
        """Count a case."""
        self.verdicts[result.verdict] += 1
        self.longest = max(self.longest, result.seconds)
        self.largest = max(self.largest, result.megabytes)
        if result.verdict == REFUSED:
            self.refusals[_in_general(result.said)] += 1
        elif result.verdict != ACCEPTED:
            self.faults.append(result)

    def text(self) -> str:
        """Say it in a few lines."""
        counts = ", ".join(f"{verdict}: {count}" for verdict, count in self.verdicts.most_common())
        kinds = Counter((fault.verdict, _in_general(fault.said)) for fault in self.faults)
        examples = {(f.verdict, _in_general(f.said)): f.case for f in reversed(self.faults)}
        return "\n".join(
            [
                f"{self.campaign}, seed {self.seed}: {self.verdicts.total()} cases; {counts}",
                f"longest case {self.longest:.1f} s, largest {self.largest:.0f} MB above the level before it",
                f"{datetime.date.today()}, {_versions()}",
                *(
                    f"  {count} x {verdict}: {said[:300]} (--case {examples[verdict, said]})"
                    for (verdict, said), count in kinds.most_common()
                ),
            ]
        )

    def write(self, file: Path) -> None:
        """Keep everything, with the numbers of the faulty cases."""
        file.parent.mkdir(parents=True, exist_ok=True)
        content = vars(self) | {
            "faults": [asdict(fault) for fault in self.faults],
            "refusals": dict(self.refusals.most_common()),
            "versions": _versions(),
            "date": str(datetime.date.today()),
        }
        file.write_text(json.dumps(content, indent=1) + "\n")


def run(module: str, cases: int, seed: int = 0) -> Report:
    """Run the first `cases` cases of a campaign."""
    report = Report(module.rpartition(".")[2], seed)
    waiting = iter(range(cases))
    ended = False
    while not ended:
        ended = True
        with _Child(module, seed) as child:
            for done, number in enumerate(waiting, 1):
                result = child.run(number)
                report.add(result)
                if result.verdict in (CRASH, HANG, MEMORY) or done == _CASES_PER_CHILD:
                    ended = False
                    break
    return report


class _Child:
    """A process that runs cases."""

    def __init__(self, module: str, seed: int) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  closed with the child
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.campaigns.child", module, str(seed)],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def __enter__(self) -> "_Child":
        if self._answer(None) is None:
            words = self._last_words(2000)
            self.__exit__()
            raise RuntimeError(f"the campaign does not begin: {words}")
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._log.close()

    def run(self, number: int) -> Result:
        """Run a case and wait for what comes of it."""
        assert self._process.stdin is not None
        pid = self._process.pid
        self._process.stdin.write(f"{number}\n".encode())
        self._process.stdin.flush()
        watch = _Watch(pid)
        answer = self._answer(watch)
        if answer is None:
            verdict = watch.verdict or CRASH
            self._end()
            said = self._last_words(400) if verdict == CRASH else f"ended after {watch.seconds:.1f} s"
            return Result(number, verdict, "", f"exit code {self._process.returncode}: {said}", 0.0, 0.0)
        result = Result(number, **answer)
        for verdict, beyond in ((HANG, result.seconds > SECONDS), (MEMORY, result.megabytes > MEGABYTES)):
            if beyond and result.verdict in (ACCEPTED, REFUSED):
                return Result(number, verdict, result.about, result.said, result.seconds, result.megabytes)
        return result

    def _answer(self, watch: "_Watch | None") -> dict[str, Any] | None:
        """Wait for a line; None where the child dies first, or is beyond a limit."""
        assert self._process.stdout is not None
        while not select.select([self._process.stdout], [], [], _LOOK_EVERY)[0]:
            if watch is not None and watch.is_beyond_a_limit():
                return None
        line = self._process.stdout.readline()
        return json.loads(line) if line.endswith(b"\n") else None

    def _end(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        self._process.kill()
        self._process.wait()

    def _last_words(self, length: int) -> str:
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").splitlines()
        # Where a crash has left a stack, what matters is at its beginning.
        start = next((i for i, line in enumerate(lines) if line.startswith("Fatal Python error")), None)
        text = " | ".join(lines if start is None else lines[start:])
        return text[-length:] if start is None else text[:length]


class _Watch:
    """What a process uses from now on."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._begin = time.monotonic()
        self._worked = self._processor_seconds()
        self._level = self._resident_megabytes()
        self.verdict: str | None = None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begin

    def is_beyond_a_limit(self) -> bool:
        """Tell whether it must be ended; `verdict` says why."""
        if self._resident_megabytes() - self._level > MEGABYTES:
            self.verdict = MEMORY
        elif self._processor_seconds() - self._worked > SECONDS or self.seconds > _PATIENCE * SECONDS:
            self.verdict = HANG
        return self.verdict is not None

    def _processor_seconds(self) -> float:
        # After the name, which may have blanks in it: user and system time are the 12th and 13th.
        words = self._read("stat").rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / _TICKS if words else 0.0

    def _resident_megabytes(self) -> float:
        found = re.search(r"VmRSS:\s*(\d+)", self._read("status"))
        return int(found[1]) * 1024 / 1e6 if found else 0.0

    def _read(self, name: str) -> str:
        try:
            return Path(f"/proc/{self._pid}/{name}").read_text()
        except OSError:  # it is gone, or the system has no such files: then the clock on the wall has to do
            return ""


def command(module: str) -> None:
    """Be the command of a campaign; exit code 1 where there are faults."""
    campaign = import_module(module)
    name = module.rpartition(".")[2]
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=campaign.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cases", type=int, default=campaign.CASES, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (default: %(default)s)")
    parser.add_argument("--case", type=int, action="append", help="repeat one case here")
    parser.add_argument(
        "--out", type=Path, default=Path(tempfile.gettempdir(), "slantwood-campaigns", f"{name}.json")
    )
    arguments = parser.parse_args()
    if arguments.case:
        for number in arguments.case:
            print(number, campaign.run_case(arguments.seed, number))
        return
    report = run(module, arguments.cases, arguments.seed)
    report.write(arguments.out)
    print(report.text())
    print(f"results: {arguments.out}")
    sys.exit(1 if report.faults else 0)


def _in_general(said: str) -> str:
    """Take out what differs between cases, so that messages of one kind can be counted."""
    if said.endswith("characters)"):
        return f"{said.partition(':')[0]}: a long message"
    said = re.sub(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\([^()]*\)", "~", said)
    return re.sub(r"[-+]?\d[\d.,e+-]*|\binf\b|\bnan\b", "#", said)[:200]


def _versions() -> str:
    packages = ("numpy", "scipy", "scikit-learn", "pyarrow")
    known = []
    for package in packages:
        with contextlib.suppress(metadata.PackageNotFoundError):
            known.append(f"{package} {metadata.version(package)}")
    return ", ".join([f"Python {platform.python_version()}", *known, f"{os.cpu_count()} cores"])
