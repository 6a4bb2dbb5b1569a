"""The user's y to the matrices that trees see, and predictions back to the user's y.

One file per kind of target. Each kind is a small object that is made from y (`of`), turns y into a
matrix with one row per example (`encode`), and turns leaf means back (`decode`). `clustering` says which
columns judge splits in their place. Nothing here knows trees.
"""
