"""How much of a cell leaves it in each sweep of the transport of tracers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics.stream_function import VolumeFluxes
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]


def outflow(
    fluxes: VolumeFluxes, grid: VerticalGrid, horizontal_diffusivity: float, dt: float
) -> dict[str, float]:
    """Largest share of a cell's volume that leaves it in a sweep along x, y and z [1].

    Sweeps follow each other, each on the volumes that the one before has left.
    """
    volume, wet = grid.volume, grid.wet
    thickness = grid.thickness[:, None, None]
    x_face, y_face = map(grid.horizontal.on_both_sides, (Place.x_face, Place.y_face))
    x = horizontal_diffusivity * dt * x_face.dy / x_face.dx * thickness
    y = horizontal_diffusivity * dt * y_face.dx / y_face.dy * thickness
    exchange = {"x": x * grid.open_x_faces(), "y": y * grid.open_y_faces()}
    result = {}
    for name, axis in (("x", -1), ("y", -2), ("z", -3)):
        low = getattr(fluxes, name) * dt
        high = np.roll(low, -1, axis)
        if not (name == "x" and grid.horizontal.periodic_x):
            high[_last(axis)] = 0.0
        leaving = np.maximum(high, 0.0) - np.minimum(low, 0.0)
        if name in exchange and horizontal_diffusivity:
            both = exchange[name]
            leaving += both[..., :-1] + both[..., 1:] if name == "x" else both[:, :-1] + both[:, 1:]
        share = leaving[wet] / np.maximum(volume[wet], 1e-30)
        result[name] = float(share.max(initial=0.0))
        volume = volume - (high - low)
    return result


def _last(axis: int) -> tuple[object, ...]:
    index: list[object] = [slice(None)] * 3
    index[axis] = slice(-1, None)
    return tuple(index)
