"""Wind of a cyclone that crosses the basin from west to east."""

import numpy as np

speed = 8.0
"""Of its middle, eastward [m s-1]."""
begin = -200e3, 375e3
"""Its middle at the start [m]."""
calm = 150e3
"""From the middle to the strongest wind [m]."""
strongest = 24.0
"""[m s-1]"""
inward = np.radians(20.0)
"""How far the wind at 10 m is turned towards the middle."""


def wind(seconds, x, y):
    """Eastward and northward wind [m s-1] at places [m], with the sense of the northern hemisphere."""
    east, north = x - begin[0] - speed * seconds, y - begin[1]
    distance = np.hypot(east, north)
    r = distance / calm
    strength = strongest * r * np.exp(0.5 * (1.0 - r**2)) / np.maximum(distance, 1.0)
    around, towards = np.cos(inward), np.sin(inward)
    return (
        strength * (-north * around - east * towards),
        strength * (east * around - north * towards),
    )
