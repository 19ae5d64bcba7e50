"""Wind of a cyclone that crosses the basin from west to east."""

from typing import Any

import numpy as np

speed = 8.0
"""Of its middle, eastward [m s-1]."""
start = -3.0, 32.0
"""Its middle at the start [degree]."""
radius = 150e3
"""From the middle to the strongest wind [m]."""
strongest = 24.0
"""[m s-1]"""
inward = np.radians(20.0)
"""How far the wind at 10 m is turned towards the middle."""
degree = 111.1e3
"""[m]"""


def wind(seconds: float, x: Any, y: Any) -> tuple[Any, Any]:
    """Eastward and northward wind [m s-1] at places [degree], as in the northern hemisphere."""
    across = degree * np.cos(np.radians(start[1]))
    east = (x - start[0]) * across - speed * seconds
    north = (y - start[1]) * degree
    distance = np.hypot(east, north)
    r = distance / radius
    strength = strongest * r * np.exp(0.5 * (1.0 - r**2)) / np.maximum(distance, 1.0)
    around, towards = np.cos(inward), np.sin(inward)
    return (
        strength * (-north * around - east * towards),
        strength * (east * around - north * towards),
    )
