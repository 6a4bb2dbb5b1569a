"""The tasks by name, in groups that share how y looks."""

__all__ = ["CLASS_TASKS", "HIERARCHICAL", "LABEL_TASKS", "MIXED", "NUMBER_TASKS", "SEVERAL_TASKS", "TASKS"]

HIERARCHICAL = "hierarchical multi-label"
MIXED = "mixed targets"

CLASS_TASKS = ("binary", "multi-class")
LABEL_TASKS = ("multi-label", HIERARCHICAL)
NUMBER_TASKS = ("regression", "multi-target regression")
# Several columns of which each has classes of its own, or some are numbers: y and predictions have columns of
# different types.
SEVERAL_TASKS = ("multi-target classification", MIXED)

# The six of the paper, in its order.
TASKS = (*NUMBER_TASKS, *CLASS_TASKS, *LABEL_TASKS)
