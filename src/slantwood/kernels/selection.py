"""The largest of some scores, in time proportional to their number."""

from slantwood.kernels.compiling import exact


@exact
def select_largest(scores, labels, n, k, ranks):
    """Move the k largest of n scores, and their labels, to the front; of equal ones that of lower rank."""
    low = 0
    high = n - 1
    while low < high:
        pivot_score = scores[(low + high) // 2]
        pivot_rank = ranks[labels[(low + high) // 2]]
        i = low
        j = high
        while i <= j:
            while scores[i] > pivot_score or (scores[i] == pivot_score and ranks[labels[i]] < pivot_rank):
                i += 1
            while scores[j] < pivot_score or (scores[j] == pivot_score and ranks[labels[j]] > pivot_rank):
                j -= 1
            if i <= j:
                scores[i], scores[j] = scores[j], scores[i]
                labels[i], labels[j] = labels[j], labels[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            return
