"""Measurements of slantwood on real data; not part of the installed package."""
