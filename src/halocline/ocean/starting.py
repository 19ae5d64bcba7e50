"""Temperature and salinity that the ocean starts with, at rest."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.field_places import FieldPlaces
from halocline.core.clock import Date
from halocline.grids.files.curvilinear_maps import open_maps
from halocline.grids.vertical.file_field import FileField
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean import _native
from halocline.ocean.bottom_cells import lift_to_thin_cells
from halocline.ocean.filling import fill_through_water
from halocline.ocean.potential_temperature import potential_temperature
from halocline.ocean.regions import region_cells
from halocline.ocean.start import start_tracers
from halocline.ocean.start_surface import set_surface
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import Ocean
    from halocline.ocean.options import OceanStartOptions

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
kernels = kernels_of(_native)


def set_start(model: Ocean, time: Date) -> list[str]:
    """Set tracers and the uppermost thickness, a call for all ranks; what there is to tell."""
    state, start, levels = model.state, model.options.start, model.levels
    state.layer.fill(float(levels.thickness[-1]))
    state.tracer.set_cells(start_tracers(levels, start), at=slice(0, 2))
    if start.file:
        _from_file(model)
    set_surface(model, time)
    lift_to_thin_cells(state, 0, 2)
    mixed = start.overturn and model.run.plan is None
    return [overturn(model)] if mixed else []


def _from_file(model: Ocean) -> None:
    """Take temperature and salinity of the file; what it does not know comes through water.

    Seas without any value take the nearest one of the same level.
    """
    state, start, levels = model.state, model.options.start, model.levels
    places = FieldPlaces(state.space, Place.center, levels.horizontal, state.levels)
    wet = places.wanted.wet
    assert wet is not None
    with closing(open_maps([Path(start.file)])) as files:
        warm = FileField(files, "temperature", places.wanted, units="degree_C")
        salty = FileField(files, "salinity", places.wanted, units="1e-3", like=warm)
        found = _potential(np.stack([warm.read_known(), salty.read_known()]), levels, start)
        for name, sea in start.seas.items():
            inside = region_cells(sea.cells, levels.horizontal, f"ocean.start.seas.{name}.cells")
            for number, profile in enumerate((sea.temperature, sea.salinity)):
                values = np.interp(levels.depth, sea.depth, profile)
                found[number, :, inside[places.cells]] = values
        found = _through_water(found, wet, places, model)
        if np.isnan(found[:, wet]).any():
            nearest = _potential(np.stack([warm.read(), salty.read()]), levels, start)
            found = np.where(np.isnan(found), nearest, found)
    for number, values in enumerate(found):
        places.put(np.where(wet, values, 0.0), state.tracer.part(number))


def _potential(given: Array, levels: VerticalGrid, start: OceanStartOptions) -> Array:
    """Temperature and salinity (2, level, point), with potential temperature."""
    if start.in_situ:
        pressure = np.array([[_native.pressure_at(depth)] for depth in levels.depth])
        given[0] = potential_temperature(given[0], given[1], pressure)
    return given


def _through_water(found: Array, wet: Mask, places: FieldPlaces, model: Ocean) -> Array:
    """Values (., level, point) whose gaps are filled; a call for all ranks."""
    communicator, levels = model.run.decomposition.communicator, model.levels
    gaps = float(np.count_nonzero(np.isnan(found[:, wet])))
    if not communicator.sum(np.array([gaps]))[0]:
        return found
    everyone = communicator.gather((places.cells, found))
    whole: Array | None = None
    if everyone is not None:
        whole = np.full((len(found), *levels.shape), np.nan)
        for (j, i), values in everyone:
            whole[:, :, j, i] = values
        whole = np.stack([fill_through_water(some, levels.wet, levels.topology) for some in whole])
    j, i = places.cells
    filled: Array = communicator.broadcast(whole)[:, :, j, i]
    return filled


def overturn(model: Ocean) -> str:
    """Mix unstable columns; how many there were, and how deep."""
    s, communicator = model.state, model.run.decomposition.communicator
    found = Field("overturned", "m", s.space, place=Place.center, dtype=s.dtype)
    mix = model.run.bind(kernels["ocean_overturn"], s, depth=s.depths, overturned=found)
    mix(numbers=model.options.density.numbers)
    depths = found.read()
    deepest = max((float(some.max(initial=0.0)) for some in depths), default=0.0)
    count = sum(int(np.count_nonzero(some)) for some in depths)
    deepest = float(communicator.maximum(np.array([deepest]))[0])
    count = int(communicator.sum(np.array([float(count)]))[0])
    return (
        f"{count:,} of {model.run.decomposition.world.sea_points:,} columns of the start were"
        f" unstable and are mixed, down to {deepest:.0f} m"
    )
