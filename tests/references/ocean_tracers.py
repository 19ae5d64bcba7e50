"""The ocean's tracers in one step, from the balance of cells; wide planes (see `joined_planes`)."""

import numpy as np

from references.joined_planes import diffuse_columns, shift


def volume_fluxes(u, v, dx, dy, thickness):
    """Through western and southern faces of cells, and upward through their tops [m3 s-1].

    Each corner gives half of what it carries to either face; `thickness` is that of velocity cells;
    (k, j, i).
    """
    along_x, along_y = (0.5 * thickness * w for w in (u * dy, v * dx))
    x, y = along_x + shift(along_x, 1, 0), along_y + shift(along_y, 0, 1)
    return x, y, np.cumsum(converging(x, y), axis=0)


def converging(x, y):
    """What comes through western and southern faces less what goes through the others."""
    return x - shift(x, 0, 1) + y - shift(y, 1, 0)


def across(values, depth, side):
    """What a cell has less than its neighbour on a side, both at the depth of the higher centre.

    Values of a column lie on straight lines between the centres, at `depth` [m].
    """
    higher = np.minimum(depth, shift(depth, *side))
    above, there = (np.concatenate([f[1:], f[-1:] - last]) for f, last in ((values, 0), (depth, 1)))
    lifted = [
        shift(values, *to)
        + (shift(above, *to) - shift(values, *to))
        * (shift(depth, *to) - higher)
        / (shift(depth, *to) - shift(there, *to))
        for to in (side, (0, 0))
    ]
    return lifted[0] - lifted[1]


def step(a, tau):
    """New tracers (tracer, k, j, i) and uppermost thickness [m], by `a`, named as the kernel's.

    What passes faces: carried by the flow, with the mean of both sides, and diffused, of the old
    level where both sides are wet. `x_diffusive` and `y_diffusive` are diffusivity times the length
    of a face over the distance of centres [m2 s-1], `wet` says which cells are.
    """
    x, y, up = volume_fluxes(a.u, a.v, a.dx, a.dy, a.corner_thickness)
    layer = a.old_layer + tau * (up[-1] / a.area + a.water_flux)
    old_depth, new_depth = (a.cell_thickness * a.wet for _ in range(2))
    old_depth[-1], new_depth[-1] = a.old_layer * a.wet[-1], layer * a.wet[-1]
    through_x, through_y = (
        diffusive
        * np.minimum(a.cell_thickness, shift(a.cell_thickness, *side))
        * (a.wet & shift(a.wet, *side))
        for diffusive, side in ((a.x_diffusive, (0, -1)), (a.y_diffusive, (-1, 0)))
    )
    contents = np.zeros_like(a.tracer)
    for number, (now, old) in enumerate(zip(a.tracer, a.old_tracer, strict=True)):
        west, south = shift(now, 0, -1), shift(now, -1, 0)
        over_x = x * 0.5 * (west + now) + through_x * across(old, a.depth, (0, -1))
        over_y = y * 0.5 * (south + now) + through_y * across(old, a.depth, (-1, 0))
        upward = np.zeros((len(now) + 1, *now.shape[1:]))
        upward[1:-1] = up[:-1] * 0.5 * (now[:-1] + now[1:])
        downward = np.zeros_like(upward)
        downward[:-1] = a.nonlocal_share * a.surface_flux[number]
        downward[-1] = a.surface_flux[number]
        gained = (converging(over_x, over_y) - np.diff(upward, axis=0)) / a.area
        contents[number] = old_depth * old + tau * (gained + np.diff(downward, axis=0))
    exchange = tau * a.vertical_diffusivity / distances(a.depth)
    return diffuse_columns(contents, new_depth, exchange), layer


def distances(depth):
    """Between the centres of a level and of the one below [m]; of the lowest any."""
    return np.concatenate([depth[:1], -np.diff(depth, axis=0)])
