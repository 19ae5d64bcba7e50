"""Tendencies of the air as their equations are written (docs/atmosphere.md, step 2).

Arguments are those of the kernels by name, with halos, whose outer values come out wrong.
"""

import numpy as np

from references.acoustic_steps import at_interfaces, gravity, pressure_force, up
from references.water_transport import carried_weighted

weights = {
    2: ((1 / 2,), ()),
    3: ((7 / 12, -1 / 12), (-3 / 12, 1 / 12)),
    4: ((7 / 12, -1 / 12), ()),
    5: ((37 / 60, -8 / 60, 1 / 60), (-10 / 60, 5 / 60, -1 / 60)),
    6: ((37 / 60, -8 / 60, 1 / 60), ()),
}
"""Of sums and differences of values at equal distance from a face (Wicker and Skamarock 2002)."""


def at_faces(flux, before, after, order):
    """What a flux carries through faces; `before` and `after` them the nearest values first."""
    sums, differences = weights[order]
    pairs = list(zip(before, after, strict=True))
    even = sum(w * (a + b) for w, (b, a) in zip(sums, pairs, strict=False))
    odd = sum((w * (a - b) for w, (b, a) in zip(differences, pairs, strict=False)), 0.0)
    return flux * even + np.abs(flux) * odd


def along(q, flux, axis, order, weno):
    """Through the face before each cell, along x or y."""
    before = [np.roll(q, n, axis) for n in (1, 2, 3)]
    after = [np.roll(q, -n, axis) for n in (0, 1, 2)]
    if weno:
        return carried_weighted(flux, before, after)
    return at_faces(flux, before, after, order)


def upward(q, flux, order, weno):
    """Through the lower face of each entry and the upper one of the last; nothing at both ends."""
    count = len(q)
    carried = np.zeros((count + 1, *q.shape[1:]))
    for k in range(1, count):
        there = min(k, count - k)
        lower = order if there > 2 else {1: 2, 2: min(order, 3 + (order + 1) % 2)}[there]
        before = [q[max(k - n, 0)] for n in (1, 2, 3)]
        after = [q[min(k + n, count - 1)] for n in (0, 1, 2)]
        if weno and there > 2:
            carried[k] = carried_weighted(flux[k], before, after)
        else:
            carried[k] = at_faces(flux[k], before, after, lower)
    return carried


def gained(q, x, y, z, area, depth, order, vertical_order, weno):
    """What fluxes of mass bring of q per area and coordinate."""
    east, north = along(q, x, -1, order, weno), along(q, y, -2, order, weno)
    around = east - np.roll(east, -1, -1) + north - np.roll(north, -1, -2)
    return around / area - np.diff(upward(q, z, vertical_order, weno), axis=0) / up(depth)


def wind(a, axis, order, vertical_order, weno):
    """Tendencies of momentum along x (axis -1) or y (axis -2)."""
    name, other = ("u", "v") if axis == -1 else ("v", "u")
    ours, theirs = ("x", "y") if axis == -1 else ("y", "x")

    def before(q):
        return np.roll(q, 1, axis)

    def mean(q):
        return 0.5 * (q + before(q))

    carriers = (mean(a.x_flux), mean(a.y_flux), mean(a.rise))
    area = vars(a)[f"{ours}_area"]
    sum_ = gained(vars(a)[name], *carriers, area, a.thickness, order, vertical_order, weno)
    a.pressure_change, a.geopotential_change, a.mass_change = a.pressure, a.geopotential, a.mass
    state = a
    if a.base_volume is not None:
        # the change of the specific volume counts from the base state's
        state = type(a)(**vars(a))
        layer = up(a.c1) * (a.base_mass + a.mass) + up(a.c2)
        depth = np.diff(a.geopotential, axis=0) / up(a.thickness)
        volume_change = (depth - up(a.c1) * a.mass * a.base_volume) / layer
        mass = 0.5 * (layer + before(layer))
        slope = mean(volume_change) * (a.base_pressure - before(a.base_pressure))
        state.base_pressure = None
        extra = mass * slope / vars(a)[f"{ours}_distance"]
        sum_ = sum_ - (extra if a.dilution is None else mean(a.dilution) * extra)
    sum_ = sum_ + pressure_force(state, before, vars(a)[f"{ours}_distance"])
    if a.coriolis is not None:
        crossing = vars(a)[f"{theirs}_flux"] / vars(a)[f"{theirs}_length"]
        beside = crossing + np.roll(crossing, -1, -2 if axis == -1 else -1)
        turned = mean(a.coriolis) * 0.5 * mean(beside)
        sum_ = sum_ + turned if axis == -1 else sum_ - turned
    if vars(a)[f"{name}_forcing"] is not None:
        sum_ = sum_ + vars(a)[f"{name}_forcing"]
    return sum_ * vars(a)[f"{ours}_open"]


