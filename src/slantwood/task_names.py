"""The six tasks by name, in groups that share how y looks."""

HIERARCHICAL = "hierarchical multi-label"

CLASS_TASKS = ("binary", "multi-class")
LABEL_TASKS = ("multi-label", HIERARCHICAL)
NUMBER_TASKS = ("regression", "multi-target regression")
