"""The user's y to the matrices that trees see, and predictions back to the user's y.

One file per kind of target. Each kind is a small object that is made from y (`of`, or `read` with a
hierarchy), turns y into a matrix with one row per example (`encode`), and turns leaf means back (`decode`).
`hierarchy` says which labels are special cases of which, and `clustering` which columns score splits in place
of the targets. Nothing here knows trees.
"""
