"""A process that is forked while another thread compiles can compile too."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are not forked on Windows")

# A thread takes a lock and keeps it for a moment, in which the process is forked; the child must get the
# lock, or the alarm ends it.
FORK = """
import os, signal, sys, threading, time
from numba.core.compiler_lock import global_compiler_lock
from slantwood.machine_code import finding, frontend

lock = {"ours": finding._lock, "of Numba": global_compiler_lock}[sys.argv[1]]
held = threading.Event()

def keep():
    with lock:
        held.set()
        time.sleep(0.5)

keeper = threading.Thread(target=keep)
keeper.start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(10)
    with finding._lock, global_compiler_lock:
        os._exit(0)
keeper.join()
with finding._lock, global_compiler_lock:  # the parent has them back, too
    sys.exit(os.waitpid(child, 0)[1])
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("lock", ["ours", "of Numba"])
def test_a_lock_of_the_compiler_is_never_held_across_a_fork(lock):
    words = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK, lock]
    assert subprocess.run(words, check=False, timeout=120).returncode == 0
