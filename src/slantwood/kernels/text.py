"""Text that holds tables: bytes to numbers, codes of texts, and pairs of index and value.

What a column means is not known here. Odd spellings of numbers are handed back as leftovers, by their place
in the text, for slower and wiser code.
Every text ends with a line end, so that no loop has to look for the end of the text.
"""

from typing import NamedTuple

import numpy as np

from slantwood.kernels.compiling import scanning
from slantwood.kernels.number_text import at, number_at

# What becomes of a column.
SKIP, NUMBER, TARGET, TEXT = range(4)

# Why a scan ends.
DONE, FULL, OPEN_QUOTE, AFTER_QUOTE, WRONG_COUNT, NO_LABEL, NO_PAIR, NOT_RISING, TOO_LARGE = range(9)

# How far a scan is: positions in the array that it keeps up to date.
POSITION, ROW, LINE, LEFTOVERS, VALUES, LABELS, PAIRS, LARGEST, SMALLEST = range(9)
N_COUNTERS = 9

# Of these two numbers the smaller is rounded to one of single precision, the larger to infinity.
TOO_LARGE_FOR_SINGLE = 2.0**128 - 2.0**103
LARGEST_INDEX = 2**31 - 2

_TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE, _HASH = 9, 10, 13, 32, 34, 35
_COMMA, _ZERO, _COLON = 44, 48, 58


class Texts(NamedTuple):
    """The distinct texts of several columns, and a hash table that finds them.

    Attributes
    ----------
    table : int32 array
        Its length is a power of two, at least twice the number of texts there is room for. 1 + number of the
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
        The texts one after the other, with room for all that is still to be scanned.
    """

    table: np.ndarray
    hashes: np.ndarray
    ends: np.ndarray
    columns: np.ndarray
    codes: np.ndarray
    counts: np.ndarray
    latest: np.ndarray
    letters: np.ndarray


