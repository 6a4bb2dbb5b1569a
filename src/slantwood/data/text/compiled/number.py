"""A number in text, exactly as Python's ``float`` reads it, or not at all: odd spellings go to others."""

import numpy as np

from slantwood.kernels.compiling import exact

_PLUS, _MINUS, _POINT, _ZERO, _E = 43, 45, 46, 48, 101

_MAX_DIGITS = 19  # what 64 bits hold
_EXACT_POWERS = 10.0 ** np.arange(23)  # the powers of ten that are exact in double precision
_MIN_POWER, _MAX_POWER = -342, 308


def _powers_of_five() -> np.ndarray:
    """Return the first 128 bits of 5**q in two halves: rounded down for q >= 0, up for q < 0."""
    halves = []
    for q in range(_MIN_POWER, _MAX_POWER + 1):
        power = 5 ** abs(q)
        n_bits = power.bit_length()
        if q >= 0:
            bits = power << (128 - n_bits) if n_bits <= 128 else power >> (n_bits - 128)
        else:
            bits = (1 << (n_bits + 127)) // power + 1
            bits >>= bits.bit_length() - 128
        halves.append((bits >> 64, bits & (2**64 - 1)))
    return np.array(halves, np.uint64)


_POWERS_OF_FIVE = _powers_of_five()


@exact
def at(text, i):
    """Return a byte of a text."""
    # With a signed index the compiled code would ask each time whether it is negative.
    return text[np.uint64(i)]


@exact
def number_at(text, i):
    """Return a number, where it stops, and whether there is one that is read exactly."""
    is_negative = at(text, i) == _MINUS
    if is_negative or at(text, i) == _PLUS:
        i += 1
    digits = np.uint64(0)
    n_digits = 0  # without zeros in front
    begin = i
    digits, n_digits, i = _digits_at(text, i, digits, n_digits)
    n_seen = i - begin
    power = np.int64(0)
    if at(text, i) == _POINT:
        i += 1
        begin = i
        digits, n_digits, i = _digits_at(text, i, digits, n_digits)
        n_seen += i - begin
        power = begin - i
    if n_seen == 0 or n_digits > _MAX_DIGITS:
        return 0.0, i, False
    if at(text, i) | 32 == _E:
        i += 1
        falls = at(text, i) == _MINUS
        if falls or at(text, i) == _PLUS:
            i += 1
        begin = i
        exponent = np.int64(0)
        digit = np.int64(at(text, i)) - _ZERO
        while 0 <= digit < 10:
            if exponent < 100000:
                exponent = exponent * 10 + digit
            i += 1
            digit = np.int64(at(text, i)) - _ZERO
        if i == begin:
            return 0.0, i, False
        power += -exponent if falls else exponent
    if digits == 0:
        return (-0.0 if is_negative else 0.0), i, True
    if digits <= np.uint64(1 << 53) and -22 <= power <= 22:
        value = np.float64(digits)
        value = value * _EXACT_POWERS[power] if power >= 0 else value / _EXACT_POWERS[-power]
        return (-value if is_negative else value), i, True
    value, is_exact = _rounded(digits, power)
    return (-value if is_negative else value), i, is_exact


@exact
def _digits_at(text, i, digits, n_digits):
    """Append digits to a number and count them, but for zeros in front; return also where they stop."""
    digit = np.int64(at(text, i)) - _ZERO
    while 0 <= digit < 10:
        digits = digits * np.uint64(10) + np.uint64(digit)
        if n_digits > 0 or digit > 0:
            n_digits += 1
        i += 1
        digit = np.int64(at(text, i)) - _ZERO
    return digits, n_digits, i


@exact
def _rounded(digits, power):
    """Return digits * 10**power rounded to double precision, and whether that is sure.

    D. Lemire, Number parsing at a gigabyte per second (2021): 64 digits of the product with 5**power, and 64
    more where the first leave the rounding open. Numbers below the normal ones are left to others.
    """
    if power < _MIN_POWER or power > _MAX_POWER:
        return 0.0, False
    n_zeros = 0
    step = 32
    while step > 0:
        if digits >> np.uint64(64 - step) == 0:
            digits <<= np.uint64(step)
            n_zeros += step
        step >>= 1
    high, low = _product(digits, _POWERS_OF_FIVE[power - _MIN_POWER, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        more, _ = _product(digits, _POWERS_OF_FIVE[power - _MIN_POWER, 1])
        low += more
        if low < more:
            high += np.uint64(1)
    if low == np.uint64(0xFFFFFFFFFFFFFFFF) and not -27 <= power <= 55:
        return 0.0, False
    upper = high >> np.uint64(63)
    shift = upper + np.uint64(9)
    mantissa = high >> shift  # 54 bits, of which the last is for rounding
    exponent = ((217706 * power) >> 16) + 63 + np.int64(upper) - n_zeros + 1023
    if exponent <= 0:
        return 0.0, False
    # Halfway between two numbers: to the even one.
    if low <= 1 and -4 <= power <= 23 and mantissa & np.uint64(3) == 1 and mantissa << shift == high:
        mantissa &= ~np.uint64(1)
    mantissa += mantissa & np.uint64(1)
    mantissa >>= np.uint64(1)
    if mantissa >= np.uint64(1 << 53):
        mantissa = np.uint64(1 << 52)
        exponent += 1
    if exponent >= 0x7FF:
        return 0.0, False
    bits = (mantissa & np.uint64((1 << 52) - 1)) | (np.uint64(exponent) << np.uint64(52))
    return np.uint64(bits).view(np.float64), True


@exact
def _product(a, b):
    """Return the upper and the lower half of the product of two numbers of 64 bits."""
    half = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    a_high, a_low = a >> half, a & mask
    b_high, b_low = b >> half, b & mask
    lowest = a_low * b_low
    middle = a_high * b_low + (lowest >> half)
    other = a_low * b_high + (middle & mask)
    return a_high * b_high + (middle >> half) + (other >> half), (other << half) | (lowest & mask)
