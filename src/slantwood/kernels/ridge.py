"""Ridge regression of one number on a node's features, at a given strength or at the one that promises most.

With p_i the weights as shares of 1, A = diag(sqrt p) X and t = sqrt(p) y, both less their parts along
sqrt(p), which is to say less their means, ridge regression minimises |A w - t|^2 + lambda |w|^2. Golub &
Kahan's bidiagonalisation (1965), started at t as by Paige & Saunders (1982), gives U and V of orthonormal
columns and a small B, with alpha_j on its diagonal and beta_j below it, such that A V = U B and t = |t| u_1.
Within the span of V the problem is |B c - |t| e_1|^2 + lambda |c|^2 with w = V c: the data are read twice for
every column of V, and not at all for every lambda. With as many columns as A has ranks the solution is exact.

Generalised cross-validation (Golub, Heath & Wahba 1979) takes the lambda of the least

    |A w - t|^2 / trace(I - H)^2

where H is the matrix that makes fitted values of t, mean included. Eigenvalues of A^T A that V has not seen
are taken to be equal: their sum is known, since the columns of X have variance 1 on average, and equal ones
make the trace of H as large as it can be. A row counts once, whatever its weight: drawn twice into a
bootstrap sample it is no second witness, and as one it would argue for being fitted closely.
"""

import math

import numpy as np

from slantwood.kernels.compiling import exact, vectorised
from slantwood.kernels.products import back_project, dot, project
from slantwood.kernels.scratch import copy_into, scratch
from slantwood.machine_code.kernel import as_matrix

# What is left of a float32 vector below this share of what it was is rounding.
_ROUNDING = 3e-6

# Cross-validation tries strengths from this multiple of the number of features, where all that counts is each
# feature's own covariance with y, down to this number, each by this factor below the one before.
STRONGEST = 10.0
WEAKEST = 1e-4
LADDER = math.sqrt(10.0)

# Least strength, as a share of the largest eigenvalue: directions in which features hardly vary are rounding.
_SINGULAR = 1e-12


@exact
def fit_ridge(X, y, weights, strength, is_given, max_iter, tol, w):
    """Write the direction of the ridge regression of y on X into w, with length 1; return the strength.

    `strength` is lambda above, where all weights together are 1; unless it `is_given`, it is chosen. Rows may
    have weight 0. The bidiagonalisation has at most `max_iter` steps, and ends where one lowers the squared
    residual by less than its share `tol`. Where y does not vary with X, the returned strength is negative.
    """
    n = X.n_rows
    d = X.n_columns
    total = 0.0
    n_present = 0
    for i in range(n):
        total += np.float64(weights[i])
        n_present += weights[i] > 0.0
    root = scratch(n, np.float32)
    u = scratch(n, np.float32)
    for i in range(n):
        root[i] = math.sqrt(np.float64(weights[i]) / total)
        u[i] = root[i] * y[i]
    size = math.sqrt(dot(u, u))
    _subtract_along(root, u)
    length = _normalise(u)
    if not length > _ROUNDING * size:
        return -1.0
    most = min(max_iter, n_present - 1, d)
    V = as_matrix(scratch(most * d, np.float32), most, d)
    alpha = scratch(most, np.float64)
    beta = scratch(most, np.float64)
    k = _bidiagonalise(X, root, u, tol, V, alpha, beta)
    if k == 0:
        return -1.0
    alpha = alpha[:k]
    beta = beta[:k]
    if not is_given:
        strength = _cross_validated(alpha, beta, n_present - 1, d)
    c = scratch(k, np.float64)
    pivots = scratch(k, np.float64)
    strength = max(strength, _least_strength(alpha, beta))
    _solve(alpha, beta, strength, pivots, c)
    w[:] = np.float32(0.0)
    for j in range(k):
        _add(V[j], np.float32(c[j] / c[0]), w)
    _normalise(w)
    return strength


