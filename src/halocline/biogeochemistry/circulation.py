"""Analytic circulations as volume fluxes: solid-body rotation, and gyres on any real coast."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.options import Options, option
from halocline.grids.sphere import degree
from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics.stream_function import Coasts, LevelFluxes
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


def at_rest(grid: VerticalGrid) -> LevelFluxes:
    """No volume fluxes at all."""
    corner = grid.horizontal.on_both_sides(Place.corner)
    return LevelFluxes(grid.thickness.size, grid.topology, lambda k: np.zeros(corner.x.shape))


def rotation(grid: VerticalGrid, options: RotationOptions) -> LevelFluxes:
    """Volume fluxes of a rotation of all levels alike."""
    speed = 2.0 * math.pi / (options.period * 86400.0)
    inner, outer = options.radius * degree, (options.radius + options.rim) * degree
    distance = np.linspace(0.0, math.pi, 20001)
    fall = np.clip((distance - inner) / (outer - inner), 0.0, 1.0)
    tangential = np.sin(distance) * (1.0 - fall**2 * (3.0 - 2.0 * fall))
    rise = 0.5 * (tangential[1:] + tangential[:-1]) * np.diff(distance)
    table = speed * grid.horizontal.radius**2 * np.concatenate([[0.0], np.cumsum(rise)])
    corner = grid.horizontal.on_both_sides(Place.corner)
    at = angular_distance(corner.x, corner.y, options.longitude, options.latitude)
    stream = np.interp(at, distance, table - table[-1])
    levels = grid.thickness.size
    return LevelFluxes(levels, grid.topology, lambda k: stream * grid.thickness[k], bits=40)


def angular_distance(longitude: Array, latitude: Array, to_x: float, to_y: float) -> Array:
    """Angle between points and one point, all in degrees; the result in radians."""
    half_x, half_y = np.sin((longitude - to_x) * degree / 2), np.sin((latitude - to_y) * degree / 2)
    chord = half_y**2 + np.cos(latitude * degree) * math.cos(to_y * degree) * half_x**2
    return 2.0 * np.arcsin(np.sqrt(np.clip(chord, 0.0, 1.0)))


def gyres(grid: VerticalGrid, options: GyreOptions) -> LevelFluxes:
    """Volume fluxes of gyres on any coast and floor; their divergence is exactly zero."""
    corner = grid.horizontal.on_both_sides(Place.corner)
    latitude = corner.y
    step = np.clip((-40.0 - latitude) / 25.0, 0.0, 1.0)
    plane = options.gyre_transport * np.sin(3.0 * latitude * degree) * (
        1.0 + 0.3 * np.cos(2.0 * corner.x * degree)
    ) + options.circumpolar_transport * step**2 * (3.0 - 2.0 * step)
    share = grid.thickness * np.exp(-grid.depth / options.decay_depth)
    share = sverdrup * share / share.sum()
    coasts = Coasts(grid.topology, options.smoothing)
    levels = grid.thickness.size
    stream = np.empty((levels, *plane.shape))
    for k in reversed(range(levels)):
        stream[k] = coasts(share[k] * plane, grid.open_x_faces(k), grid.open_y_faces(k))
    turn = overturning(grid, options.overturning_transport * sverdrup)
    fluxes = LevelFluxes(levels, grid.topology, lambda k: stream[k], turn)
    scale = min(1.0, options.largest_speed / max(largest_speed(fluxes, grid), 1e-9))
    return LevelFluxes(
        levels, grid.topology, lambda k: stream[k] * scale, lambda k: turn(k) * scale
    )


def overturning(grid: VerticalGrid, transport: float) -> Callable[[int], Array]:
    """Overturning at the lower edges of southern faces of a level [m3 s-1], shape (nj + 1, ni).

    It is 0 unless all four cells around an edge are wet, so that no flux meets a coast or floor,
    and from the seam of a fold on.
    """
    seam = grid.topology.seam(Place.center)
    total = grid.thickness.sum()
    depth = np.cumsum(grid.thickness[::-1])[::-1]
    corner = grid.horizontal.on_both_sides(Place.corner)
    latitude = 0.5 * (corner.y[:, 1:] + corner.y[:, :-1])
    down, across = np.sin(math.pi * np.sqrt(depth / total)), np.sin(2 * latitude * degree)

    def level(k: int) -> Array:
        if k == 0:
            return np.zeros(across.shape)
        wet = np.pad(grid.is_wet(k) & grid.is_wet(k - 1), ((1, 1), (0, 0)))
        if seam is not None:
            wet[seam + 1 :] = False
        return np.where(wet[1:] & wet[:-1], transport * (down[k] * across), 0.0)

    return level


def largest_speed(fluxes: LevelFluxes, grid: VerticalGrid) -> float:
    """Greatest horizontal speed through any face [m s-1]."""
    x_face, y_face = map(grid.horizontal.on_both_sides, (Place.x_face, Place.y_face))
    greatest = 0.0
    for k, thickness in enumerate(grid.thickness):
        here = fluxes.level(k)
        u = here.x / (x_face.dy[:, :-1] * thickness)
        v = here.y / (y_face.dx[: here.y.shape[0]] * thickness)
        greatest = max(greatest, float(np.abs(u).max()), float(np.abs(v).max()))
    return greatest
