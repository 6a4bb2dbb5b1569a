"""Where the jobs of a study are run: this machine, or the workers of a cluster of Dask or Ray."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import joblib

BACKENDS = ("local", "dask", "ray")

_SECONDS_TO_CONNECT = 30.0


@contextmanager
def workers(backend: str, address: str | None) -> Iterator[None]:
    """Have joblib send jobs to this machine or to a cluster.

    Parameters
    ----------
    backend : str
        "local", "dask" or "ray".
    address : str or None
        Of a running cluster; None starts one on this machine.

    Raises
    ------
    ImportError
        If the package of the cluster is not installed.
    ConnectionError
        If nothing of Dask answers at the address, or it has no worker.
    """
    if backend == "local":
        yield
    elif backend == "dask":
        with _dask(address), joblib.parallel_config(backend="dask"):
            yield
    elif backend == "ray":
        try:
            import ray
            from ray.util.joblib import register_ray
        except ImportError:
            raise ImportError(
                "--backend ray needs Ray; install it with: pip install 'slantwood[ray]'"
            ) from None
        ray.init(address=address, ignore_reinit_error=True)
        register_ray()
        with joblib.parallel_config(backend="ray"):
            yield
    else:
        raise ValueError(f"backend={backend!r}; expected one of {', '.join(BACKENDS)}")


@contextmanager
def _dask(address: str | None) -> Iterator[None]:
    try:
        from distributed import Client
    except ImportError:
        raise ImportError(
            "jobs on a cluster of Dask need distributed; install it with: pip install distributed"
        ) from None
    try:
        client = Client(address, timeout=_SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"no scheduler of Dask answered at {address!r} within {_SECONDS_TO_CONNECT:g} s "
            f"({type(error).__name__}: {error}); `dask scheduler` prints the address to give, such as "
            "tcp://10.0.0.1:8786"
        ) from None
    with client:
        if not client.nthreads():
            raise ConnectionError(
                f"the scheduler at {address!r} has no worker; start some with: dask worker {address}"
            )
        yield
