"""A year of one place, by formulas: temperature, mixed layer and short wave."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry.environment import Environment
from halocline.biogeochemistry.reacting_state import ReactingState
from halocline.component.forcing.field_records import FieldRecords
from halocline.core.clock import Date, day_of_year
from halocline.core.options import Options, option
from halocline.grids.vertical.levels import VerticalGrid

Array = NDArray[np.float64]
year = 365.25  # days
solar_constant = 1361.0
"""Irradiance of the sun [W m-2] (Kopp and Lean 2011, doi:10.1029/2010GL045777)."""
ours = "of our own, in the range of the north-western Mediterranean"


@dataclass(frozen=True, kw_only=True)
class SeasonOptions(Options):
    """A year by formulas, the same at all places.

    The mixed layer is deepest in late winter and as warm as the water below; in summer a shallow
    one is warm. Short wave is the mean of each day at a latitude.
    """

    latitude: float = option(
        42.0, "degree", "of the sun's height", at_least=-90, at_most=90, source=ours
    )
    transmission: float = option(
        0.6, "1", "share of the sun's light that enters the sea", at_least=0, at_most=1, source=ours
    )
    winter_temperature: float = option(13.5, "degree C", "and that of the deep", source=ours)
    summer_temperature: float = option(25.0, "degree C", "of the mixed layer", source=ours)
    warmest: float = option(227.0, "day", "of the year, when it is warmest", source=ours)
    salinity: float = option(38.2, "1", "everywhere", at_least=0, source=ours)
    winter_depth: float = option(150.0, "m", "of the mixed layer", at_least=1, source=ours)
    summer_depth: float = option(20.0, "m", "of the mixed layer", at_least=1, source=ours)
    deepest: float = option(45.0, "day", "of the year, when it is deepest", source=ours)
    mixing: float = option(1e-2, "m2 s-1", "diffusivity in it", at_least=0, source=ours)
    background: float = option(1e-5, "m2 s-1", "diffusivity below", at_least=0, source=ours)
    wind_speed: float = option(5.0, "m s-1", "of all the year", at_least=0, source=ours)


class Season(Environment):
    """Fills the fields from the formulas of `SeasonOptions`."""

    def __init__(self, options: SeasonOptions, grid: VerticalGrid) -> None:
        self.options, self.grid = options, grid

    def settle(self, state: ReactingState) -> Sequence[FieldRecords]:
        """Nothing is read."""
        return []

    def fill(self, state: ReactingState, time: Date, dt: float) -> None:
        """Set the fields for the step of `dt` [s] from `time`."""
        day = day_of_year(time) + 0.5 * dt / 86400.0
        depth, options = self.grid.depth, self.options
        profiles = {
            "temperature": self.temperature(day, depth),
            "salinity": np.full(depth.shape, options.salinity),
            "vertical_diffusivity": self.diffusivity(day, self.grid.interfaces[:-1]),
        }
        for name, profile in profiles.items():
            with getattr(state, name).change() as owned:
                for array in owned:
                    array[...] = profile[:, None, None]
        state.short_wave.fill(self.short_wave(day))
        state.wind_speed.fill(options.wind_speed)
        state.latitude.fill(options.latitude)

    def short_wave(self, day: float) -> float:
        """Mean of a day of the light that enters the sea [W m-2].

        >>> season = Season(SeasonOptions(transmission=1.0, latitude=0.0), None)
        >>> round(season.short_wave(80.0))  # on the equator at equinox: 1361 / pi
        433
        """
        latitude = math.radians(self.options.latitude)
        tilt = -math.radians(23.44) * math.cos(2.0 * math.pi * (day + 10.0) / year)
        rise = math.acos(min(max(-math.tan(latitude) * math.tan(tilt), -1.0), 1.0))
        height = rise * math.sin(latitude) * math.sin(tilt)
        height += math.cos(latitude) * math.cos(tilt) * math.sin(rise)
        return self.options.transmission * solar_constant / math.pi * height

    def mixed_depth(self, day: float) -> float:
        """Depth of the mixed layer [m]."""
        options = self.options
        cold = 0.5 * (1.0 + math.cos(2.0 * math.pi * (day - options.deepest) / year))
        return options.summer_depth + (options.winter_depth - options.summer_depth) * cold**3

    def temperature(self, day: float, depth: Array) -> Array:
        """Temperature at depths [m]: even in the mixed layer, falling below it over 30 m."""
        options = self.options
        warm = 0.5 * (1.0 + math.cos(2.0 * math.pi * (day - options.warmest) / year))
        below = np.maximum(depth - self.mixed_depth(day), 0.0) / 30.0
        added = (options.summer_temperature - options.winter_temperature) * warm
        return np.asarray(options.winter_temperature + added * np.exp(-(below**2)))

    def diffusivity(self, day: float, depth: Array) -> Array:
        """Vertical diffusivity at interfaces [m2 s-1]: strong in the mixed layer, weak below."""
        options = self.options
        share = np.exp(-((depth / self.mixed_depth(day)) ** 4))
        return np.asarray(options.background + options.mixing * share)
