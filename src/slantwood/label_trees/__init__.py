"""Trees over labels: how labels are divided, which classifiers lead to them, and how rows find theirs."""
