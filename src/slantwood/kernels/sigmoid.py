"""The sigmoid as a rational function, which vectorises where a call of exp does not.

sigmoid(u) = (1 + tanh(u/2)) / 2, and tanh(x) = x P(x^2) / Q(x^2) on |x| <= 8 to 6e-9; the
coefficients are a minimax fit by iteratively reweighted least squares. Beyond 8 the float32 nearest
to tanh is 1 within two units in the last place, so x is clipped there.
"""

import numpy as np

from slantwood.kernels.compiling import vectorised

_HALF = np.float32(0.5)
_LIMIT = np.float32(8.0)
_P0 = np.float32(9.999999700e-01)
_P1 = np.float32(1.343818635e-01)
_P2 = np.float32(3.564150443e-03)
_P3 = np.float32(2.177315236e-05)
_P4 = np.float32(1.506167944e-08)
_Q0 = np.float32(1.0)
_Q1 = np.float32(4.677150712e-01)
_Q2 = np.float32(2.613599405e-02)
_Q3 = np.float32(3.399170104e-04)
_Q4 = np.float32(8.453608722e-07)


@vectorised
def sigmoid(u):
    """Replace every u by sigmoid(u), in place."""
    for i in range(u.shape[0]):
        x = min(max(u[i] * _HALF, -_LIMIT), _LIMIT)
        y = x * x
        p = x * (_P0 + y * (_P1 + y * (_P2 + y * (_P3 + y * _P4))))
        q = _Q0 + y * (_Q1 + y * (_Q2 + y * (_Q3 + y * _Q4)))
        u[i] = _HALF + _HALF * (p / q)
