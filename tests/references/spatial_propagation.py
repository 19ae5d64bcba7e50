"""Plain NumPy form of one sub-step in space, on whole grids whose sides are joined by rolling.

Closed sides are faces without transparency and without crossing rate.
"""

import numpy as np


def propagate(
    density,
    rate,
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
    behind_coast=-1.0,
):
    """Advance one component, density [j][i], 0 on land."""
    content = density * area
    if width_along > 0 or width_across > 0:
        content = average(
            density,
            rate * step,
            transparency_x,
            transparency_y,
            area,
            aspect,
            width_along * np.asarray(travel),
            width_across * np.array([-travel[1], travel[0]]),
        )
    content = np.where(fixed, density * area, content)
    sweeps = [
        (1, rate * step * travel[0], transparency_x),
        (0, rate * aspect * step * travel[1], transparency_y),
    ]
    for axis, courant, transparency in sweeps if x_first else sweeps[::-1]:
        swept = sweep(content, courant, transparency, axis, scheme, behind_coast)
        content = np.where(fixed, density * area, swept)
    return np.where(fixed, density, content / area)


def sweep(content, courant, transparency, axis, scheme, behind_coast=-1.0):
    """Move contents by Courant numbers at centres, of one sign, along `axis`."""
    ahead = np.roll(transparency, -1, axis)
    if (courant > 0).any():
        return towards(content, courant, transparency, ahead, axis, scheme, behind_coast)
    mirrored = [np.flip(a, axis) for a in (content, -courant, ahead, transparency)]
    after = towards(*mirrored, axis, scheme, behind_coast)
    return np.flip(after, axis)


def towards(content, courant, transparency, transparency_ahead, axis, scheme, behind_coast):
    """Move contents forward along `axis`; the flux courant * content is interpolated.

    Through a closed face upstream nothing comes; for the shape within the cell, contents behind it
    are `behind_coast` times those of the cell.
    """

    def behind(a):
        return np.where(transparency > 0, np.roll(a, 1, axis), behind_coast * a)

    flux = courant * content
    flux_ahead = np.roll(flux, -1, axis)
    out = 0.5 * (flux + flux_ahead) - 0.5 * courant * (flux_ahead - flux)
    out -= (1 - courant**2) / 6 * (flux_ahead - 2 * flux + behind(flux))
    if scheme == "UQ":
        out = ultimate(out, flux, flux_ahead, content, behind(content), courant)
    high = (transparency_ahead > 0) & (scheme != "upwind")
    out = np.where(high, out, flux)
    if scheme != "QUICKEST":
        out = np.minimum(out, content)
    return content - out + transparency * np.roll(out, 1, axis)


def ultimate(out, flux, flux_ahead, content, content_behind, courant):
    """The universal limiter (Leonard 1991), on fluxes.

    Between the upwind flux, the downstream one and what would leave the upstream content behind;
    the upwind flux where these two lie on different sides of it.
    """
    empties = flux + (1 - courant) * (content - content_behind)
    rising = (flux_ahead >= flux) & (empties >= flux)
    falling = (flux_ahead <= flux) & (empties <= flux)
    up = np.clip(out, flux, np.minimum(flux_ahead, empties))
    down = np.clip(out, np.maximum(flux_ahead, empties), flux)
    return np.where(rising, up, np.where(falling, down, flux))


def average(density, move, open_x, open_y, area, aspect, along, across):
    """Exchange with the neighbours on the two diagonals of the averaging area.

    `move` is columns travelled in the step; `along`, `across` the half-widths as
    vectors in metres per metre travelled. A corner of the area at (x, y) cells from the centre
    takes min(|x|, |y|) from a diagonal neighbour and the rest from the one beside it, times 1/6.
    """
    result = density * area

    def mean(a, b):
        return 0.5 * (a + b)

    def south(a):
        return np.roll(a, 1, 0)

    def west(a):
        return np.roll(a, 1, 1)

    for sign in (1, -1):
        x, y = along * sign + across
        # through west faces
        shape = mean(aspect, west(aspect))
        excess = np.maximum(abs(x) - abs(y) * shape, 0.0) * mean(move, west(move)) / 6
        flux = excess * open_x * mean(area, west(area)) * (west(density) - density)
        result += flux - np.roll(flux, -1, 1)
        # through south faces
        shape = mean(aspect, south(aspect))
        excess = np.maximum(abs(y) * shape - abs(x), 0.0) * mean(move, south(move)) / 6
        flux = excess * open_y * mean(area, south(area)) * (south(density) - density)
        result += flux - np.roll(flux, -1, 0)
        # through south-west corners
        share = np.minimum(abs(x), abs(y) * shape) / 6
        share = share * mean(area, south(area))
        share *= mean(mean(move, south(move)), west(mean(move, south(move))))
        if x * y > 0:
            way = np.maximum(south(open_x) * open_y, west(open_y) * open_x)
            flux = share * way * (south(west(density)) - density)
            result += flux - np.roll(flux, (-1, -1), (0, 1))
        else:
            way = np.maximum(south(open_x) * west(open_y), open_y * open_x)
            flux = share * way * (south(density) - west(density))
            result += np.roll(flux, -1, 1) - np.roll(flux, -1, 0)
    return result


def transparencies(grid, options, ice=None):
    """Global planes transparency_x, transparency_y; `ice` is a plane of concentrations [1]."""
    free = np.ones(grid.shape)
    if ice is not None:
        covered = (ice - options.open_ice) / (options.closed_ice - options.open_ice)
        free = 1.0 - np.clip(covered, 0.0, 1.0)
    planes = {}
    for name, axis, closed, periodic in (
        ("transparency_x", -1, grid.obstruction_x, grid.periodic_x),
        ("transparency_y", -2, grid.obstruction_y, grid.periodic_y),
    ):
        cell = np.where(grid.mask, free * (1.0 - (0.0 if closed is None else closed)), 0.0)
        behind = np.roll(cell, 1, axis)
        if not periodic:
            behind[(..., 0) if axis == -1 else (..., 0, slice(None))] = 0
        planes[name] = np.sqrt(cell * behind)
    return planes
