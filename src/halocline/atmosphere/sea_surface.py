"""What the atmosphere gives the sea.

Fluxes are those of its own surface layer, over its own cells. Fluxes that both sides share, on a
grid of their own, have their place between what is given here (wind, temperature and humidity near
the surface, radiation, rain) and what the sea and the air (`taken_fluxes.py`) take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.moist_air import vaporization
from halocline.core.names import Quantity, quantities
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.atmosphere.air_physics import AirPhysics
    from halocline.atmosphere.options import AtmosphereOptions
    from halocline.atmosphere.shown_fields import ShownAir

Array = NDArray[Any]
stefan_boltzmann = 5.670374e-8
"""[W m-2 K-4], as in the balance of the ground (slab.hpp)."""

of_turbulence = ("wind_stress_east", "wind_stress_north", "evaporation")
of_radiation = ("short_wave", "heat_flux_into_sea", "long_wave_down")


def gives(options: AtmosphereOptions) -> dict[str, Quantity]:
    """What an atmosphere with these options gives the sea, besides the fields of its maps."""
    names: tuple[str, ...] = ()
    if options.physics.turbulence != "none":
        names += of_turbulence
        if options.physics.sunlight != "none":
            names += of_radiation
    if options.species:
        names += ("precipitation_rate",)
    return {name: quantities[name] for name in names}


class SeaSurface:
    """Fluxes at the surface of one atmosphere.

    They are those that its last step felt; before its first one they are those of the start.
    """

    def __init__(
        self, maps: ShownAir, physics: AirPhysics | None, options: AtmosphereOptions
    ) -> None:
        self.maps, self.physics = maps, physics
        state = maps.state
        self.fields = {
            name: Field(
                name, facts.units, state.space, place=Place.center, dtype=state.dtype,
                restart=name == "precipitation_rate",
            )
            for name, facts in gives(options).items()
        }  # fmt: skip
        rain = self.fields.get("precipitation_rate")
        self.rain_fields = [] if rain is None else [rain]
        self.fallen: list[Array] = []
        self.stepped = False

    def start(self, *, restarted: bool) -> None:
        """Nothing has fallen yet."""
        self.dark = not restarted
        for field in self.rain_fields if not restarted else []:
            field.fill(0.0)

    def begin_step(self) -> None:
        """Keep what has fallen until now."""
        self.fallen = self._fallen() if self.rain_fields else []

    def end_step(self, seconds: float) -> None:
        """What has fallen in a step [s], as a rate."""
        self.stepped = True
        for field in self.rain_fields:
            with field.change() as owned:
                blocks = zip(owned, self._fallen(), self.fallen, strict=True)
                for array, after, before in blocks:
                    array[...] = (after - before) / seconds

    def _fallen(self) -> list[Array]:
        """Rain, snow and graupel since the start of the run, by block [kg m-2]."""
        blocks = zip(*(total.read() for total in self.maps.fallen), strict=True)
        return [np.asarray(sum(parts)) for parts in blocks]

    def update(self, names: Sequence[str], day: float) -> dict[str, Field]:
        """Fluxes of this moment, of a day of the year; a call for all ranks."""
        rates = {field.name: field for field in self.rain_fields}
        if rates.keys() >= set(names):
            return rates
        assert self.physics is not None and self.physics.columns.turbulence is not None
        ground = self.physics.columns.ground
        p = {**self.physics.columns.turbulence.planes, **ground.planes}
        if not self.stepped:
            assert self.maps.similar is not None, "there is turbulence"
            self.maps.similar.update()
            p |= self.maps.similar.planes
            self._light(names, day)
        stresses = ("wind_stress_east", "wind_stress_north")
        if not set(stresses).isdisjoint(names):
            winds = self.maps.update(["eastward_wind", "northward_wind"])
            besides = p["stress_x"], p["stress_y"], self.maps.cosine, self.maps.sine
            ways = (_eastward, _northward)
            for name, wind, way in zip(stresses, winds.values(), ways, strict=True):
                self._set(name, way, p["momentum_exchange"], wind, *besides)
        if "evaporation" in names:
            self._set("evaporation", np.positive, p["vapor_flux"])
        if "short_wave" in names:
            self._set("short_wave", _absorbed, ground.short_wave_down, ground.albedo)
        if "long_wave_down" in names:
            self._set("long_wave_down", np.positive, ground.long_wave_down)
        if "heat_flux_into_sea" in names:
            self._set(
                "heat_flux_into_sea", _all_heat,
                ground.short_wave_down, ground.albedo, ground.long_wave_down, ground.emissivity,
                ground.skin_temperature, p["heat_flux"], p["vapor_flux"],
            )  # fmt: skip
        return {name: self.fields[name] for name in names}

    def _light(self, names: Sequence[str], day: float) -> None:
        """Radiation of the start, before a step has made any."""
        radiation = self.physics.columns.radiation if self.physics is not None else None
        if self.dark and radiation is not None and not set(of_radiation).isdisjoint(names):
            radiation.update(day)
            self.dark = False

    def _set(self, name: str, function: Callable[..., Array], *sources: Field) -> None:
        blocks = zip(*(source.read() for source in sources), strict=True)
        with self.fields[name].change() as owned:
            for array, values in zip(owned, blocks, strict=True):
                array[...] = function(*values)


def _eastward(exchange: Array, wind: Array, x: Array, y: Array, cos: Array, sin: Array) -> Array:
    """Stress of the wind of the lowest layer [m s-1], by its exchange with the ground
    [kg m-2 s-1], and of what is given besides along the grid [Pa]."""
    return np.asarray(exchange * wind[0] + (cos * x - sin * y))


def _northward(exchange: Array, wind: Array, x: Array, y: Array, cos: Array, sin: Array) -> Array:
    """The same northward."""
    return np.asarray(exchange * wind[0] + (sin * x + cos * y))


def _absorbed(downward: Array, albedo: Array) -> Array:
    """Short wave that is not reflected [W m-2]."""
    return np.asarray((1.0 - albedo) * downward)


def _all_heat(
    short: Array,
    albedo: Array,
    long: Array,
    emissivity: Array,
    skin: Array,
    warm: Array,
    vapor: Array,
) -> Array:
    """What enters the surface [W m-2]: radiation less what it emits, sensible and latent heat.

    The terms of the balance of the ground (slab.hpp).
    """
    emitted = stefan_boltzmann * skin.astype(np.float64) ** 4
    radiation = _absorbed(short, albedo) + emissivity * (long - emitted)
    return np.asarray(radiation - warm - vaporization * vapor)
