"""What the atmosphere takes from the sea below it: temperature, waves, fluxes that both share.

Fluxes come in the place of those of its own surface layer, where the other's grid reaches. They
stay as they came until the next ones: an interval of exchange has to be short beside the time in
which the lowest layer feels its drag, depth / (C_D U), some half an hour for 50 m of air and a
gale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.port import Port
from halocline.core.errors import UserError
from halocline.core.names import quantities
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.atmosphere.air_physics import AirPhysics
    from halocline.atmosphere.shown_fields import ShownAir

Array = NDArray[Any]

stress = ("wind_stress_east", "wind_stress_north")
heat = ("sensible_heat", "evaporation")
together = (stress, heat)
"""Fields of which one needs the other."""

fraction = "sea_fraction"
"""Share of a cell to which what is given belongs; fluxes are of the whole cell then."""

taken = ("sea_surface_temperature", "charnock", *stress, *heat, fraction)
"""What others may give it."""


class TakenFluxes:
    """Ports that others fill, once they are expected, and what follows from what came.

    Without `sea_fraction` fluxes are those of all the sea of a cell, and land keeps its own. With
    it they are of the whole cell (conservative remapping of `ownarea`), own fluxes have the
    rest, and what the air loses is what the other side has, to round-off.
    """

    def __init__(self, maps: ShownAir, physics: AirPhysics | None) -> None:
        self.maps, self.physics = maps, physics
        self.ports: dict[str, Port] = {}

    def expect(self, names: Sequence[str]) -> None:
        """Others give these."""
        if self.physics is None or self.physics.columns.turbulence is None:
            raise UserError(
                f"Another member gives the atmosphere {', '.join(names)}, but nothing there feels"
                " it: atmosphere.physics.turbulence = 'none'. Choose 'ysu', or leave the exchange"
                " out."
            )
        for some in together:
            lacking = [name for name in some if name not in names]
            if 0 < len(lacking) < len(some):
                given = next(name for name in some if name in names)
                raise UserError(
                    f"The atmosphere is given {given} without {', '.join(lacking)}. Let one"
                    " exchange give both."
                )
        if fraction in names and not {*stress, *heat} & {*names}:
            raise UserError(
                f"The atmosphere is given {fraction} without a flux that it belongs to. Let one"
                " exchange give both."
            )
        state = self.maps.state
        for name in names:
            field = Field(
                f"given_{name}", quantities[name].units, state.space, place=Place.center,
                dtype=state.dtype, restart=True,
            )  # fmt: skip
            field.fill(np.nan)
            self.ports[name] = Port(field)
        if {*stress, *heat} & {*names}:
            self.physics.columns.turbulence.replace = self._replace

    def start(self) -> None:
        """Until others give it, the sea has the temperature of the case."""
        name = "sea_surface_temperature"
        if name in self.ports:
            assert self.physics is not None
            self.ports[name].field.copy(self.physics.columns.ground.skin_temperature)

    def took(self) -> None:
        """The skin of the sea has the temperature that came, its waves their roughness."""
        assert self.physics is not None and self.physics.columns.turbulence is not None
        ground, planes = self.physics.columns.ground, self.physics.columns.turbulence.planes
        for name, to in (
            ("sea_surface_temperature", ground.skin_temperature),
            ("charnock", planes["charnock"]),
        ):
            if name in self.ports:
                with to.change() as owned:
                    given = self.ports[name].field.read()
                    for array, land, sea in zip(owned, ground.land.read(), given, strict=True):
                        array[...] = np.where((land > 0.5) | np.isnan(sea), array, sea)

    def _replace(self) -> None:
        """Put what was given in the place of what the surface layer found."""
        assert self.physics is not None and self.physics.columns.turbulence is not None
        ground = self.physics.columns.ground
        planes = {**self.physics.columns.turbulence.planes, **ground.planes}
        if heat[0] in self.ports:
            for name, to in zip(heat, ("heat_flux", "vapor_flux"), strict=True):
                self._change([planes[to]], _mixed, name)
        if stress[0] in self.ports:
            changed = [
                planes[name]
                for name in ("stress_x", "stress_y", "momentum_exchange", "friction_velocity")
            ]
            more = self.physics.air.air_density, self.maps.cosine, self.maps.sine
            self._change(changed, _stressed, *stress, sources=more)

    def _change(
        self,
        fields: Sequence[Field],
        function: Callable[..., Sequence[Array]],
        *names: str,
        sources: Sequence[Field] = (),
    ) -> None:
        """Set planes by a function of the share of what is given, of it, of them, and of more."""
        land = self.physics.columns.ground.land if self.physics else None
        assert land is not None
        given = [self.ports[name].field for name in names]
        share = self.ports[fraction].field if fraction in self.ports else None
        blocks = zip(
            land.read(),
            (share or given[0]).read(),
            zip(*(field.read() for field in (*given, *fields, *sources)), strict=True),
            strict=True,
        )
        found: list[Sequence[Array]] = []
        for land_here, share_here, values in blocks:
            if share is None:
                part = np.where((land_here > 0.5) | np.isnan(share_here), 0.0, 1.0)
            else:
                part = np.nan_to_num(share_here.astype(np.float64))
            found.append(function(part, *values))
        for number, field in enumerate(fields):
            with field.change() as owned:
                for array, several in zip(owned, found, strict=True):
                    array[...] = several[number]


def _mixed(share: Array, given: Array, own: Array) -> tuple[Array]:
    """A flux of a cell: what was given for a share of it, its own for the rest."""
    return (np.where(share > 0.0, np.nan_to_num(given) + (1.0 - share) * own, own),)


def _stressed(
    share: Array,
    east: Array,
    north: Array,
    stress_x: Array,
    stress_y: Array,
    exchange: Array,
    friction: Array,
    density: Array,
    cosine: Array,
    sine: Array,
) -> tuple[Array, Array, Array, Array]:
    """Stress along the grid [Pa], the exchange that is left, and u*^2 of both together."""
    there = share > 0.0
    east, north = (np.where(there, np.nan_to_num(one), 0.0) for one in (east, north))
    x, y = cosine * east + sine * north, cosine * north - sine * east
    left = 1.0 - share
    heavy = np.maximum(density[0], 1e-3)  # a plan has no air
    square = left * friction.astype(np.float64) ** 2 + np.hypot(x, y) / heavy
    return x, y, left * exchange, np.sqrt(square)
