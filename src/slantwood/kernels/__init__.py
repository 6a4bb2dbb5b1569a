"""Compiled primitives on the matrices of one node. Nothing here knows a tree."""
