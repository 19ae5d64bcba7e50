"""A jet that begins 10 km from the side where the swell enters and flows against it."""

from typing import Any

import numpy as np


def current(seconds: float, x: Any, y: Any) -> tuple[Any, Any]:
    """Eastward and northward current [m s-1]: 2.2 m/s to the west, 6 km to each side."""
    begun = np.clip((x - 10e3) / 15e3, 0.0, 1.0)
    growth = begun * begun * (3.0 - 2.0 * begun)
    return -2.2 * growth * np.exp(-(((y - 25e3) / 6e3) ** 2)), 0.0 * x
