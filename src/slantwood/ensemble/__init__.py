"""From encoded rows to a fitted forest, and from a forest to the means of leaves.

Everything here is a function of what it is given: `fit_forest(data, spec)` returns a `FittedForest`, and a
`Predictor` answers for one. A single tree is a forest of one. Nothing here knows scikit-learn.
"""
