"""What drives the ocean at its surface: wind, heat, water and salt, and light in the water."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.field_series import FieldSeries, SeriesOptions
from halocline.core.clock import Date
from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.file_field import along_grid
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean import _native
from halocline.ocean.bulk_fluxes import BulkFluxes
from halocline.ocean.forcing_options import OceanWindOptions, SurfaceRestoringOptions
from halocline.ocean.fresh_water import FreshWater
from halocline.ocean.options import OceanOptions
from halocline.ocean.partial_target import PartialTarget
from halocline.ocean.rotation import is_cartesian
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState

Array = NDArray[np.float64]
kernels = kernels_of(_native)
names = ("temperature", "salinity")
absorption = {
    "I": (0.58, 0.35, 23.0),
    "IA": (0.62, 0.60, 20.0),
    "IB": (0.67, 1.00, 17.0),
    "II": (0.77, 1.50, 14.0),
    "III": (0.78, 1.40, 7.9),
}
"""Share [1] and lengths [m] of red light, and of the rest, by Jerlov's type of water (Paulson and
Simpson 1977, J. Phys. Oceanogr. 7, 952, Table 2)."""
least_light = 1e-6
"""Where less of the short wave is left it is absorbed at once [1]."""


def transmitted(depth: Array, water_type: str) -> Array:
    """Share of the short wave that is left at a depth [m]:  R e^(-z/a) + (1 - R) e^(-z/b).

    >>> transmitted(np.array([0.0, 10.0]), "IB").round(4).tolist()
    [1.0, 0.1833]
    """
    red, short, long = absorption[water_type]
    left = red * np.exp(-depth / short) + (1.0 - red) * np.exp(-depth / long)
    return np.where(left < least_light, 0.0, left)


def wind_phase(grid: Grid, wind: OceanWindOptions) -> Array:
    """Phase of the wind of closed form at corners [1]."""
    y = grid.at(Place.corner).y
    if is_cartesian(grid):
        return 2.0 * np.pi * y / wind.wave if wind.wave else np.zeros_like(y)
    return wind.bands * np.radians(y)


class SurfaceForcing:
    """Fluxes through the surface of one ocean: analytic ones at once, files after `follow`."""

    def __init__(
        self, levels: VerticalGrid, options: OceanOptions, state: OceanState, run: Runner
    ) -> None:
        self.levels, self.wind, self.options = levels, options.wind, options.forcing
        self.state, self.run, self.series = state, run, list[FieldSeries]()
        heat, top = self.options.heat, float(levels.thickness[-1])
        self.density = options.density.reference
        self.per_capacity = 1.0 / (self.density * heat.capacity)
        self.pistons = {
            "temperature_piston": self.options.temperature.velocity(top),
            "salinity_piston": self.options.salinity.velocity(top),
        }
        bulk = bool(self.options.bulk.file)
        self.bulk = BulkFluxes(options, levels.horizontal, state, run) if bulk else None
        evaporation = None if self.bulk is None else self.bulk.evaporation
        self.water = FreshWater(levels.horizontal, options, state, evaporation)
        self.lit = bool(heat.file or heat.short_wave or bulk)
        self.with_waves = False  # waves take a part of the stress, and give another
        self.with_fluxes = bool(
            self.lit or heat.rest or self.water.act or any(self.pistons.values())
        )
        self.changed_later = options.checkerboard > 0.0
        self.begun = False
        self.partial = {
            number: PartialTarget(names[number], target, state)
            for number, (target, some) in enumerate(self._targets())
            if some.known
        }
        self._bind()
        self._analytic()

    def _bind(self) -> None:
        run, s = self.run, self.state
        self.stress = run.bind(kernels["ocean_wind_stress"], s)
        self.flux = run.bind(kernels["ocean_surface_flux"], s)
        self.short_wave = run.bind(kernels["ocean_short_wave"], s)
        self.frazil = run.bind(kernels["ocean_frazil"], s)

    def _analytic(self) -> None:
        grid, s, heat = self.levels.horizontal, self.state, self.options.heat
        corner = grid.at(Place.corner)
        east = -self.wind.amplitude * np.cos(wind_phase(grid, self.wind))
        x, y = along_grid(east, np.zeros_like(east), corner.angle)
        for name, given in (("x", x), ("y", y)):
            pascal = given.astype(s.dtype)
            getattr(s, f"wind_{name}").set_global(pascal)
            getattr(s, f"stress_{name}").set_global(pascal / pascal.dtype.type(self.density))
        s.short_wave.fill(heat.short_wave)
        s.heat_flux.fill(heat.short_wave + heat.rest)
        latitude = np.radians(np.broadcast_to(grid.at(Place.center).y, s.water_flux.shape))
        for target, towards in self._targets():
            zonal = towards.pole + (towards.equator - towards.pole) * np.cos(latitude) ** 2
            target.set_global(zonal.astype(s.dtype))
        water = self.options.water.amplitude * np.cos(6.0 * latitude)
        s.rain.set_global(water.astype(s.dtype))

    def _targets(self) -> list[tuple[Field, SurfaceRestoringOptions]]:
        return [
            (self.state.temperature_target, self.options.temperature),
            (self.state.salinity_target, self.options.salinity),
        ]

    def keep_start(self) -> None:
        """Take the surface at the start as what it is drawn to, where options say so."""
        for number, field in self._of_start().items():
            with field.change() as owned:
                for array, values in zip(owned, self.state.tracer.read(), strict=True):
                    array[...] = values[number, -1]

    def kept(self) -> list[Field]:
        """Targets that come from the start, which a restart must hold."""
        return list(self._of_start().values())

    def _of_start(self) -> dict[int, Field]:
        """What takes the surface at the start, by the number of its tracer."""
        found = {
            n: target for n, (target, some) in enumerate(self._targets()) if some.target == "start"
        }
        return found | {number: partial.of_start for number, partial in self.partial.items()}

    def follow(self, period: tuple[Date, Date]) -> None:
        """Open the files, for a period; a call for all ranks."""
        s, heat = self.state, self.options.heat
        wind = self.wind
        if wind.file:
            fields = [s.wind_x, s.wind_y]
            self._open(wind, period, "stress of the wind", fields, wind.east, wind.north)
        if heat.file:
            light = heat.short_wave_variable, heat.net_variable
            self._open(heat, period, "heat flux", [s.short_wave, s.heat_flux], *light)
        for (target, given), name in zip(self._targets(), names, strict=True):
            if given.file:
                partial = self.partial.get(names.index(name))
                fields = [partial.of_file, partial.known] if partial else [target]
                variables = [given.variable, given.known][: len(fields)]
                self._open(given, period, f"surface {name}", fields, *variables)
        if self.bulk is not None:
            bulk, air = self.options.bulk, self.bulk.air
            variables, fields = [name for name, _ in air], [field for _, field in air]
            self._open(bulk, period, "air", fields, *variables)
            self._open(bulk, period, "wind", self.bulk.wind, bulk.east, bulk.north)
        water = self.options.water
        if water.file:
            self._open(water, period, "water flux", [s.rain], water.variable)

    def _open(
        self,
        options: SeriesOptions,
        period: tuple[Date, Date],
        what: str,
        fields: list[Field],
        *variables: str,
    ) -> None:
        series = FieldSeries(
            options,
            fields,
            self.levels.horizontal,
            period,
            what,
            variables=variables,
            units=[field.units for field in fields],
            vector=fields[0].place == Place.corner,
            base=Path(),
            recorder=self.run.recorder,
        )
        self.series.append(series)

    def update(self, moment: Date) -> None:
        """Bring all to a moment; a call for all ranks."""
        self.water.at(moment)
        if self.begun and not self.series:
            return
        with self.run.recorder.time("forcing"):
            for series in self.series:
                series.update(moment)
            for partial in self.partial.values():
                partial.update()
            if self.bulk is not None:
                self.bulk.update(moment)
        if self.wind.file:
            self.stress(density=self.density)
        self.begun = True

    def fluxes(self) -> None:
        """What the tracers get through the surface, by their old level."""
        if self.changed_later:
            self.state.water_flux.fill(0.0)
            self.state.surface_flux.fill(0.0)
        if self.bulk is not None:
            self.bulk()
        if self.with_waves:
            self._add_waves()
        if self.water.act:
            self.water()
        if self.with_fluxes:
            self.flux(per_capacity=self.per_capacity, **self.pistons)
        if self.water.as_salt or self.water.salty:
            self.water.add_salt()

    def _add_waves(self) -> None:
        """To the stress of the air comes what waves gave less what they took."""
        s = self.state
        if self.bulk is None:
            self.stress(density=self.density)
        for to, more in ((s.stress_x, s.wave_stress_x), (s.stress_y, s.wave_stress_y)):
            with to.change() as owned:
                for array, values in zip(owned, more.read(), strict=True):
                    array += values

    def warm(self, tau: float) -> None:
        """Light and freezing act on the new level, after a step by `tau` [s]."""
        if self.lit:
            self.short_wave(heating=tau * self.per_capacity)
        if self.options.freezing:
            self.frazil(slope=self.options.freezing_slope)
