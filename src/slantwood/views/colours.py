"""Colours that pictures share, and that the colour-blind can tell apart (Okabe and Ito 2008)."""

BLUE, RED, GREEN, PINK, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
GREY = "0.45"

# Of curves on the same axes, in turn.
CURVES = (BLUE, RED, GREEN, PINK, ORANGE, SKY)
