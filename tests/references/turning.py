"""Plain NumPy form of the shift in direction of one ring of directions."""

import numpy as np

from references.spatial_propagation import ultimate


def turn(density, courant, scheme):
    """Move density [direction] by signed Courant numbers at the face after each direction."""
    forward = courant > 0
    right, after = np.roll(density, -1), np.roll(density, -2)
    centre = np.where(forward, density, right)
    upstream = np.where(forward, np.roll(density, 1), after)
    downstream = np.where(forward, right, density)
    c = np.abs(courant)
    value = 0.5 * (centre + downstream) - 0.5 * c * (downstream - centre)
    value -= (1 - c**2) / 6 * (downstream - 2 * centre + upstream)
    out = c * value
    if scheme == "UQ":
        out = ultimate(out, c * centre, c * downstream, centre, upstream, c)
        out = np.minimum(out, centre)
    spread = 1.0 - 0.25 * (np.roll(courant, -1) - np.roll(courant, 1))
    out = c * centre if scheme == "upwind" else out * spread
    diverges = np.where(forward, np.roll(courant, 1) < 0, np.roll(courant, -1) > 0)
    out = np.minimum(out, np.where(diverges, 0.5, 1.0) * centre)
    flux = np.where(forward, out, -out)
    return density - flux + np.roll(flux, 1)
