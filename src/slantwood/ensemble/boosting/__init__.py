"""Boosting: trees that follow one another, each of which lowers what the earlier ones left of a loss."""
