"""What a step of the atmosphere takes: for `check`, and for shares of ranks among members."""

from __future__ import annotations

from halocline.atmosphere.dynamics.model import short_steps_of_a_third
from halocline.atmosphere.options import AtmosphereOptions
from halocline.atmosphere.sides.options import given_rows
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.topology import all_sides

seconds = {
    "stages": 45e-9, "acoustic step": 5.5e-9, "given": 50e-9,
    "kind of water": 18e-9, "kessler": 4e-9, "wsm6": 15e-9, "thompson": 60e-9,
    "viscosity": 30e-9, "smagorinsky": 45e-9, "turbulent-energy": 60e-9, "filter": 20e-9,
    "weighted heat": 4e-9, "weighted wind": 13e-9,
    "ysu": 60e-9, "rrtmgp": 2.6e-6, "kain-fritsch": 65e-9,
    "polar filter": 90e-9, "water over poles": 55e-9,
}  # fmt: skip
"""Processor time for a cell of 32 bits [s]: of a step, an acoustic step, a call of radiation or
convection; of `given` for a cell of sides with given values and an acoustic step.

The least of 12 steps of 128 x 128 x 35 cells on a busy machine (a core of an AMD EPYC 9004), a
fifth more, since its caches and memory are shared; radiation is the mean of noon and midnight.
Stages and acoustic steps are those of 83 to 87 ns for a dry step of 160 x 160 x 40 cells (Zen 5).
Clouds and convection take longer where there are many; the filter of rows at poles was measured
with 128 x 64 columns (docs/atmosphere.md)."""

of_calls = 2.5e-3
"""What the calls of a step take on however small a grid [s]."""

of_64_bits = 2.0
"""How much longer numbers of 64 bits take."""


def acoustic_steps(options: AtmosphereOptions) -> int:
    """In all stages of a step.

    >>> acoustic_steps(AtmosphereOptions())
    7
    """
    steps = options.acoustic.steps
    first = steps // 2 if options.stages == 2 else steps // 2 + short_steps_of_a_third(steps)
    return first + steps


def expected_seconds(
    options: AtmosphereOptions, grid: Grid, layers: int, dt: float, precision: str
) -> float:
    """A step of dt [s] on one core, in one part [s]."""
    cell = _dynamics(options, grid) + _physics(options, dt)
    factor = 1.0 if precision == "float32" else of_64_bits
    return factor * cell * grid.depth.size * layers + of_calls


def _dynamics(options: AtmosphereOptions, grid: Grid) -> float:
    """For a cell [s]."""
    acoustic, kinds = acoustic_steps(options), len(options.species)
    cell = seconds["stages"] + acoustic * seconds["acoustic step"]
    cell += kinds * seconds["kind of water"]
    cell += seconds["weighted heat"] * options.advection.weno_heat
    cell += seconds["weighted wind"] * options.advection.weno_wind
    cell += seconds.get(_mixing(options), 0.0) + seconds["filter"] * bool(options.mixing.filter)
    if options.sides.kind in ("file", "nest"):
        cell += acoustic * seconds["given"] * _given_share(grid)
    if any(grid.topology.reflections.on(side) == "pole" for side in all_sides):
        cell += seconds["polar filter"] + kinds * seconds["water over poles"]
    return cell


def _mixing(options: AtmosphereOptions) -> str:
    constant = options.mixing.kind == "constant"
    acts = bool(options.mixing.viscosity or options.mixing.diffusivity)
    return options.mixing.kind if not constant else "viscosity" if acts else ""


def _physics(options: AtmosphereOptions, dt: float) -> float:
    """For a cell, calls by their intervals [s]."""
    physics = options.physics
    cell = seconds.get(options.microphysics.scheme, 0.0) + seconds.get(physics.turbulence, 0.0)
    for scheme, interval in (
        (physics.sunlight, physics.radiation.interval),
        (physics.convection, physics.kain_fritsch.interval),
    ):
        cell += seconds.get(scheme, 0.0) * min(1.0, dt / max(interval, dt))
    return cell


def _given_share(grid: Grid) -> float:
    """Of all columns, those whose values are given."""
    nj, ni = grid.shape
    closed = {side for side in all_sides if grid.topology.is_closed(side)}
    free_i = ni - given_rows * len(closed & {"west", "east"})
    free_j = nj - given_rows * len(closed & {"south", "north"})
    return 1.0 - max(free_i, 0) * max(free_j, 0) / (ni * nj)