def winds(a, order, vertical_order, weno):
    """Tendencies of momentum along x and y."""
    return tuple(wind(a, axis, order, vertical_order, weno) for axis in (-1, -2))


def theta(a, order, vertical_order, weno):
    """Tendency of heat."""
    fluxes = a.x_flux, a.y_flux, a.rise
    sum_ = gained(a.theta, *fluxes, a.area, a.thickness, order, vertical_order, weno)
    return (sum_ if a.theta_forcing is None else sum_ + a.theta_forcing,)


def slope(q, axis, order):
    """Differences over one cell of the values around it, of even order."""
    near, far, farthest = {
        2: (1 / 2, 0, 0), 3: (8 / 12, -1 / 12, 0), 4: (8 / 12, -1 / 12, 0),
        5: (45 / 60, -9 / 60, 1 / 60), 6: (45 / 60, -9 / 60, 1 / 60),
    }[order]  # fmt: skip

    def pair(n):
        return np.roll(q, -n, axis) - np.roll(q, n, axis)

    return near * pair(1) + far * pair(2) + farthest * pair(3)


def upward_wind(a, order, vertical_order, weno):
    """Tendencies of upward momentum and of the geopotential, 0 at the ground."""

    def interfaces(q):
        ends = np.zeros((1, *q.shape[1:]))
        return np.concatenate([ends, at_interfaces(a, q), q[-1:]])

    x, y = interfaces(a.x_flux), interfaces(a.y_flux)
    through = np.concatenate([0.0 * a.rise[:1], 0.5 * (a.rise[1:] + a.rise[:-1])])
    w = gained(a.w, x, y, through, a.area, a.spacing, order, vertical_order, weno)
    p = np.concatenate([a.pressure, 0.0 * a.pressure[:1]])
    push = -np.diff(p, axis=0) / up(a.spacing)[1:]
    if a.dilution is not None:
        share = interfaces(a.dilution)[1:]
        base = up(a.c1_face)[1:] * a.base_mass + up(a.c2_face)[1:]
        push = share * push + (share - 1.0) * base
    w[1:] += gravity * (push - up(a.c1_face)[1:] * a.mass)
    if a.w_forcing is not None:
        w = w + a.w_forcing
    phi = a.geopotential + a.base_geopotential
    lifted = 0.5 * (a.rise[1:] + a.rise[:-1]) * np.diff(phi, axis=0) / up(a.thickness)
    lifted = np.concatenate([0.0 * phi[:1], at_interfaces(a, lifted), 0.0 * phi[:1]])
    carried = (x + np.roll(x, -1, -1)) * slope(phi, -1, order)
    carried = carried + (y + np.roll(y, -1, -2)) * slope(phi, -2, order)
    layer = up(a.c1_face) * (a.base_mass + a.mass) + up(a.c2_face)
    geopotential = gravity * a.w - (0.5 * carried / a.area + lifted) / layer
    for tendency in (w, geopotential):
        tendency[0] = 0.0
    return w, geopotential
