"""Rows of cells between separators: bytes to numbers and codes of texts.

What a column means is not known here. Odd spellings of numbers are handed back as leftovers, by their place
in the text, for slower and wiser code.
"""

from typing import NamedTuple

import numpy as np

from slantwood.data.text.compiled import state
from slantwood.data.text.compiled.number import at, number_at
from slantwood.data.text.numbers import TOO_LARGE_FOR_SINGLE
from slantwood.kernels.compiling import exact

# What becomes of a column.
SKIP, NUMBER, TARGET, TEXT = range(4)


class Texts(NamedTuple):
    """The distinct texts of several columns, and a hash table that finds them.

    Attributes
    ----------
    table : int32 array
        Its length is a power of two, at least twice the capacity for texts. 1 + number of the
        text that belongs here, or 0.
    hashes : uint64 array
        Hash of each text.
    ends : int64 array
        Where each text ends in `letters`; it begins where the one before ends.
    columns : int32 array
        The column that each text is from.
    codes : int32 array
        Number of each text among those of its column, in order of appearance.
    counts : int32 array
        Number of texts of each column.
    latest : int32 array
        The text that each column had last, or -1.
    letters : uint8 array
        The texts one after the other, with space for all that is still to be scanned.
    """

    table: np.ndarray
    hashes: np.ndarray
    ends: np.ndarray
    columns: np.ndarray
    codes: np.ndarray
    counts: np.ndarray
    latest: np.ndarray
    letters: np.ndarray


@exact
def scan_table(text, separator, kinds, places, end_row, progress, numbers, targets, codes, texts, leftovers):
    """Read rows of cells between separators; return why the scan ends.

    Parameters
    ----------
    text : uint8 array
        Whole lines.
    separator : int
        The byte between two cells.
    kinds, places : int64 arrays of shape (n_columns,)
        What becomes of a column, and its place among those of its kind.
    end_row : int
        The scan ends before this row.
    progress : int64 array of shape (N_COUNTERS,)
        Moved on row by row; POSITION is where the first row begins that is not yet read.
    numbers : float32 array; targets : float64 array; codes : int32 array
        Rows up to the capacity, a column for each of the kind; NaN or -1 for what is missing.
    texts : Texts
        Distinct texts so far.
    leftovers : int64 array of shape (capacity, 5)
        Cells that are not decided here: row, column, begin and end in the text, line.
    """
    _, hashes, ends, _, code_of, counts, latest, letters = texts
    n_columns = kinds.shape[0]
    n_texts = counts.shape[0]
    capacity = hashes.shape[0]
    end = text.shape[0]
    i = progress[state.POSITION]
    row = progress[state.ROW]
    line = progress[state.LINE]
    n_leftovers = progress[state.LEFTOVERS]
    n_values = progress[state.VALUES]
    while i < end:
        i = _after_blanks(text, i, separator)
        if at(text, i) == state.NEWLINE or at(text, i) == state.RETURN:
            i = _next_line(text, i)
            line += 1
            continue
        progress[state.POSITION] = i
        progress[state.LINE] = line
        progress[state.ROW] = row
        progress[state.LEFTOVERS] = n_leftovers
        if row >= end_row:
            return state.DONE
        if row >= min(numbers.shape[0], targets.shape[0], codes.shape[0]):
            return state.FULL
        if leftovers.shape[0] - n_leftovers < n_columns or capacity - n_values < n_texts:
            return state.FULL
        column = 0
        while True:
            i = _after_blanks(text, i, separator)
            begin = i
            stop = i
            first_line = line
            is_quoted = at(text, i) == state.QUOTE
            if is_quoted:
                begin = i + 1
                stop, line = _closing_quote(text, begin, line)
                if stop >= end:
                    return state.OPEN_QUOTE
                i = _after_blanks(text, stop + 1, separator)
                if not _ends_cell(at(text, i), separator):
                    return state.AFTER_QUOTE

            kind = kinds[column] if column < n_columns else SKIP
            if kind == TEXT and not is_quoted:
                # Columns often have the same text again.
                is_same, after = _same_again(text, i, separator, latest[places[column]], ends, letters)
                if is_same:
                    codes[row, places[column]] = code_of[latest[places[column]]]
                    i = after
                    column += 1
                    if at(text, i) != separator:
                        break
                    i += 1
                    continue
            is_number = False
            if (kind == NUMBER) | (kind == TARGET):
                value, after, is_number = number_at(text, begin)
                if is_number:
                    after = _after_blanks(text, after, separator)
                    is_number = after == stop if is_quoted else _ends_cell(at(text, after), separator)
                    if kind == NUMBER and not abs(value) < TOO_LARGE_FOR_SINGLE:
                        is_number = False
                if is_number:
                    _store(kind == NUMBER, numbers, targets, row, places[column], value)
                    if not is_quoted:
                        i = after
            if not is_number:
                if not is_quoted:
                    while not _ends_cell(at(text, i), separator):
                        i += 1
                    stop = _before_blanks(text, begin, i)
                if kind != SKIP:
                    is_missing = _is_missing(text, begin, stop)
                    if kind == TEXT:
                        place = places[column]
                        codes[row, place] = -1
                        if not is_missing:
                            n_values = _look_up(text, begin, stop, is_quoted, place, texts, n_values)
                            progress[state.VALUES] = n_values
                            codes[row, place] = code_of[latest[place]]
                    elif is_missing:
                        _store(kind == NUMBER, numbers, targets, row, places[column], np.nan)
                    else:
                        state.add_leftover(leftovers, n_leftovers, row, column, begin, stop, first_line)
                        n_leftovers += 1
            column += 1
            if at(text, i) != separator:
                break
            i += 1
        if column != n_columns:
            return state.WRONG_COUNT
        i = _next_line(text, i)
        line += 1
        row += 1
    progress[state.POSITION] = i
    progress[state.LINE] = line
    progress[state.ROW] = row
    progress[state.LEFTOVERS] = n_leftovers
    return state.DONE


