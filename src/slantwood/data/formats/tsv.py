"""TSV: tables of text with tabs between the cells."""

from functools import partial

from slantwood.data.formats import csv

read = partial(csv.read, separators="\t")
write = partial(csv.write, separator="\t")
