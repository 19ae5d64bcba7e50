"""Random seas with topography, fluxes and tracers, for the tests of tracer kernels."""

import numpy as np

HALO = 2


def random_sea(random, tracers=3, levels=4, rows=5, columns=6, dtype=np.float64, sinking=True):
    """Arrays by the names of the arguments of `transport_tracers`, and the box.

    Fluxes vanish on coasts; at most half of a cell leaves it in a sweep with dt = 1.
    """
    shape = (levels, rows + 2 * HALO, columns + 2 * HALO)
    floor = random.integers(0, levels, shape[1:]) * (random.random(shape[1:]) < 0.4)
    floor[random.random(shape[1:]) < 0.15] = levels
    wet = np.arange(levels)[:, None, None] >= floor
    volume = random.uniform(1, 2, shape) * wet
    fluxes = {}
    for axis, name in ((2, "x_volume_flux"), (1, "y_volume_flux"), (0, "z_volume_flux")):
        closed = np.zeros(shape, bool)
        closed[(slice(None),) * axis + (0,)] = True
        open_face = wet & np.roll(wet, 1, axis) & ~closed
        fluxes[name] = random.uniform(-0.2, 0.2, shape) * open_face
    arrays = {
        "tracer": random.lognormal(size=(tracers, *shape)) * wet,
        "volume": volume,
        **fluxes,
        "x_conductance": random.uniform(0.0, 0.05, shape[1:]),
        "y_conductance": random.uniform(0.0, 0.05, shape[1:]),
        "vertical_diffusivity": random.uniform(0, 1, shape),
        "area": random.uniform(1, 2, shape[1:]),
        "thickness": random.uniform(0.5, 1.5, levels),
        "spacing": random.uniform(0.5, 1.5, levels),
        "sinking_speed": random.uniform(0.1, 1, tracers) * (np.arange(tracers) % 2) * sinking,
    }
    box = (HALO, HALO + rows, HALO, HALO + columns, 0)
    return {name: array.astype(dtype) for name, array in arrays.items()}, box


def inside(box):
    """Index of the box in the last two axes."""
    j0, j1, i0, i1, _ = box
    return (..., slice(j0, j1), slice(i0, i1))
