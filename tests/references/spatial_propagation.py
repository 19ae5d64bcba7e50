"""Plain NumPy form of one sub-step in space, on whole grids whose sides are joined by rolling.

Closed sides are faces without transparency and without crossing rate.
"""

import numpy as np


def propagate(
    density,
    rate_x,
    rate_y,
    transparency_x,
    transparency_y,
    area,
    aspect,
    fixed,
    travel,
    step,
    x_first,
    scheme,
    width_along,
    width_across,
):
    """Advance one component, density [j][i], 0 on land."""
    content = density * area
    if width_along > 0 or width_across > 0:
        content = average(
            density,
            rate_x * step,
            rate_y * step,
            transparency_x,
            transparency_y,
            area,
            aspect,
            width_along * np.asarray(travel),
            width_across * np.array([-travel[1], travel[0]]),
        )
    content = np.where(fixed, density * area, content)
    sweeps = [
        (1, rate_x * step * travel[0], transparency_x),
        (0, rate_y * step * travel[1], transparency_y),
    ]
    for axis, courant, transparency in sweeps if x_first else sweeps[::-1]:
        swept = sweep(content, courant, transparency, axis, scheme)
        content = np.where(fixed, density * area, swept)
    return np.where(fixed, density, content / area)


def sweep(content, courant, transparency, axis, scheme):
    """Move contents by signed Courant numbers at the faces before each cell along `axis`."""
    forward = courant >= 0
    before, after = np.roll(content, 1, axis), np.roll(content, -1, axis)
    centre = np.where(forward, before, content)
    upstream = np.where(forward, np.roll(content, 2, axis), after)
    downstream = np.where(forward, content, before)
    open_behind = np.where(forward, np.roll(transparency, 1, axis), np.roll(transparency, -1, axis))
    high = (transparency > 0) & (open_behind > 0) & (scheme != "upwind")
    c = np.abs(courant)
    value = 0.5 * (centre + downstream) - 0.5 * c * (downstream - centre)
    value -= (1 - c**2) / 6 * (downstream - 2 * centre + upstream)
    if scheme == "UQ":
        value = ultimate(value, upstream, centre, downstream, c)
    out = c * np.where(high, value, centre)
    if scheme != "QUICKEST":
        out = np.minimum(out, centre)
    entering = np.where(forward, transparency * out, -out)
    leaving = np.where(forward, out, -transparency * out)
    return content + entering - np.roll(leaving, -1, axis)


def ultimate(value, upstream, centre, downstream, c):
    """The universal limiter: monotone between the neighbours, upwind at extrema (Leonard 1991)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        reference = np.where(c > 0, upstream + (centre - upstream) / c, centre)
    rising = (centre >= upstream) & (downstream >= centre)
    falling = (centre <= upstream) & (downstream <= centre)
    up = np.clip(value, centre, np.minimum(downstream, np.maximum(reference, centre)))
    down = np.clip(value, np.maximum(downstream, np.minimum(reference, centre)), centre)
    return np.where(rising, up, np.where(falling, down, centre))


def average(density, move_x, move_y, open_x, open_y, area, aspect, along, across):
    """Exchange with the neighbours on the two diagonals of the averaging area.

    `move_x`, `move_y` are cells travelled in the step; `along`, `across` the half-widths as
    vectors in metres per metre travelled. A corner of the area at (x, y) cells from the centre
    takes min(|x|, |y|) from a diagonal neighbour and the rest from the one beside it, times 1/6.
    """
    result = density * area

    def south(a):
        return np.roll(a, 1, 0)

    def west(a):
        return np.roll(a, 1, 1)

    for sign in (1, -1):
        x, y = along * sign + across
        # through west faces
        shape = 0.5 * (aspect + west(aspect))
        excess = np.maximum(abs(x) - abs(y) * shape, 0.0) * move_x / 6
        flux = excess * open_x * 0.5 * (area + west(area)) * (west(density) - density)
        result += flux - np.roll(flux, -1, 1)
        # through south faces
        shape = 0.5 * (aspect + south(aspect))
        excess = np.maximum(abs(y) - abs(x) / shape, 0.0) * move_y / 6
        flux = excess * open_y * 0.5 * (area + south(area)) * (south(density) - density)
        result += flux - np.roll(flux, -1, 0)
        # through south-west corners
        share = np.minimum(abs(x), abs(y) * shape) / 6
        share = share * 0.5 * (move_x + south(move_x)) * 0.5 * (area + south(area))
        if x * y > 0:
            way = np.maximum(south(open_x) * open_y, west(open_y) * open_x)
            flux = share * way * (south(west(density)) - density)
            result += flux - np.roll(flux, (-1, -1), (0, 1))
        else:
            way = np.maximum(south(open_x) * west(open_y), open_y * open_x)
            flux = share * way * (south(density) - west(density))
            result += np.roll(flux, -1, 1) - np.roll(flux, -1, 0)
    return result
