"""Figures of the study: one file per kind, plus `styles` and `saving`, which all of them use."""
