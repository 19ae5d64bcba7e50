"""Fields of the atmosphere that output may hold, made of the state when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere import _native
from halocline.atmosphere.air_physics import AirPhysics
from halocline.atmosphere.constants import gravity, reference_temperature
from halocline.atmosphere.diagnostics import made
from halocline.atmosphere.diagnostics.columns import precipitable_water, sea_level_pressure
from halocline.atmosphere.diagnostics.made import Made
from halocline.atmosphere.diagnostics.near_ground import (
    SimilarAir,
    how,
    near_ground,
    neutral_share,
    roughness_of,
    well_mixed,
)
from halocline.atmosphere.dynamics.physics_air import PhysicsAir
from halocline.atmosphere.dynamics.state import AirFields
from halocline.atmosphere.microphysics.clouds import Clouds
from halocline.atmosphere.options import AtmosphereOptions
from halocline.component.streams.field_stream import MapShape
from halocline.core.errors import UserError
from halocline.core.names import Quantity, quantities
from halocline.core.other_names import hint
from halocline.core.parcels import most_unstable_parcel, surface_parcel
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.axis import Axis
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
    "layer_temperature": (center, "layers"),
    "air_pressure": (center, "layers"),
    "x_wind": (x_face, "layers"),
    "y_wind": (y_face, "layers"),
    "upward_wind": (center, "interfaces"),
    "eastward_wind": (center, "layers"),
    "northward_wind": (center, "layers"),
    "updraft": (center, ""),
    "geopotential_height": (center, "interfaces"),
    "dry_column_pressure": (center, ""),
    "ground": (center, ""),
    "surface_pressure": (center, ""),
    "sea_level_pressure": (center, ""),
    **dict.fromkeys(("wind_u", "wind_v", "air_temperature"), (center, "")),
}
"""Place of the fields, and what they have over it: layers, interfaces or levels of pressure."""

echoes: Shapes = {"reflectivity": (center, "layers"), "column_reflectivity": (center, "")}
"""The same of what a radar sees."""

energies = ("surface_cape", "surface_cin", "unstable_cape", "unstable_cin")
of_vapor: Shapes = dict.fromkeys(
    ("air_humidity", "vapor_content", "precipitation_total", *energies), (center, "")
)
"""The same of moist air, whatever the scheme of microphysics."""

kinds = ("vapor", "cloud", "rain", "ice", "snow", "graupel")
of_water: Shapes = {
    **{f"{kind}_mixing_ratio": (center, "layers") for kind in kinds},
    **{f"{kind}_number": (center, "layers") for kind in ("rain", "ice")},
    **{f"{kind}_total": (center, "") for kind in ("rain", "snow", "graupel")},
    **{f"convective_{kind}_total": (center, "") for kind in ("rain", "snow")},
    **echoes,
    **of_vapor,
}
"""The same of moist air, of which a scheme of microphysics has some."""

on_levels: Shapes = {
    f"isobaric_{name}": (center, "pressure_levels")
    for name in ("height", "temperature", "wind_u", "wind_v", "upward_wind", "vapor", "humidity")
}
"""The same of fields on levels of pressure, the last two of moist air."""


def shown(options: AtmosphereOptions) -> Shapes:
    """Those that a run with these options has."""
    scheme, found = options.microphysics.chosen, dict(always)
    if scheme is not None:
        names = [_entry_name(kind) for kind in scheme.species]
        names += [name.replace("_fallen", "_total") for name in scheme.fallen]
        if options.physics.convection != "none":
            names += [name for name in of_water if name.startswith("convective")]
        found |= {name: of_water[name] for name in (*names, *echoes, *of_vapor)}
    if options.diagnostics.pressure_levels:
        found |= dict(list(on_levels.items())[: len(on_levels) - 2 * (scheme is None)])
    return found


def map_shapes(options: AtmosphereOptions, layers: int) -> dict[str, MapShape]:
    """The same as shapes, over so many layers."""
    levels = len(options.diagnostics.pressure_levels)
    extents = {
        "": (), "layers": (layers,), "interfaces": (layers + 1,), "pressure_levels": (levels,)
    }  # fmt: skip
    return {name: MapShape(place, extents[over]) for name, (place, over) in shown(options).items()}


def described(options: AtmosphereOptions) -> dict[str, Quantity]:
    """What they are; near the ground that depends on the options."""
    ways = how(options)
    return {
        name: replace(quantities[name], comment=ways[name]) if name in ways else quantities[name]
        for name in shown(options)
    }


class ShownAir:
    """Such fields of one atmosphere, by name, and what sets them."""

    def __init__(
        self,
        run: Runner,
        state: AirFields,
        air: PhysicsAir,
        clouds: Clouds | None,
        physics: AirPhysics | None,
        options: AtmosphereOptions,
        grid: Grid,
        top: float,
    ) -> None:
        """Of a state below a top of this pressure [Pa]."""
        self.state, self.air, self.clouds, self.top = state, air, clouds, top
        levels = tuple(map(float, options.diagnostics.pressure_levels))
        self.levels = np.array(levels)
        over = state.over | {
            "pressure_levels": (Axis("pressure_level", coordinates=levels, units="Pa"),)
        }
        self.fields = {
            name: Field(
                name,
                quantities[name].units,
                state.space,
                axes=over[above],
                place=place,
                dtype=state.dtype,
            )
            for name, (place, above) in shown(options).items()
        }
        pair(self.fields["x_wind"], self.fields["y_wind"])
        self.copied = {"x_wind": state.u, "y_wind": state.v, "upward_wind": state.w}
        self._turned(run, grid)
        self.similar = None
        if physics is not None and physics.columns.turbulence is not None:
            self.similar = SimilarAir(run, physics)
        self.made: list[Made] = []
        self._of_state()
        self._of_air()
        self._near_ground(options, grid)
        if clouds is not None:
            self._of_clouds(run, clouds, physics)
        if levels:
            self._on_levels()

    def _add(
        self, names: str, function: Callable[..., Array | Sequence[Array]], *sources: Field
    ) -> None:
        """How fields are made: one array of a function, or one for each of the names."""
        fields = [self.fields[name] for name in names.split()]

        def several(*values: Array) -> Sequence[Array]:
            found = function(*values)
            return found if isinstance(found, tuple) else (np.asarray(found),)

        self.made.append(Made(fields, several, sources))

    def _plane(self, name: str, values: Array) -> Field:
        """A plane that stays as it is."""
        s = self.state
        field = Field(name, "1", s.space, place=center, dtype=s.dtype, static=True)
        field.set_global(np.broadcast_to(values, field.shape).astype(s.dtype))
        return field

    def _turned(self, run: Runner, grid: Grid) -> None:
        """Wind at centres, to east and north."""
        angle = grid.at(center).angle
        self.cosine, self.sine = (
            self._plane(name, function(angle))
            for name, function in (("cosine", np.cos), ("sine", np.sin))
        )
        self._turn = run.bind(
            kernels["atmosphere_wind_at_centers"],
            self.state,
            cosine=self.cosine,
            sine=self.sine,
            eastward_wind=self.fields["eastward_wind"],
            northward_wind=self.fields["northward_wind"],
        )

    def _of_state(self) -> None:
        s, reference = self.state, reference_temperature
        theta = s.theta if self.clouds is None else self.air.dry_theta
        self._add("potential_temperature", lambda theta: theta + reference, theta)
        self._add("potential_temperature_anomaly", np.subtract, theta, s.base_theta)
        self._add("air_pressure", np.add, s.pressure, s.base_pressure)
        self._add("updraft", lambda w: w.max(axis=0), s.w)
        self._add("geopotential_height", made.heights, s.geopotential, s.base_geopotential)
        self._add("dry_column_pressure", np.add, s.mass, s.base_mass)
        self._add("ground", np.positive, s.ground)

    def _of_air(self) -> None:
        """What follows from the air as physics has it."""
        a, s = self.air, self.state
        heat = a.dry_theta, a.exner
        self._add("layer_temperature", made.temperature, *heat)
        if self.clouds is None:
            top = self.top
            weight = s.mass, s.base_mass
            self._add("surface_pressure", lambda some, base: some + base + top, *weight)
        else:
            self._add("surface_pressure", np.positive, a.surface_pressure)
        water = () if self.clouds is None else (s.water,)
        below = self.fields["surface_pressure"], s.ground, a.air_pressure
        self._add("sea_level_pressure", _at_sea_level, *below, *heat, *water)

    def _near_ground(self, options: AtmosphereOptions, grid: Grid) -> None:
        a, found = self.air, self.fields
        if self.similar is not None:
            p = self.similar.planes
            axes = self.cosine, self.sine
            self._add("wind_u wind_v", _turned_plane, p["low_u"], p["low_v"], *axes)
            self._add("air_temperature", np.positive, p["low_temperature"])
            if self.clouds is not None:
                self._add("air_humidity", _specific, p["low_vapor"])
            return
        rough = self._plane("roughness", roughness_of(options, grid))
        winds = found["eastward_wind"], found["northward_wind"]
        self._add("wind_u wind_v", _slowed, *winds, a.height, rough)
        self._add(
            "air_temperature",
            lambda pressure, theta: well_mixed(pressure, theta[0] + reference_temperature),
            found["surface_pressure"],
            a.dry_theta,
        )
        if self.clouds is not None:
            self._add("air_humidity", lambda water: _specific(water[0, 0]), self.state.water)

    def _of_clouds(self, run: Runner, clouds: Clouds, physics: AirPhysics | None) -> None:
        """What moist air has besides."""
        s, a = self.state, self.air
        for at, kind in enumerate(s.species):
            self._add(_entry_name(kind), partial(_entry, at), s.water)
        convection = physics.convection if physics else None
        totals = {**clouds.totals, **(convection.totals if convection else {})}
        for name, total in totals.items():
            self._add(name, np.positive, total)
        self.fallen = tuple(totals.values())
        self._add("precipitation_total", lambda *totals: sum(totals), *totals.values())
        self._add("vapor_content", _content, a.air_density, a.layer_depth, s.water)
        columns = a.air_pressure, a.dry_theta, a.exner, s.water
        for start, ascent in (("surface", surface_parcel), ("unstable", most_unstable_parcel)):
            both = f"{start}_cape {start}_cin"
            self._add(both, partial(made.energies, ascent), *columns)
        kernel = kernels[clouds.scheme.echo]
        self._echo = run.bind(kernel, a, **{name: self.fields[name] for name in echoes})

    def _on_levels(self) -> None:
        """Fields on levels of pressure; at the ground that of the lowest layer, and its height."""
        a, s, found = self.air, self.state, self.fields
        column = a.air_pressure, found["surface_pressure"]

        def add(name: str, function: Callable[..., Array], *sources: Field) -> None:
            def interpolated(pressure: Array, below: Array, *values: Array) -> tuple[Array]:
                there = function(*values)
                return made.isobaric(self.levels, pressure, below, there, there[0])

            self._add(f"isobaric_{name}", interpolated, *column, *sources)

        def height(pressure: Array, below: Array, ground: Array, *geopotential: Array) -> Any:
            there = made.on_layers(made.heights(*geopotential))
            return made.isobaric(self.levels, pressure, below, there, ground)

        geopotential = s.ground, s.geopotential, s.base_geopotential
        self._add("isobaric_height", height, *column, *geopotential)
        add("temperature", made.temperature, a.dry_theta, a.exner)
        add("wind_u", np.positive, found["eastward_wind"])
        add("wind_v", np.positive, found["northward_wind"])
        add("upward_wind", made.on_layers, s.w)
        if self.clouds is not None:
            add("vapor", lambda water: water[0], s.water)
            add("humidity", made.humidity, a.air_pressure, a.dry_theta, a.exner, s.water)

    def update(self, names: Sequence[str]) -> dict[str, Field]:
        """Set some fields to what they are at this moment; a call for all ranks."""
        self.air.update()
        if self.clouds is not None and not echoes.keys().isdisjoint(names):
            self._echo(**self.clouds.scheme.reflectivity)
        if any("ward_wind" in name or "wind_" in name for name in names):
            self._turn()
        if self.similar is not None and not set(near_ground).isdisjoint(names):
            self.similar.update()
        wanted = {*names, "surface_pressure"}
        for made_here in self.made:
            if not wanted.isdisjoint(field.name for field in made_here.fields):
                made_here()
        for name in self.copied.keys() & wanted:
            self.fields[name].copy(self.copied[name])
        return {name: self.fields[name] for name in names}


def _at_sea_level(
    surface_pressure: Array,
    ground: Array,
    pressure: Array,
    theta: Array,
    exner: Array,
    water: Array | None = None,
) -> Array:
    """Pressure at sea level [Pa]."""
    air, warm = pressure.astype(np.float64), made.temperature(theta, exner)
    vapor = np.zeros_like(air) if water is None else water[0].astype(np.float64)
    return sea_level_pressure(surface_pressure.astype(np.float64), ground, air, warm, vapor)


def _turned_plane(u: Array, v: Array, cosine: Array, sine: Array) -> tuple[Array, Array]:
    return cosine * u - sine * v, sine * u + cosine * v


def _slowed(eastward: Array, northward: Array, height: Array, rough: Array) -> tuple[Array, Array]:
    share = neutral_share(height[0], rough)
    return share * eastward[0], share * northward[0]


def _specific(mixing_ratio: Array) -> Array:
    """Mass of vapour per mass of moist air [1]."""
    return np.asarray(mixing_ratio / (1.0 + mixing_ratio))


def _content(density: Array, depth: Array, water: Array) -> Array:
    """Vapour of columns [kg m-2]."""
    return precipitable_water(gravity * density.astype(np.float64) * depth, water[0])


def _entry_name(kind: str) -> str:
    """Of an entry of `water` in files."""
    return kind if kind.endswith("_number") else f"{kind}_mixing_ratio"


def _entry(at: int, values: Array) -> Array:
    """One entry of an array."""
    return np.asarray(values[at])


def refuse_absent(stream: str, names: Sequence[str], options: AtmosphereOptions) -> None:
    """Refuse fields that a run with these options does not have."""
    there = shown(options)
    for name in names:
        if name in there:
            continue
        if name in on_levels and not options.diagnostics.pressure_levels:
            remedy = "Give atmosphere.diagnostics.pressure_levels, as [85000.0, 50000.0]."
        elif name in of_water or name in on_levels:
            more = "'wsm6' or 'thompson'" if options.species else "'kessler' or 'wsm6'"
            remedy = f"Choose atmosphere.microphysics.scheme = {more}."
        else:
            remedy = hint(name, there).strip() or f"There are: {', '.join(there)}."
        raise UserError(
            f"Unknown output variable '{name}' in stream '{stream}': this air has none. {remedy}"
        )
