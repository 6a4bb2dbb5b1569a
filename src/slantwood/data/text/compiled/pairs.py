"""Rows of labels and pairs ``index:value``: bytes to numbers.

Odd spellings of numbers are handed back as leftovers, by their place in the text, for slower code.
"""

import numpy as np

from slantwood.data.text.compiled import state
from slantwood.data.text.compiled.number import at, number_at
from slantwood.data.text.numbers import TOO_LARGE_FOR_SINGLE
from slantwood.kernels.compiling import exact


@exact
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
    leftovers : int64 array of shape (capacity, 5)
        Numbers that are not decided here: 0 for a label and 1 for a value, its place in `labels` or `data`,
        begin and end in the text, line.
    """
    end = text.shape[0]
    i = progress[state.POSITION]
    row = progress[state.ROW]
    line = progress[state.LINE]
    n_labels = progress[state.LABELS]
    n_pairs = progress[state.PAIRS]
    n_leftovers = progress[state.LEFTOVERS]
    largest = progress[state.LARGEST]
    smallest = progress[state.SMALLEST]
    while i < end:
        _note_progress(progress, i, line, row, n_labels, n_pairs, n_leftovers, largest, smallest)
        i = _after_white_and_comment(text, i, has_comments)
        if at(text, i) == state.NEWLINE and row >= n_rows:
            i += 1
            line += 1
            continue

        if not _is_pair(text, i):
            while at(text, i) != state.NEWLINE:
                value, after, is_number = number_at(text, i)
                is_number = is_number and (
                    _ends_word(at(text, after), has_comments) or at(text, after) == state.COMMA
                )
                if not is_number:
                    after = i
                    while not _ends_word(at(text, after), has_comments) and at(text, after) != state.COMMA:
                        after += 1
                    if after == i or at(text, after) == state.COLON:
                        progress[state.POSITION] = i
                        return state.NO_LABEL
                    if n_leftovers == leftovers.shape[0]:
                        return state.FULL
                    state.add_leftover(leftovers, n_leftovers, 0, n_labels, i, after, line)
                    n_leftovers += 1
                labels[n_labels] = value
                n_labels += 1
                i = after
                if at(text, i) != state.COMMA:
                    break
                i += 1
                if _ends_word(at(text, i), has_comments):
                    progress[state.POSITION] = i
                    return state.NO_LABEL
            i = _after_white(text, i)
        if has_comments and _is_query(text, i):
            i += 4
            _, i = _index_at(text, i)
            if not _ends_word(at(text, i), has_comments):
                progress[state.POSITION] = i
                return state.NO_PAIR
        before = np.int64(-1)
        while True:
            i = _after_white_and_comment(text, i, has_comments)
            if at(text, i) == state.NEWLINE:
                break
            begin = i
            index, i = _index_at(text, begin)
            if index > state.LARGEST_INDEX:
                progress[state.POSITION] = begin
                return state.TOO_LARGE
            if i == begin or at(text, i) != state.COLON:
                progress[state.POSITION] = begin
                return state.NO_PAIR
            if has_comments and index <= before:
                progress[state.POSITION] = begin
                return state.NOT_RISING
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
                    return state.FULL
                state.add_leftover(leftovers, n_leftovers, 1, n_pairs, i, after, line)
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
    _note_progress(progress, i, line, row, n_labels, n_pairs, n_leftovers, largest, smallest)
    return state.DONE


@exact
def _after_white(text, i):
    while at(text, i) == state.SPACE or at(text, i) == state.TAB or at(text, i) == state.RETURN:
        i += 1
    return i


@exact
def _ends_word(byte, has_comments):
    is_white = (byte == state.SPACE) | (byte == state.TAB) | (byte == state.RETURN) | (byte == state.NEWLINE)
    return is_white or (has_comments and byte == state.HASH)


@exact
def _after_white_and_comment(text, i, has_comments):
    i = _after_white(text, i)
    if has_comments and at(text, i) == state.HASH:
        while at(text, i) != state.NEWLINE:
            i += 1
    return i


@exact
def _index_at(text, i):
    # A whole number, or one above state.LARGEST_INDEX where it is too large, and where it stops.
    index = np.int64(0)
    digit = np.int64(at(text, i)) - state.ZERO
    while 0 <= digit < 10:
        index = min(index * 10 + digit, np.int64(state.LARGEST_INDEX + 1))
        i += 1
        digit = np.int64(at(text, i)) - state.ZERO
    return index, i


@exact
def _note_progress(progress, i, line, row, n_labels, n_pairs, n_leftovers, largest, smallest):
    progress[state.POSITION] = i
    progress[state.LINE] = line
    progress[state.ROW] = row
    progress[state.LABELS] = n_labels
    progress[state.PAIRS] = n_pairs
    progress[state.LEFTOVERS] = n_leftovers
    progress[state.LARGEST] = largest
    progress[state.SMALLEST] = smallest


@exact
def _is_pair(text, i):
    _, after = _index_at(text, i)
    return after > i and at(text, after) == state.COLON


@exact
def _is_query(text, i):
    # "qid:", letter by letter: a line end, which is none of them, may come any time.
    return (
        at(text, i) == 113
        and at(text, i + 1) == 105
        and at(text, i + 2) == 100
        and at(text, i + 3) == state.COLON
    )
