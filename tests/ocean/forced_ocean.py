"""A small ocean under all kinds of forcing, from files too."""

from dataclasses import replace

import netCDF4
import numpy as np

from halocline.component.case.time_options import TimeOptions
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.vertical.levels import layered
from halocline.ocean.component import OceanComponent
from halocline.ocean.forcing_options import (
    OceanHeatOptions,
    OceanWindOptions,
    SurfaceForcingOptions,
    SurfaceRestoringOptions,
    WaterFluxOptions,
)
from halocline.ocean.options import OceanMixingOptions, OceanOptions, OceanStartOptions
from halocline.runtime.fields.decomposition import DecompositionOptions
from halocline.runtime.ranks.communicator import Alone

thickness = np.array([10.0, 15.0, 30.0, 80.0, 400.0])
step = 1800.0


def small_sea():
    """A basin with an island, shelves and floors at several levels."""
    options = GridOptions(
        nx=17, ny=11, x0=0.0, y0=38.0, dx=3.0, dy=3.0, periodic_x=False, depth=500.0
    )
    grid = regular_grid(options)
    random = np.random.default_rng(4)
    floors = np.cumsum(thickness)
    depth = np.where(grid.mask, random.choice(floors[[0, 2, 3, 4, 4, 4, 4, 4]], grid.shape), 0.0)
    depth[4:6, 7:10] = 0.0
    return layered(replace(grid, depth=depth, mask=depth > 0.0), thickness)


def monthly(path, **fields):
    """A file of twelve months, on the globe, of functions of longitude, latitude and month."""
    x, y = np.arange(0.0, 360.0, 5.0), np.arange(-87.5, 88.0, 5.0)
    with netCDF4.Dataset(path, "w") as file:
        for name, values in (("lat", y), ("lon", x), ("time", np.arange(12) * 30.4375 + 15.2)):
            file.createDimension(name, values.size)
            file.createVariable(name, "f8", (name,))[:] = values
        file["time"].units = "days since 1981-01-01"
        file["lon"].standard_name, file["lat"].standard_name = "longitude", "latitude"
        for name, function in fields.items():
            variable = file.createVariable(name, "f8", ("time", "lat", "lon"))
            for month in range(12):
                variable[month] = function(*np.meshgrid(x, y), month)
    return str(path)


still = OceanMixingOptions(
    viscosity=0.0, diffusivity=0.0, vertical_diffusivity=0.0, convective_diffusivity=0.0
)
everything = OceanOptions(
    mixing=OceanMixingOptions(viscosity=1e4, diffusivity=500.0),
    start=OceanStartOptions(deep=-1.0, range=0.5, scale=50.0),
    wind=OceanWindOptions(amplitude=0.1, bands=3.0),
    forcing=SurfaceForcingOptions(
        heat=OceanHeatOptions(short_wave=150.0, rest=-900.0),
        temperature=SurfaceRestoringOptions(equator=20.0, pole=-6.0, piston=2e-5),
        salinity=SurfaceRestoringOptions(target="start", time_scale=20.0),
        water=WaterFluxOptions(amplitude=2e-7),
        freezing=True,
    ),
    averaging=0,
)


def build(options, *, levels=None, cut=None, precision="float64", communicator=None, **more):
    """A component at its start."""
    clock = TimeOptions(start="2000-01-01", length="30d", step=step).clock()
    component = OceanComponent(
        levels or small_sea(),
        options,
        clock,
        communicator or Alone(),
        decomposition=DecompositionOptions(**cut or {}),
        precision=precision,
        **more,
    )
    component.start(clock.start, False)
    return component, clock.start


def advance(component, time, steps):
    """The time after some steps."""
    for _ in range(steps):
        component.step(time)
        time += component.step_length
    return time
