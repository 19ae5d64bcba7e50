"""Where the sun stands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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


def nearness(day: float) -> float:
    """Square of the sun's mean distance over that on a day [1] (Spencer 1971).

    >>> round(nearness(2.0), 3), round(nearness(184.0), 3)
    (1.035, 0.967)
    """
    angle = 2.0 * np.pi * day / 365.0
    once = 1.000110 + 0.034221 * np.cos(angle) + 0.001280 * np.sin(angle)
    return float(once + 0.000719 * np.cos(2 * angle) + 0.000077 * np.sin(2 * angle))


def equation_of_time(day: float) -> float:
    """Angle by which the true sun is before the mean one [rad] (Spencer 1971).

    >>> round(equation_of_time(306.0) * 720 / np.pi, 1)
    16.4
    """
    angle = 2.0 * np.pi * day / 365.0
    once = 0.000075 + 0.001868 * np.cos(angle) - 0.032077 * np.sin(angle)
    return float(once - 0.014615 * np.cos(2 * angle) - 0.040849 * np.sin(2 * angle))


def sine_of_height(
    longitude: NDArray[np.float64], latitude: NDArray[np.float64], day: float
) -> NDArray[np.float64]:
    """Of the sun over the horizon [1], at places [degree] and a day of the year with its part, UTC.

    >>> noon = 79.5 - equation_of_time(79.5) / (2 * np.pi)
    >>> sine_of_height(np.array([0.0, 0.0]), np.array([60.0, 30.0]), noon).round(2).tolist()
    [0.5, 0.87]
    """
    sun, y = declination(day), np.radians(latitude)
    hour = 2.0 * np.pi * (day % 1.0 - 0.5) + np.radians(longitude) + equation_of_time(day)
    height: NDArray[np.float64] = np.sin(y) * np.sin(sun) + np.cos(y) * np.cos(sun) * np.cos(hour)
    return height
