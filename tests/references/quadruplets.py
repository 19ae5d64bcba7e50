"""Plain discrete interaction approximation (Hasselmann et al. 1985), bin by bin, one spectrum."""

from __future__ import annotations

import math

import numpy as np


def angles(shape):
    """Angles of the waves k3 = (1 + shape) and k4 = (1 - shape) against the doubled wave [rad]."""
    plus, minus = (1 + shape) ** 2, (1 - shape) ** 2
    minus_angle = math.acos((minus**2 + 4 - plus**2) / (4 * minus))
    return math.asin(math.sin(minus_angle) * minus / plus), minus_angle


def depth_factor(relative_depth, coefficients=(5.5, 0.833, -1.25), stretch=0.75, least=0.5):
    """Growth of the transfer in shallow water (Hasselmann and Hasselmann 1985)."""
    x = max(stretch * relative_depth, least)
    a, b, c = coefficients
    return 1 + a / x * (1 - b * x) * math.exp(c * x)


def corners(position, step):
    """The two bins around a position counted in bins, and their weights."""
    first = math.floor(position)
    return ((first, 1 - (position - first)), (first + step, position - first))


def exchanges(grid, spectrum, strength, shape=0.25, gravity=9.806):
    """Yield for each quadruplet its transfer and the bins that take part: (bins, weights) x 3.

    Bins beyond the highest frequency belong to an f^-5 tail; those below the lowest are empty.
    """
    nf, nd = spectrum.shape
    x = grid.factor
    plus_angle, minus_angle = (angle / grid.direction_width for angle in angles(shape))
    up = int(math.log(1 + shape) / math.log(x))
    down = int(-math.log(1 - shape) / math.log(x))
    up_weight = (1 + shape - x**up) / (x ** (up + 1) - x**up)
    down_weight = (x**-down - (1 - shape)) / (x**-down - x ** (-down - 1))

    def energy(i, j):
        if i < 0:
            return 0.0
        extra = max(0, i - nf + 1)
        return spectrum[i - extra, j % nd] * x ** (-5 * extra)

    for i in range(nf + down + 1):
        frequency = grid.first_frequency * x**i
        for j in range(nd):
            for side in (1, -1):
                plus = [
                    (i + up + a, j + side * direction, wa * wd)
                    for a, wa in ((1, up_weight), (0, 1 - up_weight))
                    for direction, wd in corners(plus_angle, 1)
                ]
                minus = [
                    (i - down - a, j - side * direction, wa * wd)
                    for a, wa in ((1, down_weight), (0, 1 - down_weight))
                    for direction, wd in corners(minus_angle, 1)
                ]
                e0 = energy(i, j)
                ep = sum(w * energy(a, b) for a, b, w in plus)
                em = sum(w * energy(a, b) for a, b, w in minus)
                constant = strength / gravity**4 * frequency**11
                transfer = (
                    constant
                    * e0
                    * (
                        e0 * (ep / (1 + shape) ** 4 + em / (1 - shape) ** 4)
                        - 2 * ep * em / (1 - shape**2) ** 4
                    )
                )
                by_e0 = constant * (
                    2 * e0 * (ep / (1 + shape) ** 4 + em / (1 - shape) ** 4)
                    - 2 * ep * em / (1 - shape**2) ** 4
                )
                by_ep = constant * e0 * (e0 / (1 + shape) ** 4 - 2 * em / (1 - shape**2) ** 4)
                by_em = constant * e0 * (e0 / (1 - shape) ** 4 - 2 * ep / (1 - shape**2) ** 4)
                yield transfer, (by_e0, by_ep, by_em), (i, j), plus, minus


def quadruplets(grid, spectrum, strength, shape=0.25, factor=1.0, gravity=9.806):
    """Source term [m2 Hz-1 rad-1 s-1] and diagonal of its derivative [s-1], each [f, d]."""
    nf, nd = spectrum.shape
    source = np.zeros_like(spectrum)
    diagonal = np.zeros_like(spectrum)

    def add(i, j, change, slope):
        if 0 <= i < nf:
            source[i, j % nd] += change
            diagonal[i, j % nd] += slope

    for transfer, slopes, (i, j), plus, minus in exchanges(
        grid, spectrum, strength * factor, shape, gravity
    ):
        add(i, j, -2 * transfer, -2 * slopes[0])
        for a, b, w in plus:
            add(a, b, w * transfer, w * w * slopes[1])
        for a, b, w in minus:
            add(a, b, w * transfer, w * w * slopes[2])
    return source, diagonal
