"""Tasks of Spark, for a fit inside `joblib.parallel_config("spark")`.

The backend of joblib-spark gives all results at the end and sends the rows with each task. Here they are a
broadcast variable, which each Python process of an executor reads once, and results come in rounds: a round
is one job of Spark, with a few tasks for each processor.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

Result = TypeVar("Result")

# Tasks of a round for each processor: with one, all would wait for the slowest each time; with many, progress
# would be seldom heard of, and an early end would be late.
_IN_A_ROUND = 4


def done_by_spark(
    work: Callable[[Any, Any], Result], shared: object, items: Sequence[Any], n_jobs: int | None
) -> Generator[Result]:
    """Yield `work(shared, item)` for all items, in their order, one round of tasks after the other.

    Parameters
    ----------
    work : callable
        What a task does. Spark does it again, elsewhere, if its process dies.
    shared : object
        What all tasks read; it is broadcast once.
    items : sequence
        The tasks.
    n_jobs : int or None
        Tasks at a time; None or -1 for as many as Spark has processors (`defaultParallelism`).

    Yields
    ------
    object
        The result of the next item.

    Raises
    ------
    RuntimeError
        If the session is one of Spark Connect, which has no broadcast variables.
    """
    from pyspark.sql import SparkSession

    session = SparkSession.builder.getOrCreate()
    try:
        context = session.sparkContext
    except AttributeError:  # PySpark's own kind of it
        raise RuntimeError(
            "inside parallel_config('spark') a forest needs a session with a SparkContext, and this one is "
            "of Spark Connect; run the script on the cluster (spark-submit), or fit without the backend"
        ) from None
    size = n_jobs if n_jobs is not None and n_jobs > 0 else _IN_A_ROUND * context.defaultParallelism
    rows = context.broadcast(shared)

    def task(item: Any) -> Result:
        return work(rows.value, item)

    try:
        for first in range(0, len(items), size):
            some = list(items[first : first + size])
            yield from context.parallelize(some, len(some)).map(task).collect()
    finally:
        rows.destroy()
