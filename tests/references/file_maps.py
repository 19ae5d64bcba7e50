"""Maps of files at sea points the plain way: the whole map, gaps filled, then all points."""

import numpy as np


def filled(values, longitude, latitude, used):
    """`values` (latitude, longitude) with used gaps filled from the nearest place, first of equals.

    Degrees.
    """
    lam, phi = np.meshgrid(np.deg2rad(longitude), np.deg2rad(latitude))
    xyz = np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])
    valid = np.isfinite(values)
    result = values.copy()
    for j, i in np.argwhere(used & ~valid):
        closeness = (xyz * xyz[:, j, i][:, None, None]).sum(axis=0)
        nearest = np.argmax(np.where(valid, closeness, -2.0))
        result[j, i] = values.reshape(-1)[nearest]
    return np.where(np.isfinite(result), result, 0.0)


def corners(longitude, latitude, x, y):
    """Four places around each point with their weights; `longitude` goes round the globe if it can.

    Both axes ascend; points lie within.
    """
    around = longitude[0] + 360.0 - longitude[-1] <= 1.5 * (longitude[1] - longitude[0])
    wide = np.append(longitude, longitude[0] + 360.0) if around else longitude
    x = longitude[0] + np.mod(x - longitude[0], 360.0)
    i = np.clip(np.searchsorted(wide, x, side="right") - 1, 0, wide.size - 2)
    j = np.clip(np.searchsorted(latitude, y, side="right") - 1, 0, latitude.size - 2)
    a = (x - wide[i]) / (wide[i + 1] - wide[i])
    b = (y - latitude[j]) / (latitude[j + 1] - latitude[j])
    return j, j + 1, i, (i + 1) % longitude.size, a, b


def at_points(values, longitude, latitude, x, y):
    """A map at points (x, y) [degree], gaps filled; shape (points,)."""
    south, north, west, east, a, b = corners(longitude, latitude, x, y)
    used = np.zeros(values.shape, bool)
    for j, i, weight in (
        (south, west, (1 - b) * (1 - a)), (south, east, (1 - b) * a),
        (north, west, b * (1 - a)), (north, east, b * a),
    ):  # fmt: skip
        used[j[weight > 0], i[weight > 0]] = True
    v = filled(values, longitude, latitude, used)
    low = (1.0 - a) * v[south, west] + a * v[south, east]
    high = (1.0 - a) * v[north, west] + a * v[north, east]
    return (1.0 - b) * low + b * high
