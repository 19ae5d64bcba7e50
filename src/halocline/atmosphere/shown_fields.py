"""Fields of the atmosphere that output may hold, made of the state when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere import _native
from halocline.atmosphere.constants import (
    gravity,
    kappa,
    reference_pressure,
    reference_temperature,
)
from halocline.atmosphere.diagnostics.columns import sea_level_pressure
from halocline.atmosphere.dynamics.physics_air import PhysicsAir
from halocline.atmosphere.dynamics.state import AirFields
from halocline.atmosphere.microphysics.clouds import Clouds
from halocline.atmosphere.options import AtmosphereOptions
from halocline.component.streams.field_stream import MapShape
from halocline.core.names import quantities
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

Array = NDArray[Any]
Shapes = Mapping[str, tuple[Place, str]]
kernels = kernels_of(_native)
center, x_face, y_face = Place.center, Place.x_face, Place.y_face
always: Shapes = {
    "potential_temperature": (center, "layers"),
    "potential_temperature_anomaly": (center, "layers"),
    "air_pressure": (center, "layers"),
    "x_wind": (x_face, "layers"),
    "y_wind": (y_face, "layers"),
    "upward_wind": (center, "interfaces"),
    "updraft": (center, ""),
    "geopotential_height": (center, "interfaces"),
    "dry_column_pressure": (center, ""),
    "ground": (center, ""),
}
"""Place of the fields, and what they have over it: layers or interfaces."""

of_dry_air: Shapes = {"surface_pressure": (center, ""), "sea_level_pressure": (center, "")}
"""The same of air without water."""

echoes: Shapes = {"reflectivity": (center, "layers"), "column_reflectivity": (center, "")}
"""The same of what a radar sees."""

kinds = ("vapor", "cloud", "rain", "ice", "snow", "graupel")
of_water: Shapes = {
    **{f"{kind}_mixing_ratio": (center, "layers") for kind in kinds},
    **{f"{kind}_total": (center, "") for kind in ("rain", "snow", "graupel")},
    **{f"convective_{kind}_total": (center, "") for kind in ("rain", "snow")},
    **echoes,
}
"""The same of moist air, of which a scheme of microphysics has some."""


def shown(options: AtmosphereOptions) -> Shapes:
    """Those that a run with these options has."""
    scheme = options.microphysics.chosen
    if scheme is None:
        return {**always, **of_dry_air}
    names = [f"{kind}_mixing_ratio" for kind in scheme.species]
    names += [name.replace("_fallen", "_total") for name in scheme.fallen]
    if options.physics.convection != "none":
        names += [name for name in of_water if name.startswith("convective")]
    return {**always, **{name: of_water[name] for name in (*names, *echoes)}}


def map_shapes(options: AtmosphereOptions, layers: int) -> dict[str, MapShape]:
    """The same as shapes, over so many layers."""
    extents = {"": (), "layers": (layers,), "interfaces": (layers + 1,)}
    return {name: MapShape(place, extents[over]) for name, (place, over) in shown(options).items()}


class ShownAir:
    """Such fields of one atmosphere, by name, and what sets them."""

    def __init__(
        self,
        run: Runner,
        state: AirFields,
        air: PhysicsAir,
        clouds: Clouds | None,
        options: AtmosphereOptions,
        top: float,
        fallen: Mapping[str, Field],
    ) -> None:
        """Of a state below a top of this pressure [Pa]; `fallen` is what convection let fall."""
        self.state, self.air, self.clouds = state, air, clouds
        self.fields = {
            name: Field(
                name,
                quantities[name].units,
                state.space,
                axes=state.over[over],
                place=place,
                dtype=state.dtype,
            )
            for name, (place, over) in shown(options).items()
        }
        pair(self.fields["x_wind"], self.fields["y_wind"])
        s, reference = state, reference_temperature
        theta = s.theta if clouds is None else air.dry_theta
        self.made: dict[str, tuple[Callable[..., Array], Sequence[Field]]] = {
            "potential_temperature": (lambda theta: theta + reference, (theta,)),
            "potential_temperature_anomaly": (np.subtract, (theta, s.base_theta)),
            "air_pressure": (np.add, (s.pressure, s.base_pressure)),
            "updraft": (lambda w: w.max(axis=0), (s.w,)),
            "geopotential_height": (
                lambda some, base: (some.astype(np.float64) + base) / gravity,
                (s.geopotential, s.base_geopotential),
            ),
            "dry_column_pressure": (np.add, (s.mass, s.base_mass)),
            "surface_pressure": (lambda some, base: some + base + top, (s.mass, s.base_mass)),
            "sea_level_pressure": (
                partial(_at_sea_level, top),
                (s.mass, s.base_mass, s.ground, s.theta, s.pressure, s.base_pressure),
            ),
            "ground": (np.positive, (s.ground,)),
        }
        self.copied = {"x_wind": s.u, "y_wind": s.v, "upward_wind": s.w}
        if clouds is not None:
            for at, kind in enumerate(s.species):
                self.made[f"{kind}_mixing_ratio"] = (_entry(at), (s.water,))
            for name, total in {**clouds.totals, **fallen}.items():
                self.made[name] = (np.array, (total,))
            kernel = kernels["atmosphere_reflectivity"]
            self._echo = run.bind(kernel, air, **{name: self.fields[name] for name in echoes})

    def update(self, names: Sequence[str]) -> dict[str, Field]:
        """Set some fields to what they are at this moment; a call for all ranks."""
        if self.clouds is not None:
            self.air.update_layers()
            if not echoes.keys().isdisjoint(names):
                self._echo(**self.clouds.scheme.reflectivity)
        for name in names:
            if name in echoes:
                continue
            if name in self.copied:
                self.fields[name].copy(self.copied[name])
                continue
            function, sources = self.made[name]
            with self.fields[name].change() as owned:
                blocks = zip(*(source.read() for source in sources), strict=True)
                for array, values in zip(owned, blocks, strict=True):
                    array[...] = function(*values)
        return {name: self.fields[name] for name in names}


def _at_sea_level(
    top: float,
    mass: Array,
    base_mass: Array,
    ground: Array,
    theta: Array,
    pressure: Array,
    base_pressure: Array,
) -> Array:
    """Pressure at sea level [Pa] from fields of the state."""
    air = pressure.astype(np.float64) + base_pressure
    temperature = (theta + reference_temperature) * (air / reference_pressure) ** kappa
    return sea_level_pressure(
        mass.astype(np.float64) + base_mass + top, ground, air, temperature, np.zeros_like(air)
    )


def _entry(at: int) -> Callable[[Array], Array]:
    """One entry of an array."""
    return lambda values: np.asarray(values[at])
