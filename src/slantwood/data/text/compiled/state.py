"""What compiled scanners of text share: why a scan ends, how far it is, and cells left to slower code.

Every text ends with a line end, so that no loop has to look for the end of the text.
"""

from slantwood.kernels.compiling import exact

# Why a scan ends.
DONE, FULL, OPEN_QUOTE, AFTER_QUOTE, WRONG_COUNT, NO_LABEL, NO_PAIR, NOT_RISING, TOO_LARGE = range(9)

# How far a scan is: positions in the array that it keeps up to date.
POSITION, ROW, LINE, LEFTOVERS, VALUES, LABELS, PAIRS, LARGEST, SMALLEST = range(9)
N_COUNTERS = 9

LARGEST_INDEX = 2**31 - 2

# Bytes.
TAB, NEWLINE, RETURN, SPACE, QUOTE, HASH, COMMA, ZERO, COLON = 9, 10, 13, 32, 34, 35, 44, 48, 58


@exact
def add_leftover(leftovers, n_leftovers, owner, place, begin, stop, line):
    """Note a piece of text that is not decided here: two numbers of whose it is, its bounds and its line."""
    leftovers[n_leftovers, 0] = owner
    leftovers[n_leftovers, 1] = place
    leftovers[n_leftovers, 2] = begin
    leftovers[n_leftovers, 3] = stop
    leftovers[n_leftovers, 4] = line
