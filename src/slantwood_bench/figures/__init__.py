"""Figures of the study: one file per kind, plus `styles` and `saving`, which all of them use.

Those of results take `rows`, the rows of results; `methods`, the names of the methods to draw, of those that
have rows, or None for all; `titles`, what to call a method if not by its name; and `absent`, by task, the
names of data sets that are not there, of which the figure says so.
"""