@exact
def _bidiagonalise(X, root, u, tol, V, alpha, beta):
    # Fills the first rows of V (V^T above), alpha and beta from u_1 in u, which is used up; returns how many.
    h = scratch(X.n_rows, np.float32)
    largest = 0.0
    rho = 0.0  # what Givens rotations that make B triangular have left on its diagonal
    for k in range(V.shape[0]):
        v = V[k]
        _weigh(root, u, h)
        back_project(X, h, v)
        size = math.sqrt(dot(v, v))
        for _ in range(2):  # twice is enough for float32 vectors to be orthogonal
            for j in range(k):
                _subtract_along(V[j], v)
        alpha[k] = _normalise(v)
        if not alpha[k] > _ROUNDING * max(size, largest, 1.0):
            return k
        project(X, v, h)
        _weigh(root, h, h)
        _subtract_along(root, h)
        size = math.sqrt(dot(h, h))
        _add(u, np.float32(-alpha[k]), h)
        beta[k] = _normalise(h)
        copy_into(u, h)
        largest = max(largest, size)
        if not beta[k] > _ROUNDING * largest:
            beta[k] = 0.0
            return k + 1
        # The squared residual of least squares falls by the factor s^2, where s is the sine of the rotation.
        rho = alpha[k] if k == 0 else rho * alpha[k]
        length = math.sqrt(rho * rho + beta[k] * beta[k])
        if (rho / length) ** 2 < tol:
            return k + 1
        rho /= length
    return V.shape[0]


@exact
def _cross_validated(alpha, beta, n, d):
    # The strength of the least |residual|^2 / trace(I - H)^2; n is the number of rows less one for the mean.
    k = alpha.shape[0]
    rank = min(n, d)
    seen = 0.0
    for j in range(k):
        seen += alpha[j] ** 2 + beta[j] ** 2
    unseen = max(d - seen, 0.0) / max(rank - k, 1)
    c = scratch(k, np.float64)
    pivots = scratch(k, np.float64)
    best = np.inf
    chosen = STRONGEST * d
    strength = STRONGEST * d
    while strength > WEAKEST:
        _solve(alpha, beta, strength, pivots, c)
        # trace(I - H) = sum of lambda / (eigenvalue + lambda), and of 1 where A has no rank.
        trace = n - rank + (rank - k) * strength / (unseen + strength)
        trace += strength * _trace_of_inverse(alpha, beta, strength, pivots)
        squared = 0.0
        for j in range(k + 1):
            residual = -1.0 if j == 0 else beta[j - 1] * c[j - 1]
            residual += alpha[j] * c[j] if j < k else 0.0
            squared += residual * residual
        score = squared / (trace * trace)
        if score < best:
            best = score
            chosen = strength
        strength /= LADDER
    return chosen


@exact
def _least_strength(alpha, beta):
    largest = 0.0
    for j in range(alpha.shape[0]):
        largest = max(largest, alpha[j] ** 2 + beta[j] ** 2)
    return _SINGULAR * largest


# M = B^T B + lambda has alpha_j^2 + beta_j^2 + lambda on its diagonal, alpha_(j+1) beta_j beside it. Pivots
# of its elimination are at least lambda, whatever rounding makes of them.


@exact
def _solve(alpha, beta, strength, pivots, c):
    # M c = B^T e_1, eliminated from the last row upwards, so that e_1 stays as it is.
    k = alpha.shape[0]
    beside = 0.0
    for j in range(k - 1, -1, -1):
        pivots[j] = alpha[j] ** 2 + beta[j] ** 2 + strength
        if j < k - 1:
            beside = alpha[j + 1] * beta[j]
            pivots[j] = max(pivots[j] - beside * beside / pivots[j + 1], strength)
    c[0] = alpha[0] / pivots[0]
    for j in range(1, k):
        c[j] = -alpha[j] * beta[j - 1] * c[j - 1] / pivots[j]


@exact
def _trace_of_inverse(alpha, beta, strength, pivots):
    # Of the inverse's diagonal element j is 1 / (p_j + q_j - M_jj), with pivots p from below, q from above.
    total = 0.0
    above = 0.0
    for j in range(alpha.shape[0]):
        own = alpha[j] ** 2 + beta[j] ** 2 + strength
        beside = alpha[j] * beta[j - 1] if j > 0 else 0.0
        above = max(own - beside * beside / above, strength) if j > 0 else own
        total += 1.0 / max(pivots[j] + above - own, strength)
    return total


@vectorised
def _add(v, factor, out):
    for j in range(v.shape[0]):
        out[j] += factor * v[j]


@vectorised
def _weigh(root, h, out):
    for i in range(root.shape[0]):
        out[i] = root[i] * h[i]


@exact
def _subtract_along(v, out):
    # Leaves of `out` what is orthogonal to v, of length 1.
    _add(v, -dot(v, out), out)


@exact
def _normalise(v):
    # Gives v length 1, unless it is zero; returns what it was.
    length = math.sqrt(dot(v, v))
    if length > 0.0:
        factor = np.float32(1.0 / length)
        for j in range(v.shape[0]):
            v[j] *= factor
    return length
