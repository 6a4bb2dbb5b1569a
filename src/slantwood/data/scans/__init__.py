"""Data files that are too large to hold: read some rows at a time, from the first to the last."""
