"""Work that is shared out among the workers of joblib's backend: processes, or machines of a cluster.

Nothing here knows what the work is. `threads` is for the threads of this process.
"""
