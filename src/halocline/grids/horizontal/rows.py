"""Latitudes of the rows of grids made here: Mercator's or equal steps, finer at the equator."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.geography import latitude_words
from halocline.core.options import Options, option

Array = NDArray[np.float64]
steps_per_row = 16
"""Steps of the integrations between two rows; even, for Simpson's rule."""


@dataclass(frozen=True, kw_only=True)
class RowOptions(Options):
    """Where the rows of a grid lie whose lines leave the parallels in the north."""

    south: float = option(
        -78.0, "degree", "latitude of the southern side", at_least=-89.9, at_most=60.0
    )
    spacing: str = option(
        "mercator",
        "",
        "rows as far apart as columns are wide (north of the joint no less than half of what it is"
        " there), or in equal steps of latitude",
        choices=("mercator", "equal"),
    )
    equator_ratio: float = option(
        1.0,
        "1",
        "distance of rows at the equator to what it would be without refinement",
        at_least=0.05,
        at_most=1.0,
    )
    equator_width: float = option(
        8.0, "degree", "latitude where refinement has fallen by e", at_least=0.5, at_most=40.0
    )


@dataclass(frozen=True)
class Rows:
    """Rows of corners: parallels up to the joint, and how far the northern ones are.

    `colatitude` and `slope` have `steps_per_row` values for every northern row and one more: the
    nominal distance from the pole and its change per row.
    """

    parallels: Array  # latitudes from the southern side to the joint [degree]
    colatitude: Array  # from that of the joint down to the last row's [degree]
    slope: Array  # [degree]

    @property
    def north(self) -> int:
        """Rows of cells north of the joint."""
        return (self.colatitude.size - 1) // steps_per_row


def relative_step(latitude: float, joint: float, options: RowOptions) -> float:
    """Distance of rows at a latitude [degree] to that of columns on the equator.

    Twice differentiable rows need a once differentiable step: north of the joint Mercator's goes
    on with the slope of the cosine, and levels off at half of its value.
    """
    step = 1.0
    if options.spacing == "mercator":
        step = math.cos(math.radians(min(latitude, joint)))
        if latitude > joint:
            beyond = math.radians(latitude - joint)
            step *= 0.5 + 0.5 * math.exp(-2.0 * math.tan(math.radians(joint)) * beyond)
    bump = math.exp(-((latitude / options.equator_width) ** 2))
    return step * (1.0 - (1.0 - options.equator_ratio) * bump)


def make_rows(count: int, joint: float, end: float, options: RowOptions) -> Rows:
    """So many rows from the southern side to `end` [degree], one of corners on the joint.

    Beyond the joint a cubic that begins with the third order takes up what a whole number of rows
    is too long or too short, so that latitudes are twice differentiable over the rows.
    """
    below = _length(options.south, joint, joint, options)
    above = _length(joint, end, joint, options)
    southern = round(count * below / (below + above))
    northern = count - southern
    if southern < 1 or northern < 2:
        raise UserError(
            f"{count} rows (grid.ny) from {latitude_words(options.south)} to {latitude_words(end)}"
            f" with a joint at {latitude_words(joint)} are {southern} south and {northern} north of"
            " it. Take more rows, or another joint (grid.poles.joint)."
        )
    step = below / southern
    parallels = _march(joint, -step, southern, joint, options)[::-steps_per_row]
    parallels[[0, -1]] = options.south, joint
    latitude = _march(joint, step, northern, joint, options)
    slope = np.array([step * relative_step(some, joint, options) for some in latitude])
    share = np.linspace(0.0, 1.0, latitude.size)
    missing = end - latitude[-1]
    colatitude = 90.0 - (latitude + missing * share**3)
    colatitude[-1] = 90.0 - end
    return Rows(parallels, colatitude, -(slope + 3.0 * missing * share**2 / northern))


def _length(first: float, last: float, joint: float, options: RowOptions) -> float:
    """How many steps of one unit fit between two latitudes: the integral of 1 / step."""
    edges = np.linspace(first, last, 65)
    nodes, weights = np.polynomial.legendre.leggauss(12)
    half = 0.5 * (edges[1] - edges[0])
    middles = edges[:-1] + half
    return float(
        sum(
            half * weight / relative_step(middle + half * node, joint, options)
            for middle in middles.tolist()
            for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True)
        )
    )


def _march(first: float, step: float, rows: int, joint: float, options: RowOptions) -> Array:
    """Latitudes from the first one on, by Runge and Kutta's fourth-order steps."""
    h = step / steps_per_row
    found = [first]
    for _ in range(rows * steps_per_row):
        here = found[-1]
        k1 = relative_step(here, joint, options)
        k2 = relative_step(here + 0.5 * h * k1, joint, options)
        k3 = relative_step(here + 0.5 * h * k2, joint, options)
        k4 = relative_step(here + h * k3, joint, options)
        found.append(here + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0)
    return np.array(found)
