"""How well a fitted model predicts rows: the measures of its task, for the command line and for reports."""
