"""Winds that leave the mass of columns as it is, so that the start sends out no waves of pressure.

An analysis is in no balance over other ground than its own: wind up a slope that the analysis does
not have fills columns by tens of hPa in an hour, which leave as waves with the speed of sound. What
columns gain by the wind of all layers is taken away by one more wind, the gradient of a potential
and the same in all layers, as in the starts of MM5 (Grell, Dudhia and Stauffer 1994, NCAR/TN-398;
tutorial of MM5, chapter 7, INTERPF: "integrated mean divergence").
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.start.hybrid_column import HybridColumn
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]
left_over = 1e-5
"""Root of the mean square of what columns still gain, over that before [1]."""
most_turns = 20_000


def steady_columns(
    grid: Grid, column: HybridColumn, mass: Array, u: Array, v: Array
) -> tuple[Array, Array]:
    """Winds [m s-1] at western and southern faces by which no column gains dry mass.

    `mass` is that of columns [Pa]. Beyond closed sides the potential is 0, so that air comes in and
    leaves through them as it must; mirrors and poles let none through.
    """
    flow = _ColumnFlow(grid, mass)
    x_flux = column.weight(flow.x_mass, u).sum(axis=0) * flow.x_length
    y_flux = column.weight(flow.y_mass, v).sum(axis=0) * flow.y_length
    potential = _potential(flow, flow.outflow(x_flux, y_flux))
    to_east, to_north = flow.differences(potential)
    return u + to_east / flow.x_distance, v + to_north / flow.y_distance


class _ColumnFlow:
    """Fluxes of the mass of whole columns on a grid."""

    def __init__(self, grid: Grid, mass: Array) -> None:
        self.topology = grid.topology
        x, y = grid.at(Place.x_face), grid.at(Place.y_face)
        self.x_faces, self.y_faces = (np.s_[: p.dx.shape[0], : p.dx.shape[1]] for p in (x, y))
        wide = self.topology.widened(mass, (1, 1, 1, 1), nearest=True)
        self.x_mass = 0.5 * (wide[1:-1, 1:] + wide[1:-1, :-1])[self.x_faces]
        self.y_mass = 0.5 * (wide[1:, 1:-1] + wide[:-1, 1:-1])[self.y_faces]
        self.x_length, self.y_length = x.dy, y.dx
        self.x_distance, self.y_distance = x.dx, y.dy
        self.x_share = self.x_mass * self.x_length / self.x_distance  # [Pa]
        self.y_share = self.y_mass * self.y_length / self.y_distance

    def differences(self, potential: Array) -> tuple[Array, Array]:
        """Of a potential at centres, over western and southern faces."""
        wide = self.topology.widened(potential, (1, 1, 1, 1))
        to_east, to_north = np.diff(wide[1:-1], axis=1), np.diff(wide[:, 1:-1], axis=0)
        return to_east[self.x_faces], to_north[self.y_faces]

    def outflow(self, x_flux: Array, y_flux: Array) -> Array:
        """What leaves columns through all their faces."""
        rows, columns = self.topology.nj + 1, self.topology.ni + 1
        x = self.topology.widened(x_flux, (0, 1, 0, 0), Place.x_face)[:, :columns]
        y = self.topology.widened(y_flux, (0, 0, 0, 1), Place.y_face)[:rows]
        return np.asarray(np.diff(x, axis=1) + np.diff(y, axis=0))

    def inflow(self, potential: Array) -> Array:
        """What comes into columns by the wind that is the gradient of a potential [Pa m2 s-1].

        Symmetric and positive, definite where a side is closed.
        """
        to_east, to_north = self.differences(potential)
        return -self.outflow(to_east * self.x_share, to_north * self.y_share)

    @property
    def diagonal(self) -> Array:
        """Of `inflow`."""
        x = self.topology.widened(self.x_share, (0, 1, 0, 0), Place.x_face)
        y = self.topology.widened(self.y_share, (0, 0, 0, 1), Place.y_face)
        rows, columns = self.topology.nj, self.topology.ni
        along_x = x[:, 1 : columns + 1] + x[:, :columns]
        return np.asarray(along_x + y[1 : rows + 1] + y[:rows])


def _potential(flow: _ColumnFlow, outflow: Array) -> Array:
    """The potential [m2 s-1] by whose gradient as much comes in as leaves columns.

    Conjugate gradients, scaled by the diagonal.
    """
    found, rest = np.zeros_like(outflow), outflow.copy()
    goal = left_over * np.sqrt((outflow**2).sum())
    way, before = np.zeros_like(outflow), 1.0
    for _ in range(most_turns):
        if np.sqrt((rest**2).sum()) <= goal:
            return found
        scaled = rest / flow.diagonal
        product = (rest * scaled).sum()
        way = scaled + product / before * way
        there = flow.inflow(way)
        length = product / (way * there).sum()
        found, rest, before = found + length * way, rest - length * there, product
    raise UserError(
        f"Winds that leave columns their mass are not found: after {most_turns} turns columns still"
        f" gain {np.sqrt((rest**2).sum()) / goal * left_over:.2g} of what they did. Leave the wind"
        " as it is: atmosphere.analysis.columns = 'free'."
    )
