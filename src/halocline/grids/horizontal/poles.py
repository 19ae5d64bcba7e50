"""Orthogonal grids whose lines meet on land: a displaced pole, or three poles.

South of a joint rows are parallels and columns meridians. North of it, in the stereographic plane
seen from the pole, z = tan(colatitude / 2) exp(i longitude), longitude counted from the grid's
first pole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.geography import latitude_words
from halocline.core.options import option
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.grids.horizontal.rows import RowOptions, Rows, make_rows, steps_per_row
from halocline.grids.sphere import angles_between, degree, vectors

Array = NDArray[np.float64]
made_here = ("displaced-pole", "tripole")


@dataclass(frozen=True, kw_only=True)
class PoleOptions(RowOptions):
    """Poles and rows of grids with a displaced pole or three poles, both made here.

    Columns begin at the longitude of the (first) pole; how many columns and rows there are say
    `nx` and `ny`.
    """

    longitude: float | None = option(
        None,
        "degree",
        "of the displaced pole (if not given, 320: Greenland), or of the first pole of a tripole"
        " (80: Siberia; the second one lies opposite)",
    )
    latitude: float = option(
        77.0, "degree", "of the displaced pole; those of a tripole lie on the joint", at_most=89.9
    )
    radius: float = option(
        3.0,
        "degree",
        "of the circle around the displaced pole that is the northern side",
        at_least=0.01,
        at_most=30.0,
    )
    joint: float | None = option(
        None,
        "degree",
        "latitude where rows cease to be parallels; if not given, 0 with a displaced pole, 65 of a"
        " tripole",
        at_least=0.0,
        at_most=89.0,
    )


def corners_between_poles(kind: str, columns: int, rows: int, options: PoleOptions) -> Curvilinear:
    """The corners of a grid of a kind that is `made_here`."""
    least = 8
    if columns < least or rows < least or columns % 2:
        raise UserError(
            f"A grid with grid.kind = '{kind}' of {columns} x {rows} cells (grid.nx, grid.ny): it"
            f" has at least {least} of both, and an even number of columns."
        )
    tripole = kind == "tripole"
    first = (80.0 if tripole else 320.0) if options.longitude is None else options.longitude
    joint = (65.0 if tripole else 0.0) if options.joint is None else options.joint
    end = 90.0 if tripole else 90.0 - options.radius
    if not options.south < joint < end:
        raise UserError(
            f"The joint at {latitude_words(joint)} (grid.poles.joint) does not lie between the"
            f" sides of the grid, {latitude_words(options.south)} and {latitude_words(end)}."
        )
    lines = make_rows(rows, joint, end, options)
    cap = bipolar_cap(columns, lines) if tripole else circles(columns, lines, options.latitude)
    x = np.empty((rows + 1, columns + 1))
    x[: -lines.north] = 360.0 * np.arange(columns + 1) / columns
    x[-lines.north :] = np.angle(cap[1:]) / degree
    y = np.broadcast_to(lines.parallels[:, None], (lines.parallels.size, columns + 1))
    y = np.concatenate([y, 90.0 - 2.0 * np.arctan(np.abs(cap[1:])) / degree])
    x = (first + x) % 360.0
    x[:, -1], y[:, -1] = x[:, 0], y[:, 0]
    return Curvilinear(corner_x=x, corner_y=y, periodic_x=True, fold="faces" if tripole else "")


def circles(columns: int, rows: Rows, latitude: float) -> NDArray[np.complex128]:
    """Corners from the joint to the last circle around a pole at longitude 0; shape (rows, ...).

    Rows are nested circles, on the sphere and on the plane, whose middle slides from the true pole
    at the joint to the displaced one at the end, with slope and curvature 0 at the joint, where it
    is thus twice differentiable. On the plane their middle is a, their radius r. Columns are
    orthogonal to all of them: a point a + r exp(i theta) moves by

        d theta / ds = (da / ds) / r sin theta,   tan(theta / 2) ~ exp(integral of da / r).

    Smith, Kortas and Meltz (1995), Curvilinear coordinates for global ocean models, LAUR-95-1146.
    """
    share, tilt_end = np.linspace(0.0, 1.0, rows.colatitude.size), (90.0 - latitude) * degree
    size, size_slope = rows.colatitude * degree, rows.slope * rows.north * degree
    tilt, tilt_slope = tilt_end * share**3 * (4.0 - 3.0 * share), tilt_end * 12.0 * share**2
    tilt_slope *= 1.0 - share
    if (tilt_slope > -0.95 * size_slope).any():
        raise UserError(
            f"The rows around a pole at {latitude:g} N (grid.poles.latitude) would cut each other:"
            f" between the joint at {90.0 - rows.colatitude[0]:g} N and there they cannot slide so"
            " far. Move the joint (grid.poles.joint) to the south."
        )
    fore, back = np.tan(0.5 * (tilt + size)), np.tan(0.5 * (tilt - size))
    middle, radius = 0.5 * (fore + back), 0.5 * (fore - back)
    middle_slope = 0.25 * (
        (1.0 + fore**2) * (tilt_slope + size_slope) + (1.0 + back**2) * (tilt_slope - size_slope)
    )
    growth = np.exp(_integral_by_rows(middle_slope / radius, share[1]))[:, None]
    half = np.pi * np.arange(columns + 1) / columns
    theta = 2.0 * np.arctan2(growth * np.sin(half), np.cos(half))
    some = np.s_[::steps_per_row, None]
    return np.asarray(middle[some] + radius[some] * np.exp(1j * theta))


def _integral_by_rows(values: Array, step: float) -> Array:
    """The integral from the first value to each row, by Simpson's rule."""
    pairs = (values[:-2:2] + 4.0 * values[1::2] + values[2::2]) * step / 3.0
    per_row = pairs.reshape(-1, steps_per_row // 2).sum(axis=1)
    return np.concatenate([[0.0], np.cumsum(per_row)])


def bipolar_cap(columns: int, rows: Rows) -> NDArray[np.complex128]:
    """Corners from the joint to the fold; the poles are at longitude 0 and 180 on the joint.

    On the disc within the joint rows are arcs through both poles, and columns are orthogonal:

        z = tanh((xi + i eta) / 2),   xi = ln cot(longitude / 2),

    eta from pi / 2 at the joint to 0 at the fold; columns go on from the meridians. Rows lie as
    `rows` say where longitude is 90. Here with both sides of the fraction times sin(longitude / 2),
    so that nothing is infinite at the poles. Murray (1996), J. Comput. Phys. 126, 251-273.
    """
    size = rows.colatitude[::steps_per_row] * degree
    scale = np.tan(0.5 * size[0])
    eta = 2.0 * np.arctan(np.tan(0.5 * size) / scale)
    half = columns // 2
    angle = np.pi * np.arange(half + 1) / columns
    turned, sine = np.cos(angle) * np.exp(1j * eta[:, None]), np.sin(angle)
    z = (turned - sine) / (turned + sine)
    z[:, 0], z[:, half] = 1.0, -1.0
    return np.asarray(scale * np.concatenate([z, np.conj(z[:, half - 1 :: -1])], axis=1))


def at_poles(corners: Curvilinear) -> NDArray[np.bool_]:
    """Cells with a corner where a whole column of corners meets: around the poles of a fold."""
    points = vectors(corners.corner_x, corners.corner_y)
    together = angles_between(points[:, 1:], points[:, :-1]) < 1e-12
    touched = np.zeros(corners.corner_x.shape, bool)
    touched[1:] |= together
    touched[:-1] |= together
    return touched[1:, 1:] | touched[1:, :-1] | touched[:-1, 1:] | touched[:-1, :-1]
