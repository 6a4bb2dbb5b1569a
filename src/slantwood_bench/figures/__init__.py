"""The pictures of the study: one file per kind of figure, and `looks` and `saving` for all of them."""
