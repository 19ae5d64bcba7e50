"""What the dynamics do not stand, found before a run: steep ground, long acoustic steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import dry_gas_constant, heat_capacity, reference_pressure
from halocline.atmosphere.dynamics.polar_filter import filtered_width
from halocline.atmosphere.options import AtmosphereOptions
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]
steepest = 1.0
"""Slope of the ground between neighbouring cells above which a wind of 10 m/s blows up, or does not
converge as the step is made shorter."""


def refuse_steep(grid: Grid, ground: Array) -> None:
    """Refuse ground, heights at centres [m], that is too steep for layers that follow it."""
    wide = grid.topology.widened(ground, (1, 1, 1, 1), nearest=True)
    rises = np.abs(np.diff(wide[1:-1], axis=1)), np.abs(np.diff(wide[:, 1:-1], axis=0))
    distances = grid.at(Place.x_face).dx, grid.at(Place.y_face).dy
    for along, rise, distance in zip("xy", rises, distances, strict=True):
        rise, distance = np.broadcast_arrays(rise[: len(distance), : distance.shape[1]], distance)
        slope = np.divide(rise, distance, out=np.zeros(rise.shape), where=distance > 0.0)  # poles
        j, i = np.unravel_index(int(slope.argmax()), slope.shape)
        if slope[j, i] > steepest:
            raise UserError(
                f"The ground is too steep for layers that follow it: along {along} it rises by"
                f" {rise[j, i]:.0f} m between cells that are {distance[j, i]:.0f} m apart, at row"
                f" {j}, column {i}, a slope of {slope[j, i]:.2f}; at most {steepest:g} is borne."
                " Smooth the ground, or use a lower or wider mountain."
            )


def refuse_long_acoustic(grid: Grid, options: AtmosphereOptions, dt: float) -> None:
    """Refuse a step of dt [s] in whose acoustic steps sound passes more than they bear.

    Sound of the base state at sea level may pass (1 + 2 divergence damping)^(-1/2) of a cell, along
    both axes (Klemp, Skamarock and Dudhia 2007; tests/atmosphere/test_acoustic_waves.py).
    """
    o, air = options.acoustic, options.base_air
    surface = np.array(air.surface_pressure)
    exner = (surface / reference_pressure) ** (dry_gas_constant / heat_capacity)
    warm = float(air.potential_temperature(surface) * exner)
    sound = np.sqrt(1.4 * dry_gas_constant * warm)
    least = filtered_width(grid, options.filter_latitude)
    nj, ni = grid.shape
    rates = (ni > 1) / np.maximum(grid.dx, least) ** 2 + (nj > 1) / grid.dy**2
    courant = np.broadcast_to(sound * dt / o.steps * np.sqrt(rates), grid.shape)
    most = 1.0 / np.sqrt(1.0 + 2.0 * o.divergence_damping)
    j, i = np.unravel_index(int(courant.argmax()), courant.shape)
    if courant[j, i] > most:
        enough = 2 * int(np.ceil(0.5 * o.steps * courant[j, i] / (0.9 * most)))
        raise UserError(
            f"In an acoustic step of {dt / o.steps:.3g} s sound passes {courant[j, i]:.2f} of a"
            f" cell at row {j}, column {i}; at most {most:.2f} it may. Use"
            f" atmosphere.acoustic.steps = {enough}, or time.step ="
            f" {0.9 * dt * most / courant[j, i]:.3g} s or less."
        )
