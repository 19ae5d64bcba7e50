"""What moves and mixes the ocean's tracers: centred, upwind, or limited sweeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np

from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics import _native as numerics_native
from halocline.ocean.metrics import face_floors
from halocline.ocean.options import OceanOptions
from halocline.ocean.vertical_mixing import Bound
from halocline.runtime.fields.field import pair
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState

seconds_per_day = 86400.0
tracer_group = 8
"""Tracers that go through the sweeps together: more of them do not fit into caches."""


class TracerStep(Protocol):
    """Bring tracers from the old to the new level in `tau` seconds; `number` counts the steps."""

    def __call__(self, tau: float, width: int, number: int = 0) -> None: ...


def tracer_transport(
    s: OceanState, levels: VerticalGrid, options: OceanOptions, run: Runner, bound: Bound
) -> TracerStep:
    """A call that sets `new_tracer` and `new_layer` of state `s` by the chosen scheme."""
    moved = _moved(s, levels, options, run, bound)
    passive = options.tracers.passive.values()
    ages = [
        bound("age", age=s.new_tracer.part(number))
        for number, some in enumerate(passive, start=2)
        if some.ages
    ]

    def step(tau: float, width: int, number: int = 0) -> None:
        moved(tau, width, number)
        for age in ages:
            age(amount=tau / seconds_per_day)

    return step


def _moved(
    s: OceanState, levels: VerticalGrid, options: OceanOptions, run: Runner, bound: Bound
) -> TracerStep:
    """A call that moves and mixes all tracers alike.

    Beside fields of the state it makes those of its scheme.
    """
    if options.tracers.advection == "limited3":
        return _sweeps(s, options, run, bound)
    still = options.mixing.diffusivity == 0.0
    along = {"x_conductance": None, "y_conductance": None} if still else {}
    if options.tracers.advection == "upwind3":
        for name, plane in face_floors(levels).items():
            s.add_static(name, "1", Place.x_face if name == "x_floor" else Place.y_face, plane)
        kernel = bound("tracers_upwind", **along)
    else:
        kernel = bound("tracers", **along)

    def at_once(tau: float, width: int, number: int = 0) -> None:
        kernel(tau=tau, width=width)

    return at_once


def _sweeps(s: OceanState, options: OceanOptions, run: Runner, bound: Bound) -> TracerStep:
    """Sweeps of the room of numerics with the flow of the present; what columns do comes after.

    Two leapfrog steps in a row of one chain of levels begin with x and with y.
    """
    for axis, place in (("x", Place.x_face), ("y", Place.y_face)):
        s.add(f"{axis}_volume_flux", "m3 s-1", place, s.levels)
    pair(s.x_volume_flux, s.y_volume_flux)
    s.add("z_volume_flux", "m3 s-1", Place.center, s.levels)
    s.add("volume", "m3", Place.center, s.levels)
    s.add_static("no_diffusivity", "m2 s-1", Place.center, np.zeros((1, 1)), s.levels)
    s.add_static("sinking_speed", "m s-1", Place.none, np.zeros(s.tracers.size), s.tracers)
    along_x, along_y = bound("x_volume_flux"), bound("y_volume_flux")
    diffusive, whole = options.mixing.diffusivity > 0.0, s.bottom_share is None
    beside = None if whole or not diffusive else _diffusion_beside(s, bound)
    volumes, mix = bound("volumes"), bound("mix_tracers")
    sweeps = [
        run.bind(
            kernels_of(numerics_native)[f"transport_tracers_{axis}_first"],
            s,
            tracer=s.old_tracer,
            vertical_diffusivity=s.no_diffusivity,
        )
        for axis in "xy"
    ]
    how = {"limited": True, "diffusive": diffusive and whole, "group": tracer_group}

    def swept(tau: float, width: int, number: int = 0) -> None:
        if beside:
            beside()
        along_x()
        along_y()
        volumes(tau=tau)
        sweeps[number // 2 % 2](dt=tau, width=width, **how)
        mix(tau=tau, width=width)

    return swept


def _diffusion_beside(s: OceanState, bound: Bound) -> Callable[[], None]:
    """A call that adds diffusion along levels to what eddies bring, for sweeps over thin cells."""
    convergence, alone = s.mixing_convergence, s.mixing_convergence is None
    if convergence is None:
        convergence = s.add("mixing_convergence", "1", Place.center, s.tracers, s.levels)
    diffuse = bound("level_diffusion")

    def add() -> None:
        if alone:
            convergence.fill(0.0)
        diffuse()

    return add
