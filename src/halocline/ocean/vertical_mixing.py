"""Vertical viscosity and diffusivity of the ocean: constants, by Richardson number, or KPP."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from halocline.core.constants import gravity
from halocline.ocean.options import OceanOptions
from halocline.ocean.surface_forcing import absorption
from halocline.runtime.fields.place import Place
from halocline.runtime.running.calls import BoundCall

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState

Call = Callable[[], None]
Bound = Callable[..., BoundCall]


def vertical_mixing(s: OceanState, options: OceanOptions, bound: Bound) -> Call:
    """A call that sets the mixing of state `s` from its old level and `stability`.

    Of every scheme come `vertical_viscosity` at corners and `vertical_diffusivity` at centres, at
    the lower interfaces [m2 s-1]; KPP's also gives `nonlocal_share` [1], and with double diffusion
    `salinity_excess`, by which all tracers but temperature diffuse more [m2 s-1].
    """
    makers = {"constant": _constant, "richardson": _richardson, "kpp": _kpp}
    if options.mixing.scheme != "constant":
        s.add("vertical_viscosity", "m2 s-1", Place.corner, s.levels)
    return makers[options.mixing.scheme](s, options, bound)


def _constant(s: OceanState, options: OceanOptions, bound: Bound) -> Call:
    mixing = options.mixing
    viscosity = np.full((1, 1), mixing.vertical_viscosity)
    s.add_static("vertical_viscosity", "m2 s-1", Place.corner, viscosity, s.levels)
    convection = bound("convection")
    numbers = {
        "background": mixing.vertical_diffusivity,
        "convective": mixing.convective_diffusivity,
    }
    return lambda: convection(**numbers)


def _richardson(s: OceanState, options: OceanOptions, bound: Bound) -> Call:
    mixing = options.mixing
    s.add("richardson", "1", Place.center, s.levels)
    some = mixing.richardson
    viscous = {
        "background_viscosity": some.background_viscosity,
        "strength": some.strength,
        "steepness": some.steepness,
    }
    diffusive = {"background_diffusivity": some.background_diffusivity}
    at_centers, at_corners = bound("richardson"), bound("richardson_viscosity")

    def mix() -> None:
        at_centers(**viscous, **diffusive, convective=mixing.convective_diffusivity)
        at_corners(**viscous, convective=mixing.convective_viscosity)

    return mix


def _kpp(s: OceanState, options: OceanOptions, bound: Bound) -> Call:
    mixing = options.mixing
    s.add("center_viscosity", "m2 s-1", Place.center, s.levels)
    s.add("nonlocal_share", "1", Place.center, s.levels)
    s.add("friction_velocity", "m s-1", Place.center)
    s.add("buoyancy_flux", "m2 s-3", Place.center)
    s.add("light_flux", "m2 s-3", Place.center)
    s.add("boundary_layer_depth", "m", Place.center)
    some, heat = mixing.kpp, options.forcing.heat
    numbers = {
        "critical": some.critical,
        "shear_viscosity": some.shear_viscosity,
        "shear_limit": some.shear_limit,
        "background": some.background,
        "prandtl": some.prandtl,
        "nonlocal_strength": some.nonlocal_strength,
        "convective_viscosity": mixing.convective_viscosity,
        "convective_diffusivity": mixing.convective_diffusivity,
        "smoothing": some.smoothing,
        "limited": some.limited,
        **dict(
            zip(("red", "short_length", "long_length"), absorption[heat.water_type], strict=True)
        ),
        "width": options.tile_columns,
    }
    water = {"gravity": gravity, "numbers": options.density.numbers}
    capacity = options.density.reference * heat.capacity
    forcing = bound("surface_forcing", tracer=s.old_tracer, depth=s.depths)
    found = s.vertical_diffusivity
    if some.evened:
        found = s.add("column_diffusivity", "m2 s-1", Place.center, s.levels)
    profile = bound("kpp", tracer=s.old_tracer, vertical_diffusivity=found)
    at_corners = bound("corner_viscosity")
    even = bound("even_diffusivity") if some.evened else None
    double = _double_diffusion(s, options, bound)

    def mix() -> None:
        forcing(**water, per_capacity=1.0 / capacity)
        profile(**numbers, **water)
        at_corners()
        if even:
            even()
        if double:
            double()

    return mix


def _double_diffusion(s: OceanState, options: OceanOptions, bound: Bound) -> Call | None:
    """A call that adds it to the diffusivities of heat and salt below the boundary layer."""
    some = options.mixing.kpp.double_diffusion
    if not some.act:
        return None
    s.salinity_excess = s.add("salinity_excess", "m2 s-1", Place.center, s.levels)
    add = bound("double_diffusion", tracer=s.old_tracer)
    numbers = {"fingers": some.fingers, "limit": some.limit, "share": some.heat_share}
    return lambda: add(**numbers, numbers=options.density.numbers)
