"""The pictures of the study: one file per kind of figure, and `styles` and `saving` for all of them."""
