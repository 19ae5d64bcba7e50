"""The season of the sea at the start: the surface's temperature of a date, on a climatology."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halocline.component.forcing.field_series import FieldSeries, SeriesOptions
from halocline.core.clock import Date
from halocline.core.options import option
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import Ocean


@dataclass(frozen=True, kw_only=True)
class StartSurfaceOptions(SeriesOptions):
    """Temperature of the surface at the date of the start, where the start knows no season."""

    variable: str = option("sst", "", "variable of the files: temperature [degree C]")
    depth: float = option(
        50.0,
        "m",
        "down to which water has the temperature of the surface; over as much below that it goes"
        " to that of the start",
        at_least=1.0,
    )


def set_surface(model: Ocean, time: Date) -> None:
    """Give the upper water the temperature of the files at a time; a call for all ranks."""
    state, options = model.state, model.options.start.surface
    if not options.file:
        return
    surface = Field("start_surface", "degree_C", state.space, place=Place.center, dtype=state.dtype)
    FieldSeries(
        options,
        [surface],
        model.levels.horizontal,
        (time, time),
        "surface temperature of the start",
        variables=(options.variable,),
        units=("degree_C",),
        recorder=model.run.recorder,
    ).update(time)
    share = np.clip(2.0 - model.levels.depth / options.depth, 0.0, 1.0)[:, None, None]
    with state.tracer.change() as owned:
        for array, warm, wet in zip(owned, surface.read(), state.tracer.wet, strict=True):
            array[0] += np.where(wet, share * (warm - array[0]), 0.0)
