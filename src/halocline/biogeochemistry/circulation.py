"""Analytic circulations as volume fluxes: solid-body rotation, and gyres on any real coast."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.constants import earth_radius
from halocline.core.options import Options, option
from halocline.grids.horizontal.sphere import degree
from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics.stream_function import VolumeFluxes, constant_along_coasts, fluxes_of
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]
sverdrup = 1.0e6
"""Unit of transport at the door [m3 s-1]."""


@dataclass(frozen=True, kw_only=True)
class RotationOptions(Options):
    """Solid-body rotation of the sphere about a point, at rest far from it.

    Within `radius` all water turns with one angular speed, anticlockwise; the speed falls to zero
    over as much again as `rim`. After Williamson et al. (1992), doi:10.1016/S0021-9991(05)80016-6,
    test 1, cut off so that it fits a closed basin.
    """

    longitude: float = option(0.0, "degree", "centre")
    latitude: float = option(0.0, "degree", "centre", at_least=-90, at_most=90)
    radius: float = option(32.0, "degree", "of the part that turns like a solid", at_least=0)
    rim: float = option(10.0, "degree", "width over which the speed falls to zero", at_least=0.1)
    period: float = option(12.0, "day", "time of one revolution", at_least=0.01)


@dataclass(frozen=True, kw_only=True)
class GyreOptions(Options):
    """Gyres, a circumpolar current and some overturning, constant along every coast.

    The stream function of the latitude, sin(3 latitude) for the gyres and a step in the Southern
    Ocean, is relaxed to the mean of each coast along it; speeds fall off exponentially with depth.
    """

    gyre_transport: float = option(30.0, "1e6 m3 s-1", "of the subtropical gyres")
    circumpolar_transport: float = option(120.0, "1e6 m3 s-1", "around Antarctica")
    overturning_transport: float = option(
        0.02, "1e6 m3 s-1", "of overturning, per column of cells", at_least=0
    )
    decay_depth: float = option(800.0, "m", "depth where speeds are 1/e", at_least=1)
    largest_speed: float = option(
        1.0, "m s-1", "all transports are scaled down so that no speed is greater", at_least=0
    )
    smoothing: int = option(20, "1", "relaxations of the stream function", at_least=0)


def rotation(grid: VerticalGrid, options: RotationOptions) -> VolumeFluxes:
    """Volume fluxes of a rotation of all levels alike."""
    speed = 2.0 * math.pi / (options.period * 86400.0)
    inner, outer = options.radius * degree, (options.radius + options.rim) * degree
    distance = np.linspace(0.0, math.pi, 20001)
    fall = np.clip((distance - inner) / (outer - inner), 0.0, 1.0)
    tangential = np.sin(distance) * (1.0 - fall**2 * (3.0 - 2.0 * fall))
    rise = 0.5 * (tangential[1:] + tangential[:-1]) * np.diff(distance)
    table = speed * earth_radius**2 * np.concatenate([[0.0], np.cumsum(rise)])
    corner = grid.horizontal.on_both_sides(Place.corner)
    at = angular_distance(corner.x, corner.y, options.longitude, options.latitude)
    stream = np.interp(at, distance, table - table[-1])
    return fluxes_of(stream * grid.thickness[:, None, None], bits=40)


def angular_distance(longitude: Array, latitude: Array, to_x: float, to_y: float) -> Array:
    """Angle between points and one point, all in degrees; the result in radians."""
    half_x, half_y = np.sin((longitude - to_x) * degree / 2), np.sin((latitude - to_y) * degree / 2)
    chord = half_y**2 + np.cos(latitude * degree) * math.cos(to_y * degree) * half_x**2
    return 2.0 * np.arcsin(np.sqrt(np.clip(chord, 0.0, 1.0)))


def gyres(grid: VerticalGrid, options: GyreOptions) -> VolumeFluxes:
    """Volume fluxes of gyres on any coast and floor; their divergence is exactly zero."""
    corner = grid.horizontal.on_both_sides(Place.corner)
    latitude = corner.y
    step = np.clip((-40.0 - latitude) / 25.0, 0.0, 1.0)
    plane = options.gyre_transport * np.sin(3.0 * latitude * degree) * (
        1.0 + 0.3 * np.cos(2.0 * corner.x * degree)
    ) + options.circumpolar_transport * step**2 * (3.0 - 2.0 * step)
    share = grid.thickness * np.exp(-grid.depth / options.decay_depth)
    stream = (sverdrup * share / share.sum())[:, None, None] * plane
    open_x, open_y = grid.open_x_faces(), grid.open_y_faces()
    stream = constant_along_coasts(
        stream, open_x, open_y, grid.horizontal.periodic_x, options.smoothing
    )
    turn = overturning(grid, options.overturning_transport * sverdrup)
    scale = min(
        1.0, options.largest_speed / max(largest_speed(fluxes_of(stream, turn), grid), 1e-9)
    )
    return fluxes_of(stream * scale, turn * scale)


def overturning(grid: VerticalGrid, transport: float) -> Array:
    """Overturning at the lower edges of southern faces [m3 s-1], shape (nk, nj + 1, ni).

    It is 0 unless all four cells around an edge are wet, so that no flux meets a coast or floor.
    """
    wet = np.pad(grid.wet, ((1, 0), (1, 1), (0, 0)))
    open_edge = wet[1:, 1:] & wet[:-1, 1:] & wet[1:, :-1] & wet[:-1, :-1]
    total = grid.thickness.sum()
    depth = np.cumsum(grid.thickness[::-1])[::-1]
    corner = grid.horizontal.on_both_sides(Place.corner)
    latitude = 0.5 * (corner.y[:, 1:] + corner.y[:, :-1])
    shape = np.sin(math.pi * np.sqrt(depth / total))[:, None, None] * np.sin(2 * latitude * degree)
    return np.where(open_edge, transport * shape, 0.0)


def largest_speed(fluxes: VolumeFluxes, grid: VerticalGrid) -> float:
    """Greatest horizontal speed through any face [m s-1]."""
    thickness = grid.thickness[:, None, None]
    x_face, y_face = map(grid.horizontal.on_both_sides, (Place.x_face, Place.y_face))
    u = fluxes.x / (x_face.dy[:, :-1] * thickness)
    v = fluxes.y / (y_face.dx[:-1] * thickness)
    return max(float(np.abs(u).max()), float(np.abs(v).max()))
