"""What the atmosphere gives the sea and takes from it.

Fluxes are those of its own surface layer, over its own cells. Fluxes that both sides share, on a
grid of their own, have their place between what is given here (wind, temperature and humidity near
the surface, radiation) and what the sea takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.port import Port
from halocline.core.errors import UserError
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

taken = ("sea_surface_temperature",)
"""What others may give it."""

of_turbulence = ("wind_stress_east", "wind_stress_north", "evaporation")
of_radiation = ("short_wave", "heat_flux_into_sea")


def gives(options: AtmosphereOptions) -> dict[str, Quantity]:
    """What an atmosphere with these options gives the sea, besides the fields of its maps."""
    names: tuple[str, ...] = ()
    if options.physics.turbulence != "none":
        names += of_turbulence
        if options.physics.sunlight != "none":
            names += of_radiation
    return {name: quantities[name] for name in names}


class SeaSurface:
    """Fluxes at the surface of one atmosphere, and the temperature of the sea that others give.

    Fluxes are those that its last step felt; before its first one they are those of the start.
    Where the sea of others is not, the skin keeps the temperature of the case.
    """

    def __init__(
        self, maps: ShownAir, physics: AirPhysics | None, options: AtmosphereOptions
    ) -> None:
        self.maps, self.physics = maps, physics
        state = maps.state
        self.fields = {
            name: Field(name, facts.units, state.space, place=Place.center, dtype=state.dtype)
            for name, facts in gives(options).items()
        }
        self.ports: dict[str, Port] = {}
        self.stepped = False

    def expect(self, names: Sequence[str]) -> None:
        """Others give the temperature of the sea."""
        if self.physics is None or self.physics.columns.turbulence is None:
            raise UserError(
                f"Another member gives the atmosphere {', '.join(names)}, but nothing there feels"
                " it: atmosphere.physics.turbulence = 'none'. Choose 'ysu', or leave the exchange"
                " out."
            )
        state = self.maps.state
        for name in names:
            field = Field(
                f"given_{name}", quantities[name].units, state.space, place=Place.center,
                dtype=state.dtype, restart=True,
            )  # fmt: skip
            self.ports[name] = Port(field)

    def start(self) -> None:
        """Until others give it, the sea has the temperature of the case."""
        for port in self.ports.values():
            assert self.physics is not None
            port.field.copy(self.physics.columns.ground.skin_temperature)

    def took(self) -> None:
        """The skin of the sea has the temperature that came."""
        assert self.physics is not None
        ground, given = self.physics.columns.ground, self.ports[taken[0]].field
        with ground.skin_temperature.change() as skin:
            for array, land, sea in zip(skin, ground.land.read(), given.read(), strict=True):
                array[...] = np.where(land > 0.5, array, sea)

    def update(self, names: Sequence[str]) -> dict[str, Field]:
        """Fluxes of this moment; a call for all ranks."""
        assert self.physics is not None and self.physics.columns.turbulence is not None
        ground = self.physics.columns.ground
        p = {**self.physics.columns.turbulence.planes, **ground.planes}
        if not self.stepped:
            assert self.maps.similar is not None, "there is turbulence"
            self.maps.similar.update()
            p |= self.maps.similar.planes
        stresses = ("wind_stress_east", "wind_stress_north")
        if not set(stresses).isdisjoint(names):
            winds = self.maps.update(["eastward_wind", "northward_wind"])
            for name, wind in zip(stresses, winds.values(), strict=True):
                self._set(name, _stress, p["momentum_exchange"], wind)
        if "evaporation" in names:
            self._set("evaporation", np.positive, p["vapor_flux"])
        if "short_wave" in names:
            self._set("short_wave", _absorbed, ground.short_wave_down, ground.albedo)
        if "heat_flux_into_sea" in names:
            self._set(
                "heat_flux_into_sea", _all_heat,
                ground.short_wave_down, ground.albedo, ground.long_wave_down, ground.emissivity,
                ground.skin_temperature, p["heat_flux"], p["vapor_flux"],
            )  # fmt: skip
        return {name: self.fields[name] for name in names}

    def _set(self, name: str, function: Callable[..., Array], *sources: Field) -> None:
        blocks = zip(*(source.read() for source in sources), strict=True)
        with self.fields[name].change() as owned:
            for array, values in zip(owned, blocks, strict=True):
                array[...] = function(*values)


def _stress(exchange: Array, wind: Array) -> Array:
    """Of the wind of the lowest layer [m s-1], by its exchange with the ground [kg m-2 s-1]."""
    return np.asarray(exchange * wind[0])


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
