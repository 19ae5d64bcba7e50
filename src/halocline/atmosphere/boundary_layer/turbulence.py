"""Turbulence in a step: fluxes from the ground, and mixing of columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike

from halocline.atmosphere import _native
from halocline.atmosphere.boundary_layer.surface_layer_options import SurfaceLayerOptions
from halocline.atmosphere.boundary_layer.ysu_options import YsuOptions
from halocline.atmosphere.land.ground import Ground
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)


class AirOfColumns(Protocol):
    """What physics reads of the air; see the arguments of kernels."""

    u: Field
    v: Field
    dry_theta: Field
    water: Field
    air_pressure: Field
    air_density: Field
    exner: Field
    height: Field
    layer_depth: Field
    surface_pressure: Field


planes = {
    "friction_velocity": "m s-1",
    "momentum_exchange": "kg m-2 s-1",
    "heat_exchange": "kg m-2 s-1",
    "low_temperature": "K",
    "low_vapor": "1",
    "low_u": "m s-1",
    "low_v": "m s-1",
}
"""Units of what the surface layer finds beside the fluxes of the ground."""

given = {"stress_x": "Pa", "stress_y": "Pa", "charnock": "1"}
"""The same of what others may give: stress besides drag, Charnock's number of the waves."""

at_interfaces = {
    "viscosity": "m2 s-1",
    "diffusivity": "m2 s-1",
    "theta_nonlocal": "K m s-1",
    "vapor_nonlocal": "m s-1",
    "u_nonlocal": "m2 s-2",
    "v_nonlocal": "m2 s-2",
}
"""The same of the boundary layer."""

mixed_species = ("vapor", "cloud", "ice", "ice_number")
"""Entries of `water` that turbulence mixes."""


class Turbulence:
    """Tendencies `theta_tendency`, `water_tendency`, `u_tendency`, `v_tendency` at centres, and
    what was found on the way, as attributes. Fluxes of heat and vapour are the ground's.

    `replace` may put fluxes that others give in the place of those that were found.
    """

    def __init__(
        self,
        surface: SurfaceLayerOptions,
        boundary: YsuOptions,
        run: Runner,
        state: AirOfColumns,
        ground: Ground,
        space: Space,
        dtype: DTypeLike,
    ) -> None:
        center = Place.center
        (layers,) = state.dry_theta.axes
        species = state.water.axes[0]
        faces = Axis(layers.name, layers.size + 1, staggered=True)
        self.planes = {
            name: Field(name, units, space, place=center, dtype=dtype)
            for name, units in (planes | given).items()
        }
        for name in given:
            self.planes[name].fill(getattr(surface, name, 0.0))
        self.replace: Callable[[], None] | None = None
        self.boundary_layer_depth = Field(
            "boundary_layer_depth", "m", space, place=center, dtype=dtype, restart=True
        )
        self.boundary_layer_depth.fill(500.0)
        self.fluxes = {
            name: Field(name, units, space, axes=(faces,), place=Place.center, dtype=dtype)
            for name, units in at_interfaces.items()
        }
        self.tendencies = {
            name: Field(name, units, space, axes=axes, place=center, dtype=dtype)
            for name, units, axes in (
                ("theta_tendency", "K s-1", (layers,)),
                ("water_tendency", "s-1", (species, layers)),
                ("u_tendency", "m s-2", (layers,)),
                ("v_tendency", "m s-2", (layers,)),
            )
        }
        mixed = Field(
            "mixed", "1", space, axes=(species,), place=Place.none, dtype=dtype, static=True
        )
        mixed.set_global(np.array([name in mixed_species for name in species.entries], dtype))
        depth = {"boundary_layer_depth": self.boundary_layer_depth}
        low = {name: ground.planes[name] for name in ("heat_flux", "vapor_flux")}
        below = ("skin_temperature", "land", "moisture_availability", "roughness")
        drags = ("friction_velocity", "momentum_exchange", "stress_x", "stress_y")
        drag = {name: self.planes[name] for name in drags}
        self._surface = run.bind(
            kernels["atmosphere_surface_layer"],
            state,
            **{name: ground.planes[name] for name in below},
            **{name: self.planes[name] for name in (*planes, "charnock")},
            **depth,
            **low,
        )
        self._boundary = run.bind(
            kernels["atmosphere_ysu"], state, **drag, **depth, **low, **self.fluxes
        )
        drag.pop("friction_velocity")
        self._mix = run.bind(
            kernels["atmosphere_column_mixing"],
            state,
            mixed=mixed,
            **drag,
            **low,
            **self.fluxes,
            **self.tendencies,
        )
        self._surface_numbers = surface.numbers
        self._boundary_numbers = asdict(boundary) | {
            argument: species.entries.index(name) if name in species.entries else -1
            for argument, name in (("cloud", "cloud"), ("ice_entry", "ice"))
        }

    def step(self, dt: float) -> None:
        """Find fluxes and tendencies of a step of `dt` [s].

        1. surface layer, or what others give  2. boundary layer  3. mixing
        """
        self._surface(**self._surface_numbers)
        if self.replace is not None:
            self.replace()
        self._boundary(**self._boundary_numbers)
        self._mix(dt=dt)
