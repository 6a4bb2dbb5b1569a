"""Every constructor parameter and fitted attribute, described once for all estimators."""

import inspect
from typing import TypeVar

_PARAMETERS = {
    "n_estimators": """int, default=50
    Number of trees.""",
    "split": """str or split learner, default="gradient"
    How a node's hyperplane is found, by name or as an object, such as `GradientSplit(C=1)`: "gradient",
    "svm", "axis", "ridge", "cart-lc", "oc1", "wodt" (for classes) or "ndcg" (for labels, or more than two
    classes); or one of your own with a method `learn(X, Z, p, weights, rng)`.""",
    "max_depth": """int or None, default=None
    Depth of the trees at the most; None for no limit.""",
    "min_samples_split": """int or "auto", default="auto"
    Nodes with fewer rows are leaves. A row drawn twice by the bootstrap counts twice. Where the rows of a
    node weigh more than their number, by `sample_weight` or `class_weight`, their weight counts: a row of
    weight 2 is as two rows. Divide weights that say for how many people a row stands by their mean.""",
    "min_impurity_decrease": """float or "auto", default="auto"
    A split must lower the impurity of at least one side by this share, measured along the direction in
    which it separates the targets, or lead within three levels to one that does so beyond chance. 0 accepts
    every split. "auto" is 0.05, but 0 for the axis-parallel split and that of FastXML.""",
    "max_features": """int, float, "sqrt", "log2", None or "auto", default="auto"
    Features that a split may combine, drawn at random for each split among those that vary in the node:
    a number, a share, a function of their number, or None for all. Never fewer than five where a split
    combines features. In sparse data a feature is drawn in proportion to the rows that have it. Where a
    subset gives no split, wider ones follow.""",
    "bootstrap": """bool or "auto", default="auto"
    Whether each tree sees a random sample of the rows, drawn with replacement.""",
    "oob_score": """bool, default=False
    Whether to predict and score every row by the trees that did not see it; needs `bootstrap`.""",
    "class_weight": """dict, "balanced", array of shape (n_labels,) or None, default=None
    Weights of the classes, by which the weights of their rows are multiplied; "balanced" makes them inverse
    to how often the classes occur. Of labels, one weight for each, in an array or a dict (those left out have
    weight 1), or "balanced": a row weighs the mean of the weights of its labels, and 1 without any, so that
    one label per row is weighted as a class is. Rows of rare labels then count more in splits and in
    probabilities; `target_weights` are for the choice of splits alone.""",
    "target_weights": """array or None, default=None
    Weights of the target columns (classes, labels or numbers) in the choice of splits. All targets are
    predicted, also those of weight 0. With `hierarchy`, by default its `weights()`: 0.75 to the power of the
    depth.""",
    "hierarchy": """Hierarchy or None, default=None
    Which labels are special cases of which. y may then be a set of labels for each row, or an indicator
    matrix with a column for each of `hierarchy.nodes`; ancestors are added. No label scores above its
    parents, and `predict` gives labels with all their ancestors.""",
    "unit_rows": """bool or "auto", default="auto"
    Whether rows of X are scaled to length 1, which suits texts.""",
    "unit_labels": """bool or "auto", default="auto"
    In multi-label tasks, whether the labels of a row are scaled to length 1 in the choice of splits, so
    that rows with many labels have no more say than others.""",
    "threshold": """float, array of shape (n_labels,), "f1_micro" or "f1_macro", default=0.5
    In multi-label tasks `predict` returns the labels whose probability is above it: one number, one for each
    label, or those that give the highest F1 on out-of-bag rows, one for all labels ("f1_micro") or one for
    each ("f1_macro"), which needs a forest with `bootstrap`. Of two classes, `predict` returns the second one
    of `classes_` where its probability is above the number; of more, always the most probable one.""",
    "unlabeled_weight": """float, "auto" or None, default=None
    Weight, between 0 and 1, of a row without any label beside a labelled one: it takes part with the
    predictions of a first model of the labelled rows. "auto" chooses it by cross-validation on the labelled
    rows; 0 leaves such rows out, and so does None unless `clustering` has something to judge them by. With a
    number or "auto", classes of -1 mark rows without label.""",
    "categorical_features": """"from_dtype", list or None, default="from_dtype"
    Nominal columns: those of a data frame that hold text or categories ("from_dtype"); these and the columns
    of a list of names, positions or a mask; or none. Each value becomes a 0/1 column of its own.""",
    "missing_indicators": """bool, default=False
    Whether splits may also use that a value is missing: adds a 0/1 column for each column of X with missing
    values.""",
    "n_jobs": """int or None, default=None
    Threads that grow and predict; None means 1, -1 all cores. The model does not depend on it.""",
    "random_state": """int, RandomState or None, default=None
    Seed. The same seed gives the same model.""",
    "verbose": """int, default=0
    1 shows progress on stderr, 2 one line per tree.""",
    "warm_start": """bool, default=False
    Whether `fit` keeps the trees it has and adds those that are missing to `n_estimators`.""",
}

_ATTRIBUTES = """trees_ : Trees
    The fitted trees as flat arrays.
settings_ : Settings
    What the parameters left at "auto" became; `settings_.split` is the split learner in use.
forest_ : FittedForest
    All of these together, as `fit` returned them.
encoding_ : Encoding
    How the columns of X became those that splits combine.
targets_ : ClassTargets, LabelTargets, HierarchyTargets or NumberTargets
    What y was: its task, and how leaf means become predictions.
unlabeled_weight_ : float
    Weight in use of rows without label.
feature_importances_ : array of shape (n_features,)
    Share of each feature in the impurity that the splits remove.
split_feature_names_ : array
    Names of the columns that splits combine.
input_names_ : tuple of str
    Names of the columns of X in the file that the command line trained on; not set by `fit`.
target_names_ : tuple of str
    Names of the columns of y in that file; not set by `fit`."""

C = TypeVar("C", bound=type)


def documented(cls: C) -> C:
    """Fill the parameters and attributes into a class's docstring, in the order of its constructor."""
    names = list(inspect.signature(cls).parameters)
    parameters = "\n".join(f"{name} : {_PARAMETERS[name]}" for name in names)
    text = inspect.cleandoc(cls.__doc__ or "")
    cls.__doc__ = text.replace("{parameters}", parameters).replace("{attributes}", _ATTRIBUTES)
    return cls
