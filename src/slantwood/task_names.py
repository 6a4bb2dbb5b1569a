"""The six tasks by name, in groups that share how y looks."""

__all__ = ["CLASS_TASKS", "HIERARCHICAL", "LABEL_TASKS", "NUMBER_TASKS", "TASKS"]

HIERARCHICAL = "hierarchical multi-label"

CLASS_TASKS = ("binary", "multi-class")
LABEL_TASKS = ("multi-label", HIERARCHICAL)
NUMBER_TASKS = ("regression", "multi-target regression")

# In the order of the paper.
TASKS = (*NUMBER_TASKS, *CLASS_TASKS, *LABEL_TASKS)
