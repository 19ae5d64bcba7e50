"""Turning of waves: great circles on the sphere, refraction by depth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.options import Options, option
from halocline.grids.horizontal.grid import Grid
from halocline.grids.sphere import degree
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.spatial_propagation import schemes
from halocline.waves.spectrum import SpectralGrid

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Turning(Options):
    """Shift of the spectrum in direction, by depth gradients and along great circles."""

    great_circle: bool = option(
        True, "", "waves follow great circles on a spherical grid", source="Tolman (1991)"
    )
    refraction: bool = option(True, "", "waves turn towards shallow water", source="Tolman (1991)")
    scheme: str = option(
        "UQ",
        "",
        "first-order upwind, third-order QUICKEST, or that with the ULTIMATE limiter (UQ)",
        choices=tuple(schemes),
        source="Leonard (1979, 1991)",
    )
    maximum_courant: float = option(
        0.75,
        "1",
        "most bins of direction that waves turn in a step; where a step is too long for the"
        " gradient of depth, refraction is slowed to this",
        at_least=0.01,
        at_most=1.0,
        source="WAVEWATCH III manual, filter of refraction",
    )


def depth_gradient(grid: Grid) -> tuple[Array, Array]:
    """Gradients of depth along x and y [1] at sea cells, one-sided beside land, 0 on land."""
    gradients = []
    masks, depths = (grid.topology.widened(v, (1, 1, 1, 1)) for v in (grid.mask, grid.depth))
    nj, ni = grid.shape
    for along_j, along_i, width in ((0, 1, grid.dx), (1, 0, grid.dy)):
        slope, sides = np.zeros(grid.shape), np.zeros(grid.shape)
        for shift in (1, -1):
            j, i = 1 - shift * along_j, 1 - shift * along_i
            beside = np.s_[j : j + nj, i : i + ni]
            sea = grid.mask & masks[beside]
            rise = (grid.depth - depths[beside]) * shift
            slope += np.where(sea, rise / width, 0.0)
            sides += sea
        gradients.append(slope / np.maximum(sides, 1.0))
    return gradients[0], gradients[1]


def direction_faces(spectral: SpectralGrid) -> Array:
    """Cosine and sine half a bin after each direction, shape (directions, 2)."""
    angle = spectral.direction + 0.5 * spectral.direction_width
    return np.array([[math.cos(a), math.sin(a)] for a in angle])


def turning_arrays(
    grid: Grid, spectral: SpectralGrid, options: Turning, time_step: float
) -> dict[str, Array]:
    """Global static arrays of the turning, shape (frequency, sea points) [rad s-1].

    d(theta)/dt = turning_x sin(theta) - turning_y cos(theta): turning_x = (1/k) dsigma/dd dd/dx,
    turning_y likewise, plus c_g tan(latitude) / R on the sphere. Where waves would turn more than
    `maximum_courant` bins in `time_step` [s], refraction is slowed; great circles are kept whole.
    """
    turning_x, turning_y = refraction(grid, spectral, options)
    circle = great_circles(grid, spectral, options)
    most = options.maximum_courant * spectral.direction_width / max(time_step, 1e-30)
    slower = largest_share(turning_x, turning_y, circle, most)
    return {
        "turning_x": turning_x * slower,
        "turning_y": turning_y * slower + circle,
        "direction_face": direction_faces(spectral),
    }


def refraction(grid: Grid, spectral: SpectralGrid, options: Turning) -> tuple[Array, Array]:
    """(1/k) dsigma/dd times the gradient of depth, shape (frequency, sea points) [rad s-1]."""
    depth = grid.depth[grid.mask]
    wavenumber, group_speed = linear_dispersion(depth, spectral.frequency)
    if not options.refraction:
        return np.zeros_like(group_speed), np.zeros_like(group_speed)
    excess = group_speed * wavenumber - 0.5 * spectral.sigma[:, None]
    speed = np.where(wavenumber * depth < 10.0, excess, 0.0) / (depth * wavenumber)
    slope_x, slope_y = depth_gradient(grid)
    return speed * slope_x[grid.mask], speed * slope_y[grid.mask]


def great_circles(grid: Grid, spectral: SpectralGrid, options: Turning) -> Array:
    """c_g tan(latitude) / R, shape (frequency, sea points) [rad s-1]."""
    _, group_speed = linear_dispersion(grid.depth[grid.mask], spectral.frequency)
    if not (options.great_circle and grid.spherical):
        return np.zeros_like(group_speed)
    return group_speed * map_turning(grid, options)


def map_turning(grid: Grid, options: Turning) -> Array:
    """tan(latitude) / R at the sea points, by which axes of the map turn for who goes east on it.

    In rad m-1; 0 on a plane, or without great circles.
    """
    if not (options.great_circle and grid.spherical):
        return np.zeros(grid.sea_points)
    return np.tan(grid.point_y * degree) / grid.radius


def largest_share(x: Array, y: Array, circle: Array, most: float) -> Array:
    """The largest s of 0 to 1 with |(s x, s y + circle)| <= most, for |circle| <= most."""
    square = x * x + y * y
    along = y * circle
    room = np.maximum(most * most - circle * circle, 0.0)
    root = np.sqrt(along * along + square * room)
    return np.minimum(1.0, (root - along) / np.maximum(square, 1e-300))


def turning_steps(
    grid: Grid,
    spectral: SpectralGrid,
    options: Turning,
    time_step: float,
    longest: float | None = None,
) -> int:
    """Number of steps of turning in `time_step` [s], none of them above `longest` [s].

    Great circles alone take at most half of `maximum_courant` in one, so that refraction has room.
    """
    fastest = np.abs(great_circles(grid, spectral, options)).max(initial=0.0)
    stable = 0.5 * options.maximum_courant * spectral.direction_width / max(fastest, 1e-30)
    if longest is not None:
        stable = min(stable, longest)
    return max(1, math.ceil(time_step / stable * (1.0 - 1e-12)))
