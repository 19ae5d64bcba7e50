"""A small ocean under wind and cooling with vertical mixing of two kinds."""

from __future__ import annotations

import numpy as np

from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.vertical.levels import layered
from halocline.ocean.model import Ocean
from halocline.ocean.options import OceanMixingOptions, OceanOptions, OceanWindOptions
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Runner

cooling = np.array([-5e-5, 1e-6])
"""Of temperature [K m s-1] and salinity [m s-1] into the surface."""


def small_ocean(
    scheme: str,
    communicator: Communicator,
    *,
    uniform: bool = False,
    dtype: type = np.float64,
    **cut: int,
) -> Ocean:
    """Steps in the floor, an island, and water that is warm above, under wind and cooling."""
    grid = regular_grid(
        GridOptions(
            nx=21, ny=14, x0=10.0, y0=20.0, dx=1.0, dy=1.0,
            depth=[100.0, 80.0, 100.0, 40.0, 100.0, 100.0, 100.0, *14 * [100.0]],
            land=[[17.5, 19.5, 24.5, 26.5]], closed_edges=True,
        )
    )  # fmt: skip
    levels = layered(grid, np.full(10, 10.0))
    decomposition = Decomposition(
        levels.mask,
        levels.topology,
        halo=1,
        options=DecompositionOptions(**cut),
        communicator=communicator,
    )
    options = OceanOptions(
        mixing=OceanMixingOptions(scheme=scheme, viscosity=1e4, diffusivity=1e3),
        wind=OceanWindOptions(amplitude=0.3),
    )
    ocean = Ocean(levels, options, decomposition, Runner(decomposition), 1800.0, dtype=dtype)
    s = ocean.state
    warm = np.where(uniform, 12.0, 12.0 - 0.02 * levels.depth)[:, None, None]
    values = np.stack(np.broadcast_arrays(warm, 35.0))
    s.tracer.set_cells(
        lambda j, i: (
            values[..., 0, 0].reshape(2, -1, *(1,) * np.ndim(j))
            + (0.0 if uniform else 0.1) * np.sin(0.9 * j + 0.4 * i)
        )
    )
    if not uniform:
        flux = np.broadcast_to(cooling[:, None, None], s.surface_flux.shape)
        s.surface_flux.set_global(flux)
    s.layer.fill(10.0)
    for name in ("tracer", "layer"):
        getattr(s, f"old_{name}").copy(getattr(s, name))
    ocean.densities()
    return ocean


def steps(ocean: Ocean, count: int) -> None:
    """A forward step and `count` leapfrog ones."""
    ocean.first_step()
    for number in range(2, 2 + count):
        ocean.step(number)
