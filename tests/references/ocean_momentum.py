"""The ocean's baroclinic velocity in one step; wide planes (see `joined_planes`).

Velocity is one complex number, u + i v: turning it to the left is to multiply by i.
"""

import numpy as np

from references.joined_planes import diffuse_columns, mean_of_four, shift
from references.ocean_tracers import converging, distances, volume_fluxes


def gradient(values, dx, dy, upward=None, depth=None):
    """Along x and y, at corners: means of the two differences beside, as complex numbers.

    Values at different `depth`, where they grow by `upward`, differ besides by the mean of both.
    """

    def differences(side):
        found = values - shift(values, *side)
        if upward is None:
            return found
        return found - 0.5 * (upward + shift(upward, *side)) * (depth - shift(depth, *side))

    x, y = differences((0, -1)), differences((-1, 0))
    return 0.5 * ((x + shift(x, -1, 0)) / dx + 1j * (y + shift(y, 0, -1)) / dy)


def advection(a, w):
    """What comes with the flow through the faces of velocity cells, over their volume.

    The volumes that pass are means of those of the four cells of tracers around.
    """
    x, y, up = (mean_of_four(f) for f in volume_fluxes(a.u, a.v, a.dx, a.dy, a.corner_thickness))
    over_x, over_y = x * 0.5 * (w + shift(w, 0, -1)), y * 0.5 * (w + shift(w, -1, 0))
    upward = np.zeros((len(w) + 1, *w.shape[1:]), complex)
    upward[1:-1] = up[:-1] * 0.5 * (w[:-1] + w[1:])
    upward[-1] = up[-1] * w[-1]
    volume = a.dx * a.dy * a.corner_thickness
    return (converging(over_x, over_y) - np.diff(upward, axis=0)) / volume


def viscosity(a, w):
    """Divergence of viscous fluxes, and what follows from the spread c of the grid's lines.

    A higher floor beside is a wall, where velocity is 0.

    Of u, 2 cy dv/dx - 2 cx dv/dy - (div c + 2 |c|^2) u, of v with the other sign of the first two:
    together -2 i (cy dw/dx - cx dw/dy) - (div c + 2 |c|^2) w.
    """
    east, north = a.viscosity * a.y_face_ratio, a.viscosity * a.x_face_ratio
    spread = 0.0
    for side, through in (
        ((0, 1), east),
        ((0, -1), shift(east, 0, -1)),
        ((1, 0), north),
        ((-1, 0), shift(north, -1, 0)),
    ):
        common = np.minimum(a.corner_thickness, shift(a.corner_thickness, *side))
        spread = spread + through * (common / a.corner_thickness * shift(w, *side) - w)
    spread = spread / (a.dx * a.dy)
    along_x = (shift(w, 0, 1) - shift(w, 0, -1)) / (2.0 * a.dx)
    along_y = (shift(w, 1, 0) - shift(w, -1, 0)) / (2.0 * a.dy)
    turned = -2j * (a.curvature_y * along_x - a.curvature_x * along_y)
    size = a.curvature_x**2 + a.curvature_y**2
    return spread + a.viscosity * (turned - (a.curvature_change + 2.0 * size) * w)


def accelerations(a, tau, gamma, drag, drag_speed):
    """All but the surface's, the new level's turning and vertical viscosity [m s-2]."""
    now, old = a.u + 1j * a.v, a.old_u + 1j * a.old_v
    found = advection(a, now) + viscosity(a, (2.0 * old + now) / 3.0)
    found -= 1j * a.coriolis * (gamma * now + (1.0 - gamma) * old)
    found -= 1j * (a.v * a.curvature_x - a.u * a.curvature_y) * now
    found -= gradient(a.pressure, a.dx, a.dy, a.pressure_slope, a.depth)
    found[-1] += (a.stress_x + 1j * a.stress_y) / a.corner_thickness[-1]
    for k in range(len(found)):
        lowest = a.wet_corner[k] & (not k or ~a.wet_corner[k - 1])
        rate = drag * np.hypot(np.abs(old[k]), drag_speed) / a.corner_thickness[k]
        found[k] -= lowest * rate / (1.0 + tau * rate) * old[k]
    return found * a.wet_corner


def step(a, tau, alpha, gamma, drag, drag_speed):
    """New velocity without its mean over the column, and the mean of the accelerations.

    (w - w_old) (1 + i tau alpha f) = tau accelerations, then vertical viscosity, implicit.
    """
    depth = a.corner_thickness * a.wet_corner
    whole = np.maximum(depth.sum(axis=0), 1e-300)
    force = accelerations(a, tau, gamma, drag, drag_speed)
    w = a.old_u + 1j * a.old_v + tau * force / (1.0 + 1j * tau * alpha * a.coriolis)
    tops = np.cumsum(a.thickness[::-1])[::-1] - a.thickness
    centres = tops[:, None, None] + 0.5 * a.corner_thickness
    exchange = tau * a.vertical_viscosity / distances(centres)
    w = diffuse_columns(np.stack([w.real, w.imag]) * depth, depth, exchange)
    w = w[0] + 1j * w[1]
    return (w - (w * depth).sum(axis=0) / whole) * a.wet_corner, (force * depth).sum(axis=0) / whole


def hydrostatic_pressure(densities, weight, outer, depths):
    """At the centres of cells [m2 s-2], and how it grows downward [m s-2].

    It is `weight` [m4 kg-1 s-2] times the integral of density.

    `densities` are those of the old, present and new level, whose weights are `outer`, what is
    left, and `outer`; between centres, at `depths` [m] (k, j, i), the integral is that of a
    straight line.
    """
    old, now, new = densities
    density = outer * old + (1.0 - 2.0 * outer) * now + outer * new
    found = np.empty_like(density)
    for k in range(len(depths)):
        found[k] = depths[-1] * density[-1] + np.trapezoid(
            density[k:][::-1], depths[k:][::-1], axis=0
        )
    return weight * found, weight * density
