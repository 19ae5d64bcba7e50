"""Temperature and salinity that the ocean starts with, at rest."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.field_places import FieldPlaces
from halocline.grids.files.curvilinear_maps import open_maps
from halocline.grids.horizontal.regular import in_boxes
from halocline.grids.vertical.file_field import FileField
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean import _native
from halocline.ocean.bottom_cells import lift_to_thin_cells
from halocline.ocean.potential_temperature import potential_temperature
from halocline.ocean.start import start_tracers
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator

if TYPE_CHECKING:
    from halocline.ocean.model import Ocean, OceanState
    from halocline.ocean.options import OceanStartOptions

Array = NDArray[np.float64]
kernels = kernels_of(_native)


def set_start(model: Ocean) -> list[str]:
    """Set tracers and the uppermost thickness, a call for all ranks; what there is to tell."""
    state, start, levels = model.state, model.options.start, model.levels
    state.layer.fill(float(levels.thickness[-1]))
    state.tracer.set_cells(start_tracers(levels, start), at=slice(0, 2))
    if start.file:
        _from_file(state, levels, start)
    lift_to_thin_cells(state, 0, 2)
    mixed = start.overturn and model.run.plan is None
    return [overturn(model)] if mixed else []


def _from_file(state: OceanState, levels: VerticalGrid, start: OceanStartOptions) -> None:
    places = FieldPlaces(state.space, Place.center, levels.horizontal, state.levels)
    files = open_maps([Path(start.file)])
    try:
        warm = FileField(files, "temperature", places.wanted)
        temperature = warm.read(None)
        salinity = FileField(files, "salinity", places.wanted, like=warm).read(None)
    finally:
        files.close()
    if start.in_situ:
        wet = warm.wet
        pressure = np.array([[_native.pressure_at(depth)] for depth in levels.depth])
        pressure = np.broadcast_to(pressure, wet.shape)[wet]
        temperature[wet] = potential_temperature(temperature[wet], salinity[wet], pressure)
    for box in start.even:
        for values in (temperature, salinity):
            _make_even(values, box, places, levels, state.space.decomposition.communicator)
    places.put(temperature, state.tracer.part(0))
    places.put(salinity, state.tracer.part(1))


def _make_even(
    values: Array,
    box: Sequence[float],
    places: FieldPlaces,
    levels: VerticalGrid,
    communicator: Communicator,
) -> None:
    """Set values (level, point) in a box to the means of levels over the area; for all ranks."""
    center, all_wet = levels.horizontal.at(Place.center), places.wanted.wet
    assert all_wet is not None
    inside = in_boxes([list(box)], center.x, center.y, around=True, named="ocean.start.even")
    inside = inside[places.cells]
    area, here, wet = center.area[places.cells][inside], values[:, inside], all_wet[:, inside]
    everyone = communicator.gather((here, wet, area))
    means = np.zeros(len(values))
    for level in range(len(values)) if everyone else ():
        parts = [(v[level, w[level]], a[w[level]]) for v, w, a in everyone or []]
        size = math.fsum(itertools.chain.from_iterable(a for _, a in parts))
        if size:
            means[level] = math.fsum(x for v, a in parts for x in v * a) / size
    means = communicator.broadcast(means)
    values[:, inside] = np.where(wet, means[:, None], here)


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
