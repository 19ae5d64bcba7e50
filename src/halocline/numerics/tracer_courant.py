"""How much of a cell leaves it in each sweep of the transport of tracers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics.stream_function import LevelFluxes
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]


def outflow(
    fluxes: LevelFluxes, grid: VerticalGrid, horizontal_diffusivity: float, dt: float
) -> dict[str, float]:
    """Largest share of a cell's volume that leaves it in a sweep along x, y and z [1].

    Sweeps follow each other, each on the volumes that the one before has left.
    """
    topology, (_, nj, ni), here = grid.topology, grid.shape, fluxes.level(0)
    x_face, y_face = map(grid.horizontal.at, (Place.x_face, Place.y_face))
    x, y = (
        horizontal_diffusivity * dt * ratio
        for ratio in (x_face.dy / x_face.dx, y_face.dx / y_face.dy)
    )
    x = topology.widened(x, (0, 1, 0, 0), Place.x_face)[:, : ni + 1]
    y = topology.widened(y, (0, 0, 0, 1), Place.y_face)[: nj + 1]
    result = {"x": 0.0, "y": 0.0, "z": 0.0}
    for k, thickness in enumerate(grid.thickness):
        above = fluxes.level(k + 1) if k + 1 < fluxes.levels else None
        low = {"x": here.x * dt, "y": here.y * dt, "z": here.z * dt}
        wide_x = topology.widened(low["x"], (0, 1, 0, 0), Place.x_face, direction="x")
        wide_y = topology.widened(low["y"], (0, 0, 0, 1), Place.y_face, direction="y")
        low["y"] = wide_y[:nj]
        high = {"x": wide_x[:, 1 : ni + 1], "y": wide_y[1 : nj + 1]}
        high["z"] = np.zeros_like(here.z) if above is None else above.z * dt
        both_x = x * thickness * grid.open_x_faces(k)
        both_y = y * thickness * grid.open_y_faces(k)
        volume, wet = grid.volume_of(k), grid.is_wet(k)
        for name in result:
            leaving = np.maximum(high[name], 0.0) - np.minimum(low[name], 0.0)
            if name == "x" and horizontal_diffusivity:
                leaving += both_x[:, :-1] + both_x[:, 1:]
            if name == "y" and horizontal_diffusivity:
                leaving += both_y[:-1] + both_y[1:]
            share = leaving[wet] / np.maximum(volume[wet], 1e-30)
            result[name] = max(result[name], float(share.max(initial=0.0)))
            volume = volume - (high[name] - low[name])
        if above is not None:
            here = above
    return result
