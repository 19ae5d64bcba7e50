"""Where the sun stands."""

from __future__ import annotations

import numpy as np


def declination(day: float) -> float:
    """Of the sun [rad], on a day of the year counted from 0 (Spencer 1971).

    >>> round(float(np.degrees(declination(171.0))), 2)
    23.45
    """
    angle = 2.0 * np.pi * day / 365.0
    even = 0.006918 - 0.399912 * np.cos(angle) - 0.006758 * np.cos(2 * angle)
    even -= 0.002697 * np.cos(3 * angle)
    odd = 0.070257 * np.sin(angle) + 0.000907 * np.sin(2 * angle) + 0.00148 * np.sin(3 * angle)
    return float(even + odd)