@exact
def fill_table(hashes, n_texts, table):
    """Put the texts in an empty hash table, as in `Texts`."""
    mask = np.uint64(table.shape[0] - 1)
    for number in range(n_texts):
        slot = hashes[number] & mask
        while table[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = number + 1


@exact
def _after_blanks(text, i, separator):
    while at(text, i) == state.SPACE or (at(text, i) == state.TAB and separator != state.TAB):
        i += 1
    return i


@exact
def _before_blanks(text, begin, stop):
    while stop > begin and (at(text, stop - 1) == state.SPACE or at(text, stop - 1) == state.TAB):
        stop -= 1
    return stop


@exact
def _ends_cell(byte, separator):
    # In compiled code a search in a tuple is three times slower.
    return (byte == separator) | (byte == state.NEWLINE) | (byte == state.RETURN)


@exact
def _next_line(text, i):
    # Lines end with \n, \r\n or, as once on some machines, \r; a text never ends with \r.
    return i + 2 if at(text, i) == state.RETURN and at(text, i + 1) == state.NEWLINE else i + 1


@exact
def _closing_quote(text, i, line):
    # Where the quote stands that closes a cell, or the end of the text, and on which line.
    end = text.shape[0]
    while i < end and (at(text, i) != state.QUOTE or at(text, i + 1) == state.QUOTE):
        if at(text, i) == state.NEWLINE:
            line += 1
        i += 2 if at(text, i) == state.QUOTE else 1
    return i, line


@exact
def _store(is_input, numbers, targets, row, place, value):
    if is_input:
        numbers[row, place] = value
    else:
        targets[row, place] = value


@exact
def _is_missing(text, begin, stop):
    # Nothing, ?, NA, N/A, NaN, nan and null.
    length = stop - begin
    if length == 0:
        return True
    first = at(text, begin)
    if length == 1:
        return first == 63
    if length > 4 or (first != 78 and first != 110):
        return False
    second = at(text, begin + 1)
    if length == 2:
        return first == 78 and second == 65
    third = at(text, begin + 2)
    if length == 3:
        if first == 78:
            return (second == 47 and third == 65) or (second == 97 and third == 78)
        return second == 97 and third == 110
    return first == 110 and second == 117 and third == 108 and at(text, begin + 3) == 108


@exact
def _same_again(text, i, separator, latest, ends, letters):
    # Whether a cell has the text that its column had last, and where the cell ends.
    if latest < 0:
        return False, i
    k = ends[latest - 1] if latest > 0 else 0
    end = ends[latest]
    while k < end and at(letters, k) == at(text, i):
        i += 1
        k += 1
    return k == end and _ends_cell(at(text, i), separator), i


@exact
def _look_up(text, begin, stop, is_quoted, place, texts, n_values):
    # Make a text the latest of its column, and add it where it is new; return how many texts there are.
    table, hashes, ends, owners, codes, counts, latest, letters = texts
    # It is copied behind the letters of the others, where it stays if it is new.
    start = ends[n_values - 1] if n_values > 0 else 0
    length, hashed = _copy(text, begin, stop, is_quoted, place, letters, start)
    slot = _find_slot(hashed, place, start, length, table, hashes, ends, owners, letters)
    if table[slot] == 0:
        hashes[n_values] = hashed
        ends[n_values] = start + length
        owners[n_values] = place
        codes[n_values] = counts[place]
        counts[place] += 1
        n_values += 1
        table[slot] = n_values
    latest[place] = table[slot] - 1
    return n_values


@exact
def _copy(text, begin, stop, is_quoted, column, letters, start):
    # Copy a text to `start`; return its length and its hash: FNV-1a, begun differently for each column.
    hashed = np.uint64(14695981039346656037) ^ (np.uint64(column) * np.uint64(11400714819323198485))
    length = 0
    i = begin
    while i < stop:
        byte = at(text, i)
        letters[np.uint64(start + length)] = byte
        length += 1
        hashed = (hashed ^ np.uint64(byte)) * np.uint64(1099511628211)
        i += 2 if is_quoted and byte == state.QUOTE else 1
    return length, hashed ^ (hashed >> np.uint64(32))


@exact
def _find_slot(hashed, column, start, length, table, hashes, ends, owners, letters):
    # The slot of the text at `start` in the table: where it is, or else a free one.
    mask = np.uint64(table.shape[0] - 1)
    slot = hashed & mask
    while table[slot] != 0:
        known = table[slot] - 1
        if hashes[known] == hashed and owners[known] == column:
            known_start = ends[known - 1] if known > 0 else 0
            if ends[known] - known_start == length:
                k = 0
                while k < length and at(letters, known_start + k) == at(letters, start + k):
                    k += 1
                if k == length:
                    break
        slot = (slot + np.uint64(1)) & mask
    return slot
