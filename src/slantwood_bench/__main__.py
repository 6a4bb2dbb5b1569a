"""`python -m slantwood_bench`: what `slantwood bench` does, for sources that are not installed."""

import typer

from slantwood_bench.command import bench

if __name__ == "__main__":
    typer.run(bench)
