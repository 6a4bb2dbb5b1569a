"""What a leaf predicts from the rows that reach it. Nothing here knows how the tree was grown."""
