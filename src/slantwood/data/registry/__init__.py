"""Known data sets by name: what they are, where they lie or can be had, and how they are loaded."""
