"""Workers of a Dask cluster that tests kill."""

import os
import time


def wait_for_replacement(client, *victims):
    """Wait until two workers answer, none of them one of those that were killed.

    The scheduler takes a moment to notice that a worker is gone, and until then counts it.
    """
    for _ in range(600):
        processes = client.run(os.getpid, on_error="ignore").values()
        if len(processes) == 2 and not set(victims) & set(processes):
            return
        time.sleep(0.1)
    raise AssertionError(f"the workers are still {processes}, of which {victims} were killed")
