"""A binary heap of whole numbers, the one with the highest key first; of equal keys, the least number."""

from slantwood.kernels.compiling import exact


@exact
def _goes_before(keys, a, b):
    return keys[a] > keys[b] or (keys[a] == keys[b] and a < b)


@exact
def push(heap, size, keys, number):
    """Add a number to a heap of so many, which has capacity for it; return the new size."""
    place = size
    while place > 0:
        parent = (place - 1) // 2
        if not _goes_before(keys, number, heap[parent]):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = number
    return size + 1


@exact
def pop(heap, size, keys):
    """Take the first number out of a heap of so many; return it. The size is then one less."""
    first = heap[0]
    number = heap[size - 1]
    last = size - 2
    place = 0
    while 2 * place + 1 <= last:
        child = 2 * place + 1
        if child < last and _goes_before(keys, heap[child + 1], heap[child]):
            child += 1
        if not _goes_before(keys, heap[child], number):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = number
    return first
