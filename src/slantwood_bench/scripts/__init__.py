"""Measurements behind the figures of the docs, each a program: `python -m slantwood_bench.scripts.NAME`."""