@scanning
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
        A row for each that there is room for, a column for each of the kind; NaN or -1 for what is missing.
    texts : Texts
        Distinct texts so far.
    leftovers : int64 array of shape (room, 5)
        Cells that are not decided here: row, column, begin and end in the text, line.
    """
    table, hashes, ends, owners, numbers_of, counts, latest, letters = texts
    n_columns = kinds.shape[0]
    n_texts = counts.shape[0]
    room = hashes.shape[0]
    end = text.shape[0]
    i = progress[POSITION]
    row = progress[ROW]
    line = progress[LINE]
    n_leftovers = progress[LEFTOVERS]
    n_values = progress[VALUES]
    while i < end:
        i = _after_blanks(text, i, separator)
        if at(text, i) == _NEWLINE or at(text, i) == _RETURN:
            i = _next_line(text, i)
            line += 1
            continue
        progress[POSITION] = i
        progress[LINE] = line
        progress[ROW] = row
        progress[LEFTOVERS] = n_leftovers
        if row >= end_row:
            return DONE
        if row >= min(numbers.shape[0], targets.shape[0], codes.shape[0]):
            return FULL
        if leftovers.shape[0] - n_leftovers < n_columns or room - n_values < n_texts:
            return FULL
        column = 0
        while True:
            i = _after_blanks(text, i, separator)
            begin = i
            stop = i
            first_line = line
            is_quoted = at(text, i) == _QUOTE
            if is_quoted:
                begin = i + 1
                stop = begin
                while stop < end and (at(text, stop) != _QUOTE or at(text, stop + 1) == _QUOTE):
                    if at(text, stop) == _NEWLINE:
                        line += 1
                    stop += 2 if at(text, stop) == _QUOTE else 1
                if stop >= end:
                    return OPEN_QUOTE
                i = _after_blanks(text, stop + 1, separator)
                if not _ends_cell(at(text, i), separator):
                    return AFTER_QUOTE

            kind = kinds[column] if column < n_columns else SKIP
            if kind == TEXT and not is_quoted:
                # Columns often have the same text again.
                is_same, after = _same_again(text, i, separator, latest[places[column]], ends, letters)
                if is_same:
                    codes[row, places[column]] = numbers_of[latest[places[column]]]
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
                    if kind == NUMBER:
                        numbers[row, places[column]] = value
                    else:
                        targets[row, places[column]] = value
                    if not is_quoted:
                        i = after
            if not is_number:
                if not is_quoted:
                    while not _ends_cell(at(text, i), separator):
                        i += 1
                    stop = i
                    while stop > begin and (at(text, stop - 1) == _SPACE or at(text, stop - 1) == _TAB):
                        stop -= 1
                if kind != SKIP:
                    is_missing = _is_missing(text, begin, stop)
                    if kind == TEXT:
                        place = places[column]
                        codes[row, place] = -1
                        if not is_missing:
                            # It is copied behind the letters of the others, where it stays if it is new.
                            start = ends[n_values - 1] if n_values > 0 else 0
                            length, hashed = _copied(text, begin, stop, is_quoted, place, letters, start)
                            slot = _found(hashed, place, start, length, table, hashes, ends, owners, letters)
                            if table[slot] == 0:
                                hashes[n_values] = hashed
                                ends[n_values] = start + length
                                owners[n_values] = place
                                numbers_of[n_values] = counts[place]
                                counts[place] += 1
                                n_values += 1
                                table[slot] = n_values
                                progress[VALUES] = n_values
                            latest[place] = table[slot] - 1
                            codes[row, place] = numbers_of[latest[place]]
                    elif is_missing:
                        if kind == NUMBER:
                            numbers[row, places[column]] = np.nan
                        else:
                            targets[row, places[column]] = np.nan
                    else:
                        leftovers[n_leftovers, 0] = row
                        leftovers[n_leftovers, 1] = column
                        leftovers[n_leftovers, 2] = begin
                        leftovers[n_leftovers, 3] = stop
                        leftovers[n_leftovers, 4] = first_line
                        n_leftovers += 1
            column += 1
            if at(text, i) != separator:
                break
            i += 1
        if column != n_columns:
            return WRONG_COUNT
        i = _next_line(text, i)
        line += 1
        row += 1
    progress[POSITION] = i
    progress[LINE] = line
    progress[ROW] = row
    progress[LEFTOVERS] = n_leftovers
    return DONE


@scanning
def scan_pairs(text, has_comments, n_rows, progress, labels, label_indptr, indices, data, indptr, leftovers):
    """Read rows ``label,label index:value index:value``; return why the scan ends.

    Parameters
    ----------
    text : uint8 array
        Whole lines.
    has_comments : bool
        Whether there may be comments after #, and ``qid:number`` after the labels; indices rise then.
    n_rows : int
        Empty lines up to this row are rows without anything; later ones are nothing.
    progress : int64 array of shape (N_COUNTERS,)
        Moved on row by row; POSITION is where the first row begins that is not yet read, or, where that row
        is wrong, the place of the mistake. SMALLEST and LARGEST are those of the indices.
    labels : float64 array
        Labels of all rows.
    label_indptr, indptr : int64 arrays
        Where the labels and the pairs of a row begin; their first element is set before.
    indices : int32 array; data : float32 array
        Indices and values of all rows.
    leftovers : int64 array of shape (room, 5)
        Numbers that are not decided here: 0 for a label and 1 for a value, its place in `labels` or `data`,
        begin and end in the text, line.
    """
    end = text.shape[0]
    i = progress[POSITION]
    row = progress[ROW]
    line = progress[LINE]
    n_labels = progress[LABELS]
    n_pairs = progress[PAIRS]
    n_leftovers = progress[LEFTOVERS]
    largest = progress[LARGEST]
    smallest = progress[SMALLEST]
    while i < end:
        progress[POSITION] = i
        progress[LINE] = line
        progress[ROW] = row
        progress[LABELS] = n_labels
        progress[PAIRS] = n_pairs
        progress[LEFTOVERS] = n_leftovers
        progress[LARGEST] = largest
        progress[SMALLEST] = smallest
        i = _after_white(text, i)
        if has_comments and at(text, i) == _HASH:
            i = _end_of_line(text, i)
        if at(text, i) == _NEWLINE and row >= n_rows:
            i += 1
            line += 1
            continue

        if not _is_pair(text, i):
            while at(text, i) != _NEWLINE:
                value, after, is_number = number_at(text, i)
                is_number = is_number and (
                    _ends_word(at(text, after), has_comments) or at(text, after) == _COMMA
                )
                if not is_number:
                    after = i
                    while not _ends_word(at(text, after), has_comments) and at(text, after) != _COMMA:
                        after += 1
                    if after == i or at(text, after) == _COLON:
                        progress[POSITION] = i
                        return NO_LABEL
                    if n_leftovers == leftovers.shape[0]:
                        return FULL
                    leftovers[n_leftovers, 0] = 0
                    leftovers[n_leftovers, 1] = n_labels
                    leftovers[n_leftovers, 2] = i
                    leftovers[n_leftovers, 3] = after
                    leftovers[n_leftovers, 4] = line
                    n_leftovers += 1
                labels[n_labels] = value
                n_labels += 1
                i = after
                if at(text, i) != _COMMA:
                    break
                i += 1
                if _ends_word(at(text, i), has_comments):
                    progress[POSITION] = i
                    return NO_LABEL
            i = _after_white(text, i)
        if has_comments and _is_query(text, i):
            i += 4
            while at(text, i) - _ZERO < 10 and at(text, i) >= _ZERO:
                i += 1
            if not _ends_word(at(text, i), has_comments):
                progress[POSITION] = i
                return NO_PAIR
        before = np.int64(-1)
        while True:
            i = _after_white(text, i)
            if has_comments and at(text, i) == _HASH:
                i = _end_of_line(text, i)
            if at(text, i) == _NEWLINE:
                break
            begin = i
            index = np.int64(0)
            digit = np.int64(at(text, i)) - _ZERO
            while 0 <= digit < 10:
                index = index * 10 + digit
                if index > LARGEST_INDEX:
                    progress[POSITION] = begin
                    return TOO_LARGE
                i += 1
                digit = np.int64(at(text, i)) - _ZERO
            if i == begin or at(text, i) != _COLON:
                progress[POSITION] = begin
                return NO_PAIR
            if has_comments and index <= before:
                progress[POSITION] = begin
                return NOT_RISING
            before = index
            largest = max(largest, index)
            smallest = min(smallest, index)
            i += 1
            value, after, is_number = number_at(text, i)
            is_number = is_number and _ends_word(at(text, after), has_comments)
            if not (is_number and abs(value) < TOO_LARGE_FOR_SINGLE):
                after = i
                while not _ends_word(at(text, after), has_comments):
                    after += 1
                if n_leftovers == leftovers.shape[0]:
                    return FULL
                leftovers[n_leftovers, 0] = 1
                leftovers[n_leftovers, 1] = n_pairs
                leftovers[n_leftovers, 2] = i
                leftovers[n_leftovers, 3] = after
                leftovers[n_leftovers, 4] = line
                n_leftovers += 1
                value = 0.0
            indices[n_pairs] = index
            data[n_pairs] = value
            n_pairs += 1
            i = after
        i += 1
        line += 1
        row += 1
        label_indptr[row] = n_labels
        indptr[row] = n_pairs
    progress[POSITION] = i
    progress[LINE] = line
    progress[ROW] = row
    progress[LABELS] = n_labels
    progress[PAIRS] = n_pairs
    progress[LEFTOVERS] = n_leftovers
    progress[LARGEST] = largest
    progress[SMALLEST] = smallest
    return DONE


@scanning
def fill_table(hashes, n_texts, table):
    """Enter the texts in an empty table, as in `Texts`."""
    mask = np.uint64(table.shape[0] - 1)
    for number in range(n_texts):
        slot = hashes[number] & mask
        while table[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = number + 1


@scanning
def _after_blanks(text, i, separator):
    while at(text, i) == _SPACE or (at(text, i) == _TAB and separator != _TAB):
        i += 1
    return i


@scanning
def _after_white(text, i):
    while at(text, i) == _SPACE or at(text, i) == _TAB or at(text, i) == _RETURN:
        i += 1
    return i


@scanning
def _ends_cell(byte, separator):
    # In compiled code a search in a tuple is three times slower.
    return (byte == separator) | (byte == _NEWLINE) | (byte == _RETURN)


@scanning
def _ends_word(byte, has_comments):
    is_white = (byte == _SPACE) | (byte == _TAB) | (byte == _RETURN) | (byte == _NEWLINE)
    return is_white or (has_comments and byte == _HASH)


@scanning
def _next_line(text, i):
    # Lines end with \n, \r\n or, as once on some machines, \r; a text never ends with \r.
    return i + 2 if at(text, i) == _RETURN and at(text, i + 1) == _NEWLINE else i + 1


@scanning
def _end_of_line(text, i):
    while at(text, i) != _NEWLINE:
        i += 1
    return i


@scanning
def _is_pair(text, i):
    begin = i
    while _ZERO <= at(text, i) < _ZERO + 10:
        i += 1
    return i > begin and at(text, i) == _COLON


@scanning
def _is_query(text, i):
    # "qid:", letter by letter: a line end, which is none of them, may come any time.
    return (
        at(text, i) == 113 and at(text, i + 1) == 105 and at(text, i + 2) == 100 and at(text, i + 3) == _COLON
    )


@scanning
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


@scanning
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


@scanning
def _copied(text, begin, stop, is_quoted, column, letters, start):
    # Copy a text to `start`; return its length and its hash: FNV-1a, begun differently for each column.
    hashed = np.uint64(14695981039346656037) ^ (np.uint64(column) * np.uint64(11400714819323198485))
    length = 0
    i = begin
    while i < stop:
        byte = at(text, i)
        letters[np.uint64(start + length)] = byte
        length += 1
        hashed = (hashed ^ np.uint64(byte)) * np.uint64(1099511628211)
        i += 2 if is_quoted and byte == _QUOTE else 1
    return length, hashed ^ (hashed >> np.uint64(32))


@scanning
def _found(hashed, column, start, length, table, hashes, ends, owners, letters):
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
