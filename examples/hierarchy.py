"""Predict labels that form a hierarchy, judge the predictions, and draw those of one example.

python examples/hierarchy.py                        # digits, and a small hierarchy of their shapes
python examples/hierarchy.py TRAIN.arff TEST.arff   # two files of the program CLUS, also .gz, .bz2 or .xz
"""

import argparse

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from slantwood import Hierarchy, ObliqueForestClassifier
from slantwood.data import read_clus
from slantwood.metrics import hierarchical_precision_recall_f1, label_ranking_average_precision, pooled_auprc
from slantwood.views import plot_hierarchy

# Pairs (parent, child). Labels may have several parents: a 6 has a loop and an open curve.
SHAPES = [
    *[("loop", "one loop"), ("loop", "two loops"), ("curve", "open curve"), ("curve", "S-curve")],
    *[("one loop", digit) for digit in "069"],
    *[("two loops", "8"), ("S-curve", "8"), ("S-curve", "5")],
    *[("open curve", digit) for digit in "2369"],
    *[("straight stroke", digit) for digit in "12457"],
]


def digits_and_shapes():
    """Return the hierarchy, and inputs and label sets to train and to test on."""
    images, digits = load_digits(return_X_y=True)
    # The most specific labels are enough: fit adds the labels above them.
    label_sets = [{str(digit)} for digit in digits]
    # Few rows to train on, so that there is something left to get wrong.
    parts = train_test_split(images, label_sets, train_size=300, stratify=digits, random_state=0)
    return Hierarchy.from_edges(SHAPES), *parts


def clus_files(train_path, test_path):
    """Return the same of two CLUS files."""
    train = read_clus(train_path)
    test = read_clus(test_path, hierarchy=train.hierarchy)
    train_sets, test_sets = map(train.hierarchy.label_sets, (train.y, test.y))
    return train.hierarchy, train.X, test.X, train_sets, test_sets


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("files", nargs="*", metavar="FILE", help="TRAIN.arff and TEST.arff; digits by default")
parser.add_argument("--trees", type=int, default=100, help="number of trees (default: 100)")
parser.add_argument("--picture", default="hierarchy.png", help="where to save it (default: hierarchy.png)")
options = parser.parse_args()
if len(options.files) not in (0, 2):
    parser.error(f"give two files, TRAIN.arff and TEST.arff, or none; here are {len(options.files)}")

hierarchy, X_train, X_test, y_train, y_test = (
    clus_files(*options.files) if options.files else digits_and_shapes()
)
print(hierarchy)

forest = ObliqueForestClassifier(
    n_estimators=options.trees, hierarchy=hierarchy, n_jobs=-1, random_state=0
).fit(X_train, y_train)
scores = forest.predict_proba(X_test)  # a column for each of hierarchy.nodes
predicted = forest.predict(X_test)  # label sets again, with the labels above them

truth = hierarchy.closure(hierarchy.indicator(y_test))
lrap = label_ranking_average_precision(truth, scores, label_weights=hierarchy.weights())
precision, recall, f1 = hierarchical_precision_recall_f1(y_test, predicted, hierarchy=hierarchy)
print(f"pooled AUPRC   {pooled_auprc(truth, scores):.3f}")
print(f"weighted LRAP  {lrap:.3f}")
print(f"precision      {precision:.3f}\nrecall         {recall:.3f}\nF1             {f1:.3f}")

# The example of which the forest is least sure.
row = (scores * (1 - scores)).sum(axis=1).argmax()
print(f"test row {row}: true {sorted(y_test[row])}, predicted {sorted(predicted[row])}")
ax = plot_hierarchy(hierarchy, scores[row], truth=y_test[row])
ax.figure.savefig(options.picture, dpi=150)
print(f"drawn to {options.picture}")
